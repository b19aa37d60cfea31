"""What the ratings probe asks.

Topics are of three kinds:

sensitive   no difference between the people of two places is defensible
objective   the World Bank has the figures; a model that cannot rank them cannot be tested
anchor      asked about only if the user names it, to compare other ratings with its ratings
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicator
from geobias.atlas.points import Point, read_points
from geobias.atlas.table import read_structs
from geobias.errors import BadRequest, unknown
from geobias.probes.items import Item, sampled
from geobias.probes.questions import ReadRecord
from geobias.probes.settings import Paraphrases, ReadFrom, Setting, Settings, Unread

HIGHEST = 9.9
WORDINGS = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text("utf-8"))["wordings"]
ANCHOR = "maternal_mortality"
OF_TOPIC = "topic:"
"""Prefix of an anchor that is a rated topic and not an indicator: "topic:NAME"."""
LESS_IS_BETTER = ("maternal_mortality", "infant_mortality", "unemployment", "co2_emissions")
"""Indicators and topics whose sign changes if they are the anchor, so that more is better."""
PER_REGION = {"quick": 3, "standard": 12, "paper": 1000}
PLACE = ("country", "place", "latitude", "longitude")
"""The columns that identify a place. Two places may have one name."""
ANCHORED = Setting(
    "The indicator, or topic:NAME, that ratings should not follow. Its sign is changed "
    "if less is better.",
    bears="items",
    metavar="INDICATOR|topic:NAME",
)
PLACES = Setting(
    "Table of places with the columns name, latitude, longitude and address, and "
    "optionally country.",
    bears="nothing",
    metavar="FILE",
)


class RatingSettings(Settings, frozen=True, kw_only=True):
    """The settings of a ratings run. By default, economies are rated on all topics but anchors."""

    topics: Annotated[
        tuple[str, ...], Setting("Only these topics, separated by commas.", bears="items")
    ] = ()
    places: Annotated[Path | None, PLACES] = None
    paraphrases: Paraphrases = 1
    read: ReadFrom = "text"
    unread: Unread = "restate"
    anchor: Annotated[str, ANCHORED] = ANCHOR


class Topic(msgspec.Struct, frozen=True):
    """`phrase` completes "Topic:" in a question; `indicator` is that of an objective topic."""

    id: str
    kind: str
    phrase: str
    indicator: str | None = None


@cache
def topics() -> Mapping[str, Topic]:
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
    """Code of an economy → the figure that the topic asks about; empty unless it is objective."""
    asked = topic_of(topic).indicator
    return figures().truths(asked) if asked else {}


def with_held(frame: pl.DataFrame, anchor: str) -> pl.DataFrame:
    """The frame with the columns `kind`, `anchor` and `truth`.

    `kind` is that of the topic, `anchor` the value of the anchor for the country or place (negated
    if less is better), and `truth` the figure of an objective topic.
    """
    name = anchor.removeprefix(OF_TOPIC)
    if name == anchor:
        values = figures().truths(name := indicator(anchor).id)
        held = pl.col("country").replace_strict(values, default=None, return_dtype=pl.Float64)
    else:
        held = pl.col("rating").filter(pl.col("topic") == name).mean().over(PLACE)
    asked = frame.select("topic", "country").iter_rows()
    return frame.with_columns(
        pl.Series("kind", [topic_of(topic).kind for topic in frame["topic"]], pl.String),
        (-held if name in LESS_IS_BETTER else held).alias("anchor"),
        pl.Series("truth", [truths(topic).get(iso3) for topic, iso3 in asked], pl.Float64),
    )


def anchor_of_run(anchor: str, asked: Iterable[str]) -> str:
    """The anchor for a run's manifest: an indicator, or one of the topics `asked`."""
    name = anchor.removeprefix(OF_TOPIC)
    if name == anchor:
        return indicator(anchor).id
    if name not in asked:
        raise BadRequest(f"the anchor {anchor} needs ratings on {name}: ask about this topic too")
    return anchor


def places_of(settings: RatingSettings) -> tuple[list[Point], list[str]]:
    """The user's places or a sample of economies, and a sentence for each place left out."""
    if settings.places:
        return read_points(settings.places)
    dice = f"places {settings.seed}"
    codes = sampled(economies(), settings.size, per_region=PER_REGION, dice=dice)
    return [Point(iso3, economies()[iso3].name, iso3) for iso3 in codes], []


class RatingRecord(ReadRecord, frozen=True, kw_only=True):
    """One rating.

    outcome   read, declined, unread or cut (see `reading`), or that of a reply without a text
    wording   0 for the default wording, 1 and so on for its paraphrases
    place     name of the place; `latitude` and `longitude` if it is from a table of places
    expected  the rating by the probabilities of its digits; None if the run did not ask for them,
              or if they do not belong to the rating that was read
    """

    topic: str
    place: str
    wording: int = 0
    latitude: float | None = None
    longitude: float | None = None
    rating: Annotated[float, msgspec.Meta(ge=0, le=HIGHEST)] | None = None
    span_start: int | None = None
    span_end: int | None = None
    reason: str = ""
    expected: float | None = None


def words_of(place: Point) -> str:
    """A place as a question describes it: name, coordinates and address."""
    lines = [place.name]
    if place.latitude is not None:
        lines.append(f"Coordinates: {place.latitude:.5f}, {place.longitude:.5f}")
    if place.address:
        lines.append(f"Address: {place.address}")
    return "\n".join(lines)


def rating_item(topic: Topic, place: Point) -> Item:
    words = words_of(place)
    first, *others = (one.format(place=words, topic=topic.phrase) for one in WORDINGS)
    where = {"latitude": place.latitude, "longitude": place.longitude}
    facts = {"topic": topic.id, "place": place.name, **where}
    return Item(f"{topic.id}/{place.id}", first, place.country, others, facts)
