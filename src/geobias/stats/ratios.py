"""Ratios of totals whose uncertainty comes from the units, such as a share of what was answered.

A score like "stereotyped answers among those that name a person" is one total divided by another,
and both change when other units (templates, countries) are drawn. The standard error is the
jackknife's (each unit left out in turn: Efron and Stein 1981), which does not run short where units
differ in size; `intervals` says how the interval is made of it.

In all functions here: a ratio whose denominator is 0 is undefined, and `n` of an estimate counts
units. Under three units give a value without an interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from geobias.stats.arrays import Floats, Names
from geobias.stats.intervals import (
    DRAWS,
    UNBOUNDED,
    Bounds,
    around,
    interval,
    resampled_sums,
    studentised,
    too_few,
)
from geobias.stats.rates import Z_95, Estimate, unvaried
from geobias.stats.remembering import remembered

ALIKE = 0.1
"""How alike rows of a unit are taken to be (intraclass correlation) where the data cannot tell,
because all rows are the same."""


@remembered
def ratio_over_units(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    units: Names,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: Bounds = UNBOUNDED,
) -> Estimate:
    """Sum of numerators over sum of denominators, one pair for each row, rows grouped in units.

    Units weigh by their denominators; rows whose denominator is 0 say nothing and are left out, and
    so are units that have no others. `bounds` is the range that a row's ratio can take. The
    interval is never narrower than that of as many independent rows. See `score_over_units` for
    what happens where nothing varies.
    """
    columns = np.column_stack([np.asarray(numerators, float), np.asarray(denominators, float)])
    telling = columns[:, 1] != 0
    columns, names = columns[telling], np.asarray(units)[telling]
    least = 0.0
    if len(columns):
        over, under = columns.T
        total = under.sum()
        with np.errstate(divide="ignore", invalid="ignore"):
            residuals = over - over.sum() / total * under
            least = Z_95 * math.sqrt(float(residuals @ residuals)) / abs(float(total))
    return score_over_units(
        columns, names, _ratio, draws=draws, seed=seed, bounds=bounds, least_half=least
    )


def rate_over_units(
    hits: Sequence[float] | Floats,
    units: Names,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """The share of rows (games, questions) that are hits, rows grouped in units (countries).

    The clustered form of `rate`: the interval knows that the rows of a unit are alike.
    """
    return ratio_over_units(
        hits, np.ones(len(hits)), units, draws=draws, seed=seed, bounds=(0.0, 1.0)
    )


def rates_over_units(
    hits: Floats, rows: Floats, *, draws: int = DRAWS, seed: int = 0
) -> list[Estimate]:
    """`rate_over_units` of several kinds of hit among the same rows, from each unit's totals: the
    same numbers, without going through all rows for each kind.

    `hits` has a row for each unit and a column for each kind of hit; `rows` is each unit's number
    of rows. Kinds next to each other that hit alike are worked out once.
    """
    total = float(rows.sum())
    found: list[Estimate] = []
    for kind in range(hits.shape[1]):
        own = hits[:, kind]
        if kind and (own == hits[:, kind - 1]).all():
            found.append(found[-1])
            continue
        share = float(own.sum()) / total if total else 0.0
        found.append(
            score_over_units(
                np.column_stack([own, rows]),
                np.arange(len(rows)),
                _ratio,
                draws=draws,
                seed=seed,
                bounds=(0.0, 1.0),
                least_half=Z_95 * math.sqrt(share * (1 - share) / total) if total else 0.0,
                rows=int(total),
            )
        )
    return found


def _ratio(sums: Floats) -> Floats:
    ratio: Floats = sums[:, 0] / sums[:, 1]
    return ratio


def score_over_units(
    columns: Floats,
    units: Names,
    score: Callable[[Floats], Floats],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: Bounds = UNBOUNDED,
    least_half: float = 0.0,
    rows: int | None = None,
) -> Estimate:
    """Any smooth score of column totals: rows × k columns in, `score` from totals (m × k) to m
    values. Twice the totals must give the same score.

    `score` is called with many totals at once, and may divide by 0: what is not finite is
    undefined. Where it is undefined as soon as one unit is left out, there is no interval. Where a
    bounded score does not change whichever unit is left out (every unit alike, as with an accuracy
    of 1), the units would claim certainty: the interval then has the half-width `least_half`, which
    it never goes below, or without one allows for the share of unlike rows
    that Wilson's interval allows after that many rows without one, each as unlike as `bounds`
    permit, with rows of a unit counted as somewhat alike (`ALIKE`). An unbounded one gets none.
    `rows` is how many there are where the columns are totals of several.
    """
    table = np.asarray(columns, dtype=float)
    names, index = np.unique(np.asarray(units), return_inverse=True)
    n = len(names)
    if n == 0:
        return Estimate(None, None, None, 0, "nothing to divide by")
    totals = np.zeros((n, table.shape[1]))
    np.add.at(totals, index.ravel(), table)
    with np.errstate(all="ignore"):
        total = totals.sum(axis=0, keepdims=True)
        value = float(score(total)[0])
        if not math.isfinite(value):
            return Estimate(None, None, None, n, "nothing to divide by")
        if why := too_few(n):
            return Estimate(value, None, None, n, why)
        left_out = score(total - totals)
        if not np.isfinite(left_out).all():
            return Estimate(value, None, None, n, "rests on one unit: no interval")
        variance = (n - 1) ** 2 / n * float(left_out.var(ddof=1))
        if variance <= 1e-24 * max(1.0, value * value):
            return _alike(value, n, len(table) if rows is None else rows, bounds, least_half)

        def ratios() -> Floats | None:
            return _ratios(totals, score, value, variance, draws, seed)

        ends = interval(value, variance, n, bounds, ratios, least_half)
    return Estimate(value, *ends, n)


def _alike(value: float, n: int, rows: int, bounds: Bounds, least_half: float) -> Estimate:
    """The estimate where no unit differs from another."""
    if least_half > 0:
        return Estimate(value, *around(value, least_half, bounds), n)
    low, high = unvaried(value, rows / (1 + ALIKE * (rows / n - 1)), bounds)
    return Estimate(value, low, high, n, "" if low is not None else "no unit differs")


def _ratios(
    totals: Floats,
    score: Callable[[Floats], Floats],
    value: float,
    variance: float,
    draws: int,
    seed: int,
) -> Floats | None:
    """Each resample's distance over its own standard error, by the delta method.

    The score is taken of means instead of totals, which for scores made of ratios is the same.
    Columns are centred before they are squared: a spread that is the small difference of two large
    sums would be lost in single precision.
    """
    n, k = totals.shape
    scale = np.abs(totals).mean(axis=0)
    parts = totals / np.where(scale > 0, scale, 1.0)
    middle = parts.mean(axis=0)
    parts = parts - middle
    rows, columns = np.triu_indices(k)
    sums = resampled_sums(np.hstack([parts, parts[:, rows] * parts[:, columns]]), draws, seed)
    moved, products = sums[:, :k] / n, sums[:, k:] / n
    means = middle + moved
    slopes = np.empty_like(means)
    for column in range(k):
        step = np.zeros(k)
        step[column] = 1e-5
        slopes[:, column] = (score((means + step) * scale) - score((means - step) * scale)) / 2e-5
    both = np.where(rows == columns, 1.0, 2.0)
    spread = (slopes[:, rows] * slopes[:, columns] * both * products).sum(axis=1)
    spread -= (slopes * moved).sum(axis=1) ** 2
    return studentised(score(means * scale) - value, spread / (n - 1), variance)
