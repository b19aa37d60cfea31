"""Tukey's studentised range: how far the largest and the smallest of k equal means lie apart.

SciPy has it and takes 15 ms for each probability, since it integrates anew; a table of pairs needs
hundreds.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import chdtri, ndtr

from geobias.stats.arrays import Floats

_FARTHEST, _STEPS = 30.0, 3001
_NODES = 96


class StudentisedRange:
    """The range of `groups` standard normal variables over an independent estimate of their SD with
    `df` degrees of freedom each (Tukey 1953; Lund and Lund 1983). Probabilities are good to 1e-4.
    """

    def __init__(self, groups: int, df: Floats) -> None:
        nodes, weights = _quadrature()
        df = np.asarray(df, dtype=float)[:, None]
        # Quantiles of the SD, over which the probability is averaged.
        self._spread = np.sqrt(chdtri(df, (1 - nodes) / 2) / df)
        self._weights = weights / 2
        self._grid, self._reached = _reached(groups)

    def p(self, q: Floats) -> Floats:
        """The probability of a range of at least q, one for each `df`."""
        reached = np.interp(q[:, None] * self._spread, self._grid, self._reached, right=0.0)
        found: Floats = reached @ self._weights
        return found

    def limit(self, level: float) -> Floats:
        """The q that are reached with probability `level`: the inverse of `p`, by halving."""
        low = np.zeros(len(self._spread))
        high = np.full(len(self._spread), 1000.0)
        for _ in range(32):
            middle = (low + high) / 2
            above = self.p(middle) >= level
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return high


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Floats, Floats]:
    """Where to look at the SD's distribution, and with which weights."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


@lru_cache(maxsize=32)
def _reached(groups: int) -> tuple[Floats, Floats]:
    """The probability that the range of standard normal variables is at least each of a grid's."""
    grid = np.linspace(0, _FARTHEST, _STEPS)
    z = np.linspace(-8.5, 8.5, 1201)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    within = groups * ((ndtr(z) - ndtr(z - grid[:, None])) ** (groups - 1)) @ density
    return grid, np.clip(1 - within, 0.0, 1.0)
