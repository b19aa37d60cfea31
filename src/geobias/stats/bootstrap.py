"""Means whose uncertainty comes from the units, not from the single values.

Several values of one unit (the eleven figures of one country) are alike, and counting them as
independent makes intervals too narrow. Here whole units are resampled (the cluster bootstrap:
Davison and Hinkley 1997, section 3.8); `intervals` says how the interval is made of it.

In all functions here: values that are NaN are left out; no values give an undefined estimate;
under three units give a value without an interval, and `reason` says so. `n` of an estimate counts
units. `bounds` is the range that a value can take. Where no unit differs from another, resampling
would claim certainty: a bounded mean then gets the interval that allows for the share of unlike
units that Wilson's interval allows after n without one, each as unlike as the bounds permit; an
unbounded one gets none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from geobias.stats.arrays import Floats, Index, Names
from geobias.stats.bounded import unseen_caution
from geobias.stats.intervals import (
    DRAWS,
    ENOUGH_FOR_BOOTSTRAP,
    UNBOUNDED,
    Bounds,
    interval,
    p_value,
    resampled,
    resampled_sums,
    studentised,
    too_few,
)
from geobias.stats.rates import Estimate, unvaried, unvaried_p
from geobias.stats.remembering import remembered

MUCH_SKEW = 1.25
"""Skewness that eight units of a normal distribution reach one time in twenty."""

__all__ = ["DRAWS", "mean_over_units", "mean_test", "nested_mean", "resampled"]


def mean_over_units(
    values: Sequence[float] | Floats,
    units: Names,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: Bounds = UNBOUNDED,
) -> Estimate:
    """The mean over units of each unit's own mean, so that every unit weighs the same.

    Assumes that units are drawn independently from the population one speaks about.
    """
    values, index, n = known_units(values, units)
    if n == 0:
        return Estimate(None, None, None, 0, "no values")
    means = unit_means(values, index, n)
    return mean_test(means, draws=draws, seed=seed, bounds=bounds)[0]


def nested_mean(
    values: Sequence[float] | Floats,
    outer: Names,
    inner: Names,
    *,
    fixed: bool = False,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: Bounds = UNBOUNDED,
) -> Estimate:
    """Rows (games) in inner units (entities) in outer ones (countries): the mean over countries of
    the mean over their entities of the entity's mean.

    `fixed` False speaks of countries like these: countries are resampled with all that is in them,
    since drawing entities anew within each drawn country would count their luck twice (Davison
    and Hinkley, section 3.8). `fixed` True speaks of these very countries and of other entities of
    theirs: entities are what varies, within each country by itself; a country with one entity
    takes the variance of the others. `n` counts outer units, or inner ones where the outer are
    fixed. An inner name that stands in two outer units is two units.
    """
    numbers, countries, n = known_units(values, outer)
    if n == 0:
        return Estimate(None, None, None, 0, "no values")
    known = ~np.isnan(np.asarray(values, dtype=float))
    found, names = np.unique(np.asarray(inner)[known], return_inverse=True)
    pairs, index = np.unique(countries * len(found) + names.ravel(), return_inverse=True)
    entities = unit_means(numbers, index.ravel(), len(pairs))
    owner = pairs // len(found)
    means = unit_means(entities, owner, n)
    if not fixed:
        return mean_test(means, draws=draws, seed=seed, bounds=bounds)[0]
    value, count = float(means.mean()), len(pairs)
    sizes = np.bincount(owner, minlength=n)
    squares = np.bincount(owner, (entities - means[owner]) ** 2, n)
    freedom = count - n
    if freedom < 2:
        return Estimate(value, None, None, count, "too few entities within countries: no interval")
    if squares.sum() == 0:
        return _alike(value, count, bounds)
    own = sizes > 1
    variances = np.where(own, squares / np.maximum(sizes - 1, 1), squares.sum() / freedom)
    parts = variances / sizes / n**2
    # Welch and Satterthwaite: countries with few entities know their own variance badly.
    trust = np.where(own, sizes - 1, freedom)
    df = max(1, int(parts.sum() ** 2 / (parts**2 / trust).sum()))
    return Estimate(
        value, *interval(value, float(parts.sum()), df + 1, bounds, lambda: None), count
    )


@remembered
def mean_test(
    means: Floats,
    null: float = 0.0,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: Bounds = UNBOUNDED,
) -> tuple[Estimate, float | None]:
    """The mean of one number for each unit with its interval, and the two-sided p-value that
    belongs to it: under 0.05 just where the interval leaves out `null`.

    A unit whose number is NaN is left out. p is None where there is no interval, or where `null`
    lies at a bound.
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
        return _alike(value, n, bounds), unvaried_p(value, n, bounds, null)
    scaled = np.column_stack([distances, distances**2]) / [variance**0.5, variance]

    @cache
    def ratios() -> Floats | None:
        sums = resampled_sums(scaled, draws, seed)
        moved = sums[:, 0] / n
        return studentised(moved, (sums[:, 1] / n - moved**2) / (n - 1), 1.0)

    low, high = interval(value, variance, n, bounds, ratios)
    if math.isfinite(bounds[1] - bounds[0]):
        caution = unseen_caution(means, low, high, bounds)
    else:
        caution = _skew_caution(distances)
    found = Estimate(value, low, high, n, caution=caution)
    if not bounds[0] < null < bounds[1]:
        return found, None  # the mean cannot be on both sides of it
    return found, p_value(value, variance, n, bounds, ratios, null)


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
