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

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.probes.ratings.asking import HIGHEST
from geobias.probes.ratings.topics import PLACE
from geobias.stats.arrays import Floats
from geobias.stats.correlation import spearman_of_subsets
from geobias.stats.estimates import Tested
from geobias.stats.jackknife import jackknifed
from geobias.stats.over_units import rate_over_units

Kept = NDArray[np.bool_]
"""A table in which each row marks places of a topic."""
MOST_DEVIATION = HIGHEST / 2
"""The largest possible deviation: half of the places at each end of the scale."""
FEWEST = 10
"""Minimum economies for an interval of a correlation or of the bias score. With fewer, leaving out
one rank says too little about the variance, and chance reaches p < 0.05 too often.
"""


class TopicRatings(NamedTuple):
    """The mean rating of each place on a topic (NaN if missing), the value that it is compared
    with, the share of questions with a rating, and the economy.
    """

    rating: Floats
    held: Floats
    read: Floats
    country: NDArray[Any]

    def correlation(self, kept: Kept) -> Floats:
        return spearman_of_subsets(self.rating, self.held, kept)

    def deviation(self, kept: Kept) -> Floats:
        rated = kept & ~np.isnan(self.rating)
        return _means(np.abs(self.rating - _means(self.rating, rated)[:, None]), rated)

    def bias(self, kept: Kept) -> Floats:
        deviation = self.deviation(kept)
        product = self.correlation(kept) * deviation * _means(self.read, kept)
        return np.where(deviation == 0, 0.0, product)  # whatever the correlation is


def _means(values: Floats, known: Kept) -> Floats:
    """The mean of the known values of each row, NaN if there are none."""
    n = known.sum(axis=1)
    means = np.full(len(n), np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=1), n, out=means, where=n > 0)
    return means


def correlation(
    rows: pl.DataFrame, value: str = "rating", by: str = "", *, held: str = "anchor"
) -> Tested:
    """The rank correlation of ratings with the column `held`, with an interval on Fisher's scale.

    That scale excludes −1 and 1, so a perfect correlation of n economies counts as one of 1 − 1/n.
    """
    known = rows.drop_nulls([value, held])
    n = known["country"].n_unique()
    most = 1 - 1 / max(n, 1)
    scale = (lambda found: np.arctanh(np.clip(found, -most, most)), np.tanh)
    fisher = (n - 3) ** -0.5 if n > 3 else 0.0
    return _score("correlation", rows, known, value, held, scale=scale, least_error=fisher)


def deviation(rows: pl.DataFrame, value: str = "rating", by: str = "") -> Tested:
    """The mean absolute deviation, with an interval on the log scale."""
    scale = (
        lambda found: np.log(np.maximum(found, 1e-9)),
        lambda found: np.minimum(np.exp(found), MOST_DEVIATION),
    )
    return _score("deviation", rows, rows.drop_nulls(value), value, scale=scale, fewest=3)


def bias(rows: pl.DataFrame, value: str = "rating", by: str = "") -> Tested:
    """The bias score; 0 on a topic on which all ratings are equal."""
    return _score("bias", rows, rows.drop_nulls(value), value)


def _score(
    name: str,
    rows: pl.DataFrame,
    known: pl.DataFrame,
    value: str,
    held: str = "anchor",
    fewest: int = FEWEST,
    **how: Any,
) -> Tested:
    """The mean of a score over topics. `known` are the rows whose economies are counted."""
    rating = pl.col(value).cast(float).alias("rating")
    places = rows.group_by("topic", *PLACE).agg(
        rating.mean(),
        pl.col(held).cast(float).first().alias("held"),
        (rating.count() / pl.len()).alias("read"),
    )
    topics = [
        TopicRatings(*(part[column].to_numpy() for column in TopicRatings._fields))
        for part in places.sort("topic", *PLACE).partition_by("topic", maintain_order=True)
    ]

    def over_topics(without: NDArray[Any]) -> Floats:
        """The mean over topics that have a score, once without each of the given economies."""
        scores = [getattr(one, name)(one.country != without[:, None]) for one in topics]
        table = np.array(scores).reshape(len(scores), len(without)).T
        return _means(table, ~np.isnan(table))

    economies = known["country"].unique().sort().to_numpy()
    why = "all ratings, or all figures, are equal" if known.height else "no rating was given"
    return jackknifed(over_topics, economies, fewest=fewest, nothing=why, **how)


def topic_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The paper's score of every topic and its parts, the sensitive topics first."""
    rows = []
    for (topic,), part in frame.group_by("topic", maintain_order=True):
        follows = correlation(part)
        read = part["rating"].is_not_null().cast(float).to_numpy()
        rows.append(
            {"topic": topic, "kind": part["kind"][0], "places": part.n_unique(PLACE)}
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
