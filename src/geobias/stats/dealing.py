"""Units shuffled into groups, and how far the groups' means then lie apart."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats

_CELLS = 2_500_000
"""Units times deals that are held in memory at once."""
_QUICK_CELLS = 12_000
"""Of these, as many as a processor has at hand: memory that is asked for anew takes longest."""


def group_means(rows: Floats, sizes: NDArray[Any]) -> Floats:
    """Means of neighbouring stretches of each row, the stretches being `sizes` long."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    means: Floats = np.add.reduceat(rows, starts, axis=1) / sizes
    return means


def even_sizes(units: int, groups: int) -> NDArray[np.int64]:
    """Groups as equally large as can be: a random categorisation that knows no sizes."""
    return np.array([units // groups + (i < units % groups) for i in range(groups)])


def dealt_means(values: Floats, sizes: NDArray[Any], draws: int, seed: int = 0) -> Floats:
    """The groups' means (columns) in each deal (rows) of the units into groups of these sizes."""
    return np.concatenate([group_means(dealt, sizes) for dealt in _dealt(values, draws, seed)])


def _dealt(values: Floats, draws: int, seed: int) -> Iterator[Floats]:
    """The units in each deal (rows), some deals at a time."""
    block = max(1, min(draws, _CELLS // len(values)))
    for start in range(0, draws, block):
        orders = deals(len(values), min(block, draws - start), seed, start)
        few = max(1, _QUICK_CELLS // len(values))
        for row in range(0, len(orders), few):
            # No place lies outside: "clip" is the quickest way.
            yield values.take(orders[row : row + few], mode="clip")


def dealt_means_and_errors(
    values: Floats, sizes: NDArray[Any], draws: int, seed: int = 0
) -> tuple[Floats, Floats]:
    """The groups' means in each deal, and their squared standard errors; groups whose units are all
    alike take the variance within all groups of the deal."""
    apart = values - values.mean()
    both = [
        (group_means(dealt, sizes), group_means(dealt * dealt, sizes))
        for dealt in _dealt(apart, draws, seed)
    ]
    means, squares = (np.concatenate(parts) for parts in zip(*both, strict=True))
    within = np.maximum(squares - means**2, 0.0) * sizes
    least = 1e-12 * max(float(apart @ apart), 1e-300)
    common = np.maximum(within.sum(axis=1, keepdims=True) / (sizes - 1).sum(), least)
    variances = within / (sizes - 1)
    errors: Floats = np.where(variances > least, variances, common) / sizes
    return means, errors


def dealt_gaps(values: Floats, sizes: NDArray[Any], draws: int, seed: int = 0) -> Floats:
    """The largest minus the smallest mean in each deal."""
    gaps: Floats = np.ptp(dealt_means(values, sizes, draws, seed), axis=1)
    return gaps


@lru_cache(maxsize=32)
def deals(n: int, rows: int, seed: int = 0, start: int = 0) -> NDArray[Any]:
    """That many random orders of n units, one a row, kept: shuffling is most of the work of a test,
    and one table after another asks for the same number of countries. 5 MB each at most.
    """
    # Whole machine words are shuffled in half the time that single bytes take.
    orders = np.tile(np.arange(n), (rows, 1))
    np.random.default_rng((seed, start)).permuted(orders, axis=1, out=orders)
    return orders.astype(np.min_scalar_type(n))
