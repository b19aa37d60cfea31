"""Units of measure, as they follow a number or occur in a question (`units.csv`).

Units of one quantity convert by a factor, but not between denominators: "6.2 per 1,000" is not a
figure per 100,000. Each currency is a separate quantity.
"""

from __future__ import annotations

import csv
import re
from functools import cache, lru_cache
from math import log10
from pathlib import Path
from typing import NamedTuple

from geobias.reading.words import folded, words


class Unit(NamedTuple):
    """A unit: its quantity, its size in base units, and its denominator ("" for none)."""

    quantity: str
    factor: float = 1.0
    per: str = ""

    def converts_to(self, asked: Unit) -> bool:
        """Whether the units differ by a power of ten: kg and t do, m² and sq ft do not."""
        tens = log10(asked.factor / self.factor)
        return abs(tens - round(tens)) < 1e-9


@cache
def _known() -> dict[str, Unit]:
    found = {word: Unit(word) for word in words("currencies")}
    with Path(__file__).with_name("units.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            unit = Unit(row["quantity"], float(row["factor"]))
            found |= dict.fromkeys(map(folded, row["spellings"].split("|")), unit)
    return found


def spellings(quantity: str) -> list[str]:
    return [spelling for spelling, unit in _known().items() if unit.quantity == quantity]


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, _known()), key=len, reverse=True)
    return re.compile(rf"(?:{'|'.join(longest_first)})(?![^\W\d_])", re.IGNORECASE)


def unit_at(text: str, place: int = 0) -> tuple[Unit, int] | None:
    """Return the unit that begins at a position, and where it ends."""
    found = _pattern().match(text, place)
    return (_known()[folded(found[0])], found.end()) if found else None


_PER = re.compile(
    r"[^.;:()\d/]{0,45}?(?:(?<![^\W_])(?:per|out of|for every|for each|in every)\s|/)"
    r"(?:(?P<digits>10{0,2}(?:[\s,.]?000)*)(?P<thousand>k?)\b|(?P<word>hundred thousand|[a-z]+))",
    re.IGNORECASE,
)
_HEADS = dict.fromkeys(("capita", "head", "inhabitant", "worker", "employee"), "person")
_BASES = {"hundred thousand": "100000", "thousand": "1000", "million": "1000000",
          "hundred": "100"} | _HEADS  # fmt: skip


def per_at(text: str, place: int) -> str:
    """Return the denominator that follows a figure: "100000", "person", "year", or ""."""
    if (found := _PER.match(text, place)) is None:
        return ""
    if found["digits"]:
        thousands = "000" if found["thousand"] else ""
        return "".join(one for one in found["digits"] if one.isdigit()) + thousands
    said = found["word"].lower()
    return _BASES.get(said, said)


_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}


@lru_cache(maxsize=512)
def asked_unit(name: str, phrase: str) -> tuple[Unit, float]:
    """Return a question's unit, and its scale: a million for "US$ million"."""
    low = folded(name).strip()
    if low in ("year", "a year", "calendar year"):
        return Unit("year"), 1.0
    scale = next((n for word, n in _SCALES.items() if word in low), 1.0)
    per = _per_in(low) or _per_in(folded(phrase))
    body = re.sub(r"^(?:thousands?|millions?|billions?|of|number|current|constant)\s+", "", low)
    found = unit_at(low) or unit_at(body)
    if found is None:
        sign = next((one for one in ("%", "$", "dollar") if one in low), "")
        found = unit_at(sign) if sign else None
    unit = found[0] if found else Unit("per" if per else f"({low})")
    return unit._replace(per=per), scale if not per.isdigit() else 1.0


def _per_in(text: str) -> str:
    place = f" {text}".find(" per ")
    return per_at(f" {text}", place) if place >= 0 else ""


@cache
def is_known(unit: Unit) -> bool:
    """Whether the table has the unit. An unknown word after a number then means another unit."""
    listed = unit.quantity not in words("currencies") and bool(spellings(unit.quantity))
    return unit.quantity == "per" or listed
