"""Means, shares, ratios and medians whose uncertainty comes from units, not from single values.

Several values of one unit (the eleven figures of one country) are alike, and intervals that treat
such values as independent are too narrow. Here units vary, and `n` of an estimate counts them.

All functions leave out NaN. Without values the estimate is undefined. Fewer than three units give a
value without an interval, and `reason` says so. `bounds` is the range of a value. If all units are
equal, their spread of 0 would suggest certainty. A bounded number then gets the interval of
`estimates.unvaried`, and an unbounded number gets none.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from geobias.stats.arrays import ROUNDING, Floats, Index, Names, Numbers
from geobias.stats.estimates import (
    UNBOUNDED,
    Z_95,
    Bounds,
    Estimate,
    around,
    gaffke,
    quantile_95,
    student,
    too_few,
    undefined,
    unvaried,
    wilson,
)

ENOUGH_FOR_GAFFKE = 20
"""From this number of units on, Gaffke's interval is narrow enough to be useful."""
ALIKE = 0.1
"""Assumed intraclass correlation of a unit's rows if all rows are the same."""


def known_units(values: Any, units: Any) -> tuple[Floats, Index, int]:
    """Return the values without NaN, the index of the unit of each, and the number of units."""
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
    means: Floats = np.bincount(index, values, n) / np.bincount(index, minlength=n)
    return means


# Means ------------------------------------------------------------------------------------------


def mean_over_units(values: Numbers, units: Names, *, bounds: Bounds = UNBOUNDED) -> Estimate:
    """Return the mean of the units' means, in which every unit has the same weight.

    Assumes that units are drawn independently from the population of interest.
    """
    numbers, index, n = known_units(values, units)
    means = unit_means(numbers, index, n) if n else numbers
    return mean_test(means, bounds=bounds)


def single_values_mean(values: Numbers, *, bounds: Bounds) -> Estimate:
    """Return the mean of one value for each unit, if some values may lie far off.

    The interval is Gaffke's for at least `ENOUGH_FOR_GAFFKE` units, and Student's for fewer.
    """
    means = np.asarray(values, dtype=float)
    means = means[~np.isnan(means)]
    if len(means) < ENOUGH_FOR_GAFFKE:
        return mean_test(means, bounds=bounds)
    return Estimate(float(means.mean()), *gaffke(means, bounds), len(means))


def mean_test(means: Floats, *, bounds: Bounds = UNBOUNDED) -> Estimate:
    """Return the mean of `means`, one for each unit, with its interval and two-sided p-value.

    The p-value tests a mean of 0. It is None if 0 lies at or outside a bound.
    """
    means = means[~np.isnan(means)]
    n = len(means)
    if n == 0:
        return undefined(0, "no values")
    value = float(means.mean())
    if why := too_few(n):
        return undefined(n, why, value)
    error = float(means.std(ddof=1)) / math.sqrt(n)
    if error <= ROUNDING * max(1.0, abs(value)):
        return unvaried(value, n, bounds)
    return student(value, error, n - 1, n, bounds)


# Shares and ratios ------------------------------------------------------------------------------


def share_over_units(shares: Numbers, counts: Numbers) -> Estimate:
    """Return the mean of the units' shares. `counts` has the number of trials behind each share."""
    known, trials = np.asarray(shares, dtype=float), np.asarray(counts, dtype=float)
    n = len(known)
    if too_few(n):
        return mean_test(known)
    variance = _beyond_rounding(float(known.var(ddof=1)) / n)
    return _wilson(float(known.mean()), variance, n**2 / float((1 / trials).sum()), n)


def _wilson(value: float, variance: float, most: float, n: int) -> Estimate:
    """Return a share with Wilson's interval, for the effective number of trials.

    That is the number of independent trials with the same variance (Korn and Graubard 1998), at
    most `most`. t has n − 1 degrees of freedom.
    """
    effective = min(most, value * (1 - value) / variance) if variance > 0 else most
    return Estimate(value, *wilson(value, effective, quantile_95(n - 1)), n)


def rate_over_units(hits: Numbers, units: Names) -> Estimate:
    """Return the share of rows (games, questions) that are hits, with rows grouped in units."""
    numbers, index, n = known_units(hits, units)
    if n == 0:
        return undefined(0, "nothing to divide by")
    value = float(numbers.sum()) / len(numbers)
    if why := too_few(n):
        return undefined(n, why, value)
    sides = (np.bincount(index, side, n).astype(float) for side in (numbers, np.ones(len(numbers))))
    variance = _jackknifed(*sides)
    # If no unit differs, rows of a unit count as somewhat alike.
    most = len(numbers) if variance else len(numbers) / (1 + ALIKE * (len(numbers) / n - 1))
    return _wilson(value, variance, most, n)


def ratio_over_units(
    numerators: Numbers, denominators: Numbers, units: Names, *, bounds: Bounds = UNBOUNDED
) -> Estimate:
    """Return the sum of `numerators` divided by that of `denominators`, with rows grouped in units.

    Units weigh by their denominators. Rows with denominator 0 are left out, and so are units with
    only such rows. The standard error is the jackknife's over units (Efron and Stein 1981). The
    interval is never narrower than that of as many independent rows.
    """
    over, under = (np.asarray(side, dtype=float) for side in (numerators, denominators))
    telling = under != 0
    over, under = over[telling], under[telling]
    names, index = np.unique(np.asarray(units)[telling], return_inverse=True)
    n, rows, total = len(names), len(over), float(under.sum())
    if n == 0 or total == 0:
        return undefined(n, "nothing to divide by")
    value = float(over.sum()) / total
    if why := too_few(n):
        return undefined(n, why, value)
    totals = (np.bincount(index.ravel(), side, n).astype(float) for side in (over, under))
    variance = _jackknifed(*totals)
    if not math.isfinite(variance):
        return undefined(n, "rests on one unit: no interval", value)
    left = over - value * under
    by_row = math.sqrt(float(left @ left)) / abs(total)
    half = max(quantile_95(n - 1) * math.sqrt(variance), Z_95 * by_row)
    if half <= ROUNDING * max(1.0, abs(value)):
        return unvaried(value, rows / (1 + ALIKE * (rows / n - 1)), bounds, n)
    return Estimate(value, *around(value, half, bounds), n)


def _jackknifed(over: Floats, under: Floats) -> float:
    """Return the jackknife variance of a ratio of totals over units.

    It is infinite if the ratio rests on one unit.
    """
    n = len(over)
    with np.errstate(all="ignore"):
        left_out = (over.sum() - over) / (under.sum() - under)
    if not np.isfinite(left_out).all():
        return math.inf
    return _beyond_rounding((n - 1) ** 2 / n * float(left_out.var(ddof=1)))


def _beyond_rounding(variance: float) -> float:
    return variance if variance > ROUNDING**2 else 0.0


# Medians ----------------------------------------------------------------------------------------

LEAST_SINGLE = 6
"""Minimum units with one value each. Five values lie on one side of the median one time in sixteen,
so five units give no 95% interval.
"""


def median_over_units(values: Numbers, units: Names, *, bounds: Bounds = UNBOUNDED) -> Estimate:
    """Return the median of all values, with an interval over units (Woodruff 1952).

    The median of an even number of values is the mean of the two middle ones. Units with more
    values weigh more, unlike in `mean_over_units`, since a median of unit means would hide the
    outliers that a median is meant to show. NaN is left out. There is no interval for fewer than
    three units, or for fewer than six with one value each. If the test rejects no value on one
    side, the interval ends at the bound there.
    """
    values, index, n = known_units(values, units)
    if n == 0:
        return undefined(0, "no values")
    value = float(np.median(values))
    if why := too_few(n):
        return undefined(n, why, value)
    if len(values) == n and n < LEAST_SINGLE:
        return undefined(n, f"{n} values: no interval for a median", value)
    ends = _ends(values, index, n, bounds)
    if not (math.isfinite(ends[0]) and math.isfinite(ends[1])):
        return undefined(n, f"{n} units that differ much: no interval", value)
    return Estimate(value, min(ends[0], value), max(ends[1], value), n)


def _ends(values: Floats, index: Index, n: int, bounds: Bounds) -> tuple[float, float]:
    """Return the ends of the interval. An end is a bound if no number on its side is rejected.

    Candidates for the ends are the gaps between distinct values. Gap j has j distinct values below
    it. A unit's lean at a gap is the number of its values below the gap, minus half the number of
    all its values. A gap is rejected if the leans of all units show that it lies on one side of the
    median. Each end is the outermost gap on its side that is not rejected. All gaps are tested,
    since with few units a gap nearer to the middle may be rejected too. If most values are equal,
    even the gaps next to the median may be rejected. The median then replaces both ends.
    """
    distinct, counts = np.unique(values, return_counts=True)
    below = np.concatenate([[0], np.cumsum(counts)])
    half = len(values) / 2
    squares = np.zeros(len(below))
    for unit in np.split(values[np.argsort(index, kind="stable")], np.cumsum(np.bincount(index))):
        lower_half = np.searchsorted(np.sort(unit), distinct)
        squares += (np.append(lower_half, len(unit)) - len(unit) / 2) ** 2
    leans = below - half
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
