"""Ratings without a run: frames of made-up replies, and of a simulated model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

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
from geobias.probes.ratings.probe import Ratings
from geobias.probes.tables import frame_from
from geobias.trials import Reply
from tests.probes.answering import rows, simulated_rows

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
    return _framed(rows(records))


def simulated(model: str) -> pl.DataFrame:
    """The answers of a simulated model about every economy."""
    return _framed(simulated_rows(plan(size="paper"), model))


def _framed(records: list[dict[str, Any]]) -> pl.DataFrame:
    return frame_from(records, RatingRecord, "m").sort("trial")
