"""Chinese and Japanese numbers written without digits: *三千万*, *百分之四十五*, *三分之一*."""

from __future__ import annotations

from itertools import islice

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.numerals import MOST, Numeral, overlaps

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")}
_DIGITS |= {"〇": 0, "两": 2, "兩": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_BIG = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8}
_NUMBER = regex(
    "(百分之|)([零〇一二两兩三四五六七八九十百千万萬亿億]{2,16}|[零一二三四五六七八九十])"
    "(?:[点點]([零〇一二三四五六七八九]{1,8}))?"
)
_PART = regex("([一二两三四五六七八九十])分之([一二两三四五六七八九])")


def han_numerals(low_text: str, expected: Expected) -> list[Numeral]:
    """Numbers in Chinese characters; a fraction counts for percentages only."""
    found: list[Numeral] = []
    if low_text.isascii():
        return found
    if expected.kind == "share":
        for match in islice(_PART.finditer(low_text), MOST):
            part = _DIGITS[match[2]] / _value(match[1])
            found.append(Numeral(*match.span(), 100 * part, 100.0, "fraction"))
    for match in islice(_NUMBER.finditer(low_text), MOST):
        percent = bool(match[1])
        alone = len(match[2]) == 1 and not match[3]
        before, after = low_text[match.start() - 1 : match.start()], low_text[match.end() :][:1]
        if overlaps(match.start(), match.end(), found) or (alone and not percent):
            continue
        if before.isdigit() or before == "第" or after in ("分", "年"):
            continue  # the scale of 3.3万, an ordinal, the base of 十万分之17, a year
        value = _value(match[2])
        if match[3]:
            value += float("0." + "".join(str(_DIGITS[char]) for char in match[3]))
        found.append(Numeral(*match.span(), value, 1.0, "words", percent))
    return found


def _value(chars: str) -> float:
    total, section, digit = 0.0, 0.0, 0.0
    if all(char in _DIGITS for char in chars):
        return float("".join(str(_DIGITS[char]) for char in chars))
    for char in chars:
        if char in _DIGITS:
            digit = float(_DIGITS[char])
        elif char in _TENS:
            section += (digit or 1.0) * _TENS[char]
            digit = 0.0
        else:
            big = _BIG[char]
            if big > total > 0:
                total = (total + section + digit) * big
            else:
                total += (section + digit or 1.0) * big
            section = digit = 0.0
    return total + section + digit
