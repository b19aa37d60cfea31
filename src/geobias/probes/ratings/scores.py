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
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.topics import PLACE
from geobias.stats.arrays import Floats
from geobias.stats.correlation import spearman_of_subsets
from geobias.stats.estimates import Estimate, Tested, quantile_95, two_sided_p, untested
from geobias.stats.over_units import rate_over_units

MOST_DEVIATION = HIGHEST / 2
"""The largest possible deviation: half of the places at each end of the scale."""


class TopicRatings(NamedTuple):
    """The ratings of places on one topic, in arrays with a value for each place.

    They are the rating (NaN if missing), the value that it is compared with, the share of questions
    with a rating, and the economy.
    """

    rating: Floats
    held: Floats
    read: Floats
    country: NDArray[Any]


class Score(NamedTuple):
    """A score of ratings, and the scale on which its interval is made.

    of        computes the score for each row of a boolean table, over the places that the row keeps
    there     converts scores to a scale on which errors are symmetric; `n` is the number of
              economies
    back      converts from this scale
    fewest    minimum economies for an interval. With fewer, leaving out one rank says too little
              about the variance of a correlation, and chance reaches p < 0.05 too often
    compares  whether only places with a value to compare with count
    """

    of: Callable[[TopicRatings, NDArray[np.bool_]], Floats]
    there: Callable[[Any, int], Any] = lambda found, n: found
    back: Callable[[Any], Any] = lambda found: found
    fewest: int = 10
    compares: bool = False

    def estimate(
        self, rows: pl.DataFrame, value: str = "rating", by: str = "", *, held: str = "anchor"
    ) -> Tested:
        """The mean of the score over topics, with its interval and test by Student's t.

        `held` is the column with which ratings are compared.
        """
        counted = rows.drop_nulls([value, held] if self.compares else value)
        economies = counted["country"].unique().sort().to_numpy()
        topics, n = _topics(rows, value, held), len(economies)
        found = float(self._over(topics, np.array([""]))[0])
        if math.isnan(found):
            why = "all ratings, or all figures, are equal" if n else "no rating was given"
            return untested(n, why)
        if n < self.fewest:
            why = f"under {self.fewest} countries: no interval"
            return Tested(Estimate(found, None, None, n, why), None)
        without = self.there(self._over(topics, economies), n)
        error = math.sqrt((n - 1) ** 2 / n * without.var(ddof=1))
        if not error >= 1e-12 and self.compares:
            error = 1 / math.sqrt(n - 3)  # Fisher's, if leaving out an economy changes nothing
        if not error >= 1e-12:  # undefined if the score is undefined without one economy
            why = "rests on too few different ratings"
            return Tested(Estimate(found, None, None, n, why), None)
        centre, half = float(self.there(found, n)), quantile_95(n - 1) * error
        # A value may lie at the scale's end: a correlation of 1.
        low = min(found, float(self.back(centre - half)))
        high = max(found, float(self.back(centre + half)))
        return Tested(Estimate(found, low, high, n), two_sided_p(centre / error, n - 1))

    def _over(self, topics: list[TopicRatings], without: NDArray[Any]) -> Floats:
        """The mean over topics that have a score, once without each of the given economies."""
        scores = [self.of(one, one.country != without[:, None]) for one in topics]
        table = np.array(scores).reshape(len(scores), len(without)).T
        return _means(table, ~np.isnan(table))


def _topics(rows: pl.DataFrame, value: str, held: str) -> list[TopicRatings]:
    rating = pl.col(value).cast(float).alias("rating")
    places = rows.group_by("topic", *PLACE).agg(
        rating.mean(),
        pl.col(held).cast(float).first().alias("held"),
        (rating.count() / pl.len()).alias("read"),
    )
    return [
        TopicRatings(*(part[name].to_numpy() for name in TopicRatings._fields))
        for part in places.sort("topic", *PLACE).partition_by("topic", maintain_order=True)
    ]


def _means(values: Floats, known: NDArray[np.bool_]) -> Floats:
    """The mean of the known values of each row, NaN if there are none."""
    n = known.sum(axis=1)
    means = np.full(len(n), np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=1), n, out=means, where=n > 0)
    return means


def _correlation(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    return spearman_of_subsets(of.rating, of.held, kept)


def _deviation(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    rated = kept & ~np.isnan(of.rating)
    return _means(np.abs(of.rating - _means(of.rating, rated)[:, None]), rated)


def _bias(of: TopicRatings, kept: NDArray[np.bool_]) -> Floats:
    deviation = _deviation(of, kept)
    product = _correlation(of, kept) * deviation * _means(of.read, kept)
    return np.where(deviation == 0, 0.0, product)  # whatever the correlation is


def _fisher(found: Any, n: int) -> Any:
    """Fisher's scale excludes −1 and 1, so a perfect correlation of n counts as one of 1 − 1/n."""
    most = 1 - 1 / n
    return np.arctanh(np.clip(found, -most, most))


CORRELATION = Score(_correlation, _fisher, np.tanh, compares=True)
DEVIATION = Score(
    _deviation,
    lambda found, n: np.log(np.maximum(found, 1e-9)),
    lambda found: np.minimum(np.exp(found), MOST_DEVIATION),
    fewest=3,
)
BIAS = Score(_bias)
"""A topic on which all ratings are equal has a bias score of 0."""


def topic_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The paper's score of every topic and its parts, the sensitive topics first."""
    rows = []
    for (topic,), part in frame.group_by("topic", maintain_order=True):
        follows = CORRELATION.estimate(part)
        read = part["rating"].is_not_null().cast(float).to_numpy()
        rows.append(
            {"topic": topic, "kind": part["kind"][0], "places": part.n_unique(PLACE)}
            | follows.estimate.columns("correlation")
            | {"p": follows.p}
            | DEVIATION.estimate(part).estimate.columns("deviation")
            | rate_over_units(read, part["country"].to_numpy()).columns("answered")
            | BIAS.estimate(part).estimate.columns("bias")
            | {"countries": follows.estimate.n}
        )
    order = pl.col("kind").replace_strict({"sensitive": 0, "objective": 1}, default=2)
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.sort(order, "topic") if rows else table
