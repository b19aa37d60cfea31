"""Which numbers stand below zero: *−5.4*, *minus 5*, *430 m below sea level*.

Where the question asks for a change or a balance, words say it too: *shrank by 0.6%*, *a deficit of
$5.8 billion*. *Fell to 1.2%* is no such word: it says where a figure came to.
"""

from __future__ import annotations

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.expected import Expected

_MINUS_BEFORE = regex(r"(?:(?:^|[\s(\[:=$€£~≈*\"'{])-|\b(?:minus|negative) )(?:us)?[$€£]?$")
#: A quick look that spares most numbers the patterns around it.
_MAY_BE_MINUS = regex(r"[-–—](?:us)?[$€£]?$|[se] $")
#: A longer dash is a minus where nothing stands before it that it could part from the number.
_DASH_BEFORE = regex(r"(?:^|[(\[:=]\s?|\b(?:is|was|of|at|about|around) )[–—](?:us)?[$€£]?$")
_BELOW_AFTER = regex(
    r"[ *]{0,3}(?:[^\W\d_]{1,8}|°c?)?[ *]{0,3}(?:below|under|beneath)"
    r" (?:mean )?(?:sea|zero|freezing)"
)
_ABOUT = r"(?: (?:about|around|roughly|approximately|nearly|almost|some|an estimated))?"
_LESS_BEFORE = regex(
    r"\b(?:(?:shr[aiu]nk|shrinking|shrinks|declin(?:ed|ing|es)|decreas(?:ed|ing|es)|fell|falling"
    r"|contract(?:ed|ing|s)|dropp(?:ed|ing)|lost|losing|loses)(?: by| at)?"
    r"|(?:deficit|outflow|emigration|loss|contraction|decline|decrease|drop|deflation|shortfall)"
    rf"(?: rate)?(?: of| is| was| at|:)?){_ABOUT} [~≈]?(?:us)?[$€£]?$"
)
_LESS_AFTER = regex(
    r"%?(?: (?:us )?(?:dollars?|usd|percent|people|persons|annual|net)){0,2}"
    r" (?:deficit|shortfall|outflow"
    r"|loss|contraction|decline|decrease|drop)\b"
)


def negative(low_text: str, start: int, end: int, expected: Expected) -> bool:
    """Whether the number from `start` to `end`, written without its sign, is below zero."""
    before = low_text[max(0, start - 12) : start]
    if _MAY_BE_MINUS.search(before) and (
        _MINUS_BEFORE.search(before) or _DASH_BEFORE.search(before)
    ):
        return True
    if expected.quantity in ("length", "temperature"):
        return _BELOW_AFTER.match(low_text, end) is not None
    return expected.signed and bool(
        _LESS_BEFORE.search(low_text[max(0, start - 48) : start])
        or _LESS_AFTER.match(low_text, end)
    )
