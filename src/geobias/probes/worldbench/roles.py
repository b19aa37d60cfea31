"""What a number in a reply is for: the answer, or a label, a denominator, a comparison …

Each number gets a weight. Some are never an answer (None); the others differ in how well their
surroundings fit, and the best one is read, the first of equals. The weights only order the
numbers of one reply: a sole candidate is the answer whatever its weight.
"""

from __future__ import annotations

import re

from geobias.probes.worldbench.numerals import Numeral

_CURRENCY_BEFORE = re.compile(
    r"(?:us\$|int\$|ppp\$|r\$|[$€£¥₹₦₩]|\b(?:usd|eur|gbp|inr|kes|ngn|cny|zar|rs\.?|us dollars?))"
    r"\s?[*_`]{0,2}$"
)
_CURRENCY_AFTER = re.compile(
    r"[*_` ]{0,3}(?:us ?\$|usd|(?:u\.?s\.? |international |constant )?dollars?|\$(?!\s*$)|€|euros?"
    r"|美元|dólares|dollar|долл|dolar|ドル|달러|دولار)"
)
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:no\.|top|rank(?:s|ed|ing)?:?(?: at)?|sdg|indicators?|articles?|table|figure|fig\."
    r"|section|chapter|pages?|pp?\.|goals?|iso|phase|version|steps?|tier|option|footnote|covid"
    r"|category|agenda|tel\.?:?|call|phone:?|fax:?|area code|postcode)\s?|#)$"
)
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)\b|[ºª°]|-?(?:year|month|day|point|member|seat)\b")
_WORD_AFTER = re.compile(r"[a-z]")
_LIST_BEFORE = re.compile(r"(?:^|\n)[ \t>*#-]*$")
_LIST_AFTER = re.compile(r"[.)]\**[ \t]+\S")
_AGE_BEFORE = re.compile(r"\b(?:ages?|aged|age group)(?: of)?\W{0,2}$")
_TIME_AFTER = re.compile(
    r"\+?[ -]?(?:years?|yrs?|months?|weeks?|days?|hours?|decades?|centur|minutes?|a day)\b"
)
_PER_DAY_AFTER = re.compile(r" ?(?:usd|us\$|dollars?)? ?(?:per|a|/) ?day\b")
_DENOMINATOR_BEFORE = re.compile(
    r"(?:\b(?:per|por(?: cada)?|pour(?: chaque)?|pro|par|je|a cada|for every|every|for each|out of"
    r"|of every|su|kwa kila|trên)|на|каждые|每|प्रति|প্রতি|لكل|من كل|در هر|ต่อ)\s?[*_]{0,2}$"
)
_SLASH_BEFORE = re.compile(r"/ ?$")
_DENOMINATOR_AFTER = re.compile(r"[ ]?(?:人|명|出生|live births)?\s?(?:あたり|当たり|당\b|につき|中)")
_INTERVAL_AFTER = re.compile(r"[%\s]*(?:\(?(?:ci|ui)\b|confidence|uncertainty|credible|interval)")
_CHANGE_BEFORE = re.compile(
    r"(?:\b(?:by|growth|grew|growing|grows|growth rate|increas\w{0,4}|decreas\w{0,4}|declin\w{0,4}"
    r"|rising|falling|up|down|gain|inflation)(?: rate)?(?: of| at| by)?(?: about| around)?"
    r"|±|\+/-|\+-|margin of(?: error)?(?: of)?)\s?[:(]?\s?$"
)
_CHANGE_AFTER = re.compile(
    r"%? ?(?:percentage points?|pp\b|points\b|(?:annual )?(?:growth|increase|decrease|decline|rise))"
)
_COMPARED_BEFORE = re.compile(
    r"\b(?:from|(?<!less )(?<!more )(?<!fewer )than)\W{0,3}(?:about |around |us)?\W{0,2}$"
    r"|\b(?:versus|vs\.?|compared (?:to|with)|against|unlike|target\w{0,2}|goal|instead of|world'?s?"
    r"|global|regional|oecd|eu|average|mean|poverty line|threshold)\b[^.;,()0-9\n]{0,36}$"
)
_CORRECTED_AFTER = re.compile(r"%?,? (?:but (?:i meant|actually|that)|no,)")
_PART_BEFORE = re.compile(
    r"\b(?:urban|rural|male|female|men|boys|girls|youth|upper house|senate|ages? [0-9-]+,? is)"
    r"(?: areas?)?\W{0,3}(?:is |was |at )?$"
)
_TOTAL_BEFORE = re.compile(
    r"\b(?:total|overall|national(?:ly)?|altogether|combined|nationwide)(?: \w+){0,2}\W{0,3}$"
)
_THINGS_AFTER = re.compile(
    r"[ *]{1,3}(?:\w+ ){0,1}?(?:islands?|seats?|members?|countries|provinces|states|surveys?|sources?"
    r"|respondents|sq|km|square|hectares?|ha\b|mps?\b|regions?|districts?|houses|chambers|women|men"
    r"|single|largest|different|questions?|numbers?)\b|/km|[ ]?km"
)
_PEOPLE_AFTER = re.compile(
    r"[ *]{0,3}(?:people|inhabitants|residents|persons|habitants|habitantes|einwohner|человек|人)"
)
_OPERATOR_BEFORE = re.compile(r"[0-9%)] ?(?:[×*+÷]|x) ?$")
_OPERATOR_AFTER = re.compile(r" ?(?:[×*+÷/]|x) ?[0-9]|\s*=\s*[$0-9]")


def in_brackets(low_text: str) -> list[tuple[int, int]]:
    """Outermost bracketed stretches that something else stands before, in order."""
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    for place, char in enumerate(low_text):
        if char in "([":
            opened.append(place)
        elif char in ")]" and opened:
            begin = opened.pop()
            if not opened:
                spans.append((begin, place))
    if opened:
        spans.append((opened[0], len(low_text)))
    return [span for span in spans if low_text[: span[0]].strip(" \t\n\\$*\"'#>-")][:80]


def never_an_answer(low_text: str, numeral: Numeral, brackets: list[tuple[int, int]]) -> bool:
    """Labels, ordinals, ages, spans of time, denominators and confidence levels."""
    start, end = numeral.start, numeral.end
    before = low_text[max(0, start - 28) : start]
    after = low_text[end : end + 28]
    if numeral.value is None:
        return True
    if before:
        last = before[-1]
        if last.isalpha() and last < "\u0530" and not _CURRENCY_BEFORE.search(before):
            return True
        if last == "-" and len(before) > 1 and before[-2].isalpha() and before[-2] < "\u0530":
            return True
        if _LABEL_BEFORE.search(before) and not numeral.percent:
            return True
        if last == "[" and after.startswith("]") and 0 < numeral.value < 100 and end - start < 3:
            return any(begin == start - 1 for begin, _ in brackets)
        if _AGE_BEFORE.search(before) or _denominates(before, numeral):
            return True
    if not after:
        return False
    return bool(
        _ORDINAL_AFTER.match(after)
        or (_TIME_AFTER.match(after) and not numeral.percent)
        or (numeral.percent and _INTERVAL_AFTER.match(after))
        or (numeral.value % 100 == 0 and _DENOMINATOR_AFTER.match(after))
    )


def _denominates(before: str, numeral: Numeral) -> bool:
    if numeral.percent:
        return False
    if _DENOMINATOR_BEFORE.search(before):
        return True
    return numeral.value in (1e3, 1e4, 1e5, 1e6) and bool(_SLASH_BEFORE.search(before))


def weight(
    low_text: str,
    numeral: Numeral,
    *,
    unit: str,
    low: float | None,
    high: float | None,
    brackets: list[tuple[int, int]],
) -> tuple[float, str]:
    """How well `numeral` fits an answer in `unit`, and its sense if it has one of its own.

    The sense is "change", "compared" or "". Higher is better; 0 is a number about which nothing
    is known.
    """
    start, end = numeral.start, numeral.end
    value = numeral.value or 0.0
    before = low_text[max(0, start - 48) : start]
    after = low_text[end : end + 32]
    points, sense = 0.0, ""
    money = bool(
        (before and _CURRENCY_BEFORE.search(before[-8:])) or _CURRENCY_AFTER.match(after)
    )
    if unit == "percent":
        if numeral.percent:
            points += 3
        elif money or numeral.scale >= 1e3:
            points -= 4
    else:
        if numeral.percent:
            points -= 4
        if money:
            points += 1 if "$" in unit else -3
    if unit == "people" and _PEOPLE_AFTER.match(after):
        points += 1
    if unit != "people" and _PEOPLE_AFTER.match(after):
        points -= 2
    if (low is not None and value < low) or (high is not None and value > high):
        points -= 3
    if any(begin < start < close for begin, close in brackets):
        points -= 3
    if numeral.faint:
        points -= 4
    if numeral.form == "share":
        points -= 1
    if _CHANGE_BEFORE.search(before) or _CHANGE_AFTER.match(after):
        points -= 5
        sense = "change"
    elif _COMPARED_BEFORE.search(before):
        points -= 4
        sense = "compared"
    if _CORRECTED_AFTER.match(after):
        points -= 6
    if _PART_BEFORE.search(before):
        points -= 2
    elif _TOTAL_BEFORE.search(before):
        points += 2
    if _THINGS_AFTER.match(after) and not numeral.percent:
        points -= 3
    if _PER_DAY_AFTER.match(after):
        points -= 6
    if _OPERATOR_BEFORE.search(before[-4:]) or _OPERATOR_AFTER.match(after):
        points -= 4
    if (
        end - start <= 2
        and not numeral.percent
        and _LIST_AFTER.match(after)
        and _LIST_BEFORE.search(before)
    ):
        points -= 8
    return points, sense
