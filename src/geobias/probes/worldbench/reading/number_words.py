"""Numbers without digits, and shares: *two million*, *三千万*, *one third*, *1 in 5*, *81/350*.

A fraction answers a question about percentages only: *one third* is then 33.3…; for other
units it counts where a scale follows (*half a million*). A share answers a question about
percentages, or about a rate whose base the unit names: *1 in 180* is 555.6 deaths per 100,000.
"""

from __future__ import annotations

import re
from itertools import islice

from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.numerals import (
    MOST,
    Numeral,
    add_unit,
    overlaps,
    percent_after,
)

_SMALL_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TEN_WORDS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: value for value, word in enumerate(_SMALL_WORDS)}
_TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS, start=2)}
BIG = {
    "thousand": 1e3, "lakh": 1e5, "million": 1e6, "crore": 1e7, "billion": 1e9, "trillion": 1e12,
}  # fmt: skip
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip

UNIT_WORDS = "|".join(sorted([*_SMALL, *_TENS], key=len, reverse=True))
_BIG_WORDS = "|".join(["hundred", *BIG])
_WORDS = re.compile(
    rf"\b(?:{UNIT_WORDS}|an? (?:hundred|thousand|million|billion|trillion))\b"
    rf"(?:(?:[ -]|(?:(?<=hundred)|(?<=thousand)|(?<=illion)|(?<=lakh)|(?<=crore))(?:, | and ))"
    rf"(?:{UNIT_WORDS}|{_BIG_WORDS}|point)s?\b)*"
)
_COUNT = "(?:" + UNIT_WORDS + r"|an?|[0-9]{1,2})"
_FRACTION = re.compile(
    rf"\b(?:({_COUNT})[ -])?(half|halves|third|quarter|fourth|fifth|sixth|seventh|eighth|ninth"
    r"|tenth)s?\b(?:(?: of)? (?:an?|one) (million|billion|trillion|thousand|percent|per cent"
    r"|(?:metric )?tonn?e?)\b)?"
)
_AND_A_HALF = re.compile(
    rf"\b(?:({'|'.join(_TEN_WORDS)})[- ])?({UNIT_WORDS}|[0-9]{{1,3}}) and a (half|quarter|third)"
    r"(?: (thousand|million|billion|trillion|lakh|crore))?\b"
)
_ORDER_BEFORE = re.compile(r"\b(?:first|second|latter|the last|and a) $")
#: A piece of every number word: a quick look that spares most replies the patterns above.
_TRACES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twel", "teen", "twent", "thirt", "fort", "fift", "hundred", "thousand", "illion", "half",
    "quarter", "third", "ninth",
)  # fmt: skip


def word_numerals(low_text: str, expected: Expected) -> list[Numeral]:
    """Numbers and fractions said in English; `low_text` is normalised and in lower case."""
    found: list[Numeral] = []
    if not any(trace in low_text for trace in _TRACES):
        return found
    for match in islice(_AND_A_HALF.finditer(low_text), MOST):
        scale = BIG[match[4]] if match[4] else 1.0
        whole = small(match[2]) + (small(match[1]) if match[1] else 0)
        value = (whole + 1 / _PARTS[match[3]]) * scale
        percent = percent_after(low_text, match.end())
        found.append(Numeral(*match.span(), value, scale, "words", percent))
    found += _fractions(low_text, expected, taken=found)
    for match in islice(_WORDS.finditer(low_text), MOST):
        if overlaps(match.start(), match.end(), found):
            continue
        spoken = _spoken(match[0])
        if spoken is None or low_text[match.start() - 1 : match.start()] == "-":
            continue
        value, scale = spoken
        percent = percent_after(low_text, match.end())
        faint = value < 20 and not percent and scale == 1.0
        found.append(Numeral(*match.span(), value, scale, "words", percent, faint=faint))
    for numeral in found:
        if not numeral.percent and numeral.form == "words":
            add_unit(numeral, low_text, expected)
            if numeral.measure is not None and numeral.measure.quantity == expected.quantity:
                numeral.faint = False
    return found


def _fractions(low_text: str, expected: Expected, *, taken: list[Numeral]) -> list[Numeral]:
    found: list[Numeral] = []
    for match in islice(_FRACTION.finditer(low_text), MOST):
        count, part, of = match[1], match[2], match[3]
        if overlaps(match.start(), match.end(), taken):
            continue
        if _ORDER_BEFORE.search(low_text[max(0, match.start() - 9) : match.start()]):
            continue
        if count is None and not part.startswith(("half", "quarter")):
            continue
        value = (small(count) if count else 1) / _PARTS[part]
        if of in BIG:
            found.append(Numeral(*match.span(), value * BIG[of], BIG[of], "words"))
        elif of and of.endswith(("ton", "tonne")):
            found.append(Numeral(*match.span(), value, 1.0, "words"))
        elif of or percent_after(low_text, match.end()):
            found.append(Numeral(*match.span(), value, 1.0, "words", percent=True))
        elif expected.kind == "share":
            found.append(Numeral(*match.span(), 100 * value, 100.0, "fraction", faint=not count))
    return found


def small(word: str) -> float:
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
        if (singular in _TENS and current % 100) or (singular in _SMALL and current % 10):
            break  # "fifty-fifty", "five six"
        if singular in _SMALL or singular in _TENS:
            current += small(singular)
            said = True
        elif singular in ("a", "an"):
            current = 1.0
        elif singular == "hundred":
            current = (current or 1.0) * 100
            said = True
        elif singular in BIG:
            total += (current or 1.0) * BIG[singular]
            current, scale = 0.0, max(scale, BIG[singular])
            said = True
    return (total + current, scale) if said else None


def _with_decimals(words: list[str]) -> tuple[float, float] | None:
    place = words.index("point")
    decimals = [word for word in words[place + 1 :] if word in _SMALL and _SMALL[word] < 10]
    whole = _spoken(" ".join(words[:place])) if place else (0.0, 1.0)
    if whole is None or not decimals:
        return whole
    scale = next((BIG[word] for word in words[place + 1 :] if word in BIG), 1.0)
    fraction = "".join(str(_SMALL[word]) for word in decimals)
    return float(f"{whole[0]:.0f}.{fraction}") * scale, scale


_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")}
_HAN_DIGITS |= {"〇": 0, "两": 2, "兩": 2}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000}
_HAN_BIG = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8}
_HAN_NUMBER = re.compile(
    "(百分之|)([零〇一二两兩三四五六七八九十百千万萬亿億]{2,16}|[零一二三四五六七八九十])"
    "(?:[点點]([零〇一二三四五六七八九]{1,8}))?"
)
_HAN_PART = re.compile("([一二两三四五六七八九十])分之([一二两三四五六七八九])")


def han_numerals(low_text: str, expected: Expected) -> list[Numeral]:
    """Numbers in Chinese characters; a fraction counts for percentages only."""
    found: list[Numeral] = []
    if low_text.isascii():
        return found
    if expected.kind == "share":
        for match in islice(_HAN_PART.finditer(low_text), MOST):
            part = _HAN_DIGITS[match[2]] / _han_value(match[1])
            found.append(Numeral(*match.span(), 100 * part, 100.0, "fraction"))
    for match in islice(_HAN_NUMBER.finditer(low_text), MOST):
        percent = bool(match[1])
        alone = len(match[2]) == 1 and not match[3]
        before, after = low_text[match.start() - 1 : match.start()], low_text[match.end() :][:1]
        if overlaps(match.start(), match.end(), found) or (alone and not percent):
            continue
        if before.isdigit() or before == "第" or after in ("分", "年"):
            continue  # the scale of 3.3万, an ordinal, the base of 十万分之17, a year
        value = _han_value(match[2])
        if match[3]:
            value += float("0." + "".join(str(_HAN_DIGITS[char]) for char in match[3]))
        found.append(Numeral(*match.span(), value, 1.0, "words", percent))
    return found


def _han_value(chars: str) -> float:
    total, section, digit = 0.0, 0.0, 0.0
    if all(char in _HAN_DIGITS for char in chars):
        return float("".join(str(_HAN_DIGITS[char]) for char in chars))
    for char in chars:
        if char in _HAN_DIGITS:
            digit = float(_HAN_DIGITS[char])
        elif char in _HAN_TENS:
            section += (digit or 1.0) * _HAN_TENS[char]
            digit = 0.0
        else:
            big = _HAN_BIG[char]
            if big > total > 0:
                total = (total + section + digit) * big
            else:
                total += (section + digit or 1.0) * big
            section = digit = 0.0
    return total + section + digit


_SHARE = re.compile(
    rf"(?<![0-9.,/])\b([0-9]{{1,9}}|{UNIT_WORDS})"
    rf" (?:in|out of|of|of the|in every|of every|out of every) (?:every |the )?"
    rf"([0-9]{{1,9}}|{UNIT_WORDS}|hundred)\b(?![.,]?[0-9]|\s?%)"
)
_SLASH = re.compile(
    r"(?<![0-9.,/-])([0-9]{1,3}(?:,[0-9]{3})*|[0-9]{1,9}) ?/ ?"
    r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,9})(?![0-9/]|[.,-][0-9]|\s?%)"
)
_SLASHED = re.compile(
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
