"""Numbers in words and shares: *twenty-three percent*, *two million*, *one third*, *1 in 5*.

A fraction or share answers a question about percentages only: *one third* is then 33.3…; for other
units it counts where a scale follows (*half a million*).
"""

from __future__ import annotations

import re

from geobias.probes.worldbench.numerals import Numeral, percent_after

_SMALL = dict(
    zip(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
        fifteen sixteen seventeen eighteen nineteen""".split(),
        range(20),
        strict=True,
    )
)
_TENS = {
    word: 10 * (place + 2)
    for place, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())
}
_BIG = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "lakh": 1e5, "crore": 1e7}
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip

_UNIT_WORDS = "|".join(sorted([*_SMALL, *_TENS], key=len, reverse=True))
_BIG_WORDS = "|".join(["hundred", *_BIG])
_WORDS = re.compile(
    rf"\b(?:{_UNIT_WORDS}|an? (?:hundred|thousand|million|billion|trillion))\b"
    rf"(?:(?:[ -]|, | and )(?:{_UNIT_WORDS}|{_BIG_WORDS}|point)s?\b)*"
)
_COUNT = "(?:" + _UNIT_WORDS + r"|an?|[0-9]{1,2})"
_FRACTION = re.compile(
    rf"\b(?:({_COUNT})[ -])?(half|halves|third|quarter|fourth|fifth|sixth|seventh|eighth|ninth"
    r"|tenth)s?\b(?:(?: of)? (?:an?|one) (million|billion|trillion|thousand|percent|per cent)\b)?"
)
_AND_A_HALF = re.compile(
    rf"\b({_UNIT_WORDS}|[0-9]{{1,3}}) and a (half|quarter|third)"
    r"(?: (thousand|million|billion|trillion|lakh|crore))?\b"
)
_SHARE = re.compile(
    rf"(?<![0-9.,/])\b([0-9]{{1,9}}|{_UNIT_WORDS})"
    rf" (?:in|out of|of|of the|in every|of every|out of every) (?:every |the )?"
    rf"([0-9]{{1,9}}|{_UNIT_WORDS}|hundred)\b(?![.,]?[0-9]|\s?%)"
)
_SLASH = re.compile(
    r"(?<![0-9.,/-])([0-9]{1,3}(?:,[0-9]{3})*|[0-9]{1,9}) ?/ ?"
    r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})(?![0-9/]|[.,-][0-9]|\s?%)"
)
_ORDER_BEFORE = re.compile(r"\b(?:first|second|latter|the last|and a) $")
_HAS_WORDS = re.compile(
    r"zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twel|teen|twent|thirt|fort|fift"
    r"|hundred|thousand|million|billion|trillion|half|third|quarter|fifth"
)


def word_numerals(low_text: str, *, unit: str) -> list[Numeral]:
    """Numbers, fractions and shares said in words; `low_text` is normalised and in lower case."""
    found: list[Numeral] = []
    if unit == "percent" and ("/" in low_text or " in " in low_text or " of " in low_text):
        found += _shares(low_text)
    if not _HAS_WORDS.search(low_text):
        return found
    for match in _AND_A_HALF.finditer(low_text):
        scale = _BIG[match[3]] if match[3] else 1.0
        whole = _small(match[1])
        value = (whole + 1 / _PARTS[match[2]]) * scale
        percent = percent_after(low_text, match.end())
        found.append(Numeral(*match.span(), value, scale, "words", percent))
    found += _fractions(low_text, unit=unit, taken=found)
    for match in _WORDS.finditer(low_text):
        if _overlaps(match.start(), match.end(), found):
            continue
        numeral = _spoken(match[0])
        if numeral is None or low_text[match.start() - 1 : match.start()] == "-":
            continue
        value, scale = numeral
        percent = percent_after(low_text, match.end())
        faint = value < 20 and not percent and scale == 1.0
        found.append(Numeral(*match.span(), value, scale, "words", percent, faint=faint))
    return found


def _fractions(low_text: str, *, unit: str, taken: list[Numeral]) -> list[Numeral]:
    found: list[Numeral] = []
    for match in _FRACTION.finditer(low_text):
        count, part, of = match[1], match[2], match[3]
        if _overlaps(match.start(), match.end(), taken):
            continue
        if _ORDER_BEFORE.search(low_text[max(0, match.start() - 9) : match.start()]):
            continue
        if count is None and not part.startswith(("half", "quarter")):
            continue
        value = (_small(count) if count else 1) / _PARTS[part]
        if of in _BIG:
            found.append(Numeral(*match.span(), value * _BIG[of], _BIG[of], "words"))
        elif of or percent_after(low_text, match.end()):
            found.append(Numeral(*match.span(), value, 1.0, "words", percent=True))
        elif unit == "percent":
            found.append(Numeral(*match.span(), 100 * value, 100.0, "fraction", faint=not count))
    return found


def _shares(low_text: str) -> list[Numeral]:
    found: list[Numeral] = []
    for pattern in (_SHARE, _SLASH):
        for match in pattern.finditer(low_text):
            part, whole = _small(match[1]), _small(match[2])
            year = whole in range(1900, 2100) and " in " in match[0]
            if 0 <= part <= whole and whole > 1 and not year:
                found.append(Numeral(*match.span(), 100 * part / whole, 100.0, "share"))
    return found


def _small(word: str) -> float:
    if word in ("a", "an"):
        return 1.0
    if word == "hundred":
        return 100.0
    digits = word.replace(",", "")
    if digits.isdigit():
        return float(digits)
    return float(_SMALL.get(word, _TENS.get(word, 0)))


def _spoken(phrase: str) -> tuple[float, float] | None:
    """Value and largest scale of an English number phrase; None if it says none."""
    total, current, scale = 0.0, 0.0, 1.0
    said = False
    words = re.split(r"[ ,-]+", phrase)
    if "point" in words:
        return _with_decimals(words)
    for word in words:
        singular = word if word in _SMALL or word in _TENS else word.rstrip("s")
        if singular in _SMALL or singular in _TENS:
            current += _small(singular)
            said = True
        elif singular in ("a", "an"):
            current = 1.0
        elif singular == "hundred":
            current = (current or 1.0) * 100
            said = True
        elif singular in _BIG:
            total += (current or 1.0) * _BIG[singular]
            current, scale = 0.0, max(scale, _BIG[singular])
            said = True
    return (total + current, scale) if said else None


def _with_decimals(words: list[str]) -> tuple[float, float] | None:
    place = words.index("point")
    decimals = [word for word in words[place + 1 :] if word in _SMALL and _SMALL[word] < 10]
    whole = _spoken(" ".join(words[:place])) if place else (0.0, 1.0)
    if whole is None or not decimals:
        return whole
    scale = next((_BIG[word] for word in words[place + 1 :] if word in _BIG), 1.0)
    fraction = "".join(str(_SMALL[word]) for word in decimals)
    return float(f"{whole[0]:.0f}.{fraction}") * scale, scale


def _overlaps(start: int, end: int, numerals: list[Numeral]) -> bool:
    return any(numeral.start < end and start < numeral.end for numeral in numerals)
