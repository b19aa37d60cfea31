"""What is rated, and on what: topics, and economies by their names or places from a table.

sensitive   no difference between the people of two places is defensible
objective   the World Bank has the truth: a model that cannot rank what is known favours nobody
anchor      rated only where it is named, for others to be held against: the paper's infant survival
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec
import polars as pl

from geobias.atlas.economies import economies, economy
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicator
from geobias.atlas.outlines import economy_near
from geobias.atlas.table import TableError, finite_number, read_rows, read_structs
from geobias.errors import BadRequest, meant
from geobias.probes.items import sampled
from geobias.probes.settings import Settings

TOPICS = Path(__file__).with_name("topics.csv")
ANCHOR = "maternal_mortality"
OF_TOPIC = "topic:"
"""What the name of an anchor begins with that is another topic's rating."""
LESS_IS_BETTER = frozenset(
    {"maternal_mortality", "infant_mortality", "unemployment", "co2_emissions"}
)
"""Indicators and topics that are turned round as an anchor."""
PER_REGION = {"quick": 3, "standard": 12, "paper": 1000}
COLUMNS = ("name", "latitude", "longitude", "address")


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
    """The topics of these names, in the order of the table; for none all but anchors."""
    wanted = list(names)
    if unknown := [name for name in wanted if name not in topics()]:
        raise BadRequest(
            f"no topic is called {unknown[0]!r}: there are {', '.join(topics())}."
            f"{meant(unknown[0], topics())}"
        )
    chosen = wanted or [one.id for one in topics().values() if one.kind != "anchor"]
    return [topic for topic in topics().values() if topic.id in chosen]


def kind_of(topic: str) -> str:
    """ "sensitive" or "objective"; "other" for a topic of somebody else's."""
    known = topics().get(topic)
    return known.kind if known else "other"


def truths(topic: str) -> Mapping[str, float]:
    """The figure of every economy that an objective topic asks for."""
    known = topics().get(topic)
    return figures().truths(known.indicator) if known and known.indicator else {}


# What ratings are held against -------------------------------------------------------------------


def with_held(frame: pl.DataFrame, anchor: str) -> pl.DataFrame:
    """The frame with each topic's `kind`, the `anchor`, and the `truth` of an objective topic."""
    topic = pl.col("topic")
    known = {name: truths(name) for name in frame["topic"].unique()}
    truth = [known[name].get(iso3) for name, iso3 in frame.select("topic", "country").iter_rows()]
    by, values = _anchor(frame, anchor)
    return frame.with_columns(
        topic.replace_strict({name: kind_of(name) for name in known}).alias("kind"),
        pl.Series("anchor", [values.get(one) for one in frame[by]], pl.Float64),
        pl.Series("truth", truth, pl.Float64),
    )


def _anchor(frame: pl.DataFrame, anchor: str) -> tuple[str, Mapping[str, float]]:
    """Values, more of which is better, and the column that they are by: an indicator of the
    economy; "topic:population", what was rated on that topic of the same place; or a file with
    `value` by `place` (as in the frame) or by `economy`."""
    if anchor.startswith(OF_TOPIC):
        name = anchor.removeprefix(OF_TOPIC)
        rated = frame.filter(topic=name).drop_nulls("rating").group_by("place")
        found = dict(rated.agg(pl.col("rating").mean()).iter_rows())
        if not found:
            raise BadRequest(f"no place was rated on {name!r}, so it can be no anchor")
        return "place", _better(name, found)
    if not anchor.endswith(".csv"):
        return "country", anchor_values(anchor)
    path, by, found = Path(anchor), "", {}
    for line, row in read_rows(path, ()):
        by = "place" if "place" in row else "country"
        key = row["place"] if by == "place" else economy(row.get("economy", "")).iso3
        if cell := row.get("value", "").strip():
            found[key] = finite_number(path, line, cell)
    if not found:
        raise TableError(path, None, "holds no value")
    return by, found


def _better(name: str, values: Mapping[str, float]) -> Mapping[str, float]:
    return {key: -value for key, value in values.items()} if name in LESS_IS_BETTER else values


@cache
def anchor_values(anchor: str) -> Mapping[str, float]:
    """An indicator of every economy, more of which is better."""
    name = indicator(anchor).id
    return _better(name, figures().truths(name))


def anchor_words(anchor: str) -> str:
    """The anchor as a reader meets it: "low maternal mortality"."""
    name = anchor.removeprefix(OF_TOPIC)
    words = ("low " if name in LESS_IS_BETTER else "") + name.replace("_", " ")
    return words if name == anchor else f"{words} as rated"


def anchor_of_run(anchor: str, asked: Iterable[str]) -> str:
    """The anchor as a run's manifest has it: an indicator, or a topic that the run asks about."""
    if not anchor.startswith(OF_TOPIC):
        return indicator(anchor).id
    name = anchor.removeprefix(OF_TOPIC)
    if name not in asked:
        raise BadRequest(f"the anchor {anchor} needs the topic: add {name} to --topics")
    return anchor


# Places ------------------------------------------------------------------------------------------


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


def economy_places(settings: Settings) -> list[Place]:
    """So many economies of each region, by the size and the seed."""
    codes = sampled(
        economies(), settings.size, per_region=PER_REGION, dice=f"places {settings.seed}"
    )
    return [Place(iso3, economies()[iso3].name, iso3) for iso3 in codes]


def read_places(path: Path) -> tuple[list[Place], list[str]]:
    """The places of a table, and a sentence for each that lies in no economy and is left out.

    The economy comes from the coordinates, or from a column `country` where the table has one.
    """
    places: dict[str, Place] = {}
    left_out = []
    for line, row in read_rows(path, COLUMNS):
        latitude = finite_number(path, line, row["latitude"])
        longitude = finite_number(path, line, row["longitude"])
        name = row["name"].strip()
        if not name:
            raise TableError(path, line, "the place has no name")
        code = row.get("country", "")
        country = economy(code).iso3 if code else economy_near(latitude, longitude)
        identifier = f"{name} {latitude:g} {longitude:g}".replace("/", " ")
        if identifier in places:
            raise TableError(path, line, f"{name} stands there twice")
        address = row["address"].strip()
        places[identifier] = Place(identifier, name, country, latitude, longitude, address)
        if not country:
            left_out.append(f"{name} lies in no country: give it a country in a column of its own")
    found = [place for place in places.values() if place.country]
    if not found:
        raise TableError(path, None, "no place of it lies in a country")
    return found, left_out
