"""Means and medians whose uncertainty comes from the units, not from the single values.

Several values of one unit (the eleven figures of one country) are alike, and counting them as
independent makes intervals too narrow. Here whole units are resampled with replacement (the
cluster bootstrap: Davison and Hinkley 1997, section 3.8).

The interval is the estimate ± t · SE, with the bootstrap's standard error SE, corrected by
√(n/(n−1)) because resampling n units understates their spread, and Student's t for n−1 degrees of
freedom. With three units, as in a region of three countries, a percentile interval covers 75% of
the time where it promises 95; this one covers 95 (`tests/stats/test_bootstrap.py`).

In all functions here: values that are NaN are left out; no values give an undefined estimate; a
single unit gives a value without an interval, since one unit says nothing about the others. `n`
of an estimate counts units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from geobias.stats.rates import Estimate
from geobias.stats.student import quantile_95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

DRAWS = 1000
"""A standard error from so many draws is itself right to about 2%."""
_CELLS = 2_000_000
"""Cells of a table of resampled values held in memory at once: 16 MB."""


def mean_over_units(
    values: Sequence[float] | Floats,
    units: Sequence[Any] | NDArray[Any],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """The mean over units of each unit's own mean, so that every unit weighs the same.

    `bounds` is the range the quantity can take; the interval is cut there. Assumes that units are
    drawn independently from the population one speaks about.
    """
    import numpy as np

    values, index, n = _clean(values, units)
    if n == 0:
        return Estimate(None, None, None, 0)
    means = np.bincount(index, values, n) / np.bincount(index, minlength=n)
    value = float(means.mean())
    return _estimate(
        value, n, bounds, lambda: _in_blocks(n, n, draws, seed, lambda c: c @ means / n)
    )


def nested_mean(
    values: Sequence[float] | Floats,
    outer: Sequence[Any] | NDArray[Any],
    inner: Sequence[Any] | NDArray[Any],
    *,
    fixed: bool = False,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """Rows (games) in inner units (entities) in outer ones (countries): the mean over countries
    of the mean over their entities of the entity's mean.

    `fixed` False speaks of countries like these, True of these very countries and other entities
    of theirs. `n` counts outer units, or inner ones where the outer are fixed.
    """
    raise NotImplementedError


def median_over_units(
    values: Sequence[float] | Floats,
    units: Sequence[Any] | NDArray[Any],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """The median of all values together, with the interval that resampling units gives.

    An even count has the mean of its two middle values as median. Units with more values weigh
    more, unlike in `mean_over_units`: a median of unit means would hide the outliers that a median
    is asked for.
    """
    import numpy as np

    values, index, n = _clean(values, units)
    if n == 0:
        return Estimate(None, None, None, 0)
    order = np.argsort(values, kind="stable")
    find = _Sorted(values[order], index[order], n)

    def medians(counts: Counts) -> Floats:
        upto = find.upto(counts)
        total = upto[:, -1]
        lower, upper = (find.at(counts, upto, (total - odd) // 2) for odd in (1, 0))
        middle: Floats = (lower + upper) / 2
        return middle

    value = float(np.median(values))
    return _estimate(value, n, bounds, lambda: _in_blocks(n, find.width, draws, seed, medians))


class _Sorted:
    """Sorted values with their units, cut into about √N blocks of about √N values.

    Which value stands at a place of a resample is then found in two short steps, first the block
    and then the value in it, instead of adding up all N counts for each draw.
    """

    def __init__(self, ranked: Floats, owner: Counts, n: int) -> None:
        import numpy as np

        self.width = math.isqrt(len(ranked)) + 1
        blocks = -(-len(ranked) // self.width)
        spare = blocks * self.width - len(ranked)
        # The last block is filled up with values of a unit that is never drawn.
        self._ranked = np.concatenate([ranked, np.full(spare, np.nan)])
        self._owner = np.concatenate([owner, np.full(spare, n)])
        block = np.arange(len(owner)) // self.width
        held = np.bincount(owner * blocks + block, minlength=n * blocks).reshape(n, blocks)
        # Up to each block's end; as floats, because numpy multiplies those many times faster.
        self._upto = np.cumsum(held, axis=1).astype(float)

    def upto(self, counts: Counts) -> Floats:
        """For each row of counts, how many values of its resample come up to each block's end."""
        upto: Floats = counts.astype(float) @ self._upto
        return upto

    def at(self, counts: Counts, upto: Floats, place: Floats) -> Floats:
        """For each row of counts, the value at `place` (from 0) of its resample."""
        import numpy as np

        block = (upto <= place[:, None]).sum(axis=1)
        rows = np.arange(len(counts))
        before = np.where(block > 0, upto[rows, block - 1], 0)
        spots = block[:, None] * self.width + np.arange(self.width)
        padded = np.pad(counts, ((0, 0), (0, 1)))
        flat = padded.ravel().take(self._owner[spots] + rows[:, None] * padded.shape[1])
        inside = np.cumsum(flat, axis=1) + before[:, None]
        found: Floats = self._ranked[block * self.width + (inside <= place[:, None]).sum(axis=1)]
        return found


def resampled(n: int, draws: int, seed: int = 0) -> Iterable[Counts]:
    """How often each of `n` units is drawn when n are drawn with replacement; `draws` rows.

    Rows come in blocks, so that many draws of many units stay small in memory.
    """
    yield from _blocks(n, n, draws, seed)


def _blocks(n: int, width: int, draws: int, seed: int) -> Iterable[Counts]:
    import numpy as np

    dice = np.random.default_rng(seed)
    block = max(1, min(draws, _CELLS // max(1, width, n)))
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        drawn = dice.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)


def _in_blocks(
    n: int, width: int, draws: int, seed: int, statistic: Callable[[Counts], Floats]
) -> Floats:
    import numpy as np

    return np.concatenate([statistic(counts) for counts in _blocks(n, width, draws, seed)])


def _clean(values: Any, units: Any) -> tuple[Floats, Counts, int]:
    """The values that are numbers, the number of each one's unit, and how many units there are."""
    import numpy as np

    numbers = np.asarray(values, dtype=float)
    names = np.asarray(units)
    if numbers.shape != names.shape or numbers.ndim != 1:
        raise ValueError(f"{numbers.shape} values for {names.shape} units")
    if np.isinf(numbers).any():
        raise ValueError("an infinite value has no mean")
    known = ~np.isnan(numbers)
    found, index = np.unique(names[known], return_inverse=True)
    return numbers[known], index.astype(np.int64), len(found)


def _estimate(
    value: float, n: int, bounds: tuple[float, float], draw: Callable[[], Floats]
) -> Estimate:
    if n == 1:
        return Estimate(value, None, None, 1)
    half = quantile_95(n - 1) * math.sqrt(n / (n - 1)) * float(draw().std())
    return Estimate(value, max(bounds[0], value - half), min(bounds[1], value + half), n)
