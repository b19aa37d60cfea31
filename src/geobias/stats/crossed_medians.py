"""A median over two kinds of units at once: every model is asked about every country.

Both kinds are drawn again, each by itself, and a value counts as often as its model and its country
were drawn together (the pigeonhole bootstrap, Owen 2007). It is somewhat too wide where values of
one model and one country vary much, and never too narrow for that reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from geobias.stats.arrays import Floats, Names
from geobias.stats.intervals import UNBOUNDED, Bounds, around, too_few
from geobias.stats.rates import Estimate
from geobias.stats.student import quantile_95

DRAWS = 1000
CELLS = 1_000_000
"""Of the weights that are held at once."""


def crossed_median(
    values: Sequence[float] | Floats, *sides: Names, bounds: Bounds = UNBOUNDED
) -> Estimate:
    """The median of all values, with the interval over all kinds of units.

    The interval is Student's around the median, with the bootstrap's standard error and one degree
    of freedom less than there are units of the kind that has fewest (`n`): quantiles of the draws
    are too narrow for three or ten models. Under three units there is no interval. NaN is left out.
    """
    y = np.asarray(values, dtype=float)
    known = np.isfinite(y)
    y = y[known]
    if not len(y):
        return Estimate(None, None, None, 0, "no values")
    order = np.argsort(y, kind="stable")
    y = y[order]
    numbered = [
        np.unique(np.asarray(side)[known], return_inverse=True)[1].ravel()[order] for side in sides
    ]
    counts = [int(index.max()) + 1 for index in numbered]
    n, value = min(counts), float(np.median(y))
    if why := too_few(n):
        return Estimate(value, None, None, n, why)
    dice = np.random.default_rng(0)
    middles: list[float] = []
    at_once = max(1, min(DRAWS, CELLS // len(y)))
    while len(middles) < DRAWS:
        weights = np.ones((at_once, len(y)), dtype=np.int32)
        for index, count in zip(numbered, counts, strict=True):
            drawn = dice.multinomial(count, np.full(count, 1 / count), at_once)
            weights *= drawn[:, index].astype(np.int32)
        below = np.cumsum(weights, axis=1)
        whole = below[:, -1:]
        at = (2 * below >= whole).argmax(axis=1)
        middles += y[at[whole[:, 0] > 0]].tolist()
    half = quantile_95(n - 1) * float(np.std(middles)) * math.sqrt(n / (n - 1))
    return Estimate(value, *around(value, half, bounds), n)
