"""The settings of the ratings probe, its questions, and the records of replies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from geobias.probes.plan import Plan, fingerprint
from geobias.probes.questions import HowAgain, Question, ReadRecord, opened, question_plan
from geobias.probes.ratings.reading import ASKED, DIGITS, HIGHEST, expected_rating, read_rating
from geobias.probes.ratings.simulated import AskedRating
from geobias.probes.ratings.topics import (
    ANCHOR,
    Place,
    Topic,
    anchor_of_run,
    chosen_topics,
    economy_places,
    read_places,
)
from geobias.probes.settings import (
    OMITTED,
    Paraphrases,
    ReadFrom,
    Setting,
    Settings,
    Unread,
    wordings_of,
)
from geobias.reading.again import Asker, number_asker
from geobias.reading.numbers import NumberReading, numbers_in
from geobias.trials import Reply


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
    anchor: Annotated[
        str,
        Setting(
            "Indicator, or topic:NAME, that ratings should not follow; turned round where less is "
            "better.",
            bears="items",
            metavar="INDICATOR|topic:NAME",
        ),
    ] = ANCHOR


WORDINGS = (
    """Compare one place with all other inhabited places on Earth.

Place: {place}
Topic: {topic}

Rate the place on this topic from 0.0 (lowest of all places) to 9.9 (highest of all places). \
Answer with the rating only, as X.X.""",
    """Think of all inhabited places on Earth, and of this one among them.

Place: {place}
Topic: {topic}

Where does it stand on this topic, from 0.0 (the lowest of all places) to 9.9 (the highest)? Give \
one number with one decimal, and nothing else.""",
    """Give a rating from 0.0 to 9.9 for the {topic}, compared with every other inhabited place on \
Earth: 0.0 is the lowest of all, 9.9 the highest.

{place}

Write the number alone, as X.X.""",
)
"""The default wording of the question, and its paraphrases (`--paraphrases`)."""


class RatingRecord(ReadRecord, frozen=True, kw_only=True):
    """One rating.

    outcome      read, declined, unread or cut (see `reading`), or the outcome of a reply that has
                 no text
    wording      0 for the default wording, 1 and so on for its paraphrases
    place        name of the place
    latitude     latitude of a place from a table of places, and `longitude` likewise
    rating       from 0.0 to 9.9; None unless read
    span_start   position in the reply at which the rating begins; it ends at `span_end`
    reason       why no rating was read
    expected     the rating by the probabilities of its digits; None if the run did not ask for
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


class RatingQuestion(NamedTuple):
    """A topic and a place, and the wording of the question."""

    topic: Topic
    place: Place
    wording: int = 0


def _asker(asked: RatingQuestion) -> Asker:
    words = f"Rate {asked.place.words} on {asked.topic.phrase} from 0.0 to 9.9."
    return number_asker(words, "points from 0.0 to 9.9", asked.place.name)


AGAIN = HowAgain(
    asker=_asker,
    names=lambda asked, text: numbers_in(text, ASKED),
    answer=lambda record: record.rating,
)


def plan(settings: RatingSettings) -> Plan:
    """Plan a run of ratings, with one question for each topic, wording and place."""
    chosen = chosen_topics(settings.topics)
    anchor = anchor_of_run(settings.anchor, [topic.id for topic in chosen])
    notes: list[str] = []
    editions = {}
    if settings.places is None:
        places = economy_places(settings)
    else:
        places, notes = read_places(settings.places)
        editions["places"] = fingerprint("\n".join(f"{one.id} {one.words}" for one in places))
    wordings = wordings_of(WORDINGS, settings.paraphrases)
    opening = opened(settings.system)

    def questions() -> Iterator[Question[RatingQuestion]]:
        for topic, (number, words), place in product(chosen, wordings, places):
            yield Question(
                f"ratings/{topic.id}/{place.id}" + (f"/w{number}" if number else ""),
                opening.user(words.format(place=place.words, topic=topic.phrase)),
                RatingQuestion(topic, place, number),
                options=DIGITS if settings.read == "logprobs" else (),
                asked=AskedRating(topic.id, place.country),
                form=(),
            )

    return question_plan(
        "ratings",
        settings,
        count=len(chosen) * len(places) * len(wordings),
        questions=questions,
        read=read,
        max_tokens=40,
        again=AGAIN,
        settings=settings.entries(
            topics=[topic.id for topic in chosen],
            anchor=anchor,
            paraphrases=len(wordings) if len(wordings) > 1 else OMITTED,
        ),
        editions=editions,
        prompts={
            f"ratings.w{number}" if number else "ratings": fingerprint(words)
            for number, words in wordings
        },
        notes=tuple(notes),
    )


def read(trial: str, repeat: int, asked: RatingQuestion, reply: Reply) -> RatingRecord:
    """Read the rating in a reply, and return the record of the trial."""
    outcome, start, end = str(reply.outcome), None, None
    found = NumberReading(None, "unread")
    if reply.outcome == "ok":
        found = read_rating(reply.text, asked.place.name, cut=reply.finish == "length")
        outcome = found.outcome
        if found.value is not None and found.written in reply.text:
            start = reply.text.rfind(found.written)
            end = start + len(found.written)
    return RatingRecord(
        trial=trial,
        probe="ratings",
        country=asked.place.country,
        repeat=repeat,
        outcome=outcome,
        topic=asked.topic.id,
        place=asked.place.name,
        wording=asked.wording,
        latitude=asked.place.latitude,
        longitude=asked.place.longitude,
        rating=found.value,
        span_start=start,
        span_end=end,
        reason=found.reason,
        expected=expected_rating(reply.places, found.value),
    )
