"""Estimates: a number, its 95% interval and its n.

The interval around a bounded mean is Student's t on a suitable scale (`around`). The p-value comes
from the same pivot (`pivot`), so it is under 0.05 exactly if the interval leaves out the null.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TypeAlias

import msgspec
import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each

from geobias.stats.arrays import Floats

Bounds: TypeAlias = tuple[float, float]
UNBOUNDED: Bounds = (-math.inf, math.inf)
Z_95 = 1.959963984540054
LEVEL = 0.05
"""A p-value under this is called significant."""
LEAST_UNITS = 3
"""Fewer units get no interval, since with two units Student's t is 12.7."""


class Estimate(msgspec.Struct, frozen=True):
    """A number with its 95% interval and its sample size `n`. An undefined number is None, never 0.

    Without an interval (a single unit), `low` and `high` are None. `reason` says in a few words why
    there is no number or no interval. `caution` says why the interval may be too narrow, if
    simulations have shown this (`docs/statistics.md`). `p` is the two-sided p-value of the null
    hypothesis that the number is 0; None if it is not tested.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str = ""
    caution: str = ""
    p: float | None = None

    @property
    def note(self) -> str:
        """Why there is no number or no interval, or why it may be too narrow; "" for neither."""
        return self.reason or self.caution

    def columns(self, name: str) -> dict[str, float | None]:
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def undefined(n: int, reason: str, value: float | None = None) -> Estimate:
    return Estimate(value, None, None, n, reason)


def too_few(n: int) -> str:
    if n >= LEAST_UNITS:
        return ""
    return "one unit: no interval" if n == 1 else f"{n} units: no interval"


# Student's t on the scale of the bounds ------------------------------------------------------


@cache
def quantile_95(df: float) -> float:
    """Return the t with 95% of Student's distribution between −t and t."""
    return float(scipy.special.stdtrit(df, 0.975))


def two_sided_p(t: float, df: float) -> float:
    return float(2 * scipy.special.stdtr(df, -abs(t)))


def student(value: float, error: float, df: float, n: int, bounds: Bounds = UNBOUNDED) -> Estimate:
    """Return the interval and the p-value of a number with the standard error `error`.

    The p-value tests a value of 0. It is None if 0 is not between the bounds.
    """
    inside = bounds[0] < 0 < bounds[1]
    p = two_sided_p(pivot(value, 0.0, error, bounds), df) if inside else None
    return Estimate(value, *around(value, quantile_95(df) * error, bounds), n, p=p)


def around(value: float, half: float, bounds: Bounds) -> tuple[float, float]:
    """Return the interval `value` ± `half`, computed on the scale that suits the bounds.

    That is the logit scale between two bounds, the log scale above one, and otherwise the plain
    one. If the value lies at a bound, the interval is computed on the plain scale and cut at the
    bounds.
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


def pivot(value: float, null: float, error: float, bounds: Bounds) -> float:
    """Return the distance from `null` in standard errors, on the scale that `around` uses."""
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


# Where nothing varies, and shares -----------------------------------------------------------


def rate(hits: float, n: int) -> Estimate:
    """The share of hits among `n` independent trials with Wilson's interval (1927).

    It keeps its coverage near 0 and 1 and in small samples. Undefined for n = 0. For trials in
    clusters (several of one country) use `rate_over_units`.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} hits of {n}")
    if n == 0:
        return undefined(0, "no trials")
    return Estimate(hits / n, *wilson(hits / n, n), n)


def wilson(share: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """Wilson's interval of a share of `n` independent trials."""
    spread = z**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    # At 0 and 1 rounding may leave the bound slightly inside the estimate.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def unvaried(
    value: float, n: float, bounds: Bounds, units: int | None = None, null: float = 0.0
) -> Estimate:
    """Return the mean of `n` equal values, with an interval that allows for unseen deviating ones.

    The interval assumes as many deviating values as Wilson's interval allows if none of `n` was
    seen. Each deviates as far as the bounds permit. Without two bounds there is no interval.
    `units` is the `n` that the estimate reports, if values come in units.
    """
    units = int(n) if units is None else units
    if not all(map(math.isfinite, bounds)):
        return undefined(units, "no unit differs", value)
    unseen = Z_95**2 / (n + Z_95**2)
    low, high = (value + unseen * (bound - value) for bound in bounds)
    if value == null or not bounds[0] < null < bounds[1]:
        return Estimate(value, low, high, units, p=1.0 if value == null else None)
    # The share of unlike parts that would bring the mean to `null`, and the z that allows it.
    share = (value - null) / (value - (bounds[0] if value > null else bounds[1]))
    z = math.sqrt(n * share / (1 - share)) if share < 1 else math.inf
    return Estimate(value, low, high, units, p=math.erfc(z / math.sqrt(2)))


# Whatever the values are ----------------------------------------------------------------------

_DRAWS = 4000


def gaffke(means: Floats, bounds: Bounds) -> tuple[float, float]:
    """Return Gaffke's 95% interval of the mean of independent units.

    One further unit is placed at the bound, and each end of the interval is a quantile of the mean
    under random weights (Gaffke 2005; Learned-Miller and Thomas 2019). So the interval allows for a
    unit in ten that is far off and that a sample may miss. No distribution between the bounds is
    known for which it covers less than 95%. If values lie close together, it is wider than
    Student's.
    """
    low, high = bounds
    ordered, weights = np.sort(means), _weights(len(means))
    lower = weights[:, 1:] @ ordered + weights[:, 0] * low
    upper = weights[:, :-1] @ ordered + weights[:, -1] * high
    return float(np.quantile(lower, 0.025)), float(np.quantile(upper, 0.975))


@lru_cache(maxsize=64)
def _weights(n: int) -> Floats:
    """Rows of n + 1 random weights, uniform over all ways to divide 1."""
    parts = np.random.default_rng((0, n)).exponential(size=(_DRAWS, n + 1))
    weights: Floats = parts / parts.sum(axis=1, keepdims=True)
    return weights
