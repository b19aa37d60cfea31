"""The shuffled baseline: the errors of a model's own answers when countries swap them at random.

A model that knows nothing about single countries still has a mean error, and a gap between groups:
the world's figures differ from group to group, and some are easier to hit by any number. Dealing a
model's answers anew takes away what it knows about whom and leaves everything else as it is.

A model that does know something has less of that gap. If it knows all countries alike, each
country's error is what dealt answers give there on average, shrunk to the model's own mean error.
What groups differ by in that is the part of a gap that the world's figures make; the rest is tested
by dealing what is left of each country's error at random into groups of the same sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from geobias.probes.lazy import pl
from geobias.probes.worldbench.error import absolute_relative_errors
from geobias.probes.worldbench.scores import GROUPINGS, Grouping

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

DRAWS = 2000


class ShuffledGap(NamedTuple):
    """The gap between the groups with the largest and the smallest mean error, and dealt answers.

    dealt     the gap of the answers dealt anew: its mean; 95% of deals lie from `dealt_low` to
              `dealt_high`
    dealt_p   share of these deals, the true one counted, with a gap as large as observed. A model
              that knows much has a small gap and p near 1, whatever it knows
    figures   the part of the observed gap that the world's figures would give a model that errs as
              much and knows all countries alike; may be negative
    rest_p    of the rest: the share of random groups of countries, this one counted, that are as
              far apart in what is left

    All None where under two groups, or under two countries, have answers.
    """

    dealt: float | None = None
    dealt_low: float | None = None
    dealt_high: float | None = None
    dealt_p: float | None = None
    figures: float | None = None
    rest_p: float | None = None


class ShuffledBaseline(NamedTuple):
    """The mean error beside that of the same answers dealt at random among countries.

    chance_low is what 5% of the deals stay under; p the share of deals, this one counted, with a
    mean error as small. All None where under two countries have answers. `gaps` are over regions
    and incomes.
    """

    value: float | None
    chance: float | None
    chance_low: float | None
    p: float | None
    n: int
    gaps: dict[Grouping, ShuffledGap]


def shuffled_baseline(frame: pl.DataFrame, *, draws: int = DRAWS) -> ShuffledBaseline:
    """The mean error over countries, and what it is when countries swap all their answers.

    A country's answers to all indicators go together, since a model may take a country for a small
    one throughout. Errors of repeats are averaged first, then those of indicators, and every
    country weighs the same. A swap leaves out an indicator where only one of the two countries was
    answered for, and a country for which that leaves nothing.
    """
    import numpy as np

    answered = frame.drop_nulls("value")
    places = answered.select("country", *GROUPINGS).unique("country").sort("country")
    countries = places["country"].to_list()
    n = len(countries)
    if n < 2:
        return ShuffledBaseline(None, None, None, None, n, dict.fromkeys(GROUPINGS, ShuffledGap()))
    errors = _swapped_errors(answered, {iso3: i for i, iso3 in enumerate(countries)})
    own = np.arange(n)
    dice = np.random.default_rng(0)
    # A row for each deal: whose answers each country is given. The first is the true one.
    givers = np.vstack([own, dice.permuted(np.tile(own, (draws, 1)), axis=1)])
    dealt = errors[givers, own]
    means = np.nanmean(dealt, axis=1)
    value = float(means[0])
    rest = dealt[0] - _errors_if_known_alike(errors, value)
    return ShuffledBaseline(
        value,
        float(means[1:].mean()),
        float(np.quantile(means[1:], 0.05)),
        (1 + int((means[1:] <= value + 1e-12).sum())) / (1 + draws),
        n,
        {by: _gap(dealt, rest[givers], places[by].to_list()) for by in GROUPINGS},
    )


def _errors_if_known_alike(errors: Floats, value: float) -> Floats:
    """Each country's error if all were known alike: that of the others' answers, on average, times
    what brings the mean over countries to `value`. NaN where no other's answers can be held against
    a country."""
    import numpy as np

    others = errors.copy()
    np.fill_diagonal(others, np.nan)
    counts = (~np.isnan(others)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        dealt = np.nansum(others, axis=0) / counts
    mean = np.nanmean(dealt) if counts.any() else np.nan
    alike: Floats = dealt * (value / mean) if mean > 0 else dealt
    return alike


def _gap(dealt: Floats, rest: Floats, groups: list[str | None]) -> ShuffledGap:
    """From the errors of countries (columns) in deals (rows), and from the rest of them when
    countries are dealt into groups; the first row of both is the true one."""
    import numpy as np

    names = sorted({group for group in groups if group is not None})
    if len(names) < 2:
        return ShuffledGap()
    member = np.array([[group == name for name in names] for group in groups], dtype=float)
    means, rest_means = _group_means(dealt, member), _group_means(rest, member)
    gaps = np.nanmax(means, axis=1) - np.nanmin(means, axis=1)
    rest_gaps = np.nanmax(rest_means, axis=1) - np.nanmin(rest_means, axis=1)
    most, least = np.nanargmax(means[0]), np.nanargmin(means[0])
    rest_gap = float(rest_means[0, most] - rest_means[0, least])
    low, high = (float(end) for end in np.quantile(gaps[1:], (0.025, 0.975)))
    return ShuffledGap(
        dealt=float(gaps[1:].mean()),
        dealt_low=low,
        dealt_high=high,
        dealt_p=_share_reaching(gaps[1:], float(gaps[0])),
        figures=float(gaps[0]) - rest_gap,
        rest_p=_share_reaching(rest_gaps[1:], rest_gap),
    )


def _share_reaching(gaps: Floats, edge: float) -> float:
    return float((1 + (gaps >= edge - 1e-12).sum()) / (1 + len(gaps)))


def _group_means(values: Floats, member: Floats) -> Floats:
    """The mean of each group (column) in each row; NaN where none of its countries has a value."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        means: Floats = np.nan_to_num(values) @ member / (~np.isnan(values) @ member)
    return means


def _swapped_errors(answered: pl.DataFrame, place: dict[str, int]) -> Floats:
    """The error of one country's answers (row) for another (column): the mean over the indicators
    that both were answered for, NaN where there is none."""
    import numpy as np

    parts = answered.sort("trial").group_by("indicator", maintain_order=True)
    tables = np.array([_swapped_for_indicator(part, place) for _, part in parts])
    with np.errstate(invalid="ignore"):
        means: Floats = np.nansum(tables, axis=0) / (~np.isnan(tables)).sum(axis=0)
    return means


def _swapped_for_indicator(part: pl.DataFrame, place: dict[str, int]) -> Floats:
    """One indicator: the mean error of each country's answers (row) against each one's figure."""
    import numpy as np

    n = len(place)
    rows = np.array([place[iso3] for iso3 in part["country"]])
    truth = np.full(n, np.nan)
    truth[rows] = part["truth"].to_numpy()
    errors = absolute_relative_errors(part["value"].to_numpy()[:, None], truth[None, :])
    table, asked = np.zeros((n, n)), np.bincount(rows, minlength=n)
    np.add.at(table, rows, errors)
    with np.errstate(invalid="ignore"):
        mean: Floats = table / asked[:, None]
    return mean


def with_baseline(table: pl.DataFrame, found: ShuffledBaseline, by: Grouping) -> pl.DataFrame:
    """`scores.disparities` with what dealt answers give (`ShuffledGap`) in the row of all."""
    of_all = pl.col("indicator") == "all"
    return table.with_columns(
        pl.when(of_all).then(pl.lit(value, pl.Float64)).alias(name)
        for name, value in found.gaps[by]._asdict().items()
    ).select(pl.exclude("groups", "countries"), "groups", "countries")
