"""Finds every number written in digits, whatever the script, separators, scale or exponent, and
converts it to the unit asked for.

Everything works on a text of the same length as the original, so that a place in one is a place in
the other.

What digits and separators stand for (1.234 or 1,234 or 12,34,567), in order:

1. Two kinds of separator: the last one is the decimal sign (1,234.5 and 1.234,5), if the groups
   before it are whole.
2. One kind, more than once: it groups (1.234.567, 12,34,56,789). Dots that do not group in threes
   make no number (12.3.4 is a section or an address).
3. Once, and not followed by exactly three digits, or after a leading 0 or more than three digits:
   decimal (12,5 · 0.045 · 0,125 · 1234.567).
4. Once, followed by exactly three digits: both readings are possible. Before a scale word its
   language decides: the comma groups and the dot is decimal in English and Asian languages
   (4,500 million, 3,800万, 8.703 million), the other way round elsewhere (8,703 Millionen, 20.116
   millones). Without one, the comma groups (1,234), and the dot groups for whole things (people,
   money: 45.123 dollars has one digit too many for cents) and is decimal for the rest. Where
   that reading is not plausible and the other one is, the other one is taken; plausible is the
   range the caller gave, or at most 100 for percentages.

The Arabic signs ٫ (decimal) and ٬ (grouping), apostrophes, underscores and spaces are never
ambiguous.

Numbers stand below zero by their sign (*−5.4*, *minus 5*, *430 m below sea level*). Where the
question asks for a change or a balance, words say it too: *shrank by 0.6%*, *a deficit of $5.8
billion*. *Fell to 1.2%* is not such a word: it says where a figure came to.

Only what is certain is converted, and the reading says that it was. A bare ratio stays as said
(0.45 for a percentage), and so does a rate per 1,000 where one per 100,000 births is asked for.
"""

from __future__ import annotations

import math
import re
from itertools import islice

import msgspec

from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.units import (
    Measure,
    base_after,
    comma_groups,
    permille,
    scale_after,
    scale_before,
    unit_after,
)

_ALWAYS_GROUPING = str.maketrans("", "", "'٬_ {}\\")
_INDIAN = re.compile(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}\Z")
_ODD_APOSTROPHE = re.compile(r"[0-9]+'(?:[0-9]{1,2}|[0-9]{4,})\Z")
_THREES = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{3})+\Z")


def value_of(
    digits: str, expected: Expected, scale: float = 1.0, *, comma_decimal: bool = False
) -> float | None:
    """Value of `digits` (ASCII digits and separators), unscaled; None if it is no number.

    `scale` is the multiplier that follows, `comma_decimal` says that it is a word of a language
    with decimal commas.
    """
    plain = digits.replace("{,}", "").replace("\\,", "").translate(_ALWAYS_GROUPING)
    plain = plain.replace("·", "٫")
    if "'" in digits and _ODD_APOSTROPHE.match(digits):
        plain = digits.replace("'", "٫")  # 5'1
    if "٫" in plain:
        whole, _, fraction = plain.partition("٫")
        return _number(whole.replace(",", "").replace(".", ""), fraction)
    dots, commas = plain.count("."), plain.count(",")
    if dots and commas:
        return _two_kinds(plain, dots, commas)
    if dots + commas > 1:
        grouped = _THREES.match(plain) or _INDIAN.match(plain)
        return _number(plain.replace(".", "").replace(",", ""), "") if grouped else None
    sign = "." if dots else ","
    whole, _, fraction = plain.partition(sign)
    decimal = _number(whole or "0", fraction)
    if len(fraction) != 3 or len(whole) > 3 or not whole or whole.startswith("0"):
        return decimal
    grouped_value = _number(whole + fraction, "")
    if scale != 1.0:
        groups = (sign == ",") != comma_decimal
    else:
        groups = sign == "," or expected.whole_things
    usual, other = (grouped_value, decimal) if groups else (decimal, grouped_value)
    if fraction == "000" and groups and expected.kind != "share":
        return usual  # nobody writes three empty decimals
    fits, other_fits = (
        value is not None and expected.fits(value * scale) for value in (usual, other)
    )
    return other if other_fits and not fits else usual


def _two_kinds(plain: str, dots: int, commas: int) -> float | None:
    last = "." if plain.rfind(".") > plain.rfind(",") else ","
    if (dots if last == "." else commas) != 1:
        return None
    whole, _, fraction = plain.partition(last)
    if _THREES.match(whole) or _INDIAN.match(whole):
        return _number(whole.replace(",", "").replace(".", ""), fraction)
    return None


def _number(whole: str, fraction: str) -> float | None:
    # float() reads any length in linear time, where int() refuses long strings.
    if not whole.isascii() or not whole.isdigit() or (fraction and not fraction.isdigit()):
        return None
    value = float(f"{whole}.{fraction}" if fraction else whole)
    return value if math.isfinite(value) else None


_MINUS_BEFORE = re.compile(r"(?:(?:^|[\s(\[:=$€£~≈*\"'{])-|\b(?:minus|negative) )(?:us)?[$€£]?$")
#: A quick look that spares most numbers the patterns around it.
_MAY_BE_MINUS = re.compile(r"[-–—](?:us)?[$€£]?$|[se] $")
#: A longer dash is a minus where nothing stands before it that it could part from the number.
_DASH_BEFORE = re.compile(r"(?:^|[(\[:=]\s?|\b(?:is|was|of|at|about|around) )[–—](?:us)?[$€£]?$")
_BELOW_AFTER = re.compile(
    r"[ *]{0,3}(?:[^\W\d_]{1,8}|°c?)?[ *]{0,3}(?:below|under|beneath)"
    r" (?:mean )?(?:sea|zero|freezing)"
)
_ABOUT = r"(?: (?:about|around|roughly|approximately|nearly|almost|some|an estimated))?"
_LESS_BEFORE = re.compile(
    r"\b(?:(?:shr[aiu]nk|shrinking|shrinks|declin(?:ed|ing|es)|decreas(?:ed|ing|es)|fell|falling"
    r"|contract(?:ed|ing|s)|dropp(?:ed|ing)|lost|losing|loses)(?: by| at)?"
    r"|(?:deficit|outflow|emigration|loss|contraction|decline|decrease|drop|deflation|shortfall)"
    rf"(?: rate)?(?: of| is| was| at|:)?){_ABOUT} [~≈]?(?:us)?[$€£]?$"
)
_LESS_AFTER = re.compile(
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
_PERSIAN_DECIMAL = re.compile(r"(?<=[۰-۹])/(?=[۰-۹])")


def lowered(text: str) -> str:
    """Lower case, character for character: İ is the only one that would become two."""
    return text.replace("İ", "i").lower()


_DIGITS = re.compile(
    r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])(?:[.,٫][0-9]+)?"  # 12 345 678,9
    r"|[0-9]{1,3}(?:, [0-9]{3}){2,}(?![0-9.])"  # 54, 027, 487
    r"|[0-9]{1,3}(?: , [0-9]{3})+(?![0-9])"  # 17 , 734 , 062
    r"|[0-9]+ [.,] [0-9]{1,2}(?= ?%)"  # 5 . 6 %
    r"|[0-9]+(?:(?:[.,'٫٬_]|·(?!10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻^])|\{,\}|\\,)[0-9]+)*"
)
_EXPONENT = re.compile(
    r"e([+-]?[0-9]{1,4})(?![0-9a-z])"
    r"|\s?(?:x|×|\*|·|\\times|\\cdot)\s?10\s?"
    r"(?:(?:\^|\*\*)\s?[{(]?\s?([+-]?[0-9]{1,4})[})]?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}))"
)
_POWER = re.compile(
    r"(?!)()|(?:\^|\*\*)[{(]?([+-]?[0-9]{1,4})[})]?|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})(?![0-9])"
)
_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_VULGAR = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅕": 1 / 5, "⅛": 1 / 8}
_LONE_VULGAR = re.compile("(?<![0-9])[" + "".join(_VULGAR) + "]")
_PERCENT_AFTER = re.compile(
    r"[ *_`)}$\\\"']{0,4}(?:%|per ?cent\b|percentage|pct\b|p\.c\.|prozent|por ?ciento|por cento"
    r"|pour ?cent|procent|persen|per cento|процент|प्रतिशत|শতাংশ|درصد|في المئة|في المائة|بالمئة"
    r"|بالمائة|パーセント|퍼센트|เปอร์เซ็นต์|phần trăm)"
)
_PERCENT_BEFORE = re.compile(r"(?:(?:^|[^0-9\s\\]|[^0-9\\] )%|yüzde|asilimia|百分之|ร้อยละ) ?$")

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


_TABLE_ROW = re.compile(r"(?:19|20)[0-9]{2},(?=[0-9]*\.|[0-9]{4})|[0-9]{4},(?=[0-9,]*\.)")


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


def letters_for(expected: Expected) -> str:
    """One-letter scales that a reply may use.

    *t* is a tonne and *m* a metre or a million: what is measured takes none, only money takes *t*.
    """
    if expected.kind in ("measure", "index"):
        return ""
    return "kmbt" if expected.kind == "money" else "kmb"


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


_SCALE_LETTER = re.compile(r" ?([kmb])(?= )")
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


_SUM_GAP = re.compile(r"(?: (?:and |y |et |e |und |و)?|)\Z")


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


_UNIT_GAP = re.compile(r"[ *]?[^\W\d_.]{1,9}\.?,? (?:and |y |et |und )?\Z")


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


_EACH_PERSON = re.compile(r" ?mt(?: of)?(?: co2e?)? ?(?:/|per) ?(?:capita|person|head)")
_SQUARE_MILE = re.compile(r"[^.;,\n0-9(]{0,24}(?:per|/) ?(?:sq(?:uare|\.)? ?mi|mi(?:²|2))")
_PER_AREA = re.compile(r"(?:per|/) ?(?:km|sq)")
_KEPT_AS_SAID = 1e5
_OF_PEOPLE = re.compile(r"\b(?:people|persons|population|inhabitants|residents)\b")
_BASE_SIGNS = {100.0: "%", 1e3: "‰"}


def convert(numeral: Numeral, low_text: str, expected: Expected) -> None:
    """Brings `numeral` into the unit asked for, where it says another of the same quantity."""
    value = numeral.value
    if value is None:
        return
    measure, asked = numeral.measure, expected.measure
    if measure and asked and measure.quantity == asked.quantity:
        if measure.name == "Mt" and _EACH_PERSON.match(low_text, numeral.end):
            return  # metric tons
        if (measure.factor, measure.zero) != (asked.factor, asked.zero):
            numeral.value = measure.convert(value, asked)
            numeral.converted = f"{measure.name} → {asked.name}"
    elif expected.base and (expected.base != _KEPT_AS_SAID or _OF_PEOPLE.search(expected.unit)):
        base = 100.0 if numeral.percent and not numeral.base else numeral.base
        if base and base != expected.base:
            up, down = expected.base, base
            numeral.value = value * (up / down) if up > down else value / (down / up)
            numeral.converted = f"{_base_words(base)} → {_base_words(expected.base)}"
    elif _PER_AREA.search(expected.unit) and _SQUARE_MILE.match(low_text, numeral.end):
        numeral.value = value / 2.589988110336
        numeral.converted = "per square mile → per km²"
    elif expected.kind == "index" and expected.high == 1.0 and numeral.percent:
        numeral.value = value / 100
        numeral.converted = "% → fraction"
    elif expected.kind == "money" and _CENTS.match(low_text, numeral.end):
        numeral.value = value / 100
        numeral.converted = "cents → $"
    if expected.scale != 1.0 and not measure and _in_single_units(numeral, low_text, expected):
        numeral.value = value / expected.scale
        numeral.converted = f"units → {expected.scale:,.0f}s"


def _in_single_units(numeral: Numeral, low_text: str, expected: Expected) -> bool:
    """Whether a number for "thousand people" is in people: by its scale word, or its size."""
    if numeral.scale >= 1e3:
        return True
    value = abs(numeral.value or 0.0)
    told = _PEOPLE_AFTER.match(low_text, numeral.end) or low_text[
        : numeral.start
    ].rstrip().endswith("$")
    return bool(value >= 10 * expected.scale and told) or value * expected.scale > _MOST_THERE_ARE


#: More dollars or people than any country has: what is as large is not in thousands or millions.
_MOST_THERE_ARE = 1e15
_CENTS = re.compile(r"[ *]{0,2}(?:u\.?s\.? )?(?:cents?\b|¢)")
_PEOPLE_AFTER = re.compile(r"[ *]{0,3}(?:people|inhabitants|residents|persons|dollars|usd)")


def _base_words(base: float) -> str:
    return _BASE_SIGNS.get(base) or f"per {base:,.0f}"
