"""Units of measure: what stands beside a number, and what was asked for.

Units of one quantity convert by a factor. A rate is the same only per the same: "6.2 per 1,000" is
no figure per 100,000. A currency that is not the one asked for is another quantity.
"""

from __future__ import annotations

import re
from functools import cache
from math import log10
from typing import NamedTuple

from geobias.reading.words import words

_ROWS = (
    ("share", 1, "%|percent|per cent|pct|percentage points|procent|procenta|procento|por ciento"
     "|por cento|pour cent|prozent"),
    ("share", 0.1, "‰|per mille"),
    ("time", 1, "years|year|yrs|year-old|let|roky|rok|roků|años|ans|jahre|anos"),
    ("time", 1 / 12, "months|month|měsíců|měsíce"),
    ("time", 7 / 365.25, "weeks|week|týdnů"),
    ("time", 1 / 365.25, "days|day|dní|dny|dnů"),
    ("time", 1 / 8766, "hours|hour|hodin|hodiny"),
    ("time", 1 / 525960, "minutes|minute|minut|minuty"),
    ("length", 1e-3, "mm|millimetres|millimeters|milimetrů"),
    ("length", 1e-2, "cm|centimetres|centimeters|centimetrů"),
    ("length", 1, "m|metres|meters|metre|meter|metrů|metry"),
    ("length", 1e3, "km|kilometres|kilometers|kilometre|kilometer|kilometrů"),
    ("length", 0.0254, "inches|inch|palců"),
    ("length", 0.3048, "ft|feet|foot|stop"),
    ("length", 1609.344, "miles|mile"),
    ("area", 1, "km²|km2|km^2|sq km|sq. km|square kilometres|square kilometers"
     "|čtverečních kilometrů|kilometrů čtverečních"),
    ("area", 1e-2, "ha|hectares|hectare|hektarů"),
    ("area", 0.0040468564224, "acres|acre|akrů"),
    ("area", 2.589988110336, "sq mi|square miles"),
    ("area", 1e-6, "m²|m2|m^2|square metres|square meters|sq m"),
    ("area", 9.290304e-8, "sq ft|square feet|square foot|square footage|čtverečních stop"),
    ("area", 8.3612736e-7, "square yards|čtverečních yardů"),
    ("mass", 1, "t|tonnes|tonne|tons|ton|metric tonnes|metric tons|metric tonne|metric ton|tun"
     "|tco2|t co2|tco2e"),
    ("mass", 1e-3, "kg|kilograms|kilogrammes|kilogram|kilogramů"),
    ("mass", 1e-6, "g|grams|gram|gramů"),
    ("mass", 1e3, "kt|kilotonnes|kilotons"),
    ("mass", 1e6, "mt|megatonnes|megatons"),
    ("mass", 1e9, "gt|gigatonnes|gigatons"),
    ("mass", 0.00045359237, "lb|lbs|pounds"),
    ("energy", 1, "kwh|kilowatt-hours|kilowatt hours"),
    ("energy", 1e3, "mwh"),
    ("energy", 1e6, "gwh"),
    ("energy", 1e9, "twh"),
    ("speed", 1, "km/h|kilometres per hour|kilometers per hour"),
    ("speed", 1.609344, "mph|miles per hour"),
    ("temperature", 1, "°c|degrees celsius|celsius"),
    ("fahrenheit", 1, "°f|degrees fahrenheit|fahrenheit"),
    ("kelvin", 1, "k|kelvin"),
    ("data", 1, "mbps|mbit/s"),
    ("data", 1e3, "gbps|gbit/s"),
    ("data", 1e-3, "kbps|kbit/s"),
    ("concentration", 1, "µg/m³|μg/m3|µg/m3|ug/m3|micrograms per cubic metre"),
    ("concentration", 1e3, "mg/m³|mg/m3"),
    ("litres", 1, "litres|liters|litre|liter|l"),
    ("litres", 1e-3, "ml|millilitres|milliliters"),
    ("litres", 1e3, "m³|m3|cubic metres|cubic meters"),
    ("food", 1, "kcal|kilocalories|calories"),
    ("volume", 1, "cc|kubických centimetrů|cubic centimetres|cubic centimeters|cm³"),
    ("frequency", 1, "mhz|megahertz"),
    ("frequency", 1e-6, "hz|hertz"),
    ("US dollars", 1, "$|us$|us $|usd|us dollars|u.s. dollars|dollars|dollar|united states dollars"
     "|dolarů|amerických dolarů|current us$|international dollars|international $|int$|ppp dollars"
     "|ppp $|constant 2017 ppp $|u.s. dollar|us dollar|united states dollar"),
    ("euros", 1, "€|eur|euros|euro|eura"),
    ("rating", 1, "rating|points|point"),
    ("people", 1, "people|persons|inhabitants|residents|citizens|obyvatel|lidí|osob|men"),
)  # fmt: skip


class Unit(NamedTuple):
    """A quantity, how much of its base unit one is, and what it is given per ("" for nothing)."""

    quantity: str
    factor: float = 1.0
    per: str = ""

    def converts_to(self, asked: Unit) -> bool:
        """Only by a power of ten: 310 kg are 0.31 t, and "66 m² (710 sq ft)" is said in sq ft."""
        tens = log10(asked.factor / self.factor)
        return abs(tens - round(tens)) < 1e-9


@cache
def _known() -> dict[str, Unit]:
    found = {
        spelling: Unit(quantity, factor)
        for quantity, factor, spellings in _ROWS
        for spelling in spellings.split("|")
    }
    return {**{word: Unit(word) for word in words("currencies")}, **found}


def spellings(quantity: str) -> list[str]:
    """How units of a quantity are written."""
    return [spelling for spelling, unit in _known().items() if unit.quantity == quantity]


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, _known()), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(longest_first)})(?![^\W\d_])", re.IGNORECASE)


def unit_at(text: str, place: int = 0) -> tuple[Unit, int] | None:
    """The unit that begins here and where it ends."""
    found = _pattern().match(text, place)
    return (_known()[found[0].lower()], found.end()) if found else None


_PER = re.compile(
    r"[^.;:()\d/]{0,45}?(?:(?<![^\W_])(?:per|out of|for every|for each|in every)\s|/)"
    r"(?:(100|1|10)[\s,.]?(000)(?:[,.]?(000))?|(hundred thousand|thousand|million|hundred"
    r"|capita|person|head|inhabitant|worker|employee|year|month|day|km|square|hour"
    r"|woman|household|live|minute|second)|(100k|1k|10k|1m)\b|(\d+)(?![\d,.]))",
    re.IGNORECASE,
)
_WORDS = {"hundred thousand": "100000", "thousand": "1000", "million": "1000000", "hundred": "100",
          "100k": "100000", "10k": "10000", "1k": "1000", "1m": "1000000",
          "square": "km"}  # fmt: skip
_HEADS = frozenset(("capita", "person", "head", "inhabitant", "worker", "employee"))


def per_at(text: str, place: int = 0) -> str:
    """What a figure that ends here is given per: "100000", "person", "year"; "" for nothing."""
    if (found := _PER.match(text, place)) is None:
        return ""
    if found[1]:
        return found[1] + "000" + (found[3] or "")
    said = (found[4] or found[5] or found[6]).lower()
    return "person" if said in _HEADS else _WORDS.get(said, said)


def asked_unit(name: str, phrase: str = "") -> tuple[Unit, float]:
    """The unit that is asked for, and what it counts in: a million for "US$ million".

    A name of no known unit is a quantity of its own.
    """
    low = name.lower().strip()
    if low in ("year", "a year", "calendar year"):
        return Unit("year"), 1.0
    scale = next((n for word, n in _COUNTED_IN.items() if re.search(rf"\b{word}", low)), 1.0)
    per = next((one for text in (low, phrase.lower()) if (one := _per_in(text))), "")
    body = re.sub(r"^(?:thousands?|millions?|billions?|of|number|current|constant)\s+", "", low)
    found = unit_at(low) or unit_at(body)
    if found is None:
        found = (
            unit_at("%") if "%" in low else unit_at("$") if re.search(r"\$|dollar", low) else None
        )
    unit = found[0] if found else Unit("per" if per else f"({low})")
    return unit._replace(per=per), scale if not per.isdigit() else 1.0


def _per_in(text: str) -> str:
    place = f" {text}".find(" per ")
    return per_at(f" {text}", place) if place >= 0 else ""


def is_known(unit: Unit) -> bool:
    """Whether the unit is in the table, so that any other beside a number is another unit."""
    return unit.quantity == "per" or unit.quantity in _QUANTITIES


_QUANTITIES = frozenset(quantity for quantity, *_ in _ROWS)


_COUNTED_IN = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
