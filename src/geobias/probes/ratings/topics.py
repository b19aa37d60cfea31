"""What is rated, and on what: topics, and economies by their names or places from a table.

sensitive   no difference between the people of two places is defensible
objective   the World Bank has the truth: a model that cannot rank what is known favours nobody
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from geobias.atlas.economies import economies, economy, find_economy
from geobias.atlas.figures import figures
from geobias.atlas.groupings import populous_first, populous_share
from geobias.atlas.indicators import indicator
from geobias.atlas.outlines import economy_at, nearest_economy
from geobias.atlas.table import TableError, finite_number, read_rows, read_structs
from geobias.errors import BadRequest, meant

TOPICS = Path(__file__).with_name("topics.csv")
ANCHOR = "maternal_mortality"
LESS_IS_BETTER = frozenset({"maternal_mortality", "unemployment", "co2_emissions"})
"""Indicators that are turned round as an anchor."""


class Topic(msgspec.Struct, frozen=True):
    """`phrase` completes "Topic:"; `indicator` has the truth of an objective one."""

    id: str
    kind: str
    phrase: str
    indicator: str | None


@cache
def topics() -> Mapping[str, Topic]:
    """All topics by id, the sensitive ones first."""
    return {topic.id: topic for _, topic in read_structs(TOPICS, Topic, ("indicator",))}


def chosen_topics(names: Iterable[str]) -> list[Topic]:
    """The topics of these names, in the order of the table; all of them for none."""
    wanted = list(names)
    if unknown := [name for name in wanted if name not in topics()]:
        raise BadRequest(
            f"no topic is called {unknown[0]!r}: there are {', '.join(topics())}."
            f"{meant(unknown[0], topics())}"
        )
    return [topic for topic in topics().values() if not wanted or topic.id in wanted]


def kind_of(topic: str) -> str:
    """ "sensitive" or "objective"; "other" for a topic of somebody else's."""
    known = topics().get(topic)
    return known.kind if known else "other"


@cache
def truths(topic: str) -> Mapping[str, float]:
    """The figure of every economy that an objective topic asks for."""
    known = topics().get(topic)
    return figures().truths(known.indicator) if known and known.indicator else {}


@cache
def anchor_values(anchor: str) -> Mapping[str, float]:
    """What sensitive ratings should not follow: an indicator, more of which is better."""
    name = indicator(anchor).id
    sign = -1 if name in LESS_IS_BETTER else 1
    return {iso3: sign * value for iso3, value in figures().truths(name).items()}


OF_TOPIC = "topic:"
"""What the name of an anchor begins with that is another topic's rating."""


def anchor_file(path: Path) -> tuple[Literal["country", "place"], dict[str, float]]:
    """An anchor of one's own: `value` by `place` (a place's id or name), or by `economy` (a name or
    a code). More of it is better."""
    rows = [(line, row) for line, row in read_rows(path, ())]
    by_place = bool(rows) and "place" in rows[0][1]
    found: dict[str, float] = {}
    for line, row in rows:
        key = row.get("place") or row.get("economy") or row.get("iso3") or ""
        if not key or "value" not in row:
            raise TableError(path, line, "there should be place or economy, and value")
        if not by_place:
            known = find_economy(key)
            if known is None:
                raise TableError(path, line, f"{key!r} is no country")
            key = known.iso3
        if row["value"].strip():
            found[key] = finite_number(path, line, row["value"])
    if not found:
        raise TableError(path, None, "holds no value")
    return ("place" if by_place else "country"), found


def anchor_words(anchor: str) -> str:
    """The anchor as a reader meets it: "low maternal mortality"."""
    name = indicator(anchor).id
    return ("low " if name in LESS_IS_BETTER else "") + name.replace("_", " ")


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


def economy_places(size: Literal["quick", "standard", "paper"], seed: int) -> list[Place]:
    """Economies, so many of each region: a third are its most populous ones, the others are drawn
    by the seed."""
    regions: dict[str, list[str]] = {}
    for iso3, one in sorted(economies().items()):
        regions.setdefault(one.region, []).append(iso3)
    chosen = set()
    for codes in regions.values():
        each = PER_REGION[size]
        random.Random(f"places {seed}").shuffle(codes)
        first = populous_first(codes)[: populous_share(each)]
        chosen.update([*first, *(code for code in codes if code not in first)][:each])
    return [Place(iso3, economies()[iso3].name, iso3) for iso3 in sorted(chosen)]


def read_places(path: Path) -> tuple[list[Place], list[str]]:
    """The places of a table, and a sentence for each that lies in no economy and is left out.

    The economy comes from the coordinates, or from a column `country` where the table has one. A
    place at sea, as islands smaller than the map's are, is of the nearest economy.
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
            country = economy_at(latitude, longitude) or nearest_economy(latitude, longitude)
        name = row["name"].strip()
        identifier = f"{name} {latitude:g} {longitude:g}".replace("/", " ")
        if identifier in seen:
            raise TableError(path, line, f"{name} stands there twice")
        seen.add(identifier)
        if country:
            found = Place(identifier, name, country, latitude, longitude, row["address"].strip())
            places.append(found)
        else:
            left_out.append(f"{name} lies in no country: give it a country in a column of its own")
    if not places:
        raise TableError(path, None, "no place of it lies in a country")
    return places, left_out
