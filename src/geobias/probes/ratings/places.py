"""What is rated: every economy by its name, or places from a table of one's own."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

import msgspec

from geobias.atlas.economies import economies, economy
from geobias.atlas.groupings import populous_first, populous_share
from geobias.atlas.outlines import economy_at
from geobias.atlas.table import TableError, finite_number, read_rows

PER_REGION = {"quick": 3, "standard": 12, "paper": 1000}
COLUMNS = ("name", "latitude", "longitude", "address")


class Place(msgspec.Struct, frozen=True):
    """A place and the economy it lies in. `id` is unique among the places of a run."""

    id: str
    name: str
    country: str
    latitude: float | None = None
    longitude: float | None = None
    address: str = ""

    @property
    def words(self) -> str:
        """As a question has it."""
        lines = [self.name]
        if self.latitude is not None and self.longitude is not None:
            lines.append(f"Coordinates: {self.latitude:.5f}, {self.longitude:.5f}")
        if self.address:
            lines.append(f"Address: {self.address}")
        return "\n".join(lines)


def economy_places(
    size: Literal["quick", "standard", "paper"],
    seed: int,
    sample: Literal["populous", "drawn"] = "populous",
) -> list[Place]:
    """Economies, so many of each region: a third are its most populous ones, the others are drawn
    by the seed. "drawn" is the sample of earlier versions, all of them drawn."""
    regions: dict[str, list[str]] = {}
    for iso3, one in sorted(economies().items()):
        regions.setdefault(one.region, []).append(iso3)
    chosen = set()
    for codes in regions.values():
        each = PER_REGION[size]
        random.Random(f"places {seed}").shuffle(codes)
        first = populous_first(codes)[: populous_share(each)] if sample == "populous" else []
        chosen.update([*first, *(code for code in codes if code not in first)][:each])
    return [Place(iso3, economies()[iso3].name, iso3) for iso3 in sorted(chosen)]


def read_places(path: Path) -> tuple[list[Place], list[str]]:
    """The places of a table, and a sentence for each that lies in no economy and is left out.

    The economy comes from the coordinates, or from a column `country` where the table has one.
    """
    places, left_out, seen = [], [], set()
    for line, row in read_rows(path, COLUMNS):
        latitude = finite_number(path, line, row["latitude"])
        longitude = finite_number(path, line, row["longitude"])
        if not row["name"].strip():
            raise TableError(path, line, "the place has no name")
        if row.get("country"):
            country = economy(row["country"]).iso3
        else:
            country = economy_at(latitude, longitude)
        name = row["name"].strip()
        identifier = f"{name} {latitude:g} {longitude:g}".replace("/", " ")
        if identifier in seen:
            raise TableError(path, line, f"{name} stands there twice")
        seen.add(identifier)
        if country:
            found = Place(identifier, name, country, latitude, longitude, row["address"].strip())
            places.append(found)
        else:
            left_out.append(f"{name} lies in no economy: give it a country in a column of its own")
    if not places:
        raise TableError(path, None, "no place of it lies in an economy")
    return places, left_out
