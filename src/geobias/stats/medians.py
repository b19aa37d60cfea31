"""Medians whose uncertainty comes from the units.

The interval holds every number that the units do not contradict as the median (the inversion of a
test, as Woodruff 1952 does for clustered surveys): for a candidate, each unit counts how many of
its values lie below, less half of them; if the candidate is the median, these counts are 0 on
average, which Student's t over units tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from geobias.stats.bootstrap import known_units
from geobias.stats.intervals import UNBOUNDED, Bounds, too_few
from geobias.stats.rates import Estimate
from geobias.stats.remembering import remembered
from geobias.stats.student import quantile_95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Index: TypeAlias = NDArray[np.int64]

LEAST_SINGLE = 6
"""Of five values all lie on one side of the median one time in sixteen: no 95% interval."""


@remembered
def median_over_units(
    values: Sequence[float] | Floats,
    units: Sequence[Any] | NDArray[Any],
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
    import numpy as np

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

    Candidates are the gaps between distinct values; gap j has the first j of them below it. The
    outermost gap that is not contradicted is searched by halving, on either side of the middle.
    Where even the gaps beside the median are contradicted (most values are the same), the ends
    are turned inside out, and the median takes their place.
    """
    import numpy as np

    order = np.argsort(values, kind="stable")
    owner, (distinct, counts) = index[order], np.unique(values, return_counts=True)
    below = np.concatenate([[0], np.cumsum(counts)])
    sizes = np.bincount(owner, minlength=n)
    most = quantile_95(n - 1)

    def contradicted(gap: int) -> bool:
        leans = np.bincount(owner[: below[gap]], minlength=n) - sizes / 2
        mean = leans.mean()
        spread = math.sqrt(float(((leans - mean) ** 2).sum()) / (n - 1) / n)
        return bool(abs(mean) > most * spread)

    half = len(values) / 2
    inner = int(np.searchsorted(below, half, "right")) - 1, int(np.searchsorted(below, half))
    low = _outermost(contradicted, 0, inner[0], 1)
    high = _outermost(contradicted, len(distinct), inner[1], -1)
    return (
        float(distinct[low - 1]) if low else bounds[0],
        float(distinct[high]) if high < len(distinct) else bounds[1],
    )


def _outermost(contradicted: Callable[[int], bool], outer: int, inner: int, inward: int) -> int:
    """The gap farthest out that is not contradicted; next to `inner`, where all are."""
    if not contradicted(outer):
        return outer
    if contradicted(inner):
        return inner + inward
    while abs(inner - outer) > 1:
        middle = outer + inward * (abs(inner - outer) // 2)
        outer, inner = (middle, inner) if contradicted(middle) else (outer, middle)
    return inner
