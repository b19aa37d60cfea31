"""Means whose uncertainty comes from the units, not from the single values.

Several values of one unit (the eleven figures of one country) are alike, and counting them as
independent makes intervals too narrow. Here whole units are resampled (the cluster bootstrap:
Davison and Hinkley 1997, section 3.8); `estimates` says how the interval is made of it.

In all functions here: values that are NaN are left out; no values give an undefined estimate;
under three units give a value without an interval, and `reason` says so. `n` of an estimate counts
units. `bounds` is the range that a value can take. Where no unit differs from another, resampling
would claim certainty: a bounded mean then gets the interval that allows for the share of unlike
units that Wilson's interval allows after n without one, each as unlike as the bounds permit; an
unbounded one gets none.

Medians whose uncertainty comes from the units.

The interval holds every number that the units do not contradict as the median (the inversion of a
test, as Woodruff 1952 does for clustered surveys): for a candidate, each unit counts how many of
its values lie below, less half of them; if the candidate is the median, these counts are 0 on
average, which Student's t over units tests.

Ratios of totals whose uncertainty comes from the units, such as a share of what was answered.

A score like "stereotyped answers among those that name a person" is one total divided by another,
and both change when other units (templates, countries) are drawn. The standard error is the
jackknife's (each unit left out in turn: Efron and Stein 1981), which does not run short where units
differ in size; `estimates` says how the interval is made of it.

In all functions here: a ratio whose denominator is 0 is undefined, and `n` of an estimate counts
units. Under three units give a value without an interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from geobias.stats.arrays import Floats, Index, Names
from geobias.stats.estimates import (
    DRAWS,
    ENOUGH_FOR_BOOTSTRAP,
    UNBOUNDED,
    Z_95,
    Bounds,
    Estimate,
    around,
    interval,
    p_value,
    quantile_95,
    resampled_sums,
    studentised,
    too_few,
    unseen_caution,
    unvaried,
    unvaried_p,
)

MUCH_SKEW = 1.25
"""Skewness that eight units of a normal distribution reach one time in twenty."""


def mean_over_units(
    values: Sequence[float] | Floats,
    units: Names,
    *,
    draws: int = DRAWS,
    bounds: Bounds = UNBOUNDED,
) -> Estimate:
    """The mean over units of each unit's own mean, so that every unit weighs the same.

    Assumes that units are drawn independently from the population one speaks about.
    """
    values, index, n = known_units(values, units)
    if n == 0:
        return Estimate(None, None, None, 0, "no values")
    means = unit_means(values, index, n)
    return mean_test(means, draws=draws, bounds=bounds)[0]


def nested_mean(
    values: Sequence[float] | Floats,
    outer: Names,
    inner: Names,
    *,
    draws: int = DRAWS,
    bounds: Bounds = UNBOUNDED,
) -> Estimate:
    """Rows (games) in inner units (entities) in outer ones (countries): the mean over countries of
    the mean over their entities of the entity's mean.

    Countries are resampled with all that is in them, since drawing entities anew within each drawn
    country would count their luck twice (Davison and Hinkley, section 3.8). `n` counts outer units.
    An inner name that stands in two outer units is two units.
    """
    numbers, countries, n = known_units(values, outer)
    if n == 0:
        return Estimate(None, None, None, 0, "no values")
    known = ~np.isnan(np.asarray(values, dtype=float))
    found, names = np.unique(np.asarray(inner)[known], return_inverse=True)
    pairs, index = np.unique(countries * len(found) + names.ravel(), return_inverse=True)
    entities = unit_means(numbers, index.ravel(), len(pairs))
    means = unit_means(entities, pairs // len(found), n)
    return mean_test(means, draws=draws, bounds=bounds)[0]


def mean_test(
    means: Floats,
    *,
    draws: int = DRAWS,
    bounds: Bounds = UNBOUNDED,
) -> tuple[Estimate, float | None]:
    """The mean of one number for each unit with its interval, and the two-sided p-value that
    belongs to it: under 0.05 just where the interval leaves out 0.

    A unit whose number is NaN is left out. p is None where there is no interval, or where 0 lies
    at a bound.
    """
    means = means[~np.isnan(means)]
    n = len(means)
    if n == 0:
        return Estimate(None, None, None, 0, "no values"), None
    value = float(means.mean())
    if why := too_few(n):
        return Estimate(value, None, None, n, why), None
    distances = means - value
    variance = float(distances @ distances) / (n - 1) / n
    if variance <= 1e-24 * max(1.0, value * value):
        return _alike(value, n, bounds), unvaried_p(value, n, bounds)
    scaled = np.column_stack([distances, distances**2]) / [variance**0.5, variance]

    @cache
    def ratios() -> Floats | None:
        sums = resampled_sums(scaled, draws)
        moved = sums[:, 0] / n
        return studentised(moved, (sums[:, 1] / n - moved**2) / (n - 1), 1.0)

    low, high = interval(value, variance, n, bounds, ratios)
    if math.isfinite(bounds[1] - bounds[0]):
        caution = unseen_caution(means, low, high, bounds)
    else:
        caution = _skew_caution(distances)
    found = Estimate(value, low, high, n, caution=caution)
    if not bounds[0] < 0 < bounds[1]:
        return found, None  # the mean cannot be on both sides of it
    return found, p_value(value, variance, n, bounds, ratios)


def _skew_caution(distances: Floats) -> str:
    """Whether few units are so skewed that Student's interval runs short (4 units show no skew)."""
    n = len(distances)
    if not 4 < n < ENOUGH_FOR_BOOTSTRAP:
        return ""
    skew = float((distances**3).mean() / (distances**2).mean() ** 1.5)
    return "few and skewed units: the interval may be too narrow" if abs(skew) > MUCH_SKEW else ""


def _alike(value: float, n: int, bounds: Bounds) -> Estimate:
    low, high = unvaried(value, n, bounds)
    return Estimate(value, low, high, n, "" if low is not None else "no unit differs")


def known_units(values: Any, units: Any) -> tuple[Floats, Index, int]:
    """The values that are numbers, the number of each one's unit, and how many units there are."""
    numbers = np.asarray(values, dtype=float)
    names = np.asarray(units)
    if numbers.shape != names.shape or numbers.ndim != 1:
        raise ValueError(f"{numbers.shape} values for {names.shape} units")
    if np.isinf(numbers).any():
        raise ValueError("an infinite value has no mean")
    known = ~np.isnan(numbers)
    found, index = np.unique(names[known], return_inverse=True)
    return numbers[known], index.astype(np.int64), len(found)


def unit_means(values: Floats, index: Index, n: int) -> Floats:
    """Each unit's mean."""
    means: Floats = np.bincount(index, values, n) / np.bincount(index, minlength=n)
    return means


LEAST_SINGLE = 6
"""Of five values all lie on one side of the median one time in sixteen: no 95% interval."""


def median_over_units(
    values: Sequence[float] | Floats,
    units: Names,
    *,
    bounds: Bounds = UNBOUNDED,
) -> Estimate:
    """The median of all values together, with the interval over units.

    An even count has the mean of its two middle values as median. Units with more values weigh
    more, unlike in `mean_over_units`: a median of unit means would hide the outliers that a median
    is asked for. Values that are NaN are left out. There is no interval with under three units,
    nor with under six that have one value each; an end that no value contradicts lies at the
    bound.
    """
    values, index, n = known_units(values, units)
    if n == 0:
        return Estimate(None, None, None, 0, "no values")
    value = float(np.median(values))
    if why := too_few(n):
        return Estimate(value, None, None, n, why)
    if len(values) == n and n < LEAST_SINGLE:
        return Estimate(value, None, None, n, f"{n} values: no interval for a median")
    ends = _ends(values, index, n, bounds)
    if not (math.isfinite(ends[0]) and math.isfinite(ends[1])):
        return Estimate(value, None, None, n, f"{n} units that differ much: no interval")
    return Estimate(value, min(ends[0], value), max(ends[1], value), n)


def _ends(values: Floats, index: Index, n: int, bounds: Bounds) -> tuple[float, float]:
    """The interval's ends: a bound where no number on that side is contradicted.

    Candidates are the gaps between distinct values; gap j has the first j of them below it. An end
    is the outermost gap on its side of the middle that is not contradicted. All gaps are looked at,
    because one nearer to the middle may be contradicted all the same, where units are few.
    Where even the gaps beside the median are contradicted (most values are the same), the ends
    are turned inside out, and the median takes their place.
    """
    owner, (distinct, counts) = index[np.argsort(values)], np.unique(values, return_counts=True)
    below = np.concatenate([[0], np.cumsum(counts)])
    half = len(values) / 2
    leans, squares = below - half, _squared_leans(owner, n)[below]
    spread = np.sqrt(np.maximum(squares - leans**2 / n, 0) / (n - 1) / n)
    [allowed] = np.nonzero(np.abs(leans / n) <= quantile_95(n - 1) * spread)
    lower = int(np.searchsorted(below, half, "right")) - 1
    upper = int(np.searchsorted(below, half))
    low = next(iter(allowed[allowed <= lower]), lower + 1)
    high = next(iter(allowed[allowed >= upper][::-1]), upper - 1)
    return (
        float(distinct[low - 1]) if low else bounds[0],
        float(distinct[high]) if high < len(distinct) else bounds[1],
    )


def _squared_leans(owner: Index, n: int) -> Floats:
    """The units' leans squared and summed, with 0, 1, 2 … values below; `owner` has their units.

    A unit whose k-th value goes below leans by k + 1 − size / 2 where it leant by k − size / 2.
    """
    sizes = np.bincount(owner, minlength=n)
    by_unit = np.argsort(owner, kind="stable")
    rank = np.empty(len(owner), dtype=np.int64)
    rank[by_unit] = np.arange(len(owner)) - (np.cumsum(sizes) - sizes)[owner[by_unit]]
    growth = np.cumsum(2 * rank + 1 - sizes[owner])
    squares: Floats = (sizes**2).sum() / 4 + np.concatenate([[0], growth])
    return squares


ALIKE = 0.1
"""How alike rows of a unit are taken to be (intraclass correlation) where the data cannot tell,
because all rows are the same."""


def ratio_over_units(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    units: Names,
    *,
    draws: int = DRAWS,
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
    return score_over_units(columns, names, _ratio, draws=draws, bounds=bounds, least_half=least)


def rate_over_units(
    hits: Sequence[float] | Floats,
    units: Names,
    *,
    draws: int = DRAWS,
) -> Estimate:
    """The share of rows (games, questions) that are hits, rows grouped in units (countries).

    The clustered form of `rate`: the interval knows that the rows of a unit are alike.
    """
    return ratio_over_units(hits, np.ones(len(hits)), units, draws=draws, bounds=(0.0, 1.0))


def rates_over_units(hits: Floats, rows: Floats, *, draws: int = DRAWS) -> list[Estimate]:
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
            return _alike_ratio(value, n, len(table) if rows is None else rows, bounds, least_half)

        def ratios() -> Floats | None:
            return _ratios(totals, score, value, variance, draws)

        ends = interval(value, variance, n, bounds, ratios, least_half)
    return Estimate(value, *ends, n)


def _alike_ratio(value: float, n: int, rows: int, bounds: Bounds, least_half: float) -> Estimate:
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
    sums = resampled_sums(np.hstack([parts, parts[:, rows] * parts[:, columns]]), draws)
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
