"""Two numbers that state one: *10-12%*, *between 10 and 12 percent*, *1.5 to 1.7 trillion*.

A change over time (*rose from 3.1% to 5.7%*) is two numbers, not a range.
"""

from __future__ import annotations

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.numerals import Numeral

_UNIT = r"(?:%| ?percent| ?years?| ?mm| ?cm| ?m| ?°[cf]?| ?kg| ?t| ?tonnes?| ?kwh)?"
_DASH = regex(rf"[*]?{_UNIT}[*]? ?(?:-|–|—|~|〜|～|至|到|から) ?[$€£~*]{{0,2}}(?:us\$)?\Z")
_TO = regex(rf"{_UNIT} (?:to|bis|до|até|hasta|through|or|أو|إلى|से)(?: about)? [$€£~]?(?:us\$)?\Z")
_AND = regex(rf"{_UNIT} ?(?:and|y|et|e|und|و|и|和|a|à|to|og|och|ve|dan) ?[$€£~]?(?:us\$)?\Z")
_BETWEEN = regex(
    r"(?:\b(?:between|entre|zwischen|tra|fra|mellan|antara|from|de|van)|между|от|بين|在|介于)"
    r" ?(?:about |around |approximately |roughly )?[$€£~]?(?:us\$|usd )?\Z"
)
_CHANGED = regex(
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
        _DASH.match(gap)
        or (_TO.match(gap) and not _CHANGED.search(before))
        or (_AND.match(gap) and _BETWEEN.search(before) and not _CHANGED.search(before))
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
