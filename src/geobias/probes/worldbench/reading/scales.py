"""Scale words of many languages: from *million*, *lakh* and *億* to a multiplier.

Long-scale words count as what they mean in their own language (German *Billionen* is 1e12). A
spelling shared with English counts as English (*billion* is 1e9), because the questions are asked
in English.
"""

from __future__ import annotations

import re

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.expected import Expected

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

_UNSPACED_AFTER = regex(r" ?(" + "|".join(sorted(_UNSPACED, key=len, reverse=True)) + r")(?!\w*瓦)")
# Indian scripts write vowels as combining marks, which \w leaves out.
_WORD_AFTER = regex(r"[*_`]{0,3}(?:-| {0,14})\(?(?:in )?([^\W\d_\u0900-\u0dff]+|[\u0900-\u0dff]+)")
#: {"value": 8.7, "scale": "million"}
_FIELD_AFTER = regex(
    r"\"?\s?,\s?\"(?:scale|units?|multiplier)\"\s?:\s?\"(thousand|million|billion|trillion|lakh|crore)s?"
)
#: The same in lines of their own.
_LINE_AFTER = regex(
    r"\n\W{0,4}(?:scale|units?)\W{1,5}(thousand|million|billion|trillion|lakh|crore)s?\b"
)
#: *12-odd million*, *12+ million*
_HEDGE_AFTER = regex(r"(?:\+|-?ish\b|[- ]odd\b|[- ]plus\b| or so\b)(?= )")
_WORD_BEFORE = regex(r"(milioni|bilioni|elfu|laki) $")
_STATED_BEFORE = regex(
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


_COMMA_GROUPS = regex(
    r"\W*(?:(?:thousand|million|billion|trillion)s?\b|lakhs?\b|crores?\b|[kmbt]n?\b"
    r"|[^\x00-\u08ff]|$)"
)


def comma_groups(said: str) -> bool:
    """Whether a comma groups before this scale: in English and Asia, not before *Millionen*."""
    return _COMMA_GROUPS.match(said) is not None


def letters_for(expected: Expected) -> str:
    """One-letter scales that a reply may use.

    *t* is a tonne and *m* a metre or a million: what is measured takes none, only money takes *t*.
    """
    if expected.kind in ("measure", "index"):
        return ""
    return "kmbt" if expected.kind == "money" else "kmb"
