"""What a number in a reply is for: the answer, or a label, a denominator, a comparison …

Each number gets a weight. Some are never an answer (None); the others differ in how well their
surroundings fit, and the best one is read, the first of equals. The weights only order the
numbers of one reply: a sole candidate is the answer whatever its weight.

Two numbers may state one: *10-12%*, *between 10 and 12 percent*, *1.5 to 1.7 trillion*. A change
over time (*rose from 3.1% to 5.7%*) is two numbers, not a range.
"""

from __future__ import annotations

import re
from itertools import islice

from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.numerals import Numeral

_RANGE_UNIT = r"(?:%| ?percent| ?years?| ?mm| ?cm| ?m| ?°[cf]?| ?kg| ?t| ?tonnes?| ?kwh)?"
_RANGE_DASH = re.compile(
    rf"[*]?{_RANGE_UNIT}[*]? ?(?:-|–|—|~|〜|～|至|到|から) ?[$€£~*]{{0,2}}(?:us\$)?\Z"
)
_RANGE_TO = re.compile(
    rf"{_RANGE_UNIT} (?:to|bis|до|até|hasta|through|or|أو|إلى|से)(?: about)? [$€£~]?(?:us\$)?\Z"
)
_RANGE_AND = re.compile(
    rf"{_RANGE_UNIT} ?(?:and|y|et|e|und|و|и|和|a|à|to|og|och|ve|dan) ?[$€£~]?(?:us\$)?\Z"
)
_BETWEEN = re.compile(
    r"(?:\b(?:between|entre|zwischen|tra|fra|mellan|antara|from|de|van)|между|от|بين|在|介于)"
    r" ?(?:about |around |approximately |roughly )?[$€£~]?(?:us\$|usd )?\Z"
)
_CHANGED = re.compile(
    r"\b(?:rose|risen|fell|fallen|increas|decreas|declin|dropp|grew|grown|went|improv|reduc|chang"
    r"|up|down|jump|mov|aument|pass|subi|baj|stieg|sank)"
)


def with_ranges(numerals: list[Numeral], low_text: str) -> list[Numeral]:
    """`numerals` with each pair that states a range as one, at its midpoint."""
    merged: list[Numeral] = []
    for numeral in numerals:
        if merged and (joined := _range(merged[-1], numeral, low_text)):
            merged[-1] = joined
        else:
            merged.append(numeral)
    return merged


def _range(first: Numeral, second: Numeral, low_text: str) -> Numeral | None:
    gap = low_text[first.end : second.start]
    if first.value is None or second.value is None or len(gap) > 24 or first.form == "range":
        return None
    before = low_text[max(0, first.start - 60) : first.start]
    if not (
        _RANGE_DASH.match(gap)
        or (_RANGE_TO.match(gap) and not _CHANGED.search(before))
        or (_RANGE_AND.match(gap) and _BETWEEN.search(before) and not _CHANGED.search(before))
    ):
        return None
    bottom, top = first.value, second.value
    if first.scale == 1.0 and second.scale != 1.0 and bottom < top / second.scale:
        bottom *= second.scale
    if (
        # "1.4 billion or 1,402,112,000" says one number twice
        (first.scale != 1.0 and second.scale == 1.0)
        # "2010 – 42 million"
        or (first.year_shaped and second.scale != first.scale)
        # "5.2% - 2021"
        or (second.year_shaped and not first.year_shaped and " " in gap)
    ):
        return None
    if not bottom < top or (first.percent and not second.percent):
        return None
    return Numeral(
        first.start,
        second.end,
        (bottom + top) / 2,
        second.scale,
        "range",
        first.percent or second.percent,
        measure=second.measure or first.measure,
        base=second.base or first.base,
        spread=abs((top - bottom) / (bottom + top)) if bottom + top else 0.0,
    )


_CURRENCY_BEFORE = re.compile(
    r"(?:us\$|int\$|ppp\$|r\$|[$€£¥₹₦₩]|\b(?:usd|eur|gbp|inr|kes|ngn|cny|zar|rs\.?|us dollars?))"
    r"\s?[*_`]{0,2}$"
)
_CURRENCY_AFTER = re.compile(
    r"[*_` ]{0,3}(?:us ?\$|usd|(?:u\.?s\.? |international |constant )?dollars?|\$(?!\s*$)|€|euros?"
    r"|美元|dólares|dollar|долл|dolar|ドル|달러|دولار)"
)
_OTHER_CURRENCY_BEFORE = re.compile(
    r"(?:[¢£¥฿\u20a0-\u20c0]|\b(?:eur|gbp|inr|kes|ksh|ngn|cny|rmb|zar|rs\.?|tzs|tsh|ugx|jpy|krw|idr"
    r"|rp\.?|vnd"
    r"|php|brl|mxn|ars|clp|cop|egp|ghs|etb|pkr|bdt|lkr|npr|thb|myr|sgd|aud|cad|nzd|chf|sek|nok|dkk"
    r"|pln|czk|huf|ron|rub|uah|try|kzt|irr|sar|aed|qar|kwd|xof|xaf|fcfa|cfa|a\$|c\$|nz\$|hk\$"
    r"|s\$)) ?$"
)
_OTHER_CURRENCY_AFTER = re.compile(
    r"[ *]{0,2}(?:[a-z]+ )?(?:shillings?|rupees?|naira|rand|yuan|renminbi|yen|won|euros?|€"
    r"|pounds?|£"
    r"|pesos?|reais|rubles?|roubles?|francs?|dinars?|dirhams?|riyals?|baht|dong|rupiah|ringgit|taka"
    r"|birr|cedis?|kwacha|lira|zloty|kron\w+|forint|lei|hryvnias?|tenge|soms?|manat|元|円|원)\b"
)
_DOLLARS_BEFORE = re.compile(r"(?:(?<![a-tv-z])\$|\busd) ?$")
_PPP_BEFORE = re.compile(r"\bppp\b[^.;,\n0-9]{0,12}$")
_PPP_AFTER = re.compile(r"[^.;,\n0-9]{0,8}\b(?:at |in )?(?:ppp|purchasing)")
_NOMINAL_BEFORE = re.compile(r"\b(?:nominal|atlas method|current us\$?)\b[^.;,\n0-9]{0,12}$")
_LABEL_BEFORE = re.compile(
    r"(?:\b(?:no\.|top|rank(?:s|ed|ing)?:?(?: at)?|sdg|indicators?|articles?|table|figure|fig\."
    r"|section|chapter|pages?|pp?\.|goals?|iso|phase|version|steps?|tier|option|footnote|covid"
    r"|category|agenda|tel\.?:?|call|phone:?|fax:?|area code|postcode)\s?|#)$"
)
_ORDINAL_AFTER = re.compile(r"(?:st|nd|rd|th)\b|[ºª°]|-?(?:year|month|day|point|member|seat)\b")
_LIST_BEFORE = re.compile(r"(?:^|\n)[ \t>*#-]*$")
_LIST_AFTER = re.compile(r"[.)]\**[ \t]+\S")
_AGE_BEFORE = re.compile(
    r"\b(?:ages?|aged|age group)(?: of)?\W{0,2}$"
    r"|\b(?:youth|young people|adults?|teenagers|women|men|people|population) ?\($"
)
_TIME_AFTER = re.compile(
    r"\+?[ -]?(?:years?|yrs?|months?|weeks?|days?|hours?|decades?|centur|minutes?|a day)\b"
)
_DENOMINATOR_BEFORE = re.compile(
    r"(?:\b(?:per|por(?: cada)?|pour(?: chaque)?|pro|par|je|a cada|for every|every|for each|out of"
    r"|of every|su|kwa kila|trên)|на|каждые|每|प्रति|প্রতি|لكل|من كل|در هر|ต่อ)\s?[*_]{0,2}$"
)
_SLASH_BEFORE = re.compile(r"/ ?$")
_DENOMINATOR_AFTER = re.compile(
    r"[ ]?(?:人|명|出生|live births)?\s?(?:あたり|当たり|당\b|につき|中)"
)
_SURENESS_AFTER = re.compile(
    r"[%\s]*(?:\(?(?:ci|ui)\b|confiden|uncertain|credible|interval|sure\b|certain|accura|reliab)"
)
_SURENESS_BEFORE = re.compile(r"\b(?:confidence|certainty|probability)(?: level)?(?: of|:)? ?$")
_CHANGE_BEFORE = re.compile(
    r"(?:\b(?:by|growth|grew|growing|grows|growth rate|increas\w{0,4}|decreas\w{0,4}|declin\w{0,4}"
    r"|rising|falling|(?<!makes )(?<!make )(?<!made )(?<!making )up|down|gain"
    r"|inflation)(?: rate)?(?: of| at| by)?(?: about| around)?"
    r"|±|\+/-|\+-|margin of(?: error)?(?: of)?)\s?[:(]?\s?$"
)
_CHANGE_AFTER = re.compile(
    r"%? ?(?:percentage points?|pp\b|points\b"
    r"|(?:annual )?(?:growth|increase|decrease|decline|rise))"
)
_COMPARED_BEFORE = re.compile(
    r"\b(?:capital|city)\b[^.;,0-9\n]{0,24}$"
    r"|\b(?:from|peak\w{0,3}(?: of| at)|previously)\W{0,3}(?:about |around |us)?\W{0,2}$"
    r"|\b(?:(?<!less )(?<!more )(?<!fewer )(?<!greater )than|versus|vs\.?|compared (?:to|with)"
    r"|against|unlike|target\w{0,2}|goal|instead of"
    r"|world'?s?(?! ?bank| ?factbook| health| develop| economic| population)|global(?! carbon)"
    r"|regional|average|mean of|poverty line|threshold)\b[^.;,()0-9\n]{0,36}$"
)
_CORRECTED_AFTER = re.compile(r"%?,? (?:but (?:i meant|actually|that)|no,)")
_STANDS_ALONE_AFTER = re.compile(r" ?[,.;(\n]")
_DOUBTED_AFTER = re.compile(r"[%\s]{0,2}\?")
_EXPERTS_AFTER = re.compile(r"%? of (?:\w+ )?(?:experts|economists|analysts|sources|models)\b")
_PART_BEFORE = re.compile(
    r"\b(?:urban|rural|male|female|men|boys|girls|youth|upper house|senate|ages? [0-9-]+,? is)"
    r"(?: areas?)?\W{0,3}(?:is |was |at )?$"
)
_PART_AFTER = re.compile(r"%? (?:in )?(?:urban|rural|male|female|youth)\b")
_TOTAL_BEFORE = re.compile(
    r"\b(?:current|currently|latest|most recent|now|today)\b[^.;,()0-9\n]{0,24}$"
    r"|\b(?:total|overall|in all|all told|altogether|combined|nationwide|(?:whole"
    r"|entire) (?:country|nation)"
    r"|national(?:ly)?(?! (?:estimate|source|statistic|definition|office|bureau|assembly|council"
    r"|congress|parliament|park)))"
    r"(?: \w+){0,2}[\s:,(=–—*-]{0,3}(?:us)?[$€£]?$"
)
_TOTAL_AFTER = re.compile(
    r"[% ]{1,2}(?:[a-z°²³]{1,6} )?(?:in total|in all|altogether|overall|combined|on average)\b"
)
_UP_TO_BEFORE = re.compile(r"\bup to [$€£]?$")
_THINGS_AFTER = re.compile(
    r"[ *]{1,3}(?:\w+ ){0,1}?(?:islands?|seats?|members?|countries|provinces|states|surveys?"
    r"|sources?|respondents|sq|km|square|hectares?|ha\b|mps?\b|regions?|districts?|houses"
    r"|chambers|women|men"
    r"|single|largest|different|questions?|numbers?)\b|/km|[ ]?km"
)
_PEOPLE_AFTER = re.compile(
    r"[ *]{0,3}(?:people|inhabitants|residents|persons|habitants|habitantes|einwohner|человек|人)"
)
_OPERATOR_BEFORE = re.compile(r"[0-9%)] ?[×*+÷x] ?$")
_OPERATOR_AFTER = re.compile(r" ?(?:[×*+÷/]|x) ?[0-9]|\s*=\s*[$0-9]")


_AGE_ASKED_BEFORE = re.compile(
    r"\b(?:average|mean|median|to|until|reach\w*) (?:the )?age(?: of)?\W{0,2}$"
)
#: Years that pass, and years that differ, are no age: *the last 20 years*, *3 years less*.
_SPAN_BEFORE = re.compile(
    r"\b(?:past|last|next|previous|coming|first|within|every|over the|in|after|since|gain(?:ed|s)?"
    r"|plus|nearly another)(?: the)?(?: last| past| next)?(?: about| around| almost)?\W{0,2}$"
)
_SPAN_AFTER = re.compile(
    r"[ -]?(?:years?|yrs?|months?|días?|days?)\b,? (?:ago|older|younger|below|above|less|more"
    r"|longer|shorter"
    r"|behind|lower|higher|earlier|later|over the|since|in the (?:last|past)|than|increase|gain)"
)
_LIFE_AFTER = re.compile(r"-year (?:life|lifespan|expect)")
#: The ends of an index: *on a scale from 0 to 100*, *32 of 180 countries*.
_SCALE_TOP_BEFORE = re.compile(
    r"(?:/|\bout of(?: an?)?(?: possible| maximum| total)?(?: of)?|\bscale (?:of|from)"
    r"|\bfrom 0\b[^.;\n0-9]{0,24}(?:to|-|–)|\b(?:0|1)(?: ?[-–] ?| to )"
    r"|\bwhere|\brank\w*\W{0,3}(?:[0-9]+\w{0,2} )?(?:out )?of) ?$"
)
_PER_TIME_AFTER = re.compile(
    r"[^.;,\n0-9]{0,16}(?:\bper|\ba|/|\beach|\bevery) ?(day|week|month|hour)\b"
)
_PROJECTED_BEFORE = re.compile(
    r"\b(?:project\w*|forecast\w*|predicted|will (?:reach|be|grow|have)|expected to (?:reach"
    r"|be|grow)"
    r"|could reach|is to reach)\b[^.;,()0-9\n]{0,24}$"
)
_PER_TIME_BEFORE = re.compile(r"\b(monthly|daily|weekly|hourly)\b[^.;,\n0-9]{0,12}$")
_SUM_BEFORE = re.compile(r"[0-9%a-z)] ?[+×÷*/] ?[^=\n]{1,40}= ?[$€£~≈]?$")
_PER_AREA_AFTER = re.compile(r"[^.;,\n0-9(]{0,24}(?:\bper|/) ?(?:km|sq)")
_EXTREME_BEFORE = re.compile(r"\b(?:highest|lowest|maximum|minimum|record)\b[^.;,()0-9\n]{0,20}$")
_RATIO_BEFORE = re.compile(r"\b(?:ratio|rate)(?: is| was)?(?: of| at|:)?(?: about| around)? ?$")
_NOT_BEFORE = re.compile(r"\bnot (?:about |around )?[$€£~]?$")
_LIMIT_BEFORE = re.compile(
    r"\b(?:guidelines?|limit|replacement (?:level|rate)|standard|perfect \w+)\b[^.;,()0-9\n]{0,20}$"
)


_BRACKETS = re.compile(r"[()\[\]]")
#: Up to the first thing that is not a bracket or markup.
_LED = re.compile(r"[\s\\$*\"'#>()\[\]{}-]*+[^\s\\$*\"'#>()\[\]{}-]")


def in_brackets(low_text: str) -> list[tuple[int, int]]:
    """Outermost bracketed stretches that something else stands before, in order."""
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    led = _LED.match(low_text)
    if led is None:
        return spans
    for match in islice(_BRACKETS.finditer(low_text, led.end()), 200):
        if match[0] in "([":
            opened.append(match.start())
        elif opened:
            begin = opened.pop()
            if not opened:
                spans.append((begin, match.start()))
    if opened:
        spans.append((opened[0], len(low_text)))
    return spans


def never_an_answer(
    low_text: str, numeral: Numeral, brackets: list[tuple[int, int]], expected: Expected
) -> bool:
    """Labels, ordinals, ages, spans of time, denominators and confidence levels."""
    if numeral.value is None:
        return True
    start, end = numeral.span
    before = low_text[max(0, start - 28) : start]
    after = low_text[end : end + 28]
    return bool(
        (before and _ruled_out_before(before, numeral, expected))
        or (after and _ruled_out_after(before, after, numeral, expected))
        or (
            # A reference, "[1]"; but a reply "[12]" is an answer.
            before.endswith("[")
            and after.startswith("]")
            and end - start < 3
            and any(begin == start - 1 for begin, _ in brackets)
        )
    )


def _ruled_out_before(before: str, numeral: Numeral, expected: Expected) -> bool:
    letters = before.rstrip("-")[-1:]
    if letters.isalpha() and letters < "\u0530" and len(before.rstrip("-")) >= len(before) - 1:
        # CO2, G20, COVID-19; but USD1.2. Scripts without spaces come after U+0530.
        return before.endswith("-") or not _CURRENCY_BEFORE.search(before)
    if (
        _SURENESS_BEFORE.search(before)
        or before.endswith(("^", "^{"))  # km^2
        or (_AGE_BEFORE.search(before) and _is_age(before, numeral, expected))
    ):
        return True
    if numeral.percent:
        return False
    return bool(
        (numeral.scale == 1.0 and _LABEL_BEFORE.search(before))
        or _DENOMINATOR_BEFORE.search(before)
        or (before.endswith(" the ") and _few_things(numeral))
        or (expected.kind == "index" and _SCALE_TOP_BEFORE.search(before))
        or (numeral.value in (1e3, 1e4, 1e5, 1e6) and _SLASH_BEFORE.search(before))
    )


def _few_things(numeral: Numeral) -> bool:
    """*the 3 lowland departments*: a small whole number of something that is no unit."""
    value = numeral.value or 0.0
    bare = numeral.scale == 1.0 and not numeral.measure and not numeral.base
    return bare and numeral.form == "digits" and value < _FEW_THINGS and value.is_integer()


def _is_age(before: str, numeral: Numeral, expected: Expected) -> bool:
    """Whether a number behind "aged" or "adults (" is an age, and not an age that was asked for."""
    if before.endswith("("):  # (15–24), (15+)
        usual = numeral.form == "range" or numeral.value in _AGE_LIMITS
        return usual and not numeral.percent and numeral.scale == 1.0
    return not (expected.quantity == "time" and _AGE_ASKED_BEFORE.search(before))


_AGE_LIMITS = (15.0, 16.0, 18.0, 25.0, 60.0, 65.0)


def _ruled_out_after(before: str, after: str, numeral: Numeral, expected: Expected) -> bool:
    if expected.quantity == "time" and _TIME_AFTER.match(after):
        return bool(
            _SPAN_BEFORE.search(before)
            or _SPAN_AFTER.match(after)
            or (after.startswith("-year") and not _LIFE_AFTER.match(after))
        )
    if expected.quantity == "temperature" and after.startswith(("°", "º")):
        return False
    if _ORDINAL_AFTER.match(after):
        return True
    if numeral.percent:
        return _SURENESS_AFTER.match(after) is not None
    if _TIME_AFTER.match(after):
        return True
    return (numeral.value or 1) % 100 == 0 and _DENOMINATOR_AFTER.match(after) is not None


#: Where a change came to: *has since dropped 45% to 161*.
_ARRIVED_BEFORE = re.compile(
    r"\b(?:rose|risen|fell|fallen|dropp\w+|declined|increased|decreased|grew|grown|climbed|recovered"
    r"|rebounded|shr[au]nk|improved|went|reduced|expanded)\b[^.;\n]{0,30}"
    r" to (?:about |around |roughly |just |only )?(?:us)?[$€£~≈]?$"
)
_EARLIER_AFTER = re.compile(
    r"[^.;,\n0-9]{0,14}\b(?:before the|a (?:decade|year) (?:ago|earlier|before)|previously|formerly"
    r"|years ago)\b"
)
#: Those that are left out: *1.4% lack access*.
_LACKING_AFTER = re.compile(
    r"%?(?: of (?:the |its |all )?\w+)?"
    r" (?:(?:still )?lack|(?:are |live |is )?without|(?:have|has) no|do(?:es)? not|don't|cannot)\b"
)
_FEW_THINGS = 100
#: What stands before or after a number, what it adds, and the sense it gives.
_BEFORE: tuple[tuple[re.Pattern[str], float, str], ...] = (
    (_CHANGE_BEFORE, -5, "change"),
    (_COMPARED_BEFORE, -5, "compared"),
    (_PART_BEFORE, -2, ""),
    (_TOTAL_BEFORE, 2, ""),
    (_OPERATOR_BEFORE, -4, ""),
)
#: Likewise, for numbers that have rivals: a sole number is the answer with these or without.
_BEFORE_RIVALS: tuple[tuple[re.Pattern[str], float, str], ...] = (
    (_PROJECTED_BEFORE, -5, "compared"),
    (_NOT_BEFORE, -5, "compared"),
    (_SUM_BEFORE, 5, ""),
    (_EXTREME_BEFORE, -3, ""),
    (_UP_TO_BEFORE, -1, ""),
    (_LIMIT_BEFORE, -5, "compared"),
    (_ARRIVED_BEFORE, 3, ""),
)
_AFTER: tuple[tuple[re.Pattern[str], float, str], ...] = (
    (_CHANGE_AFTER, -5, "change"),
    (_CORRECTED_AFTER, -6, ""),
    (_DOUBTED_AFTER, -3, ""),
    (_PART_AFTER, -2, ""),
    (_EXPERTS_AFTER, -4, ""),
    (_TOTAL_AFTER, 3, ""),
    (_OPERATOR_AFTER, -4, ""),
)
_AFTER_RIVALS: tuple[tuple[re.Pattern[str], float, str], ...] = (
    (_EARLIER_AFTER, -4, "compared"),
    (_LACKING_AFTER, -5, "compared"),
)


def weight(
    low_text: str,
    numeral: Numeral,
    expected: Expected,
    brackets: list[tuple[int, int]],
    *,
    alone: bool = False,
) -> tuple[float, str]:
    """How well `numeral` fits what is expected, and its sense if it has one of its own.

    The sense is "change", "compared", "label" or "". Higher is better; 0 is a number about which
    nothing is known.
    """
    start, end = numeral.span
    before = low_text[max(0, start - 48) : start]
    after = low_text[end : end + 32]
    points, sense = _unit_points(before, after, numeral, expected), ""
    if not alone:
        points += _unit_fit(before, after, numeral, expected)
    cues = _cues(before, after, alone=alone)
    for _, added, cue_sense in cues:
        points += added
        sense = sense or cue_sense
    if not expected.fits(numeral.value or 0.0):
        points -= 3
    if any(begin < start < close for begin, close in brackets):
        points -= 3
    if start < 4 and not before.strip("~≈$* \n") and _STANDS_ALONE_AFTER.match(after):
        points += 3  # "99.9, effectively 100%"
    if numeral.faint:
        points -= 4
    elif numeral.form in ("share", "fraction"):
        points -= 1
    if not numeral.percent and after:
        if _THINGS_AFTER.match(after):
            points -= 3
        if end - start <= 2 and _LIST_AFTER.match(after) and _LIST_BEFORE.search(before):
            return points - 8, "label"
    return points, sense


def _cues(before: str, after: str, *, alone: bool) -> list[tuple[re.Pattern[str], float, str]]:
    """What stands around a number and says something of it."""
    found: list[tuple[re.Pattern[str], float, str]] = []
    if before.strip("$~*:( \n"):
        found += [cue for cue in _BEFORE if cue[0].search(before)]
        if not alone:
            found += [cue for cue in _BEFORE_RIVALS if cue[0].search(before)]
    if after:
        found += [cue for cue in _AFTER if cue[0].match(after)]
        if not alone:
            found += [cue for cue in _AFTER_RIVALS if cue[0].match(after)]
    return found


def _unit_fit(before: str, after: str, numeral: Numeral, expected: Expected) -> float:
    """Points for a number said in the unit asked for, or in another."""
    unit = expected.unit
    other = 0.0
    if numeral.measure is not None:
        if numeral.measure.quantity != expected.quantity:
            other = -4.0
        else:
            # The unit itself rather than one that has to be converted: "24.8 inches (630 mm)".
            other = 2.0 if numeral.converted else 6.0
    elif numeral.base:
        other = 3.0 if numeral.base == expected.base else float(bool(numeral.converted))
    elif "per km" in unit and _PER_AREA_AFTER.match(after):
        other = 4.0
    if expected.kind == "rate" and _RATIO_BEFORE.search(before):
        other += 2.0
    time = _PER_TIME_AFTER.match(after) or _PER_TIME_BEFORE.search(before)
    if time and time[1].replace("ai", "ay").removesuffix("ly") not in unit:
        other -= 6.0
    if expected.kind == "money":
        if _DOLLARS_BEFORE.search(before[-8:]):
            other += 2
        ppp = _PPP_BEFORE.search(before) or _PPP_AFTER.match(after)
        wanted = "ppp" in unit.lower() or "purchasing" in expected.phrase
        if ppp:
            other += 2 if wanted else -3
        elif _NOMINAL_BEFORE.search(before):
            other += -3 if wanted else 1
    return other


def _unit_points(before: str, after: str, numeral: Numeral, expected: Expected) -> float:
    """Points for signs that numbers of this kind have, or others: %, currencies, people."""
    money = _CURRENCY_BEFORE.search(before[-8:]) or _CURRENCY_AFTER.match(after)
    people = _PEOPLE_AFTER.match(after)
    points = 0.0
    if people:
        points += 1 if expected.kind == "count" or "people" in expected.unit else -2
    if expected.kind == "share":
        if numeral.percent:
            return points + 3
        return points - 4 if money or numeral.scale >= 1e3 else points
    if numeral.percent:
        points -= 4
    if money and expected.kind == "money":
        points += -4 if _OTHER_CURRENCY_BEFORE.search(before[-6:]) else 1
    elif expected.kind == "money" and (
        _OTHER_CURRENCY_BEFORE.search(before[-6:]) or _OTHER_CURRENCY_AFTER.match(after)
    ):
        points -= 4
    elif money:
        points -= 3
    return points
