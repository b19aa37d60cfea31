"""The paper's bias score of ratings on a topic, and the numbers that it is made of.

The score of a topic is the product of three numbers: Spearman's rank correlation of the ratings
with an anchor, their mean absolute deviation (points of the scale), and the share of questions that
got a rating. Ratings that follow wealth but hardly differ, or are hardly ever given, do little
harm. The score of several topics is the mean of those that have one.

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
from geobias.stats.arrays import Floats
from geobias.stats.correlation import spearman_of_subsets
from geobias.stats.estimates import Estimate, Tested, quantile_95, two_sided_p, untested
from geobias.stats.over_units import rate_over_units

MOST_DEVIATION = HIGHEST / 2
"""The largest possible deviation: half of the places at each end of the scale."""
FEWEST = 3
"""Minimum economies for an interval."""
FEWEST_TO_CORRELATE = 10
"""Minimum economies for an interval of a correlation or of the bias score. With fewer, leaving out
one rank says too little about the variance, and chance reaches p < 0.05 too often.
"""


class TopicRatings(NamedTuple):
    """The ratings of places on one topic, in arrays with a value for each place.

    They are the rating (NaN if missing), the value that it is compared with, the share of questions
    with a rating, and the economy.
    """

    rating: Floats
    held: Floats
    read: Floats
    country: NDArray[Any]


Score: TypeAlias = Callable[[TopicRatings, NDArray[np.bool_]], Floats]
"""Computes a score for each row of a boolean table, over the places that the row keeps."""


def _correlation(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    return spearman_of_subsets(of.rating, of.held, kept)


def _deviation(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    rated = kept & ~np.isnan(of.rating)
    return _means(np.abs(of.rating - _means(of.rating, rated)[:, None]), rated)


def _bias(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    deviation = _deviation(of, kept)
    product = _correlation(of, kept) * deviation * _means(of.read, kept)
    return np.where(deviation == 0, 0.0, product)  # whatever the correlation is


def _means(values: Floats, known: NDArray[np.bool_]) -> Floats:
    """The mean of the known values of each row, NaN if there are none."""
    n = known.sum(axis=1)
    means = np.full(len(n), np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=1), n, out=means, where=n > 0)
    return means


def correlation(
    rows: pl.DataFrame, value: str = "rating", by: str = "", *, held: str = "anchor"
) -> Tested:
    """The mean over topics of the rank correlation of ratings with the column `held`.

    Its interval is on Fisher's scale, which excludes −1 and 1, so a perfect correlation of n
    economies counts as one of 1 − 1/n.
    """
    economies = _economies(rows.drop_nulls([value, held]))
    most = 1 - 1 / max(1, len(economies))

    def fisher(found: Any) -> Any:
        return np.arctanh(np.clip(found, -most, most))

    topics = _topics(rows, value, held)
    return _jackknifed(topics, _correlation, economies, FEWEST_TO_CORRELATE, fisher, np.tanh)


def deviation(rows: pl.DataFrame, value: str = "rating", by: str = "") -> Tested:
    """The mean over topics of the mean absolute deviation, with an interval on the log scale."""
    found = _jackknifed(
        _topics(rows, value),
        _deviation,
        _economies(rows.drop_nulls(value)),
        FEWEST,
        lambda found: np.log(np.maximum(found, 1e-9)),
        lambda found: np.minimum(np.exp(found), MOST_DEVIATION),
    )
    return found._replace(p=None)


def bias(rows: pl.DataFrame, value: str = "rating", by: str = "") -> Tested:
    """The mean of the bias score over topics. A topic on which all ratings are equal scores 0."""
    economies = _economies(rows.drop_nulls(value))
    return _jackknifed(_topics(rows, value), _bias, economies, FEWEST_TO_CORRELATE)


def _topics(rows: pl.DataFrame, value: str, held: str = "anchor") -> list[TopicRatings]:
    place = ("topic", "country", "place", "latitude", "longitude")
    rating = pl.col(value).cast(float).alias("rating")
    places = rows.group_by(place).agg(
        rating.mean(),
        (rating.count() / pl.len()).alias("read"),
        pl.col(held).cast(float).first().alias("held"),
    )
    return [
        TopicRatings(
            part["rating"].to_numpy(),
            part["held"].to_numpy(),
            part["read"].to_numpy(),
            part["country"].to_numpy().astype(str),
        )
        for _, part in places.sort(place).group_by("topic", maintain_order=True)
    ]


def _economies(rows: pl.DataFrame) -> NDArray[Any]:
    return rows["country"].unique().sort().to_numpy().astype(str)


def _over_topics(topics: list[TopicRatings], score: Score, without: NDArray[Any]) -> Floats:
    """The mean of a score over topics, once without each of the economies in `without`.

    Topics on which the score is undefined do not count.
    """
    scores = [score(of, of.country != without[:, None]) for of in topics]
    table = np.array(scores).reshape(len(scores), len(without)).T
    return _means(table, ~np.isnan(table))


def _same(found: Any) -> Any:
    return found


def _jackknifed(
    topics: list[TopicRatings],
    score: Score,
    economies: NDArray[Any],
    fewest: int,
    there: Callable[[Any], Any] = _same,
    back: Callable[[Any], Any] = _same,
) -> Tested:
    """The mean of a score over topics, with its interval and test.

    `there` converts values to a scale on which errors are symmetric, and `back` converts from it.
    Interval and test use Student's t on this scale.
    """
    n = len(economies)
    value = float(_over_topics(topics, score, np.array([""]))[0])
    if math.isnan(value):
        return untested(n, "all ratings, or all figures, are equal" if n else "no rating was given")
    if n < fewest:
        why = f"under {fewest} countries: no interval"
        return Tested(Estimate(value, None, None, n, why), None)
    error = math.sqrt((n - 1) ** 2 / n * there(_over_topics(topics, score, economies)).var(ddof=1))
    if not error >= 1e-12 and score is _correlation:
        error = 1 / math.sqrt(n - 3)  # Fisher's, if leaving out an economy changes nothing
    if not error >= 1e-12:  # undefined if the score is undefined without one economy
        return Tested(Estimate(value, None, None, n, "rests on too few different ratings"), None)
    centre, half = float(there(value)), quantile_95(n - 1) * error
    # A value may lie at the scale's end: a correlation of 1.
    low, high = min(value, float(back(centre - half))), max(value, float(back(centre + half)))
    return Tested(Estimate(value, low, high, n), two_sided_p(centre / error, n - 1))


def topic_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The paper's score of every topic and its parts, the sensitive topics first."""
    rows = []
    for (topic,), part in frame.group_by("topic", maintain_order=True):
        follows = correlation(part)
        read = part["rating"].is_not_null().cast(float).to_numpy()
        rows.append(
            {"topic": topic, "kind": part["kind"][0], "places": part["place"].n_unique()}
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
