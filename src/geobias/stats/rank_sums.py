"""The rank-sum test of Mann and Whitney (1947).

Written out: importing a library of tests for this one would cost every summary a second.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def mann_whitney(
    first: NDArray[np.float64], second: NDArray[np.float64], *, exact: bool
) -> tuple[float, float]:
    """U, the pairs in which the first group's value is higher (half for a tie), and the two-sided
    p-value: `exact` where no two values are equal, else by the normal curve with the correction for
    ties and for continuity."""
    pairs = first[:, None] - second[None, :]
    u = float((pairs > 0).sum() + (pairs == 0).sum() / 2)
    most = max(u, pairs.size - u)
    if exact:
        ways = counts_of_u(*sorted(pairs.shape))
        return u, min(1.0, 2 * sum(ways[math.ceil(most) :]) / sum(ways))
    values = np.concatenate([first, second])
    n = len(values)
    ties = np.unique(values, return_counts=True)[1].astype(float)
    variance = pairs.size / 12 * (n + 1 - float((ties**3 - ties).sum()) / (n * (n - 1)))
    z = (most - pairs.size / 2 - 0.5) / math.sqrt(variance)
    return u, min(1.0, math.erfc(z / math.sqrt(2)))


def counts_of_u(n: int, m: int) -> list[int]:
    """In how many orders of n and m units U takes each value: Gauss's binomial coefficients."""
    counts = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for place in range(n * m, m + i - 1, -1):
            counts[place] -= counts[place - m - i]
        for place in range(i, n * m + 1):
            counts[place] += counts[place - i]
    return counts
