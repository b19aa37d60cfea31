"""The 218 economies of the World Bank, and the groups each belongs to.

"Economy" is the World Bank's word. It covers countries and territories with statistics of their
own, and says nothing about anyone's political status.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType

import msgspec

from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import read_rows, read_structs, shipped_table
from geobias.errors import AtlasError

REGION_CODES = {
    "East Asia & Pacific": "EAS",
    "Europe & Central Asia": "ECS",
    "Latin America & Caribbean": "LCN",
    "Middle East & North Africa": "MEA",
    "North America": "NAC",
    "South Asia": "SAS",
    "Sub-Saharan Africa": "SSF",
}
"""The World Bank's codes of its regions, for narrow column headings."""
INCOMES = ("Low income", "Lower middle income", "Upper middle income", "High income")
"""The World Bank's income groups, the poorest first."""


class Economy(msgspec.Struct, frozen=True):
    """One economy. A grouping is None if its publisher assigns the economy to no group."""

    iso3: str
    """ISO 3166-1 alpha-3; XKX (Kosovo) and CHI (Channel Islands) are the World Bank's own."""
    iso2: str
    """ISO 3166-1 alpha-2; XK and JG are the World Bank's own."""
    numeric: str | None
    """ISO 3166-1 numeric, three digits; None for Kosovo and the Channel Islands."""
    name: str
    """The name used in questions."""
    region: str
    income: str | None
    """Income group of fiscal year 2024; None for Venezuela, which was not classified."""
    continent: str
    north_south: str | None
    west_east: str | None
    demonym: str
    """The adjective ("Kenyan"). Not unique: two economies are "Congolese", two "Dominican"."""
    worldbank_name: str
    """The name as the World Bank lists it ("Egypt, Arab Rep.")."""


NULLABLE = ("numeric", "income", "north_south", "west_east")


class UnknownEconomyError(AtlasError):
    """No economy has this name or code; the message offers the nearest names."""

    def __init__(self, text: str) -> None:
        nearest = _nearest_names(text)
        hint = f"did you mean {' or '.join(nearest)}?" if nearest else "give a name or ISO code."
        super().__init__(f"No country is called {text!r}: {hint}")


@cache
def economies() -> Mapping[str, Economy]:
    """Every economy by its three-letter code, in the order of the codes."""
    rows = read_structs(shipped_table("economies.csv"), Economy, NULLABLE)
    return MappingProxyType({one.iso3: one for _, one in rows})


def find_economy(text: str) -> Economy | None:
    """The economy with this code or name, in any spelling, or None.

    A name that two economies share ("Congo", "Korea", "Virgin Islands") gives None, since guessing
    would put figures on the wrong country.
    """
    iso3 = _spellings().get(spelling_key(text))
    return economies()[iso3] if iso3 is not None else None


def economy_name(iso3: str) -> str:
    """The name of an economy, or the code if no economy has it."""
    known = economies().get(iso3)
    return known.name if known else iso3


def economy(text: str) -> Economy:
    found = find_economy(text)
    if found is None:
        raise UnknownEconomyError(text)
    return found


@cache
def aliases() -> Mapping[str, tuple[str, ...]]:
    """Other names of economies by code: former, common, and the World Bank's own."""
    found: dict[str, list[str]] = {
        one.iso3: [one.worldbank_name]
        for one in economies().values()
        if one.worldbank_name != one.name
    }
    for _, row in read_rows(shipped_table("economy_aliases.csv"), ("iso3", "alias")):
        found.setdefault(row["iso3"], []).append(row["alias"])
    return MappingProxyType({iso3: tuple(names) for iso3, names in found.items()})


@cache
def _spellings() -> Mapping[str, str]:
    """The key of each known spelling → the code it means."""
    return {
        spelling_key(text): one.iso3
        for one in economies().values()
        for text in (one.iso3, one.iso2, one.name, *aliases().get(one.iso3, ()))
    }


def _nearest_names(text: str) -> list[str]:
    """Up to three names similar to the text or containing it."""
    key = spelling_key(text)
    spellings = _spellings()
    names = [known for known in spellings if len(known) > 3]  # without codes
    part_of = [known for known in names if key and f" {key} " in f" {known} "]
    # A very long text is not a misspelt name, and comparing it would take seconds.
    close = get_close_matches(key[:80], names, n=3, cutoff=0.75)
    codes = dict.fromkeys(spellings[known] for known in (*part_of, *close))
    return [economies()[iso3].name for iso3 in codes][:3]
