"""Medians whose uncertainty comes from the units.

The interval holds every number that the units do not contradict as the median (the inversion of a
test, as Woodruff 1952 does for clustered surveys): for a candidate, each unit counts how many of
its values lie below, less half of them; if the candidate is the median, these counts are 0 on
average, which Student's t over units tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from geobias.stats.bootstrap import known_units
from geobias.stats.intervals import UNBOUNDED, Bounds, too_few
from geobias.stats.rates import Estimate
from geobias.stats.student import quantile_95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Index: TypeAlias = NDArray[np.int64]

LEAST_SINGLE = 6
"""Of five values all lie on one side of the median one time in sixteen: no 95% interval."""


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
    order = np.argsort(values, kind="stable")
    ranked, owner = values[order], index[order]
    low, high = _ends(ranked, owner, n, quantile_95(n - 1))
    ends = (
        bounds[0] if low < 0 else float(ranked[low]),
        bounds[1] if high >= len(ranked) else float(ranked[high]),
    )
    if not (math.isfinite(ends[0]) and math.isfinite(ends[1])):
        return Estimate(value, None, None, n, f"{n} units that differ much: no interval")
    return Estimate(value, min(ends[0], value), max(ends[1], value), n)


def _ends(ranked: Floats, owner: Index, n: int, most: float) -> tuple[int, int]:
    """Places of the smallest and the largest value that may be the median; −1 or len: none is
    contradicted on that side.

    "Below a candidate" are the first i values; i is searched by halving, from either end.
    """
    import numpy as np

    sizes = np.bincount(owner, minlength=n)
    rows = len(ranked)

    def contradicted(below: int) -> bool:
        counts = np.bincount(owner[:below], minlength=n) - sizes / 2
        mean = counts.mean()
        spread = math.sqrt(float(((counts - mean) ** 2).sum()) / (n - 1) / n)
        return bool(abs(mean) > most * spread)

    low, high = 0, rows // 2  # so many below: `low` is contradicted, `high` taken to be fine
    if not contradicted(low):
        return -1, _upper(contradicted, rows)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if contradicted(middle) else (low, middle)
    return high - 1, _upper(contradicted, rows)


def _upper(contradicted: Any, rows: int) -> int:
    low, high = (rows + 1) // 2, rows
    if not contradicted(high):
        return rows
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if contradicted(middle) else (middle, high)
    return low
