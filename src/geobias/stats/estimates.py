"""Estimates: a number, its 95% interval and its n, and how the interval is made.

A share of independent trials has Wilson's interval (`rate`). Student's t distribution is written
out for whole degrees of freedom, which is all that most tables need: importing a statistics library
for one quantile would cost each of them half a second. Satterthwaite's degrees of freedom are not
whole; those are scipy's.

Around a number that rests on n units the interval is laid in two ways. Both are used together,
because each holds where the other fails (`docs/statistics.md` has the proof).

Student's t on a scale that suits the number: estimate ± t · SE with n − 1 degrees of freedom, on
the logit scale where the number lies between two bounds, on the log scale where it is above one,
and else on its own. It holds with three units, and near a bound.

The bootstrap-t (Efron 1979; Davison and Hinkley 1997, section 5.2): units are resampled, and in
each resample the distance from the estimate is divided by the resample's own standard error. The
quantiles of these ratios take the place of Student's, so that the interval leans to the side to
which the units are skewed. It needs about ten units.

From `ENOUGH_FOR_BOOTSTRAP` units on each end of the interval is the outer one of the two.

`any_values_interval` holds for a bounded mean whatever the values are. If one unit in ten is
extreme, a sample of eight misses it 43% of the time, and no interval made of the eight's spread can
allow for it. This one does: one more unit at the bound is always possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, TypeAlias

import msgspec
import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each
from numpy.typing import NDArray

from geobias.stats.arrays import Floats

Z_95 = 1.959963984540054


class Estimate(msgspec.Struct, frozen=True):
    """A number with its 95% interval and the count it rests on. Undefined is None, never 0.

    Where nothing can be said, or nothing about the uncertainty (one unit alone), the value or
    `low` and `high` are None and `reason` says why in a few words. `caution` says why an interval
    that is given may be too narrow.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str = ""
    caution: str = ""

    @property
    def note(self) -> str:
        """Why there is no number or no interval, or why it may be too narrow; "" if nothing is."""
        return self.reason or self.caution

    def columns(self, name: str) -> dict[str, float | None]:
        """The value and its interval as three columns of a table."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}

    def __str__(self) -> str:
        why = f"; {self.note}" if self.note else ""
        if self.value is None:
            return f"undefined (n = {self.n}{why})"
        if self.low is None or self.high is None:
            return f"{self.value:.2f} (n = {self.n}{why})"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}] (n = {self.n}{why})"


def rate(hits: float, n: int) -> Estimate:
    """The share of hits with Wilson's score interval (Wilson 1927), which keeps its coverage
    near 0 and 1 and in small samples. Undefined for n = 0.

    Assumes independent trials; where trials come in clusters (several of one country), the
    interval is too narrow: `rate_over_units` is for those.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} hits of {n}")
    if n == 0:
        return Estimate(None, None, None, 0, "no trials")
    return Estimate(hits / n, *wilson(hits / n, n), n)


def wilson(share: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """Wilson's interval of a share of `n` independent trials."""
    spread = z**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    # At 0 and 1 rounding may leave the bound a hair inside the estimate.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def unvaried(
    value: float, n: float, bounds: tuple[float, float]
) -> tuple[float, float] | tuple[None, None]:
    """The interval of a mean whose `n` parts were all alike, which is no proof that all are.

    Allows for the share of unlike parts that Wilson's interval allows after n without one, each
    as unlike as the bounds permit. None without two bounds.
    """
    if not all(map(math.isfinite, bounds)):
        return None, None
    unseen = Z_95**2 / (n + Z_95**2)
    return value + unseen * (bounds[0] - value), value + unseen * (bounds[1] - value)


def unvaried_p(value: float, n: float, bounds: tuple[float, float]) -> float | None:
    """The two-sided p-value of 0 that belongs to `unvaried`; None without two bounds."""
    if not all(map(math.isfinite, bounds)):
        return None
    if value == 0:
        return 1.0
    bound = bounds[0] if value > 0 else bounds[1]
    # The share of unlike parts that would bring the mean to 0, and the z that allows it.
    unseen = value / (value - bound)
    z = math.sqrt(n * unseen / (1 - unseen)) if unseen < 1 else math.inf
    return math.erfc(z / math.sqrt(2))


def within(t: float, df: int) -> float:
    """The probability that a t variable with `df` degrees of freedom lies between −t and t.

    Abramowitz and Stegun (1964), 26.7.3 and 26.7.4: finite sums, exact for whole `df` >= 1.
    """
    if df < 1:
        raise ValueError(f"{df} degrees of freedom")
    theta = math.atan(abs(t) / math.sqrt(df))
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = df % 2 == 1
    term = cosine if odd else 1.0
    total = term if df > 1 else 0.0
    for k in range(3 if odd else 2, df - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (theta + sine * total) if odd else sine * total


def two_sided_p(t: float, df: float) -> float:
    """The probability of a value at least as far from 0 as `t`, to within 1e-15."""
    if _written_out(df):
        return max(0.0, 1 - within(t, int(df)))
    return float(2 * scipy.special.stdtr(df, -abs(t)))


@cache
def quantile_95(df: float) -> float:
    """The t between whose negative and itself 95% lies: 12.706 for df = 1, towards 1.960."""
    if not _written_out(df):
        return float(scipy.special.stdtrit(df, 0.975))
    low, high = 1.9, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, int(df)) < 0.95 else (low, middle)
    return high


def _written_out(df: float) -> bool:
    """Whole, and few enough to add up one by one."""
    return df == int(df) and df <= 1000


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
) -> float:
    """The two-sided p-value of 0 that belongs to `interval`: one minus the level of the interval
    that just reaches 0. Of the two ways to lay it, the larger p, as it is the outer one's."""
    se = math.sqrt(variance)
    p = two_sided_p(pivot(value, 0.0, se, bounds), n - 1)
    found = ratios() if n >= ENOUGH_FOR_BOOTSTRAP else None
    if found is None:
        return p
    own = value / se
    beyond = int((found >= own).sum() if own > 0 else (found <= own).sum())
    return min(1.0, max(p, 2 * (1 + beyond) / (1 + len(found))))


def pivot(value: float, null: float, error: float, bounds: Bounds) -> float:
    """The distance from `null` in standard errors, on the scale on which `around` lays out."""
    low, high = bounds
    if low < value < high and math.isfinite(low):
        if not low < null < high:
            return math.inf
        if math.isfinite(high):
            share, other = (value - low) / (high - low), (null - low) / (high - low)
            apart = math.log(share / (1 - share)) - math.log(other / (1 - other))
            return apart * (high - low) * share * (1 - share) / error
        return math.log((value - low) / (null - low)) * (value - low) / error
    return (value - null) / error


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


def resampled(n: int, draws: int) -> Iterator[Counts]:
    """How often each of `n` units is drawn when n are drawn with replacement; `draws` rows.

    Rows come in blocks, so that many draws of many units stay small in memory.
    """
    if n * draws <= _KEPT:
        yield _kept(n, draws)
    else:
        yield from _blocks(n, draws)


@lru_cache(maxsize=32)
def _kept(n: int, draws: int) -> Counts:
    table = np.concatenate([*_blocks(n, draws)])
    table.flags.writeable = False
    return table


def _blocks(n: int, draws: int) -> Iterator[Counts]:
    dice = np.random.default_rng((0, n))
    block = max(1, min(draws, _CELLS // max(1, n)))
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        drawn = dice.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=rows * n)
        # That one unit is drawn 128 times would take longer than the universe has lasted.
        yield counts.reshape(rows, n).astype(np.int8)


def resampled_sums(columns: Floats, draws: int) -> Floats:
    """Sums of columns (one row for each unit) over each resample: draws × columns.

    In single precision, which is plenty for columns of about the same size around 0 or 1 and
    twice as fast.
    """
    small = np.ascontiguousarray(columns, dtype=np.float32)
    parts = [counts.astype(np.float32) @ small for counts in resampled(len(columns), draws)]
    return np.concatenate(parts).astype(float)


_DRAWS = 4000
_WIDER = 2.0
"""How many times as wide it may be before a narrower interval needs a caution."""


def any_values_interval(means: Floats, bounds: Bounds) -> tuple[float, float]:
    """Gaffke's 95% interval of the mean of independent units (Gaffke 2005; Learned-Miller and
    Thomas 2019): the quantiles of their mean under random weights, one more unit at the bound.

    No distribution between the bounds is known for which it covers less. Where values lie close
    together it is far wider than Student's.
    """
    low, high = bounds
    ordered, weights = np.sort(means), _weights(len(means))
    lower = weights[:, 1:] @ ordered + weights[:, 0] * low
    upper = weights[:, :-1] @ ordered + weights[:, -1] * high
    return float(np.quantile(lower, 0.025)), float(np.quantile(upper, 0.975))


@lru_cache(maxsize=64)
def _weights(n: int) -> Floats:
    """Rows of n + 1 weights, all ways to share out 1 being as likely."""
    parts = np.random.default_rng((0, n)).exponential(size=(_DRAWS, n + 1))
    weights: Floats = parts / parts.sum(axis=1, keepdims=True)
    return weights


def unseen_caution(means: Floats, low: float, high: float, bounds: Bounds) -> str:
    """What to say beside an interval that leaves no room for rare values that were not drawn."""
    least, most = any_values_interval(means, bounds)
    if most - least <= _WIDER * (high - low):
        return ""
    return (
        "assumes that no rare far-off values are missing from so few units; without that "
        f"[{least:.2f}, {most:.2f}]"
    )
