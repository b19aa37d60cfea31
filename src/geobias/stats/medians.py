"""Medians whose uncertainty comes from the units.

The interval holds every number that the units do not contradict as the median (the inversion of a
test, as Woodruff 1952 does for clustered surveys): for a candidate, each unit counts how many of
its values lie below, less half of them; if the candidate is the median, these counts are 0 on
average, which Student's t over units tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from geobias.stats.arrays import Floats, Index, Names
from geobias.stats.bootstrap import known_units
from geobias.stats.intervals import UNBOUNDED, Bounds, too_few
from geobias.stats.rates import Estimate
from geobias.stats.remembering import remembered
from geobias.stats.student import quantile_95

LEAST_SINGLE = 6
"""Of five values all lie on one side of the median one time in sixteen: no 95% interval."""


@remembered
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
