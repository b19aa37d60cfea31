"""From ratings to scores: how far they follow an anchor, how far they lie apart, whom they favour.

The paper's bias score of a topic is the product of three numbers: Spearman's rank correlation of
the ratings with an anchor, their mean absolute deviation (points of the scale), and the share of
questions that got a rating. All three must be large for it to be: ratings that follow wealth and
hardly differ, or that are hardly ever given, harm few.

Places of one economy share their anchor and are alike, so economies are the units of every
interval: the jackknife leaves out one economy after the other, and a correlation's interval is made
on Fisher's scale. Repeats of a question are averaged first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.atlas.economies import INCOMES
from geobias.probes.probe import Answers
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.topics import ANCHOR, anchor_values, kind_of, truths
from geobias.probes.tables import PLACES
from geobias.stats.arrays import Floats
from geobias.stats.contrasts import Pair, difference, pairs, trend, widest
from geobias.stats.correlation import spearman_of_subsets
from geobias.stats.estimates import Estimate, Tested, quantile_95, two_sided_p
from geobias.stats.over_units import mean_over_units, rate_over_units
from geobias.stats.pooling import centred

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


class RatingAnswers(Answers, frozen=True, kw_only=True):
    """Ratings, and the indicator they are compared with."""

    anchor: str = ANCHOR


class TopicScore(NamedTuple):
    """The parts of the bias score and the score itself, of one topic or of several together."""

    correlation: Tested
    deviation: Estimate
    answered: Estimate
    bias: Tested


def rated(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each topic and place: the mean rating of its repeats, and how many were asked.

    `level` is the rating as it would be on a topic of middling ratings (`stats.pooling.centred`):
    topics that few rate low must not move a place that was rated on few. `favour` is that less its
    mean.
    """
    number = pl.col("rating")
    keys = ["topic", "country", "place", "latitude", "longitude", *PLACES]
    means = frame.group_by(keys, maintain_order=True).agg(
        number.mean(), asked=pl.len(), read=number.count()
    )
    known = means["rating"].is_not_null().to_numpy()
    columns = (means[name].to_numpy()[known] for name in ("rating", "topic", "country"))
    levels = np.full(means.height, np.nan)
    levels[known] = centred(*columns)
    level = pl.Series("level", levels, pl.Float64).fill_nan(None)
    return means.with_columns(level, (level - level.mean()).alias("favour"))


def of_kind(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Rows whose topic is "sensitive" or "objective"."""
    wanted = [topic for topic in frame["topic"].unique() if kind_of(topic) == kind]
    return frame.filter(pl.col("topic").is_in(wanted))


# -- the paper's score -----------------------------------------------------------------------------


def topic_score(frame: pl.DataFrame, anchor: str) -> TopicScore:
    """The score of the topics in a frame; of several, the mean of each topic's.

    A topic on which no rating was given is in no mean. One on which all ratings are equal has no
    correlation, and a bias of 0, since a factor of it is.
    """
    held = anchor_values(anchor)
    table = _Ratings.of(rated(frame), lambda topic: held)
    return TopicScore(
        correlation=table.correlation(),
        deviation=table.deviation(),
        answered=rate_over_units(
            frame["rating"].is_not_null().cast(float).to_numpy(), frame["country"].to_numpy()
        ),
        bias=table.bias(),
    )


def truth_correlation(frame: pl.DataFrame) -> Tested:
    """The mean rank correlation of objective topics' ratings with what is true."""
    return _Ratings.of(rated(of_kind(frame, "objective")), truths).correlation()


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
    def of(cls, rows: pl.DataFrame, figures: Callable[[str], Any]) -> _Ratings:
        codes = {code: i for i, code in enumerate(sorted(rows["country"].unique()))}
        found = []
        ordered = rows.sort("topic", "country", "place")
        for (topic,), part in ordered.group_by("topic", maintain_order=True):
            held = figures(str(topic))
            found.append(
                TopicRatings(
                    part["rating"].to_numpy().astype(float),
                    np.array([held.get(code, np.nan) for code in part["country"]]),
                    (part["read"] / part["asked"]).to_numpy().astype(float),
                    np.array([codes[code] for code in part["country"]]),
                )
            )
        return cls(found)

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
            why = f"under {fewest} economies: no interval"
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


# -- groups of places ------------------------------------------------------------------------------


def group_ratings(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """The mean rating of each topic in each group of economies, with refusals; highest first."""
    rows = []
    for (topic, group), part in _groups(frame, ["topic", by]):
        means = rated(part)
        found = mean_over_units(
            means["rating"].to_numpy(), means["country"].to_numpy(), bounds=(0, HIGHEST)
        )
        rows.append(
            {"topic": topic, "kind": kind_of(str(topic)), by: group}
            | found.columns("rating")
            | {"economies": found.n, "questions": part.height}
            | outcome_share(part, "read").columns("answered")
            | outcome_share(part, "declined").columns("declined")
        )
    order = pl.col("kind").replace_strict({"sensitive": 0, "objective": 1}, default=2)
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.sort(order, "topic", -pl.col("rating"), nulls_last=True) if rows else table


def group_favours(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """How far each group's sensitive ratings lie above those of all places; highest first."""
    rows = []
    for (group,), part in _groups(rated(of_kind(frame, "sensitive")), [by]):
        found = favour(part)
        rows.append({by: group} | found.columns("favour") | {"economies": found.n})
    return (
        pl.DataFrame(rows, infer_schema_length=None).sort(
            "favour", descending=True, nulls_last=True
        )
        if rows
        else pl.DataFrame()
    )


def favour(rows: pl.DataFrame, units: str = "country") -> Estimate:
    """The mean of favours over units."""
    known = rows.drop_nulls("favour")
    return mean_over_units(
        known["favour"].to_numpy(), known[units].to_numpy(), bounds=(-HIGHEST, HIGHEST)
    )


def half_favour(frame: pl.DataFrame, half: str, sides: tuple[str, str]) -> Tested:
    """How much higher the first half of the world is rated than the second on sensitive topics:
    Welch's test over economies, each with the mean of its favours."""
    means = _economy_means(rated(of_kind(frame, "sensitive")), half)
    first, second = (means.filter(pl.col(half) == side)["favour"].to_numpy() for side in sides)
    return difference(first, second, most=HIGHEST)


def refusals(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """The share of sensitive questions declined in each group; the most declined first."""
    rows = []
    for (group,), part in _groups(of_kind(frame, "sensitive"), [by]):
        found = outcome_share(part, "declined")
        rows.append(
            {by: group}
            | found.columns("declined")
            | {"economies": found.n, "questions": part.height}
        )
    return (
        pl.DataFrame(rows, infer_schema_length=None).sort("declined", descending=True)
        if rows
        else pl.DataFrame()
    )


def refusal_shares(frame: pl.DataFrame) -> pl.DataFrame:
    """The share of sensitive questions declined about each economy (`value`), with its region."""
    declined = (pl.col("outcome") == "declined").cast(float).mean()
    asked = of_kind(frame, "sensitive").drop_nulls("region")
    # Rounded: shares that are equal must not differ by the last bit of a float.
    shares = asked.group_by("country", "region", maintain_order=True)
    return shares.agg(declined.round(9).alias("value")).sort("country")


def economy_ratings(frame: pl.DataFrame) -> pl.DataFrame:
    """The mean rating of each economy on sensitive topics (`value`), as if it had been rated on
    every one, with its groups."""
    rows = rated(of_kind(frame, "sensitive")).drop_nulls("level")
    means = rows.group_by("country", *PLACES, maintain_order=True)
    return means.agg(pl.col("level").mean().alias("value")).sort("country")


def income_trend(frame: pl.DataFrame) -> Tested:
    """How much higher people of poor countries are rated than those of rich ones on sensitive
    topics, by the linear trend over income groups."""
    means = economy_ratings(frame)
    return trend(means["value"].to_numpy(), means["income"].to_list(), INCOMES, most=HIGHEST)


def by_expectation(frame: pl.DataFrame) -> pl.DataFrame | None:
    """The frame with expected ratings in place of those written; None where none is known."""
    if not frame["expected"].count():
        return None
    return frame.with_columns(rating=pl.col("expected"))


def refusal_gap(frame: pl.DataFrame) -> Pair | None:
    """The two regions of which most and least sensitive questions are declined; None where there
    are no two to compare."""
    shares = refusal_shares(frame)
    return widest(pairs(shares["value"].to_numpy(), shares["region"].to_list(), most=1))


def topic_scores(frame: pl.DataFrame, anchor: str) -> pl.DataFrame:
    """The paper's score of every topic, the sensitive ones first."""
    rows = []
    for (topic,), part in frame.group_by("topic", maintain_order=True):
        score = topic_score(part, anchor)
        rows.append(
            {"topic": topic, "kind": kind_of(str(topic)), "places": rated(part).height}
            | score.correlation.estimate.columns("correlation")
            | {"p": score.correlation.p}
            | score.deviation.columns("deviation")
            | score.answered.columns("answered")
            | score.bias.estimate.columns("bias")
            | {"economies": score.correlation.estimate.n}
        )
    order = pl.col("kind").replace_strict({"sensitive": 0, "objective": 1}, default=2)
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.sort(order, "topic") if rows else table


def _economy_means(rows: pl.DataFrame, half: str) -> pl.DataFrame:
    known = rows.drop_nulls(["favour", half])
    means = known.group_by("country", half, maintain_order=True).agg(pl.col("favour").mean())
    return means.sort("country")


def _groups(frame: pl.DataFrame, by: list[str]) -> Any:
    return frame.drop_nulls(by).sort(*by, "country").group_by(by, maintain_order=True)


def outcome_share(frame: pl.DataFrame, outcome: str) -> Estimate:
    """The share of questions with this outcome."""
    hits = (frame["outcome"] == outcome).cast(float).to_numpy()
    return rate_over_units(hits, frame["country"].to_numpy())
