"""The shuffled baseline: the errors of a model's own answers when countries swap them at random.

A model that knows nothing about single countries still has a mean error, and a gap between groups:
the world's figures differ from group to group, and some are easier to hit by any number. Dealing a
model's answers anew takes away what it knows about whom and leaves everything else as it is.

Answers are shuffled within each indicator, among the countries that have an answer to it: every
question keeps its figure and gets some answer, so which figures are missing favours nobody. A model
that gives one number for all has exactly the same error in every deal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from geobias.probes.lazy import pl
from geobias.probes.worldbench.error import absolute_relative_errors
from geobias.probes.worldbench.scores import GROUPINGS, Grouping
from geobias.stats.arrays import Floats
from geobias.stats.group_differences import MIN_UNITS, deals
from geobias.stats.pooling import weights_of_mean

DRAWS = 2000
LEVEL = 0.01
"""Share of shuffles that a model must do better than to be said to know something: of a hundred
models that know nothing, one passes."""


class ShuffledGap(NamedTuple):
    """The largest minus the smallest group mean of the answers shuffled: what the world's figures
    give a model that knows nothing of whom. Its mean; 95% of shuffles lie from `dealt_low` to
    `dealt_high`. All None where under two groups have five countries with answers.
    """

    dealt: float | None = None
    dealt_low: float | None = None
    dealt_high: float | None = None


class ShuffledBaseline(NamedTuple):
    """The mean error beside that of the same answers shuffled among countries.

    value       the mean error over countries, centred by indicator
    chance_low  what 1% of the shuffles stay under
    p           share of shuffles, this one counted, with a mean error as small
    can_tell    whether a model that knows all could do better than 99% of the shuffles: of few
                answers too many shuffles give each country its own back
    gaps        over regions and incomes, or what groupings were asked for

    All None where under two countries have answers.
    """

    value: float | None
    chance: float | None
    chance_low: float | None
    p: float | None
    n: int
    can_tell: bool
    gaps: dict[Grouping, ShuffledGap]


def shuffled_baseline(
    frame: pl.DataFrame, *, groupings: Sequence[Grouping] = GROUPINGS, draws: int = DRAWS
) -> ShuffledBaseline:
    """The mean error over countries, and what it is when their answers are shuffled.

    A country's repeats of a question go together, and their errors are averaged first. Errors are
    centred by indicator in each deal.
    """
    answered = frame.drop_nulls("value").sort("trial")
    places = answered.select("country", *groupings).unique("country").sort("country")
    place = {iso3: i for i, iso3 in enumerate(places["country"])}
    n = len(place)
    if n < 2:
        none = dict.fromkeys(groupings, ShuffledGap())
        return ShuffledBaseline(None, None, None, None, n, False, none)
    tables = [
        _swapped(part, place) for _, part in answered.group_by("indicator", maintain_order=True)
    ]
    weights = _weights([asked for asked, _ in tables])
    orders = 1.0
    means = np.zeros(draws + 1)
    # A row for each country, a column for each deal. The first deal is the true one.
    centred, counts = np.zeros((n, draws + 1)), np.zeros((n, 1))
    for seed, (asked, errors) in enumerate(tables):
        own = np.arange(len(asked))
        givers = np.vstack([own, deals(len(own), draws, seed)]).T
        dealt = np.take_along_axis(errors, givers, axis=1)
        means += weights[seed] @ dealt
        centred[asked] += dealt - dealt.mean(axis=0)
        counts[asked] += 1
        orders *= math.factorial(min(len(asked), 10))
    value = float(means[0])
    return ShuffledBaseline(
        value,
        float(means[1:].mean()),
        float(np.quantile(means[1:], LEVEL)),
        (1 + int((means[1:] <= value + 1e-12).sum())) / (1 + draws),
        n,
        1 / orders < LEVEL,
        {by: _gap(centred[:, 1:] / counts, places[by].to_list()) for by in groupings},
    )


def _weights(asked: list[NDArray[np.int64]]) -> list[Floats]:
    """What each country's error weighs in the mean over countries, for each indicator."""
    sizes = [len(countries) for countries in asked]
    items = np.repeat(np.arange(len(asked)), sizes)
    return np.split(weights_of_mean(items, np.concatenate(asked)), np.cumsum(sizes)[:-1])


def _swapped(part: pl.DataFrame, place: dict[str, int]) -> tuple[NDArray[np.int64], Floats]:
    """One indicator: the countries that have an answer, and the mean error of each one's answers
    (column) against each one's figure (row)."""
    rows = np.array([place[iso3] for iso3 in part["country"]])
    asked, index = np.unique(rows, return_inverse=True)
    truth = np.empty(len(asked))
    truth[index] = part["truth"].to_numpy()
    errors = absolute_relative_errors(part["value"].to_numpy()[:, None], truth[None, :])
    table = np.zeros((len(asked), len(asked)))
    np.add.at(table, index, errors)
    return asked, np.ascontiguousarray((table / np.bincount(index)[:, None]).T)


def _gap(dealt: Floats, groups: list[str | None]) -> ShuffledGap:
    """From the errors of countries (rows) in deals (columns)."""
    sizes = {group: groups.count(group) for group in groups if group is not None}
    names = sorted(group for group, size in sizes.items() if size >= MIN_UNITS)
    if len(names) < 2:
        return ShuffledGap()
    member = np.array([[group == name for group in groups] for name in names], dtype=float)
    gaps = np.ptp(member @ dealt / member.sum(axis=1, keepdims=True), axis=0)
    return ShuffledGap(float(gaps.mean()), *map(float, np.quantile(gaps, (0.025, 0.975))))


def with_baseline(table: pl.DataFrame, found: ShuffledBaseline, by: Grouping) -> pl.DataFrame:
    """`scores.disparities` with what shuffled answers give (`ShuffledGap`) in the row of all."""
    of_all = pl.col("indicator") == "all"
    return table.with_columns(
        pl.when(of_all).then(pl.lit(value, pl.Float64)).alias(name)
        for name, value in found.gaps[by]._asdict().items()
    ).select(pl.exclude("groups", "countries"), "groups", "countries")
