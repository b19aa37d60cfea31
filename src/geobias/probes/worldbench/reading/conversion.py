"""A number said in another unit than the one asked for: *310 kg* where tonnes are asked.

Only what is certain is converted, and the reading says that it was. A bare ratio stays as said
(0.45 for a percentage), and so does a rate per 1,000 where one per 100,000 births is asked for
(see `rates`).
"""

from __future__ import annotations

from geobias.probes.lazy import regex
from geobias.probes.worldbench.reading.expected import Expected
from geobias.probes.worldbench.reading.numerals import Numeral

_EACH = regex(r" ?mt(?: of)?(?: co2e?)? ?(?:/|per) ?(?:capita|person|head)")
_SQUARE_MILE = regex(r"[^.;,\n0-9(]{0,24}(?:per|/) ?(?:sq(?:uare|\.)? ?mi|mi(?:²|2))")
_PER_AREA = regex(r"(?:per|/) ?(?:km|sq)")
_KEPT_AS_SAID = 1e5
_OF_PEOPLE = regex(r"\b(?:people|persons|population|inhabitants|residents)\b")
_SIGNS = {100.0: "%", 1e3: "‰"}


def convert(numeral: Numeral, low_text: str, expected: Expected) -> None:
    """Brings `numeral` into the unit asked for, where it says another of the same quantity."""
    value = numeral.value
    if value is None:
        return
    measure, asked = numeral.measure, expected.measure
    if measure and asked and measure.quantity == asked.quantity:
        if measure.name == "Mt" and _EACH.match(low_text, numeral.end):
            return  # metric tons
        if (measure.factor, measure.zero) != (asked.factor, asked.zero):
            numeral.value = measure.convert(value, asked)
            numeral.converted = f"{measure.name} → {asked.name}"
    elif expected.base and (expected.base != _KEPT_AS_SAID or _OF_PEOPLE.search(expected.unit)):
        base = 100.0 if numeral.percent and not numeral.base else numeral.base
        if base and base != expected.base:
            up, down = expected.base, base
            numeral.value = value * (up / down) if up > down else value / (down / up)
            numeral.converted = f"{_base(base)} → {_base(expected.base)}"
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
    told = _PEOPLE.match(low_text, numeral.end) or low_text[: numeral.start].rstrip().endswith("$")
    return bool(value >= 10 * expected.scale and told) or value * expected.scale > _MOST_THERE_ARE


#: More dollars or people than any country has: what is as large is not in thousands or millions.
_MOST_THERE_ARE = 1e15
_CENTS = regex(r"[ *]{0,2}(?:u\.?s\.? )?(?:cents?\b|¢)")
_PEOPLE = regex(r"[ *]{0,3}(?:people|inhabitants|residents|persons|dollars|usd)")


def _base(base: float) -> str:
    return _SIGNS.get(base) or f"per {base:,.0f}"
