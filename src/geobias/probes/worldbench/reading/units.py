"""Units of measure as replies write them: *62.7 years*, *630 mm*, *310 kg*, *77 °F*.

Each spelling belongs to a quantity and says how many of the quantity's base unit it is. Two units
of one quantity convert; whatever has no certain factor (a gallon is two things, a currency changes
daily) is not in the table.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec

from geobias.probes.lazy import regex


class Measure(msgspec.Struct, frozen=True, gc=False):
    """A unit: `factor` base units each, after `zero` is taken off (Fahrenheit)."""

    quantity: str
    name: str
    factor: float = 1.0
    zero: float = 0.0

    def convert(self, value: float, asked: Measure) -> float:
        """`value` of this unit in the unit `asked`, of the same quantity."""
        base = (value - self.zero) * self.factor
        # Shares of ten and a thousand come out as people write them: 310 kg is 0.31 t.
        ratio = asked.factor / self.factor
        if not self.zero and not asked.zero and ratio > 1 and ratio == round(ratio):
            return value / ratio
        return base / asked.factor + asked.zero


#: Quantity, name, base units each, spellings in lower case by "|" (a pattern each).
_ROWS: tuple[tuple[str, str, float, str], ...] = (
    (
        "time", "years", 1.0,
        r"years?|yrs?\.?|años?|anos?|ans?|jahre?n?|anni|anno|år|jaar|jaren|lata?|yıl|yaş|tahun"
        r"|năm|tuổi|miaka|лет|года?|岁|歲|歳|세|वर्ष|साल|বছর|سنوات|سنة|عاما|عام|سال|ปี|年",
    ),
    ("time", "months", 1 / 12, r"months?|meses|mois|monate?n?|mesi|месяц\w*|个月|か月|ヶ月"),
    ("time", "weeks", 7 / 365.25, r"weeks?|semanas|semaines|wochen"),
    ("time", "days", 1 / 365.25, r"days?|días?|dias?|jours?|tage?n?|дн\w*|天|日間"),
    ("time", "hours", 1 / 8766, r"hours?|hrs?|horas|heures|stunden|часов|小时"),
    ("time", "minutes", 1 / 525960, r"minutes?|mins?|minutos|minuten|минут|分钟"),
    (
        "length", "mm", 1e-3,
        r"mm|millimet(?:re|er)s?|millimètres?|milímetros?|milimetros?"
        r"|lit(?:re|er|ro)s? (?:per|por|par|pro)"
        r" (?:square met\w*|metro cuadrado|mètre carré|quadratmeter)|l/m(?:²|2|\^2)"
        r"|мм|миллиметр\w*|毫米|ミリ(?:メートル)?|밀리미터|मिमी|ملم|مم",
    ),
    ("length", "cm", 1e-2, r"cm|centimet(?:re|er)s?|centimètres?|centímetros?|см|厘米|センチ"),
    (
        "length", "m", 1.0,
        r"m(?:\.a\.s\.l|asl)?\.?|met(?:re|er)s?|mètres?|metros?|metri|метр\w*|м|米|メートル",
    ),
    ("length", "km", 1e3, r"km|kilomet(?:re|er)s?|kilomètres?|kilómetros?|км|公里|キロ"),
    ("length", "inches", 0.0254, r"inch(?:es)?|in\.?(?= ?(?:per|/|of|a |annual|year|\)|,|$))|″"),
    ("length", "feet", 0.3048, r"feet|foot|ft\.?"),
    ("length", "miles", 1609.344, r"miles?|mi\.?"),
    (
        "area", "km²", 1.0,
        r"km ?(?:²|\^?\{?2\}?)|sq(?:uare|\.)? ?(?:km|kilomet(?:re|er)s?)\.?|quadratkilometern?"
        r"|kilómetros cuadrados|quilômetros quadrados|kilomètres? carrés?|km quadrati"
        r"|km cuadrados|кв\. ?км|км²|平方公里|平方千米|平方キロ(?:メートル)?|제곱킬로미터|वर्ग किमी",
    ),
    ("area", "hectares", 1e-2, r"ha|hect(?:are|área|area)s?|hektar|гектар\w*|公顷|ヘクタール"),
    ("area", "acres", 0.0040468564224, r"acres?"),
    ("area", "square miles", 2.589988110336, r"sq(?:uare|\.)? ?mi(?:les?)?\.?|mi(?:²|\^2|2)"),
    ("area", "m²", 1e-6, r"m(?:²|\^2|2)|sq(?:uare|\.)? ?met(?:re|er)s?|平方米"),
    (
        "mass", "tonnes", 1.0,
        r"t|tonnes?|(?:metric )?tons?|tonnen|toneladas?(?: métricas?)?|tonnellate|тонн\w*|т|吨|噸"
        r"|トン|톤|टन|طن|tco(?:2|₂)e?",
    ),
    (
        "mass", "kg", 1e-3,
        r"kg|kgs|kilos?|kilogram(?:me)?s?|kilogramos|кг|килограмм\w*|千克|公斤|キログラム",
    ),
    ("mass", "g", 1e-6, r"g|gram(?:me)?s?|gramos|克|グラム"),
    ("mass", "quintals", 0.1, r"quintals?|quintales|quintaux|dt"),
    ("mass", "kt", 1e3, r"kt(?:co2e?)?|kilotonn?e?s?"),
    ("mass", "Mt", 1e6, r"mt(?:co2e?)?|megatonn?e?s?"),
    ("mass", "Gt", 1e9, r"gt(?:co2e?)?|gigatonn?e?s?"),
    ("mass", "short tons", 0.90718474, r"short tons?"),
    ("mass", "pounds", 0.00045359237, r"lbs?\.?|pounds?"),
    ("volume", "m³", 1.0,
        r"m(?:³|\^?\{?3\}?)|cubic met(?:re|er)s?|mètres? cubes?|metros cúbicos|立方米"),
    ("volume", "km³", 1e9, r"km(?:³|\^?3)|cubic kilomet(?:re|er)s?"),
    ("volume", "litres", 1e-3, r"l|lit(?:re|er)s?|litros?|литр\w*|升|リットル"),
    ("volume", "ml", 1e-6, r"ml|millilit(?:re|er)s?"),
    ("energy", "kWh", 1.0, r"kwh|kilowatt[- ]?hours?|kilowattstunden|квт[·⋅*-]?ч|千瓦时|度电"),
    ("energy", "MWh", 1e3, r"mwh|megawatt[- ]?hours?|мвт[·⋅*-]?ч"),
    ("energy", "GWh", 1e6, r"gwh|gigawatt[- ]?hours?"),
    ("energy", "TWh", 1e9, r"twh|terawatt[- ]?hours?"),
    ("energy", "MJ", 1 / 3.6, r"mj|megajoules?"),
    ("energy", "GJ", 1e3 / 3.6, r"gj|gigajoules?"),
    ("food", "kcal", 1.0,
        r"kcal|kilocalor(?:ie|ía|ia)s?|calories|calorías|calorias|千卡|大卡|ккал"),
    ("food", "kJ", 1 / 4.184, r"kj|kilojoules?"),
    (
        "temperature", "°C", 1.0,
        r"°c|℃|c|(?:deg(?:ree)?s?|grad|degrés?|grados?|graus|°|º) ?(?:celsius|centigrade|c\b)"
        r"|celsius|摄氏度|градус\w*|(?:degrees?|deg|grad|degrés?|grados?|graus|°)(?! ?f)|度|도",
    ),
    ("temperature", "°F", 5 / 9, r"°f|℉|f|(?:degrees? )?fahrenheit"),
    ("temperature", "K", 1.0, r"k|kelvins?"),
    ("data", "Mbps", 1.0, r"mbps|mbit/s|mb/s|megabits? per second"),
    ("data", "kbps", 1e-3, r"kbps|kbit/s|kb/s|kilobits? per second"),
    ("data", "Gbps", 1e3, r"gbps|gbit/s|gb/s|gigabits? per second"),
    ("oil", "barrels", 1.0,
        r"barrels?|bbls?(?:/d(?:ay)?)?|bo?pd|b/d|баррел\w*|barriles|barils?|fass|桶"),
    ("oil", "thousand barrels", 1e3, r"kb/d|kbbls?(?:/d(?:ay)?)?|kbo?pd"),
    ("oil", "million barrels", 1e6, r"mb/d|mbbls?(?:/d(?:ay)?)?|mbo?pd"),
    ("air", "µg/m³", 1.0,
        r"(?:[uµμ]g|micrograms?) ?(?:/|per) ?(?:m ?(?:³|\^?3)|cubic met(?:re|er)s?)"),
    ("air", "mg/m³", 1e3, r"(?:mg|milligrams?) ?(?:/|per) ?(?:m ?(?:³|\^?3)|cubic met(?:re|er)s?)"),
)  # fmt: skip
_ZERO = {"°F": 32.0, "K": 273.15}

#: Short spellings that mean something else where their quantity is not asked for.
_SHY = {
    "m", "in", "t", "c", "f", "k", "l", "g", "°", "deg", "度", "도", "年", "mi", "т", "м", "an",
    "ans", "ano",
}  # fmt: skip

_AFTER_NUMBER = r"(?:[ *_`)}\"'~]|\\[ ,;]|-(?=[a-z]))*"


def _edge(spelling: str) -> str:
    return rf"(?:{spelling})(?![a-zß-ɏа-яё])"


@cache
def _pattern(quantity: str) -> tuple[re.Pattern[str], tuple[Measure, ...]]:
    """One pattern for the units of a quantity (of all, if empty), each with a group of its own."""
    rows = [row for row in _ROWS if not quantity or row[0] == quantity]
    # Longer names first, so that "sq mi" is not "s" and "mm" is not "m".
    rows.sort(key=lambda row: (_ORDER.index(row[0]), -len(row[1]) if quantity else 0))
    measures = tuple(Measure(q, name, factor, _ZERO.get(name, 0.0)) for q, name, factor, _ in rows)
    alternatives = "|".join(f"({_edge(_bold(row[3], quantity))})" for row in rows)
    return re.compile(alternatives), measures


_ORDER = (
    "air", "data", "oil", "food", "energy", "volume", "area", "mass", "length", "time",
    "temperature",
)  # fmt: skip


def _bold(spellings: str, quantity: str) -> str:
    """Spellings without the shy ones, unless their quantity is asked for."""
    if quantity:
        return spellings
    kept = [one for one in _split(spellings) if one.rstrip("?.\\") not in _SHY]
    kept = [one for one in kept if not one.startswith(("in\\.", "m(?:\\.a"))]
    return "|".join(kept)


def _split(pattern: str) -> list[str]:
    """The alternatives of a pattern at its outermost level."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(pattern):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "|" and not depth:
            parts.append(pattern[start:place])
            start = place + 1
    return [*parts, pattern[start:]]


_GAP = regex(_AFTER_NUMBER)
_BRACKETED_GAP = regex(rf"{_AFTER_NUMBER}\(?")
_SPACES = 16
_NO_UNIT = frozenset(("", ".", ",", ";", ":", "\n", "!", "?", "<", "["))


def unit_after(low_text: str, position: int, quantity: str = "") -> tuple[Measure, int] | None:
    """The unit that stands right after a number, and where it ends.

    Units of the `quantity` asked for are looked for first, with their short forms (m, t, l).
    """
    if low_text[position : position + 1] in _NO_UNIT:
        return None
    for wanted in (quantity, "") if quantity else ("",):
        # "630 (mm per year)", but not "2016 (year 2020)".
        gap = (_BRACKETED_GAP if wanted else _GAP).match(low_text, position, position + _SPACES)
        start = gap.end() if gap else position
        first = low_text[start : start + 1]
        if first.isascii() and not first.isalpha():
            continue
        pattern, measures = _pattern(wanted)
        found = pattern.match(low_text, start)
        if found is not None and found.lastindex is not None:
            return measures[found.lastindex - 1], found.end()
    return None


def named_unit(name: str) -> Measure | None:
    """The unit that a unit's name begins with: "mm per year", "kWh per capita"."""
    for row in _ROWS:
        if re.match(rf"(?:{row[3]})(?![a-z0-9²³])", name):
            return Measure(row[0], row[1], row[2], _ZERO.get(row[1], 0.0))
    return None
