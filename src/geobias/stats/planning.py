"""The size of a study that detects a given gap, and the gap that a given study detects.

Power is computed for the report's test, with the real number of units in each group and of items in
each unit. The variance of a unit's observed mean is `between`² plus `within`² over the number of
its items, so more items reduce only the second. Both determine the variance of the contrast and its
degrees of freedom (Satterthwaite 1946); the noncentral F distribution then gives the power.
`bench/planning.py` compares this with simulated studies.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TypeAlias

import msgspec
import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each

from geobias.stats.arrays import ROUNDING
from geobias.stats.estimates import LEVEL

_SURE = 2000.0
"""A noncentrality at which power is 1, and beyond which the series do not converge."""
_NOTHING = 1e-100
"""Replaces a variance of 0, to avoid dividing by it."""


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """A study as a test sees it.

    groups     number of units (countries, templates) in each group
    weights    the groups' weights in the tested contrast; (1,) for a mean against 0
    items      questions, items or games of each unit, group after group
    between    SD of the units' true values within a group
    within     SD of one item around its unit's true value
    pulls      weight of each unit in the mean of its group; () for equal weights
    columns    items of each unit of another kind (nationalities) that is crossed with the first
    cells      items of each pair of such units, without empty pairs
    across     SD of the true values of the units of the other kind
    inflation  factor by which the test overestimates the variance on average
    level      the p-value under which a gap counts as detected
    """

    groups: tuple[int, ...]
    weights: tuple[float, ...]
    items: tuple[int, ...]
    between: float
    within: float
    pulls: tuple[float, ...] = ()
    columns: tuple[int, ...] = ()
    cells: tuple[int, ...] = ()
    across: float = 0.0
    inflation: float = 1.0
    level: float = LEVEL

    def __post_init__(self) -> None:
        if len(self.items) != sum(self.groups) or min(self.items, default=1) < 1:
            raise ValueError(f"{len(self.items)} counts of items for {sum(self.groups)} units")
        if len(self.weights) != len(self.groups):
            raise ValueError(f"{len(self.weights)} weights for {len(self.groups)} groups")


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """The number of items of each unit with which a study detects a gap; None if none is enough.

    `best` is the highest power that these units can reach.
    """

    items: int | None
    units: int
    power: float
    best: float


def power(design: Design, gap: float) -> float:
    return _power(design, gap, design.within)


def needed(design: Design, gap: float, *, wanted: float = 0.8, most_items: int = 10_000) -> Needed:
    """Return the fewest items for each unit that detect `gap` with probability `wanted`."""
    units = sum(design.groups)

    def found(items: int) -> float:
        return power(with_items(design, items), gap)

    best, reached = _power(design, gap, 0.0), found(most_items)
    if reached < wanted:
        return Needed(items=None, units=units, power=reached, best=best)
    enough = bisect_left(range(1, most_items), wanted, key=found) + 1
    return Needed(items=enough, units=units, power=found(enough), best=best)


def with_items(design: Design, items: int) -> Design:
    """Return the design with `items` items of each unit. Crossed units keep their shares."""
    times = items * sum(design.groups) / sum(design.items)
    return msgspec.structs.replace(
        design,
        items=(items,) * sum(design.groups),
        pulls=(),
        columns=tuple(max(1, round(times * count)) for count in design.columns),
        cells=tuple(max(1, round(times * count)) for count in design.cells),
    )


def smallest_gap(design: Design, *, wanted: float = 0.8, most: float = 1.0) -> float | None:
    """Return the smallest gap that the design detects with probability `wanted`.

    The result is rounded up to two digits, since a smaller gap would be detected less often. It is
    None if even the gap `most` is not detected, and 0 if nothing varies.
    """
    if power(design, most) < wanted:
        return None
    if max(design.between, design.within, design.across) <= ROUNDING:
        return 0.0
    low, high = 0.0, most
    while high - low > 0.001 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power(design, middle) < wanted else (low, middle)
    step = 10.0 ** (math.floor(math.log10(high)) - 1)
    return float(f"{math.ceil(high / step) * step:.2g}")


_Reference: TypeAlias = tuple[float, float] | None
"""The variance of the contrast and the degrees of freedom of its test."""


def _power(design: Design, gap: float, within: float) -> float:
    reference = (_of_crossed if design.columns else _of_contrast)(design, within)
    if reference is None:
        return 0.0
    variance, freedom = reference
    noncentrality = min(gap**2 / max(variance * design.inflation, _NOTHING), _SURE)
    critical = scipy.special.fdtri(1.0, freedom, 1 - design.level)
    return float(1 - scipy.special.ncfdtr(1.0, freedom, noncentrality, critical))


def _of_contrast(design: Design, within: float) -> _Reference:
    sizes = np.array(design.groups, dtype=float)
    if len(sizes) == 0 or sizes.min() < 2 or sizes.sum() < 3:
        return None
    units = design.between**2 + within**2 / np.array(design.items, dtype=float)
    group = np.repeat(np.arange(len(sizes)), design.groups)
    pulls = np.array(design.pulls or np.ones(len(units)))
    totals, squares = np.bincount(group, pulls), np.bincount(group, pulls**2)
    parts = np.array(design.weights) ** 2 * np.bincount(group, pulls**2 * units) / totals**2
    noise = float((parts**2 / (totals**2 / squares - 1)).sum())
    usual = float(parts.sum()) ** 2 / noise if noise else float(sizes.sum()) - len(sizes)
    return float(parts.sum()), usual


def _of_crossed(design: Design, within: float) -> _Reference:
    """Return the reference distribution of a mean over crossed items, with the two-way variance.

    That is the variance over units of one kind, plus that over the other, minus that over their
    cells, which both contain. Degrees of freedom come from the effective number of units of each
    kind, which is smaller if a few hold most of the items (Carter, Schnepel and Steigerwald 2017).
    """
    if min(len(design.items), len(design.columns)) < 3:
        return None
    total = float(sum(design.items))
    rows, columns, cells = (
        np.array(counts, dtype=float) / sum(counts)
        for counts in (design.items, design.columns, design.cells)
    )
    row, column, luck = design.between**2, design.across**2, within**2 / total
    by_item = max((row + column + within**2) / total, _NOTHING)
    overlap = float(cells @ cells)
    variance = row * float(rows @ rows) + column * float(columns @ columns) + luck
    noise = 0.0
    for shares, own, other in ((rows, row, column), (columns, column, row)):
        part = own * float(shares @ shares) + other * overlap + luck
        weights = max(0.0, part - by_item) * shares**2 / float(shares @ shares) + by_item * shares
        effective = float(weights.sum() ** 2 / (weights @ weights))
        noise += part**2 / max(1.0, effective - 1)
    return variance, max(1.0, variance**2 / noise) if noise else total - 1
