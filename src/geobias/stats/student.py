"""Student's t distribution.

Written out for whole degrees of freedom, which is all that most tables need: importing a statistics
library for one quantile would cost each of them half a second. Satterthwaite's degrees of freedom
are not whole; those are scipy's.
"""

from __future__ import annotations

import math
from functools import cache

from scipy.special import stdtr, stdtrit


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
    return float(2 * stdtr(df, -abs(t)))


@cache
def quantile_95(df: float) -> float:
    """The t between whose negative and itself 95% lies: 12.706 for df = 1, towards 1.960."""
    if not _written_out(df):
        return float(stdtrit(df, 0.975))
    low, high = 1.9, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, int(df)) < 0.95 else (low, middle)
    return high


def _written_out(df: float) -> bool:
    """Whole, and few enough to add up one by one."""
    return df == int(df) and df <= 1000
