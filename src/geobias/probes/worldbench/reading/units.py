"""Units, rates and scale words as replies write them: *630 mm*, *23 per 100,000*, *8.7 million*.

Each spelling of a unit belongs to a quantity and says how many of the quantity's base unit it is.
Two units of one quantity convert; whatever has no certain factor (a gallon is two things, a
currency changes daily) is not in the table.

A rate on another base than the one asked for converts, and so does ‰ for %. Rates per 100,000 stay
as said unless they are of people: what is given per 1,000 live births is infant mortality more
often than maternal.

Long-scale words count as what they mean in their own language (German *Billionen* is 1e12). A
spelling shared with English counts as English (*billion* is 1e9), because the questions are asked
in English.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec


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


_GAP = re.compile(_AFTER_NUMBER)
_BRACKETED_GAP = re.compile(rf"{_AFTER_NUMBER}\(?")
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


_PERMILLE = re.compile(
    r"[ *_]{0,3}(?:‰|per ?mill?e?\b|pro ?mille\b|promille\b|pour mille\b|por mil\b|промилле|千分)"
)
_BASE = re.compile(
    r"[ *_]{0,3}(?:/ ?|(?:[^\W\d_]+[ ,]){0,5}?(?:per|for every|for each|pour|por(?: cada)?"
    r"|pro|je|na|su|auf"
    r"|out of(?: every)?|на) )"
    r"(?:(100[,. ]?000|10[,. ]?000|1[,. ]?000[,. ]?000|1[,. ]?000|100)(?![0-9.,]\d|\d)"
    r"|(thousand|mille|mil|million)\b)"
)
_THOUSANDS = re.compile(r" ?k\b| (?:mil|mille|thousand|tausend)\b")
_NAMED = {"thousand": 1e3, "mille": 1e3, "mil": 1e3, "million": 1e6}
_SEPARATORS = str.maketrans("", "", ",. ")


def base_after(low_text: str, position: int) -> float:
    """What the number that ends at `position` is counted per; 0 if nothing is said."""
    if _PERMILLE.match(low_text, position):
        return 1e3
    found = _BASE.match(low_text, position, position + 60)
    if found is None:
        return 0.0
    if not found[1]:
        return _NAMED[found[2]]
    said = float(found[1].translate(_SEPARATORS))
    return said * 1e3 if _THOUSANDS.match(low_text, found.end()) else said


def permille(low_text: str, position: int) -> bool:
    return _PERMILLE.match(low_text, position) is not None


_BY_MULTIPLIER: dict[float, str] = {
    1e2: "hundred hundreds सौ",
    1e3: """thousand thousands mil mille mila tausend tsd duizend tusen tys tysięcy tysiące bin ribu
        nghìn ngàn elfu thous тыс тысяч тысячи тысяча हज़ार हजार हज़ार হাজার هزار ألف الف آلاف ہزار""",
    1e5: "lakh lakhs lac lacs लाख লাখ லட்சம் లక్ష લાખ ಲಕ್ಷ ലക്ഷം ਲੱਖ লক্ষ لاکھ",
    1e6: """million millions mio mln mn mm millón millones millon milhão milhões milhao milhoes
        millionen milioni milione miljoen miljoner miljon milionów miliony milion milyon juta triệu
        миллион миллиона миллионов млн मिलियन মিলিয়ন مليون مليونا ملايين میلیون ملین milhoens
        millioner εκατομμύρια""",
    1e7: "crore crores करोड़ करोड़ কোটি கோடி కోట్లు కోటి કરોડ ಕೋಟಿ കോടി ਕਰੋੜ کروڑ",
    1e9: """billion billions bn bln bilhão bilhões bilhao bilhoes milliard milliards milliarde
        milliarden mrd md mds miliardi miliardo miljard miljarder miliardów miliardy mld milyar
        miliar tỷ tỉ миллиард миллиарда миллиардов млрд बिलियन अरब বিলিয়ন مليار مليارات بليون
        میلیارد bilioni milliarder""",
    1e12: """trillion trillions tn trn billones billón billon billionen trilhão trilhões trilhao
        trilhoes trilyon triliun триллион триллиона триллионов трлн biljoen bilionów
        ट्रिलियन تريليون تریلیون""",
}

#: Written in lower case; the word stands after the number.
SCALES: dict[str, float] = {
    word: multiplier for multiplier, words in _BY_MULTIPLIER.items() for word in words.split()
}

#: Swahili says the scale first: *milioni 54*.
_SCALES_BEFORE = {"milioni": 1e6, "bilioni": 1e9, "elfu": 1e3, "laki": 1e5}

#: Scripts that write no space after a number; longest first, as *万亿* starts with *万*.
_UNSPACED: dict[str, float] = {
    "万亿": 1e12, "萬億": 1e12, "千亿": 1e11, "百亿": 1e10, "十亿": 1e9, "千万": 1e7, "千萬": 1e7,
    "百万": 1e6, "百萬": 1e6, "十万": 1e5, "十萬": 1e5, "亿": 1e8, "億": 1e8, "万": 1e4, "萬": 1e4,
    "兆": 1e12, "千": 1e3, "천억": 1e11, "백억": 1e10, "천만": 1e7, "백만": 1e6, "십만": 1e5,
    "만": 1e4, "억": 1e8, "조": 1e12, "천": 1e3, "ล้านล้าน": 1e12, "แสนล้าน": 1e11,
    "หมื่นล้าน": 1e10, "พันล้าน": 1e9, "ร้อยล้าน": 1e8, "ล้าน": 1e6, "แสน": 1e5, "หมื่น": 1e4,
    "พัน": 1e3,
}  # fmt: skip

#: One letter means a scale only where it cannot mean a unit of measure.
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}

_UNSPACED_AFTER = re.compile(
    r" ?(" + "|".join(sorted(_UNSPACED, key=len, reverse=True)) + r")(?!\w*瓦)"
)
# Indian scripts write vowels as combining marks, which \w leaves out.
_WORD_AFTER = re.compile(
    r"[*_`]{0,3}(?:-| {0,14})\(?(?:in )?([^\W\d_\u0900-\u0dff]+|[\u0900-\u0dff]+)"
)
#: {"value": 8.7, "scale": "million"}
_FIELD_AFTER = re.compile(
    r"\"?\s?,\s?\"(?:scale|units?|multiplier)\"\s?:\s?\"(thousand|million|billion|trillion|lakh|crore)s?"
)
#: The same in lines of their own.
_LINE_AFTER = re.compile(
    r"\n\W{0,4}(?:scale|units?)\W{1,5}(thousand|million|billion|trillion|lakh|crore)s?\b"
)
#: *12-odd million*, *12+ million*
_HEDGE_AFTER = re.compile(r"(?:\+|-?ish\b|[- ]odd\b|[- ]plus\b| or so\b)(?= )")
_WORD_BEFORE = re.compile(r"(milioni|bilioni|elfu|laki) $")
_STATED_BEFORE = re.compile(
    r"(?:[(,]\s*|\bin |us\$ ?|usd |\$ ?)(thousand|million|billion|trillion|bn|mn|lakh|crore)s?"
    r"(?: of)?(?: (?:us ?\$|us dollars|usd|dollars|people|persons|inhabitants))?"
    r"\)?\s*[:=]?\s*[$*]{0,3}$"
)


def _shortened(text: str, position: int, word: re.Match[str]) -> bool:
    """Whether "mil." with a full stop follows a decimal point: languages with a *mil* for thousand
    mostly write a comma there."""
    return text[word.end(1) : word.end(1) + 1] == "." and bool(
        re.search(r"(?<![\d.,])\d{1,3}\.\d{1,2}$", text[:position])
    )


def scale_after(lowered: str, position: int, *, letters: str) -> tuple[float, int]:
    """Multiplier said right after `position`, and where it ends; (1.0, position) if none.

    `letters` names the one-letter scales allowed. Scales in a row multiply: *lakh crore*,
    *thousand million*, *mil millones*.
    """
    multiplier, end = 1.0, position
    if lowered[position : position + 1] in (",", '"'):
        field = _FIELD_AFTER.match(lowered, position)
        return (SCALES[field[1]], field.end()) if field else (1.0, position)
    if lowered[position : position + 1] == "\n":
        line = _LINE_AFTER.match(lowered, position)
        return (SCALES[line[1]], line.end()) if line else (1.0, position)
    if (hedge := _HEDGE_AFTER.match(lowered, position)) is not None:
        scale, stop = scale_after(lowered, hedge.end(), letters="")
        return (scale, stop) if scale != 1.0 else (1.0, position)
    for _ in range(3):
        unspaced = _UNSPACED_AFTER.match(lowered, end)
        if unspaced:
            multiplier *= _UNSPACED[unspaced[1]]
            end = unspaced.end()
            continue
        word = _WORD_AFTER.match(lowered, end)
        if not word:
            break
        said = word[1]
        if said == "mil" and (word.start(1) == position or _shortened(lowered, position, word)):
            multiplier *= 1e6  # English "10.7mil" and "10.7 mil."; Spanish sets its thousand apart
        elif said in SCALES:
            multiplier *= SCALES[said]
        elif (
            len(said) == 1
            and said in letters
            and multiplier == 1.0
            # One space, or those that \text{ leaves.
            and (word.end() - end <= 2 or lowered[end : end + 6].isspace())
        ):
            multiplier *= _LETTERS[said]
        else:
            break
        end = word.end()
        if lowered[end : end + 1] == ")":
            end += 1
    return multiplier, end


def scale_before(lowered: str, position: int) -> tuple[float, int]:
    """Multiplier said before the number, as in *milioni 54* or *GDP (US$ billion): 1.2*.

    Returns it with the place where the number starts, the Swahili word included.
    """
    window = lowered[max(0, position - 48) : position]
    word = _WORD_BEFORE.search(window)
    if word:
        return _SCALES_BEFORE[word[1]], position - len(window) + word.start()
    stated = _STATED_BEFORE.search(window)
    if stated:
        return SCALES[stated[1]], position
    return 1.0, position


_COMMA_GROUPS = re.compile(
    r"\W*(?:(?:thousand|million|billion|trillion)s?\b|lakhs?\b|crores?\b|[kmbt]n?\b"
    r"|[^\x00-\u08ff]|$)"
)


def comma_groups(said: str) -> bool:
    """Whether a comma groups before this scale: in English and Asia, not before *Millionen*."""
    return _COMMA_GROUPS.match(said) is not None
