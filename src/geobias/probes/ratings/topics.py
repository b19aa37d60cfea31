"""The topics on which places are rated, and the places: economies, or points from a table.

sensitive   no difference between the people of two places is defensible
objective   the World Bank has the figures; a model that cannot rank them cannot be tested
anchor      asked about only if the user names it. Other ratings are then compared with these, as
            with infant survival in the paper
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicator
from geobias.atlas.points import Point, read_points
from geobias.atlas.table import read_structs
from geobias.errors import BadRequest, unknown
from geobias.probes.items import sampled
from geobias.probes.settings import Settings

ANCHOR = "maternal_mortality"
OF_TOPIC = "topic:"
"""Prefix of an anchor that is a rated topic and not an indicator: "topic:NAME"."""
LESS_IS_BETTER = frozenset(
    {"maternal_mortality", "infant_mortality", "unemployment", "co2_emissions"}
)
"""Indicators and topics whose sign is changed as an anchor, so that more is better."""
PER_REGION = {"quick": 3, "standard": 12, "paper": 1000}
PLACE = ("country", "place", "latitude", "longitude")
"""The columns that identify a place. Two places may have one name."""


class Topic(msgspec.Struct, frozen=True):
    """A topic. `phrase` completes "Topic:"; `indicator` has the figures of an objective one."""

    id: str
    kind: str
    phrase: str
    indicator: str | None = None


@cache
def topics() -> Mapping[str, Topic]:
    """All topics by id, the sensitive ones first."""
    path = Path(__file__).with_name("topics.csv")
    return {topic.id: topic for _, topic in read_structs(path, Topic, ("indicator",))}


def topic_of(name: str) -> Topic:
    """The topic with this name, or for an unknown name a new topic of kind "other"."""
    return topics().get(name) or Topic(name, "other", name)


def chosen_topics(names: Iterable[str]) -> list[Topic]:
    """The topics with these names; without names, all except those of kind "anchor"."""
    wanted = list(names)
    if others := [name for name in wanted if name not in topics()]:
        raise unknown("topic", others[0], topics())
    every = topics().values()
    return [one for one in every if (one.id in wanted if wanted else one.kind != "anchor")]


def truths(topic: str) -> Mapping[str, float]:
    """Code of an economy → the figure that an objective topic asks about; empty for others."""
    asked = topic_of(topic).indicator
    return figures().truths(asked) if asked else {}


def with_held(frame: pl.DataFrame, anchor: str) -> pl.DataFrame:
    """The frame with the columns `kind`, `anchor` and `truth`.

    `kind` is that of the topic, `anchor` the value of the anchor for the country or place, with its
    sign such that more is better, and `truth` the figure of an objective topic.
    """
    truth = [truths(name).get(iso3) for name, iso3 in frame.select("topic", "country").iter_rows()]
    name = anchor.removeprefix(OF_TOPIC)
    if name == anchor:
        values = figures().truths(name := indicator(anchor).id)
        held = pl.Series([values.get(iso3) for iso3 in frame["country"]], dtype=pl.Float64)
    else:
        rated = frame.filter(topic=name).group_by(PLACE).agg(pl.col("rating").mean())
        if not rated["rating"].count():
            raise BadRequest(f"no place was rated on {name!r}, so it cannot be the anchor")
        places = frame.select(PLACE)
        held = places.join(rated, PLACE, "left", nulls_equal=True, maintain_order="left")["rating"]
    return frame.with_columns(
        pl.Series("kind", [topic_of(name).kind for name in frame["topic"]], pl.String),
        (-held if name in LESS_IS_BETTER else held).alias("anchor"),
        pl.Series("truth", truth, pl.Float64),
    )


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


def chosen_places(table: Path | None, settings: Settings) -> tuple[list[Point], list[str]]:
    """The places in a table, or else economies; and a sentence for each point that is left out."""
    return read_points(table) if table else (economy_places(settings), [])


def economy_places(settings: Settings) -> list[Point]:
    """A sample of each region's economies, as many as the size asks for, drawn by the seed."""
    dice = f"places {settings.seed}"
    codes = sampled(economies(), settings.size, per_region=PER_REGION, dice=dice)
    return [Point(iso3, economies()[iso3].name, iso3) for iso3 in codes]
