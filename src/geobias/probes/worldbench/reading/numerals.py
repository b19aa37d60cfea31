"""Finds every number written in digits, whatever the script, separators, scale or exponent.

Everything works on a text of the same length as the original, so that a place in one is a place in
the other.
"""

from __future__ import annotations

import math
from itertools import islice

import msgspec

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.rates import base_after, permille
from geobias.probes.worldbench.reading.scales import (
    comma_groups,
    letters_for,
    scale_after,
    scale_before,
)
from geobias.probes.worldbench.reading.separators import value_of
from geobias.probes.worldbench.reading.signs import negative
from geobias.probes.worldbench.reading.units import Measure, unit_after

#: The zeros of decimal digits that models write; each is followed by its 1 to 9.
_ZEROS = (
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0xFF10, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC,
    0x1D7F6,
)  # fmt: skip

_SAME_LENGTH: dict[int, str] = {
    zero + digit: chr(48 + digit) for zero in _ZEROS for digit in range(10)
} | {
    ord(seen): meant
    for seen, meant in zip(
        "\u00a0\u2007\u2009\u202f\u2002\u2003\u3000’‘´ʼ，．％٪﹪−‒（）：；［］？！،、。",
        "       '''',.%%%--():;[]?!,,.",
        strict=True,
    )
}


class Numeral(msgspec.Struct, gc=False):
    """One number as it stands in the reply.

    `value` includes the `scale`, in the unit of the reply; None if what stands there is no
    number (12.3.4, or too large for a float).
    """

    start: int
    end: int
    value: float | None
    scale: float = 1.0
    #: How it is written: digits, words, fraction, share ("1 in 5") or range.
    form: str = "digits"
    percent: bool = False
    #: Four bare digits from 1900 to 2099; whether it *is* a year is for its context to say.
    year_shaped: bool = False
    #: A small word such as "one" that is a pronoun as often as a number.
    faint: bool = False
    #: The unit said behind it, and the round number that it is counted per, where there is one.
    measure: Measure | None = None
    base: float = 0.0
    #: How far the ends of a range lie from its midpoint, as a share of it.
    spread: float = 0.0
    #: What it was converted from and to, once it is: "kg → tonnes".
    converted: str = ""

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def normalised(text: str) -> str:
    """`text` with ASCII digits and plain punctuation, character for character."""
    if text.isascii():
        return text
    if "/" in text:
        text = _PERSIAN_DECIMAL.sub("٫", text)
    return text.translate(_SAME_LENGTH)


#: Persian writes the decimal sign as a slash: ۱۱/۷.
_PERSIAN_DECIMAL = regex(r"(?<=[۰-۹])/(?=[۰-۹])")


def lowered(text: str) -> str:
    """Lower case, character for character: İ is the only one that would become two."""
    return text.replace("İ", "i").lower()


_DIGITS = regex(
    r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])(?:[.,٫][0-9]+)?"  # 12 345 678,9
    r"|[0-9]{1,3}(?:, [0-9]{3}){2,}(?![0-9.])"  # 54, 027, 487
    r"|[0-9]{1,3}(?: , [0-9]{3})+(?![0-9])"  # 17 , 734 , 062
    r"|[0-9]+ [.,] [0-9]{1,2}(?= ?%)"  # 5 . 6 %
    r"|[0-9]+(?:(?:[.,'٫٬_]|·(?!10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻^])|\{,\}|\\,)[0-9]+)*"
)
_EXPONENT = regex(
    r"e([+-]?[0-9]{1,4})(?![0-9a-z])"
    r"|\s?(?:x|×|\*|·|\\times|\\cdot)\s?10\s?"
    r"(?:(?:\^|\*\*)\s?[{(]?\s?([+-]?[0-9]{1,4})[})]?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}))"
)
_POWER = regex(r"(?!)()|(?:\^|\*\*)[{(]?([+-]?[0-9]{1,4})[})]?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})(?![0-9])")
_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_VULGAR = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 1 / 5, "⅛": 1 / 8}
_LONE_VULGAR = regex("(?<![0-9])[" + "".join(_VULGAR) + "]")
_PERCENT_AFTER = regex(
    r"[ *_`)}$\\\"']{0,4}(?:%|per ?cent\b|percentage|pct\b|p\.c\.|prozent|por ?ciento|por cento"
    r"|pour ?cent|procent|persen|per cento|процент|प्रतिशत|শতাংশ|درصد|في المئة|في المائة|بالمئة"
    r"|بالمائة|パーセント|퍼센트|เปอร์เซ็นต์|phần trăm)"
)
_PERCENT_BEFORE = regex(r"(?:(?:^|[^0-9\s\\]|[^0-9\\] )%|yüzde|asilimia|百分之|ร้อยละ) ?$")

#: How many numbers at each end of a reply are worth a look: nobody answers in the thirtieth.
EACH_END = 10
#: As many of each other form are read.
MOST = 16


def digit_numerals(low_text: str, expected: Expected) -> list[Numeral]:
    """Every number in digits, in order; `low_text` is normalised and in lower case."""
    found = list(_DIGITS.finditer(low_text))
    if len(found) > 2 * EACH_END:
        found = found[:EACH_END] + found[-EACH_END:]
    numerals: list[Numeral] = []
    for match in found:
        start, end = match.span()
        if numerals and start < numerals[-1].end:
            continue  # the 10 and the 9 of 2.5 × 10^9
        digits = match[0]
        if "," in digits and _TABLE_ROW.match(digits):
            # A line of a table, "2020,54.3": two numbers, not one.
            comma = start + 4
            numerals.append(_numeral(low_text, start, comma, expected))
            start = comma + 1
        numerals.append(_numeral(low_text, start, end, expected))
    return _sums(numerals, low_text)


_TABLE_ROW = regex(r"(?:19|20)[0-9]{2},(?=[0-9]*\.|[0-9]{4})|[0-9]{4},(?=[0-9,]*\.)")


def _numeral(low_text: str, start: int, end: int, expected: Expected) -> Numeral:
    digits = low_text[start:end]
    if low_text[end : end + 1] in _VULGAR:
        return _with_fraction(low_text, start, end, digits, expected)
    year_shaped = len(digits) == 4 and digits.isdigit() and "1900" <= digits <= "2099"
    if start and low_text[start - 1] == "." and (start < 2 or not low_text[start - 2].isalnum()):
        start -= 1  # .5
        digits = "0." + digits
    exponent = _EXPONENT.match(low_text, end)
    if exponent is None and digits == "10" and (exponent := _POWER.match(low_text, end)):
        digits = "1"  # 10^7
    scale, stop = 1.0, end
    if exponent:
        stop = exponent.end()
        power = exponent[1] or exponent[2] or exponent[3].translate(_SUPERSCRIPTS)
        scale = 10.0 ** min(int(power), 308) if int(power) < 309 else math.inf
    else:
        scale, stop = _scale(low_text, end, expected)
        if scale == 1.0:
            scale, start = scale_before(low_text, start)
    comma_decimal = exponent is None and scale != 1.0 and not comma_groups(low_text[end:stop])
    plausible = expected if expected.measure is None else _in_its_unit(low_text, stop, expected)
    value = value_of(digits, plausible, scale, comma_decimal=comma_decimal)
    before = low_text[max(0, start - 12) : start]
    if value is not None:
        value *= scale
        if not math.isfinite(value):
            value = None
        elif negative(low_text, start, stop, expected):
            value = -value
            if before.endswith("-"):
                start -= 1
    after = _PERCENT_AFTER.match(low_text, stop)
    percent = after is not None or bool(before and _PERCENT_BEFORE.search(before))
    if year_shaped and (percent or scale != 1.0):
        year_shaped = False
    numeral = Numeral(start, stop, value, scale, "digits", percent, year_shaped)
    if not percent and stop < len(low_text):
        add_unit(numeral, low_text, expected)
    return numeral


def add_unit(numeral: Numeral, low_text: str, expected: Expected) -> None:
    """Notes the unit or the base of a rate that is said behind the number."""
    said = unit_after(low_text, numeral.end, expected.quantity)
    if said is not None:
        numeral.measure = said[0]
    elif expected.base:
        numeral.base = base_after(low_text, numeral.end)
        if expected.kind == "share" and numeral.base == 1e3 and permille(low_text, numeral.end):
            numeral.percent = True


def _in_its_unit(low_text: str, stop: int, expected: Expected) -> Expected:
    """`expected` without its plausible range where the number is in another unit."""
    said = unit_after(low_text, stop, expected.quantity)
    if said is None or expected.measure is None or said[0].name == expected.measure.name:
        return expected
    return Expected(expected.unit)


def _scale(low_text: str, end: int, expected: Expected) -> tuple[float, int]:
    """The scale said behind a number: *mm* is no million of a length, *2.4M km²* has one."""
    scale, stop = scale_after(low_text, end, letters=letters_for(expected))
    if expected.measure is None:
        return scale, stop
    if scale != 1.0:
        unit = unit_after(low_text, end, expected.quantity)
        if unit is not None and unit[0].quantity == expected.quantity and unit[1] >= stop - 1:
            return 1.0, end
        return scale, stop
    letter = _SCALE_LETTER.match(low_text, end)
    if letter is not None:
        unit = unit_after(low_text, letter.end(), expected.quantity)
        if unit is not None and unit[0].quantity == expected.quantity:
            return _LETTER_SCALES[letter[1]], letter.end()
    return scale, stop


_SCALE_LETTER = regex(r" ?([kmb])(?= )")
_LETTER_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9}


def _with_fraction(low_text: str, start: int, end: int, digits: str, expected: Expected) -> Numeral:
    whole = value_of(digits, Expected(expected.unit))
    part = _VULGAR[low_text[end]]
    scale, stop = scale_after(low_text, end + 1, letters=letters_for(expected))
    value = None if whole is None else (whole + part) * scale
    percent = bool(_PERCENT_AFTER.match(low_text, stop))
    numeral = Numeral(start, stop, value, scale, "digits", percent)
    add_unit(numeral, low_text, expected)
    return numeral


def lone_vulgar_fractions(low_text: str, expected: Expected) -> list[Numeral]:
    """½ and its like where no digit stands before them: parts of 100 for a percentage."""
    if low_text.isascii():
        return []
    whole = 100.0 if expected.kind == "share" else 1.0
    return [
        Numeral(match.start(), match.end(), _VULGAR[match[0]] * whole, whole, "fraction")
        for match in islice(_LONE_VULGAR.finditer(low_text), MOST)
    ]


def overlaps(start: int, end: int, numerals: list[Numeral]) -> bool:
    return any(numeral.start < end and start < numeral.end for numeral in numerals)


def percent_after(low_text: str, position: int) -> bool:
    return _PERCENT_AFTER.match(low_text, position) is not None


_SUM_GAP = regex(r"(?: (?:and |y |et |e |und |و)?|)\Z")


def _sums(numerals: list[Numeral], low_text: str) -> list[Numeral]:
    """Adds up *5 million 300 thousand* and *14亿1175万*: falling scales in a row."""
    summed: list[Numeral] = []
    for numeral in numerals:
        last = summed[-1] if summed else None
        if (
            last
            and last.value is not None
            and numeral.value is not None
            and last.scale > numeral.scale
            and (numeral.scale > 1.0 or last.end == numeral.start)
            and 0 < numeral.value < last.scale
            and (last.value / last.scale).is_integer()
            and _SUM_GAP.match(low_text[last.end : numeral.start][:8])
        ):
            last.value += numeral.value
            last.end = numeral.end
            last.percent = numeral.percent
        elif last and _thousands_of_myriads(last, numeral):
            myriad = 1e8 if numeral.scale >= 1e8 else 1e4
            last.value = (last.value or 0.0) * myriad + (numeral.value or 0.0)
            last.scale, last.end, last.percent = numeral.scale, numeral.end, numeral.percent
        elif last and _smaller_unit(last, numeral, low_text):
            last.end = numeral.end
        else:
            summed.append(numeral)
    return summed


def _thousands_of_myriads(last: Numeral, numeral: Numeral) -> bool:
    """*5천1백만* is 5,100 times 10,000: the second scale is the first number's too."""
    return (
        last.end == numeral.start
        and last.scale in (1e2, 1e3)
        and numeral.scale >= 1e4
        and last.value is not None
        and numeral.value is not None
    )


_UNIT_GAP = regex(r"[ *]?[^\W\d_.]{1,9}\.?,? (?:and |y |et |und )?\Z")


def _smaller_unit(last: Numeral, numeral: Numeral, low_text: str) -> bool:
    """Adds *6 months* to *62 years*: the second number goes on where the first left off."""
    if (
        last.measure
        and numeral.measure
        and last.measure.quantity == numeral.measure.quantity == "time"
        and last.measure.factor > numeral.measure.factor
        and last.value is not None
        and last.value.is_integer()
        and numeral.value is not None
        and _UNIT_GAP.match(low_text[last.end : numeral.start][:20])
    ):
        last.value += numeral.measure.convert(numeral.value, last.measure)
        return True
    return False
