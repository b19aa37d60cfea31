"""Shares of a whole: *1 in 5*, *21 out of 60 seats*, *81/350*, *1/2 trillion*.

A share answers a question about percentages, or about a rate whose base the unit names: *1 in 180*
is 555.6 deaths per 100,000.
"""

from __future__ import annotations

from itertools import islice

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.number_words import BIG, UNIT_WORDS, small
from geobias.probes.worldbench.reading.numerals import MOST, Numeral, overlaps

_SHARE = regex(
    rf"(?<![0-9.,/])\b([0-9]{{1,9}}|{UNIT_WORDS})"
    rf" (?:in|out of|of|of the|in every|of every|out of every) (?:every |the )?"
    rf"([0-9]{{1,9}}|{UNIT_WORDS}|hundred)\b(?![.,]?[0-9]|\s?%)"
)
_SLASH = regex(
    r"(?<![0-9.,/-])([0-9]{1,3}(?:,[0-9]{3})*|[0-9]{1,9}) ?/ ?"
    r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})(?![0-9/]|[.,-][0-9]|\s?%)"
)
_SLASHED = regex(
    r"(?:\b([0-9]{1,3}) )?(?<![0-9/.,])([1-9])/([2-9])(?![0-9/])(?: of an?)?"
    r" ?(%|percent\b|per cent\b|million\b|billion\b|trillion\b)"
)


def share_numerals(low_text: str, expected: Expected) -> list[Numeral]:
    """Every share in `low_text`, in the unit asked for."""
    slash = "/" in low_text
    found = _slashed(low_text) if slash else []
    per = expected.base
    if per and (slash or " in " in low_text or " of " in low_text):
        found += _shares(low_text, per, taken=found)
    return found


def _slashed(low_text: str) -> list[Numeral]:
    """*1/2 trillion* and *3 1/2 %*."""
    found: list[Numeral] = []
    for match in islice(_SLASHED.finditer(low_text), MOST):
        scale = BIG.get(match[4], 1.0)
        value = (float(match[1] or 0) + int(match[2]) / int(match[3])) * scale
        found.append(Numeral(*match.span(), value, scale, "words", percent=scale == 1.0))
    return found


def _shares(low_text: str, per: float, *, taken: list[Numeral]) -> list[Numeral]:
    found: list[Numeral] = []
    for pattern in (_SHARE, _SLASH):
        for match in islice(pattern.finditer(low_text), MOST):
            part, whole = small(match[1]), small(match[2])
            year = whole in range(1900, 2100) and " in " in match[0]
            # For a rate, "12 of 60" counts seats or countries; "1 in 180" is a risk.
            stated = per == 100.0 or " of " not in match[0] or "out of" in match[0]
            if overlaps(match.start(), match.end(), taken) or year or not stated:
                continue
            if 0 <= part <= whole and whole > 1:
                found.append(Numeral(*match.span(), per * part / whole, per, "share"))
    return found
