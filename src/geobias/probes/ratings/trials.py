"""What ratings can be asked with, and one question for each place and topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from geobias.atlas.indicators import indicator
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.questions import HowAgain, Question, ReadRecord, opened, question_plan
from geobias.probes.ratings.reading import (
    ASKED,
    DIGITS,
    HIGHEST,
    Reading,
    expected_rating,
    read_rating,
)
from geobias.probes.ratings.simulated import AskedRating
from geobias.probes.ratings.topics import (
    ANCHOR,
    Place,
    Topic,
    chosen_topics,
    economy_places,
    read_places,
)
from geobias.probes.settings import ReadFrom, Setting, Settings, Unread
from geobias.reading.again import Asker, number_asker
from geobias.reading.numbers import numbers_in
from geobias.trials import Reply


class RatingSettings(Settings, frozen=True, kw_only=True):
    """Every economy, or a table of one's own, on every topic."""

    topics: Annotated[tuple[str, ...], Setting("Only these, by commas.", bears="items")] = ()
    places: Annotated[
        Path | None,
        Setting(
            "Table of places: name,latitude,longitude,address; country if you know it.",
            bears="nothing",
            metavar="FILE",
        ),
    ] = None
    read: ReadFrom = "text"
    unread: Unread = "restate"
    anchor: Annotated[
        str,
        Setting(
            "Indicator that ratings should not follow; turned round where less is better.",
            bears="items",
            metavar="INDICATOR",
        ),
    ] = ANCHOR


class RatingScoring(msgspec.Struct, frozen=True):
    """What ratings from elsewhere answer, where their lines do not say."""

    topic: Annotated[str, Setting("Topic of lines that name none.")] = ""
    model: Annotated[str, Setting("Model of lines that name none.")] = ""


QUESTION = """Compare one place with all other inhabited places on Earth.

Place: {place}
Topic: {topic}

Rate the place on this topic from 0.0 (lowest of all places) to 9.9 (highest of all places). \
Answer with the rating only, as X.X."""
MAX_TOKENS = 40


class RatingRecord(ReadRecord, frozen=True, kw_only=True):
    """One rating.

    outcome      read, declined, unread or cut (see `reading`), or the reply's own without a text
    place        its name; `latitude` and `longitude` where it comes from a table of places
    rating       from 0.0 to 9.9; None unless read
    span_start   where the rating stands in the reply, up to `span_end`
    reason       why no rating was read
    expected     the rating by the probabilities of its digits; None where the run
                 did not ask for them, or they are not those of the rating that was read
    """

    topic: str
    place: str
    latitude: float | None = None
    longitude: float | None = None
    rating: Annotated[float, msgspec.Meta(ge=0, le=HIGHEST)] | None = None
    span_start: int | None = None
    span_end: int | None = None
    reason: str = ""
    expected: float | None = None


class RatingQuestion(NamedTuple):
    """What is asked."""

    topic: Topic
    place: Place


def _asker(asked: RatingQuestion) -> Asker:
    words = f"Rate {asked.place.words} on {asked.topic.phrase} from 0.0 to 9.9."
    return number_asker(words, "points from 0.0 to 9.9", asked.place.name)


AGAIN = HowAgain(
    asker=_asker,
    names=lambda asked, text: numbers_in(text, ASKED),
    answer=lambda record: record.rating,
)


def plan(settings: RatingSettings) -> Plan:
    """One question for each topic and place."""
    chosen = chosen_topics(settings.topics)
    anchor = indicator(settings.anchor).id
    notes: list[str] = []
    editions = {}
    if settings.places is None:
        places = economy_places(settings)
    else:
        places, notes = read_places(settings.places)
        editions["places"] = fingerprint("\n".join(f"{one.id} {one.words}" for one in places))
    opening = opened(settings.system)
    options = DIGITS if settings.read == "logprobs" else ()

    def questions() -> Iterator[Question[RatingQuestion]]:
        for topic in chosen:
            for place in places:
                yield Question(
                    f"ratings/{topic.id}/{place.id}",
                    opening.user(QUESTION.format(place=place.words, topic=topic.phrase)),
                    RatingQuestion(topic, place),
                    options=options,
                    asked=AskedRating(topic.id, place.country),
                    form=(),
                )

    return question_plan(
        "ratings",
        settings,
        count=len(chosen) * len(places),
        questions=questions,
        read=read,
        max_tokens=MAX_TOKENS,
        again=AGAIN,
        settings=settings.entries(topics=[topic.id for topic in chosen], anchor=anchor),
        editions=editions,
        prompts={"ratings": fingerprint(QUESTION)},
        notes=tuple(notes),
    )


def read(trial: str, repeat: int, asked: RatingQuestion, reply: Reply) -> RatingRecord:
    """The record of a question and its reply."""
    found = Reading(None, reply.outcome)
    if reply.outcome == "ok":
        found = read_rating(reply.text, asked.place.name, cut=reply.finish == "length")
    start, end = found.span or (None, None)
    return RatingRecord(
        trial=trial,
        probe="ratings",
        country=asked.place.country,
        repeat=repeat,
        outcome=found.outcome,
        topic=asked.topic.id,
        place=asked.place.name,
        latitude=asked.place.latitude,
        longitude=asked.place.longitude,
        rating=found.rating,
        span_start=start,
        span_end=end,
        reason=found.reason,
        expected=expected_rating(reply.places, found.rating),
    )
