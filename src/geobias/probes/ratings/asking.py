"""What the ratings probe asks, and how it reads a reply."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from geobias.probes.items import Item
from geobias.probes.questions import HowAgain, ReadRecord
from geobias.probes.ratings.reading import ASKED, HIGHEST, expected_rating, read_rating
from geobias.probes.ratings.topics import ANCHOR, Place, Topic, topic_of
from geobias.probes.settings import Paraphrases, ReadFrom, Setting, Settings, Unread
from geobias.reading.again import Asker, number_asker
from geobias.reading.numbers import numbers_in
from geobias.trials import Reply

WORDINGS = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text("utf-8"))["wordings"]

ANCHORED = Setting(
    "Indicator, or topic:NAME, that ratings should not follow; turned round where less is better.",
    bears="items",
    metavar="INDICATOR|topic:NAME",
)


class RatingSettings(Settings, frozen=True, kw_only=True):
    """The settings of a ratings run. By default, economies are rated on all topics but anchors."""

    topics: Annotated[
        tuple[str, ...], Setting("Only these, separated by commas.", bears="items")
    ] = ()
    places: Annotated[
        Path | None,
        Setting(
            "Table of places: name,latitude,longitude,address; country if you know it.",
            bears="nothing",
            metavar="FILE",
        ),
    ] = None
    paraphrases: Paraphrases = 1
    read: ReadFrom = "text"
    unread: Unread = "restate"
    anchor: Annotated[str, ANCHORED] = ANCHOR


class RatingRecord(ReadRecord, frozen=True, kw_only=True):
    """One rating.

    outcome     read, declined, unread or cut (see `reading`), or that of a reply without a text
    wording     0 for the default wording, 1 and so on for its paraphrases
    place       name of the place; `latitude` and `longitude` of one from a table of places
    rating      from 0.0 to 9.9; None unless read
    span_start  position in the reply at which the rating begins; it ends at `span_end`
    reason      why no rating was read
    expected    the rating by the probabilities of its digits; None if the run did not ask for
                them, or if they do not belong to the rating that was read
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


def rating_item(topic: Topic, place: Place) -> Item:
    """The question for a rating of a place on a topic."""
    first, *others = (one.format(place=place.words, topic=topic.phrase) for one in WORDINGS)
    facts: dict[str, Any] = {"topic": topic.id, "place": place.name}
    if place.latitude is not None:
        facts |= {"latitude": place.latitude, "longitude": place.longitude}
    return Item(f"{topic.id}/{place.id}", first, place.country, others, facts)


def read(item: Item, reply: Reply) -> dict[str, Any]:
    """The fields of a record that are read in the reply."""
    found = read_rating(reply.text, item.facts["place"], cut=reply.finish == "length")
    start = -1 if found.value is None else reply.text.rfind(found.written)
    return {
        "outcome": found.outcome,
        "rating": found.value,
        "span_start": None if start < 0 else start,
        "span_end": None if start < 0 else start + len(found.written),
        "reason": found.reason,
        "expected": expected_rating(reply.places, found.value),
    }


def _asker(item: Item) -> Asker:
    place, phrase = item.facts["place"], topic_of(item.facts["topic"]).phrase
    words = f"Rate {place} on {phrase} from 0.0 to 9.9."
    return number_asker(words, "points from 0.0 to 9.9", place)


AGAIN = HowAgain(
    asker=_asker,
    names=lambda item, text: numbers_in(text, ASKED),
    answer=lambda record: record.rating,
)
