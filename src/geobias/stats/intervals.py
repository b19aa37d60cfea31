"""How an interval is laid around a number that rests on n units.

Two ways are used together, because each holds where the other fails (`docs/statistics.md` has the
proof).

Student's t on a scale that suits the number: estimate ± t · SE with n − 1 degrees of freedom, on
the logit scale where the number lies between two bounds, on the log scale where it is above one,
and else on its own. It holds with three units, and near a bound.

The bootstrap-t (Efron 1979; Davison and Hinkley 1997, section 5.2): units are resampled, and in
each resample the distance from the estimate is divided by the resample's own standard error. The
quantiles of these ratios take the place of Student's, so that the interval leans to the side to
which the units are skewed. It needs about ten units.

From `ENOUGH_FOR_BOOTSTRAP` units on each end of the interval is the outer one of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.student import quantile_95, two_sided_p

Counts: TypeAlias = NDArray[np.integer[Any]]

Bounds: TypeAlias = tuple[float, float]

UNBOUNDED: Bounds = (-math.inf, math.inf)
DRAWS = 10_000
LEAST_UNITS = 3
"""With two units Student's t is 12.7: an interval that says nothing, so none is given."""
ENOUGH_FOR_BOOTSTRAP = 10
FLAT = 0.02
"""Share of the units' own variance under which a resample has no spread to speak of."""
_MOST_FLAT = 0.005
"""Share of such resamples above which the bootstrap-t says nothing. Where one unit differs and all
others are alike, every third resample lacks it and would divide by nearly nothing."""
_CELLS = 2_000_000
"""Cells of a table of resampled counts held in memory at once."""
_KEPT = 2_500_000
"""Tables of counts up to this size (a byte a cell) are kept: one table of results after another
resamples the same number of countries, and drawing is most of the work."""


def too_few(n: int) -> str:
    """Why `n` units have no interval; "" where they may have one."""
    if n >= LEAST_UNITS:
        return ""
    return "one unit: no interval" if n == 1 else f"{n} units: no interval"


def around(value: float, half: float, bounds: Bounds) -> tuple[float, float]:
    """The interval value ± half, laid out on the scale that the bounds ask for.

    At a bound itself, where the scale ends, it is laid out plainly and cut.
    """
    low, high = bounds
    if not low <= value <= high:
        raise ValueError(f"{value} lies outside its bounds {bounds}")
    if low < value < high and math.isfinite(low) and math.isfinite(high):
        share = (value - low) / (high - low)
        step = half / ((high - low) * share * (1 - share))
        centre = math.log(share / (1 - share))
        ends = (_expit(centre - step), _expit(centre + step))
        return low + (high - low) * ends[0], low + (high - low) * ends[1]
    if low < value and math.isfinite(low) and not math.isfinite(high):
        step = min(half / (value - low), 700.0)
        return low + (value - low) * math.exp(-step), low + (value - low) * math.exp(step)
    return max(low, value - half), min(high, value + half)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def interval(
    value: float,
    variance: float,
    n: int,
    bounds: Bounds,
    ratios: Callable[[], Floats | None],
    least_half: float = 0.0,
) -> tuple[float, float]:
    """The 95% interval of a number with this variance over `n` units.

    `ratios` gives the bootstrap-t's ratios, or None where they say nothing; it is only called
    with enough units. `least_half` is a half-width that Student's interval does not go below.
    """
    se = math.sqrt(variance)
    low, high = around(value, max(quantile_95(n - 1) * se, least_half), bounds)
    if n < ENOUGH_FOR_BOOTSTRAP:
        return low, high
    found = ratios()
    if found is None:
        return low, high
    least, most = _middle_95(found)
    return min(low, max(bounds[0], value - most * se)), max(
        high, min(bounds[1], value - least * se)
    )


def p_value(
    value: float,
    variance: float,
    n: int,
    bounds: Bounds,
    ratios: Callable[[], Floats | None],
    null: float = 0.0,
) -> float:
    """The two-sided p-value that belongs to `interval`: one minus the level of the interval that
    just reaches `null`. Of the two ways to lay it, the larger p, as it is the outer one's."""
    se = math.sqrt(variance)
    p = two_sided_p(_steps(value, se, bounds, null), n - 1)
    found = ratios() if n >= ENOUGH_FOR_BOOTSTRAP else None
    if found is None:
        return p
    own = (value - null) / se
    beyond = int((found >= own).sum() if own > 0 else (found <= own).sum())
    return min(1.0, max(p, 2 * (1 + beyond) / (1 + len(found))))


def _steps(value: float, se: float, bounds: Bounds, null: float) -> float:
    """How many standard errors `null` is away, on the scale that `around` lays an interval on."""
    low, high = bounds
    if low < value < high and math.isfinite(low) and math.isfinite(high):
        share, aim = ((one - low) / (high - low) for one in (value, null))
        apart = math.log(share / (1 - share)) - math.log(aim / (1 - aim))
        return abs(apart) * (high - low) * share * (1 - share) / se
    if low < value and math.isfinite(low) and not math.isfinite(high):
        return abs(math.log((value - low) / (null - low))) * (value - low) / se
    return abs(value - null) / se


def _middle_95(ratios: Floats) -> tuple[float, float]:
    # As many lie beyond as `p_value` still calls under 0.05, the number itself counted.
    low = max(0, math.ceil(0.025 * (1 + len(ratios))) - 2)
    places = (low, len(ratios) - 1 - low)
    ordered = np.partition(ratios, places)
    return float(ordered[places[0]]), float(ordered[places[1]])


def studentised(distances: Floats, variances: Floats, own: float) -> Floats | None:
    """Distances over standard errors; None where too many resamples have no spread or no value.

    `own` is the variance of the estimate itself, which those of the resamples are like.
    """
    known = np.isfinite(distances) & np.isfinite(variances)
    if (~known | (variances < FLAT * own)).mean() > _MOST_FLAT:
        return None
    spread = known & (variances > 1e-6 * own)
    ratios: Floats = distances[spread] / np.sqrt(variances[spread])
    return ratios


def resampled(n: int, draws: int, seed: int = 0) -> Iterator[Counts]:
    """How often each of `n` units is drawn when n are drawn with replacement; `draws` rows.

    Rows come in blocks, so that many draws of many units stay small in memory.
    """
    if n * draws <= _KEPT:
        yield _kept(n, draws, seed)
    else:
        yield from _blocks(n, draws, seed)


@lru_cache(maxsize=32)
def _kept(n: int, draws: int, seed: int) -> Counts:
    table = np.concatenate([*_blocks(n, draws, seed)])
    table.flags.writeable = False
    return table


def _blocks(n: int, draws: int, seed: int) -> Iterator[Counts]:
    dice = np.random.default_rng((seed, n))
    block = max(1, min(draws, _CELLS // max(1, n)))
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        drawn = dice.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=rows * n)
        # That one unit is drawn 128 times would take longer than the universe has lasted.
        yield counts.reshape(rows, n).astype(np.int8)


def resampled_sums(columns: Floats, draws: int, seed: int) -> Floats:
    """Sums of columns (one row for each unit) over each resample: draws × columns.

    In single precision, which is plenty for columns of about the same size around 0 or 1 and
    twice as fast.
    """
    small = np.ascontiguousarray(columns, dtype=np.float32)
    parts = [counts.astype(np.float32) @ small for counts in resampled(len(columns), draws, seed)]
    return np.concatenate(parts).astype(float)
