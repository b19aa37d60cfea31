"""The topics on which places are rated, and the places: economies, or points from a table.

sensitive   no difference between the people of two places is defensible
objective   the World Bank has the figures; a model that cannot rank them cannot be tested
anchor      places are rated on it only if it is named, so that other ratings can be compared with
            these ratings: the paper's infant survival
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
"""Prefix of an anchor that is a rated topic and not an indicator: "topic:NAME"."""
LESS_IS_BETTER = frozenset(
    {"maternal_mortality", "infant_mortality", "unemployment", "co2_emissions"}
)
"""Indicators and topics whose sign is changed as an anchor, so that more is better."""
PER_REGION = {"quick": 3, "standard": 12, "paper": 1000}


class Topic(msgspec.Struct, frozen=True):
    """A topic. `phrase` completes "Topic:"; `indicator` has the figures of an objective one."""

    id: str
    kind: str
    phrase: str
    indicator: str | None


@cache
def topics() -> Mapping[str, Topic]:
    """All topics by id, the sensitive ones first."""
    return {topic.id: topic for _, topic in read_structs(TOPICS, Topic, ("indicator",))}


def topic_of(name: str) -> Topic:
    """The topic with this name, or for an unknown name a new topic of kind "other"."""
    return topics().get(name) or Topic(name, "other", name, None)


def chosen_topics(names: Iterable[str]) -> list[Topic]:
    """The topics with these names, in the order of the table.

    Without names, all topics except those of kind "anchor".
    """
    wanted = list(names)
    if unknown := [name for name in wanted if name not in topics()]:
        raise BadRequest(
            f"no topic is called {unknown[0]!r}: there are {', '.join(topics())}."
            f"{meant(unknown[0], topics())}"
        )
    every = topics().values()
    return [one for one in every if (one.id in wanted if wanted else one.kind != "anchor")]


def truths(topic: str) -> Mapping[str, float]:
    """Code of an economy → the figure that an objective topic asks about; empty for others."""
    asked = topic_of(topic).indicator
    return figures().truths(asked) if asked else {}


# What ratings are held against -------------------------------------------------------------------


def with_held(frame: pl.DataFrame, anchor: str) -> pl.DataFrame:
    """The frame with the columns `kind`, `anchor` and `truth`.

    `kind` is that of the topic, `anchor` the value of the anchor for the country or place, and
    `truth` the figure of an objective topic.
    """
    known = {name: truths(name) for name in frame["topic"].unique()}
    truth = [known[name].get(iso3) for name, iso3 in frame.select("topic", "country").iter_rows()]
    kinds = {name: topic_of(name).kind for name in known}
    if anchor.startswith(OF_TOPIC):
        by, held = "place", _rated(frame, anchor.removeprefix(OF_TOPIC))
    else:
        by, held = "country", anchor_values(anchor)
    return frame.with_columns(
        pl.col("topic").replace_strict(kinds).alias("kind"),
        pl.Series("anchor", [held.get(one) for one in frame[by]], pl.Float64),
        pl.Series("truth", truth, pl.Float64),
    )


def anchor_values(anchor: str) -> Mapping[str, float]:
    """Code of an economy → the value of an indicator, with its sign such that more is better."""
    name = indicator(anchor).id
    return _better(name, figures().truths(name))


def _rated(frame: pl.DataFrame, topic: str) -> Mapping[str, float]:
    """Place → its mean rating on `topic`, with its sign such that more is better."""
    rated = frame.filter(topic=topic).drop_nulls("rating").group_by("place")
    found = dict(rated.agg(pl.col("rating").mean()).iter_rows())
    if not found:
        raise BadRequest(f"no place was rated on {topic!r}, so it cannot be the anchor")
    return _better(topic, found)


def _better(name: str, values: Mapping[str, float]) -> Mapping[str, float]:
    return {key: -value for key, value in values.items()} if name in LESS_IS_BETTER else values


def anchor_words(anchor: str) -> str:
    """The anchor in words: "low maternal mortality"."""
    name = anchor.removeprefix(OF_TOPIC)
    words = ("low " if name in LESS_IS_BETTER else "") + name.replace("_", " ")
    return words if name == anchor else f"{words} as rated"


def anchor_of_run(anchor: str, asked: Iterable[str]) -> str:
    """The anchor for a run's manifest: an indicator, or a topic that the run asks about."""
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
        """The place as a question describes it: name, coordinates and address."""
        lines = [self.name]
        if self.latitude is not None:
            lines.append(f"Coordinates: {self.latitude:.5f}, {self.longitude:.5f}")
        if self.address:
            lines.append(f"Address: {self.address}")
        return "\n".join(lines)


def economy_places(settings: Settings) -> list[Place]:
    """A sample of each region's economies, as many as the size asks for, drawn by the seed."""
    codes = sampled(
        economies(), settings.size, per_region=PER_REGION, dice=f"places {settings.seed}"
    )
    return [Place(iso3, economies()[iso3].name, iso3) for iso3 in codes]


def read_places(path: Path) -> tuple[list[Place], list[str]]:
    """The places in a table, and a sentence for each place that is left out for lack of an economy.

    The economy comes from the column `country` if the table has one, else from the coordinates.
    """
    places: dict[str, Place] = {}
    left_out = []
    for line, row in read_rows(path, ("name", "latitude", "longitude", "address")):
        latitude, longitude = (
            finite_number(path, line, row[name]) for name in ("latitude", "longitude")
        )
        name, code = row["name"].strip(), row.get("country", "")
        if not name:
            raise TableError(path, line, "the place has no name")
        identifier = f"{name} {latitude:g} {longitude:g}".replace("/", " ")
        if identifier in places:
            raise TableError(path, line, f"{name} stands there twice")
        country = economy(code).iso3 if code else economy_near(latitude, longitude)
        if not country:
            left_out.append(f"{name} lies in no country: give it a country in a column of its own")
        places[identifier] = Place(
            identifier, name, country, latitude, longitude, row["address"].strip()
        )
    found = [place for place in places.values() if place.country]
    if not found:
        raise TableError(path, None, "no place of it lies in a country")
    return found, left_out
