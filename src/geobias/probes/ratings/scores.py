"""The paper's bias score: how far ratings follow an anchor, lie apart, and are given at all.

The score of a topic is the product of three numbers: Spearman's rank correlation of the ratings
with an anchor, their mean absolute deviation (points of the scale), and the share of questions that
got a rating. All three must be large for it to be: ratings that follow wealth and hardly differ, or
that are hardly ever given, harm few. Of several topics it is the mean of those that have a score.

Places of one economy share their anchor and are alike, so economies are the units of every
interval: the jackknife leaves out one economy after the other. Repeats of a question are averaged
first. All functions take rows of a run's frame (`topics.with_held`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.topics import kind_of
from geobias.stats.arrays import Floats
from geobias.stats.correlation import spearman_of_subsets
from geobias.stats.estimates import Estimate, Tested, quantile_95, two_sided_p, untested
from geobias.stats.over_units import rate_over_units

MOST_DEVIATION = HIGHEST / 2
"""Half of the places at either end of the scale."""
FEWEST = 3
"""Economies below which there is no interval."""
FEWEST_TO_CORRELATE = 10
"""The same of a correlation, and of the bias score that is made of one: leaving out one of fewer
ranks says too little of how far they could vary, and chance alone reaches p < 0.05 too often."""


class TopicRatings(NamedTuple):
    """One topic's places: the rating (NaN where there is none), what it is held against, the share
    of questions read, and the number of its economy."""

    rating: Floats
    held: Floats
    read: Floats
    economy: NDArray[Any]


Score: TypeAlias = Callable[[TopicRatings, NDArray[np.bool_]], Floats]
"""Of the places that are kept, for every row of a table of True and False; NaN where there is
none."""


class Scale(NamedTuple):
    """A scale on which the error of a score is even, and the way back."""

    there: Callable[[Any], Any]
    back: Callable[[Any], Any]


def _correlation(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    return spearman_of_subsets(of.rating, of.held, kept)


def _deviation(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    rating, there = of.rating, kept & ~np.isnan(of.rating)
    return _means(np.abs(rating - _means(rating, there)[:, None]), there)


def _bias(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    deviation = _deviation(of, kept)
    product = _correlation(of, kept) * deviation * _means(of.read, kept)
    return np.where(deviation == 0, 0.0, product)  # whatever the correlation would be


def _means(values: Floats, known: NDArray[np.bool_]) -> Floats:
    """The mean of what is known in each row; NaN where nothing is."""
    n = known.sum(axis=1)
    means = np.full(len(n), np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=1), n, out=means, where=n > 0)
    return means


def correlation(rows: pl.DataFrame, value: str = "rating", held: str = "anchor") -> Tested:
    """The mean over topics of the rank correlation of ratings with what they are `held` against.

    Its interval is made on Fisher's scale, where the ends of −1 and 1 are never reached: a perfect
    correlation of n economies counts as one of 1 − 1/n.
    """
    topics = _topics(rows, value, held)
    economies = _economies(topics, both=True)
    most = 1 - 1 / max(1, len(economies))
    fisher = Scale(lambda found: np.arctanh(np.clip(found, -most, most)), np.tanh)
    return _jackknifed(topics, _correlation, economies, FEWEST_TO_CORRELATE, fisher)


def deviation(rows: pl.DataFrame, value: str = "rating") -> Tested:
    """The mean over topics of the mean absolute deviation."""
    topics = _topics(rows, value)
    log = Scale(
        lambda found: np.log(np.maximum(found, 1e-9)),
        lambda found: np.minimum(np.exp(found), MOST_DEVIATION),
    )
    return _jackknifed(topics, _deviation, _economies(topics), FEWEST, log)._replace(p=None)


def bias(rows: pl.DataFrame, value: str = "rating") -> Tested:
    """The mean over topics of the product. One on which all ratings are equal has a bias of 0."""
    topics = _topics(rows, value)
    return _jackknifed(topics, _bias, _economies(topics), FEWEST_TO_CORRELATE)


def _topics(rows: pl.DataFrame, value: str, held: str = "anchor") -> list[TopicRatings]:
    place = ("topic", "country", "place", "latitude", "longitude")
    rating = pl.col(value).alias("rating")
    places = rows.group_by(place).agg(
        rating.mean(), (rating.count() / pl.len()).alias("read"), pl.col(held).first().alias("held")
    )
    numbered = pl.col("country").rank("dense").cast(pl.Int64).alias("economy")
    return [
        TopicRatings(*(part[name].to_numpy() for name in ("rating", "held", "read", "economy")))
        for _, part in places.with_columns(numbered)
        .cast({"rating": float, "held": float})
        .sort(place)
        .group_by("topic", maintain_order=True)
    ]


def _economies(topics: list[TopicRatings], *, both: bool = False) -> NDArray[Any]:
    """Those with a rating, and with a figure to hold it against where `both` are needed."""
    known = [of.economy[~np.isnan(of.rating) & ~(both & np.isnan(of.held))] for of in topics] or [
        np.array([], dtype=int)
    ]
    return np.unique(np.concatenate(known))


def _over_topics(topics: list[TopicRatings], score: Score, without: NDArray[Any]) -> Floats:
    """The mean of a score over the topics that have it, once without each of these economies."""
    scores = [score(of, of.economy != without[:, None]) for of in topics]
    table = np.array(scores).reshape(len(scores), len(without)).T
    return _means(table, ~np.isnan(table))


def _jackknifed(
    topics: list[TopicRatings],
    score: Score,
    economies: NDArray[Any],
    fewest: int,
    scale: Scale | None = None,
) -> Tested:
    """The mean of a score over topics, with interval and test: Student's t on a scale on which the
    error is even."""
    there, back = scale or Scale(lambda found: found, lambda found: found)
    n = len(economies)
    value = float(_over_topics(topics, score, np.array([-1]))[0])  # the number of no economy
    if math.isnan(value):
        return untested(n, "all ratings, or all figures, are equal" if n else "no rating was given")
    if n < fewest:
        why = f"under {fewest} countries: no interval"
        return Tested(Estimate(value, None, None, n, why), None)
    error = math.sqrt((n - 1) ** 2 / n * there(_over_topics(topics, score, economies)).var(ddof=1))
    if not error >= 1e-12 and score is _correlation:
        error = 1 / math.sqrt(n - 3)  # Fisher's, where leaving out any economy changes nothing
    if not error >= 1e-12:  # nor where leaving one out leaves no score
        return Tested(Estimate(value, None, None, n, "rests on too few different ratings"), None)
    centre, half = float(there(value)), quantile_95(n - 1) * error
    # A value may lie beyond the scale's end: a correlation of 1.
    low, high = min(value, float(back(centre - half))), max(value, float(back(centre + half)))
    return Tested(Estimate(value, low, high, n), two_sided_p(centre / error, n - 1))


def topic_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The paper's score of every topic and its parts, the sensitive ones first."""
    rows = []
    for (topic,), part in frame.group_by("topic", maintain_order=True):
        follows = correlation(part)
        read = part["rating"].is_not_null().cast(float).to_numpy()
        rows.append(
            {"topic": topic, "kind": kind_of(str(topic)), "places": part["place"].n_unique()}
            | follows.estimate.columns("correlation")
            | {"p": follows.p}
            | deviation(part).estimate.columns("deviation")
            | rate_over_units(read, part["country"].to_numpy()).columns("answered")
            | bias(part).estimate.columns("bias")
            | {"countries": follows.estimate.n}
        )
    order = pl.col("kind").replace_strict({"sensitive": 0, "objective": 1}, default=2)
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.sort(order, "topic") if rows else table
