"""Ratings without a run: frames of made-up replies, and of a simulated model."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import polars as pl

from geobias.atlas.points import Point
from geobias.probes.ratings import plan
from geobias.probes.ratings.asking import (
    RatingRecord,
    RatingSettings,
    Topic,
    chosen_topics,
    places_of,
    rating_item,
)
from geobias.probes.ratings.probe import Ratings, SimulatedRatings
from geobias.probes.tables import frame_from
from geobias.simulated import parse
from geobias.trials import Reply

Answer = Callable[[Topic, Point], str]


def frame_of(
    answer: Answer, topics: Iterable[str] = (), places: Iterable[Point] | None = None
) -> pl.DataFrame:
    """The answers about every economy (or these places) on these topics."""
    asked = places_of(RatingSettings(size="paper"))[0] if places is None else list(places)
    records = [
        Ratings().record(
            f"ratings/{topic.id}/{place.id}/0",
            0,
            rating_item(topic, place),
            Reply(answer(topic, place), "ok"),
        )
        for topic in chosen_topics(topics)
        for place in asked
    ]
    return _framed(records)


def simulated(model: str, **settings: object) -> pl.DataFrame:
    """The answers of a simulated model to a plan."""
    chosen = parse(model)["ratings"]
    assert isinstance(chosen, SimulatedRatings)
    answer = chosen.skill()
    records = []
    for trial in plan(**settings).trials():
        steps = trial.start()
        ask = next(steps)
        text = answer(ask, random.Random(f"{chosen.seed} {ask.draw}"))
        assert text is not None
        try:
            steps.send(Reply(text, "ok"))
        except StopIteration as end:
            records.append(end.value)
    return _framed(records)


def _framed(records: list[RatingRecord]) -> pl.DataFrame:
    import msgspec

    rows = [msgspec.structs.asdict(record) for record in records]
    return frame_from(rows, RatingRecord, "m").sort("trial")
