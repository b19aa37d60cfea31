"""The number that digits and separators stand for: 1.234 or 1,234 or 12,34,567.

The rule, in order:

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
"""

from __future__ import annotations

import math

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.expected import Expected

_ALWAYS_GROUPING = str.maketrans("", "", "'٬_ {}\\")
_INDIAN = regex(r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}\Z")
_ODD_APOSTROPHE = regex(r"[0-9]+'(?:[0-9]{1,2}|[0-9]{4,})\Z")
_THREES = regex(r"[0-9]{1,3}(?:[.,][0-9]{3})+\Z")


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
