"""The paper's bias score: how far ratings follow an anchor, lie apart, and are given at all.

The score of a topic is the product of three numbers: Spearman's rank correlation of the ratings
with an anchor, their mean absolute deviation (points of the scale), and the share of questions that
got a rating. All three must be large for it to be: ratings that follow wealth and hardly differ, or
that are hardly ever given, harm few.

Places of one economy share their anchor and are alike, so economies are the units of every
interval: the jackknife leaves out one economy after the other, and a correlation's interval is made
on Fisher's scale. Repeats of a question are averaged first.

All functions take rows of a run's frame (`with_held`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.errors import BadRequest
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.topics import OF_TOPIC, anchor_file, anchor_values, kind_of, truths
from geobias.stats.arrays import Floats
from geobias.stats.correlation import spearman_of_subsets
from geobias.stats.estimates import Estimate, Tested, quantile_95, two_sided_p
from geobias.stats.over_units import rate_over_units

Kept: TypeAlias = NDArray[np.bool_]

MOST_DEVIATION = HIGHEST / 2
"""Half of the places at either end of the scale."""
FEWEST = 3
"""Economies below which there is no interval."""
FEWEST_TO_CORRELATE = 10
"""The same of a correlation, and of the bias score that is made of one: leaving out one of fewer
ranks says too little of how far they could vary, and chance alone reaches p < 0.05 too often."""
_ALL = -1
"""The number of no economy: to leave it out is to keep all."""


class TopicScore(NamedTuple):
    """The parts of the bias score and the score itself, of one topic or of several together."""

    correlation: Tested
    deviation: Estimate
    answered: Estimate
    bias: Tested


# -- the paper's score -----------------------------------------------------------------------------


def with_held(frame: pl.DataFrame, anchor: str) -> pl.DataFrame:
    """The frame with each topic's `kind`, the `anchor`, and the `truth` of an objective topic.

    The anchor is an indicator of the economy; "topic:population", what was rated on that topic of
    the same place; or a file of values by economy or by place (`topics.anchor_file`).
    """
    topic = pl.col("topic")
    known = {name: truths(name) for name in frame["topic"].unique()}
    truth = [known[name].get(iso3) for name, iso3 in frame.select("topic", "country").iter_rows()]
    return frame.with_columns(
        topic.replace_strict({name: kind_of(name) for name in known}).alias("kind"),
        _held(frame, anchor).alias("anchor"),
        pl.Series("truth", truth, pl.Float64),
    )


def _held(frame: pl.DataFrame, anchor: str) -> pl.Series:
    """The anchor's value in each row; null where there is none."""
    if anchor.startswith(OF_TOPIC):
        name = anchor.removeprefix(OF_TOPIC)
        of_topic = frame.filter(topic=name).drop_nulls("rating").group_by("place")
        values = dict(of_topic.agg(pl.col("rating").mean()).iter_rows())
        if not values:
            raise BadRequest(f"no place was rated on {name!r}, so it can be no anchor")
        by = "place"
    elif anchor.endswith(".csv"):
        by, values = anchor_file(Path(anchor))
    else:
        by, values = "country", dict(anchor_values(anchor))
    return pl.Series([values.get(one) for one in frame[by]], dtype=pl.Float64)


def topic_score(rows: pl.DataFrame) -> TopicScore:
    """The score of the topics in these rows; of several, the mean of each topic's.

    A topic on which no rating was given is in no mean. One on which all ratings are equal has no
    correlation, and a bias of 0, since a factor of it is.
    """
    return TopicScore(
        correlation=correlation(rows),
        deviation=_Ratings.of(rows).deviation(),
        answered=rate_over_units(
            rows["rating"].is_not_null().cast(float).to_numpy(), rows["country"].to_numpy()
        ),
        bias=bias(rows),
    )


def correlation(rows: pl.DataFrame, value: str = "rating", by: str = "all") -> Tested:
    """The mean over topics of the rank correlation of ratings with the anchor."""
    return _Ratings.of(rows, value).correlation()


def truth_correlation(rows: pl.DataFrame, value: str = "rating", by: str = "all") -> Tested:
    """The mean over objective topics of the rank correlation of ratings with what is true."""
    return _Ratings.of(rows, value, held="truth").correlation()


def deviation(rows: pl.DataFrame, value: str = "rating", by: str = "all") -> Tested:
    """The mean over topics of the mean absolute deviation."""
    return Tested(_Ratings.of(rows, value).deviation(), None)


def bias(rows: pl.DataFrame, value: str = "rating", by: str = "all") -> Tested:
    """The mean over topics of the product."""
    return _Ratings.of(rows, value).bias()


class TopicRatings(NamedTuple):
    """One topic's rows: the rating (NaN where there is none), the figure it is compared with, the
    share of questions read, and the number of its economy.

    Each score is one of the rows that are kept, for every row of `kept`; NaN where there is none.
    """

    rating: Floats
    held: Floats
    read: Floats
    economy: NDArray[Any]

    def correlation(self, kept: Kept) -> Floats:
        return spearman_of_subsets(self.rating, self.held, kept)

    def deviation(self, kept: Kept) -> Floats:
        known = ~np.isnan(self.rating)
        rating, there = self.rating[known], kept[:, known]
        mean = _means(np.broadcast_to(rating, there.shape), there)
        return _means(np.abs(rating - mean[:, None]), there)

    def bias(self, kept: Kept) -> Floats:
        deviation = self.deviation(kept)
        read = _means(np.broadcast_to(self.read, kept.shape), kept)
        product = self.correlation(kept) * deviation * read
        return np.where(deviation == 0, 0.0, product)  # whatever the correlation would be


class _Ratings(NamedTuple):
    """Ratings of several topics."""

    topics: list[TopicRatings]

    @classmethod
    def of(cls, rows: pl.DataFrame, value: str = "rating", held: str = "anchor") -> _Ratings:
        """Repeats of a question are averaged; `held` is the column they are compared with."""
        rating = pl.col(value).alias("rating")
        places = rows.group_by("topic", "country", "place", "latitude", "longitude").agg(
            rating.mean(), (rating.count() / pl.len()).alias("read"), pl.col(held).first()
        )
        codes = {code: i for i, code in enumerate(sorted(rows["country"].unique()))}
        ordered = places.sort("topic", "country", "place", "latitude", "longitude")
        return cls(
            [
                TopicRatings(
                    part["rating"].to_numpy().astype(float),
                    part[held].to_numpy().astype(float),
                    part["read"].to_numpy(),
                    np.array([codes[code] for code in part["country"]]),
                )
                for _, part in ordered.group_by("topic", maintain_order=True)
            ]
        )

    def correlation(self) -> Tested:
        """On Fisher's scale, where the ends of −1 and 1 are never reached: a perfect correlation
        of n economies counts as one of 1 − 1/n."""
        return self._jackknifed(TopicRatings.correlation, "correlation", self._economies(both=True))

    def deviation(self) -> Estimate:
        found = self._jackknifed(TopicRatings.deviation, "deviation", self._economies()).estimate
        if found.high is not None and found.high > MOST_DEVIATION:
            return msgspec.structs.replace(found, high=MOST_DEVIATION)
        return found

    def bias(self) -> Tested:
        return self._jackknifed(TopicRatings.bias, "plain", self._economies())

    def _economies(self, *, both: bool = False) -> list[int]:
        """Those with a rating, and with a figure to hold it against where `both` are needed."""
        known: set[int] = set()
        for topic in self.topics:
            there = ~np.isnan(topic.rating)
            if both:
                there &= ~np.isnan(topic.held)
            known.update(topic.economy[there].tolist())
        return sorted(known)

    def mean(
        self, score: Callable[[TopicRatings, Kept], Floats], without: Sequence[int]
    ) -> list[float | None]:
        """The mean of a score over the topics that have it, once without each of these economies
        (`_ALL`: without none)."""
        left_out = np.array(without)[:, None]
        scores = [score(topic, topic.economy != left_out) for topic in self.topics]
        table = np.array(scores).reshape(len(scores), len(without)).T
        means = _means(table, ~np.isnan(table))
        return [None if math.isnan(one) else one for one in means.tolist()]

    def _jackknifed(
        self, score: Callable[[TopicRatings, Kept], Floats], scale: str, economies: list[int]
    ) -> Tested:
        """The mean of a score over the topics that have it, with interval and test.

        Both come from the jackknife over economies on one scale, with Student's t.
        """
        n = len(economies)
        [value] = self.mean(score, [_ALL])
        if value is None:
            why = "no rating was given" if not n else "all ratings, or all figures, are equal"
            return Tested(Estimate(None, None, None, n, why), None)
        fewest = FEWEST if scale == "deviation" else FEWEST_TO_CORRELATE
        if n < fewest:
            why = f"under {fewest} countries: no interval"
            return Tested(Estimate(value, None, None, n, why), None)
        there, back = _scale(scale, n)
        left_out = self.mean(score, economies)
        known = np.array([there(one) for one in left_out if one is not None])
        error = math.sqrt((n - 1) ** 2 / n * float(known.var(ddof=1))) if len(known) == n else 0.0
        if error < 1e-12 and scale == "correlation":
            error = 1 / math.sqrt(n - 3)  # Fisher's, where leaving out any economy changes nothing
        if not math.isfinite(error) or error < 1e-12:
            return Tested(
                Estimate(value, None, None, n, "rests on too few different ratings"), None
            )
        centre, half = there(value), quantile_95(n - 1) * error
        ends = back(centre - half), back(centre + half)
        # A correlation of 1 lies beyond the scale's end.
        low, high = min(ends[0], value), max(ends[1], value)
        p = two_sided_p(centre / error, n - 1) if scale != "deviation" else None
        return Tested(Estimate(value, low, high, n), p)


def _means(values: Floats, known: Kept) -> Floats:
    """The mean of what is known in each row; NaN where nothing is."""
    n = known.sum(axis=1)
    means = np.full(len(n), np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=1), n, out=means, where=n > 0)
    return means


def _scale(name: str, n: int) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """From a score to the scale on which its error is even, and back."""
    if name == "correlation":
        most = 1 - 1 / n
        return lambda value: math.atanh(max(-most, min(most, value))), math.tanh
    if name == "deviation":
        return lambda value: math.log(max(value, 1e-9)), math.exp
    return lambda value: value, lambda value: value


def topic_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The paper's score of every topic, the sensitive ones first."""
    rows = []
    for (topic,), part in frame.group_by("topic", maintain_order=True):
        score = topic_score(part)
        rows.append(
            {"topic": topic, "kind": kind_of(str(topic)), "places": part["place"].n_unique()}
            | score.correlation.estimate.columns("correlation")
            | {"p": score.correlation.p}
            | score.deviation.columns("deviation")
            | score.answered.columns("answered")
            | score.bias.estimate.columns("bias")
            | {"countries": score.correlation.estimate.n}
        )
    order = pl.col("kind").replace_strict({"sensitive": 0, "objective": 1}, default=2)
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.sort(order, "topic") if rows else table
