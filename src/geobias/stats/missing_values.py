"""How far differences between groups could move if no value were missing.

A cell is one item of one unit (an indicator of a country). Each lies between a `low` and a `high`:
the same where its value is known, the ends of the scale where it is missing. With every cell there
is a value for, a group's mean (`centred`, over units) is a weighted sum of cells.

gap     the difference of two groups is largest where every cell is at the end that its weight
        points to; the gap is the largest of these. The smallest gap is a linear programme: all
        means between a floor and a ceiling that lie as close as can be. Both are exact.
spread  the smallest is sought where the means lie as close as can be, by least squares within the
        cells' ends: exact where they can all be equal. The largest is sought by steps that each
        move every cell to the end that takes the means further apart, begun from every split of
        the groups into high and low: the best of what is found, with no proof that it is the best.

Every number is computed from the filled cells as it is from data, so each one can be reached.
Groups are those with enough units that were asked, whether they answered or not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.estimates import Bounds
from geobias.stats.group_differences import MIN_UNITS, Groups, spread_value
from geobias.stats.pooling import centred

Ends: TypeAlias = tuple[float | None, float | None]
_STEPS = 20
_BEST = 8
"""Fills of the largest spread of means whose spread is computed in full."""


class Cells(NamedTuple):
    """Cells with the least and the largest that each can be, the group of each one's unit, and the
    range to which a unit's mean is held."""

    low: Floats
    high: Floats
    items: NDArray[Any]
    units: NDArray[Any]
    groups: Sequence[str | None]
    bounds: Bounds

    def unit_means(self, filled: Floats) -> tuple[Floats, list[str | None]]:
        """Each unit's mean, and its group; a unit that cannot be compared with others has NaN."""
        names, first, unit = np.unique(self.units, return_index=True, return_inverse=True)
        sums = np.bincount(unit, centred(filled, self.items, self.units), len(names))
        means = np.clip(sums / np.bincount(unit), *self.bounds)
        return means, [self.groups[at] for at in first]

    def weights(self, least: int = MIN_UNITS) -> dict[str, Floats]:
        """The weight of each cell in the mean of each group of at least so many units."""
        means, owners = self.unit_means(self.low)
        names, unit = np.unique(self.units, return_inverse=True)
        _, item = np.unique(self.items, return_inverse=True)
        members = {
            group: [
                i for i, owner in enumerate(owners) if owner == group and not np.isnan(means[i])
            ]
            for group in sorted({owner for owner in owners if owner is not None})
        }
        members = {group: own for group, own in members.items() if len(own) >= least}
        wanted = np.zeros((len(names) + item.max() + 1, len(members)))
        for column, own in enumerate(members.values()):
            wanted[own, column] = 1 / len(own)
        # A mean as if every unit had every item: the unit's effect plus the mean of all items'.
        wanted[len(names) :] = 1 / (item.max() + 1)
        design = np.zeros((len(unit), len(wanted)))
        design[np.arange(len(unit)), unit] = 1
        design[np.arange(len(unit)), len(names) + item] = 1
        solved = np.linalg.lstsq(design.T @ design, wanted, rcond=1e-10)[0]
        return dict(zip(members, (design @ solved).T, strict=True))


def group_ends(cells: Cells) -> tuple[Ends, Ends]:
    """The smallest and the largest spread between groups, and the same of their gap; None where
    under two groups can be tested."""
    found = cells.weights() if len(cells.low) else {}
    if len(found) < 2:
        return (None, None), (None, None)
    if (cells.low == cells.high).all():
        spread, gap = _spread(cells, cells.low), _gap(cells, cells.low)
        return (spread, spread), (gap, gap)
    weights = np.array([*found.values()])
    closest, widest = _closest(cells, weights), _widest(cells, weights)
    least = [_spread(cells, filled) for filled in (closest, _nearest(cells, weights))]
    most = [_spread(cells, filled) for filled in (widest, *_farthest(cells, weights))]
    return (min(least), max(most)), (_gap(cells, closest), _gap(cells, widest))


def difference_ends(cells: Cells, first: str, second: str) -> Ends:
    """The smallest and the largest that the mean of one group can be above that of another."""
    weights = cells.weights(least=1) if len(cells.low) else {}
    if not {first, second} <= {*weights}:
        return None, None
    ends = []
    for sign in (-1, 1):
        means, owners = cells.unit_means(_toward(cells, sign * (weights[first] - weights[second])))
        of = np.array([str(owner) for owner in owners])
        ends.append(float(np.nanmean(means[of == first]) - np.nanmean(means[of == second])))
    return ends[0], ends[1]


def _gap(cells: Cells, filled: Floats) -> float:
    return float(np.ptp(Groups.of(*cells.unit_means(filled)).means))


def _spread(cells: Cells, filled: Floats) -> float:
    return spread_value(Groups.of(*cells.unit_means(filled)))


def _toward(cells: Cells, direction: Floats) -> Floats:
    """Every cell at the end to which the direction points."""
    filled: Floats = np.where(direction > 0, cells.high, cells.low)
    return filled


def _widest(cells: Cells, weights: Floats) -> Floats:
    """The fill in which one group lies as far above another as any can above any."""
    apart = (one - other for one, other in itertools.permutations(weights, 2))
    fills = ((direction, _toward(cells, direction)) for direction in apart)
    return max(fills, key=lambda one: float(one[0] @ one[1]))[1]


def _closest(cells: Cells, weights: Floats) -> Floats:
    """The fill in which the largest and the smallest mean lie as close as can be: the cells, a
    floor and a ceiling are what is looked for."""
    k = len(weights)
    floor, ceiling = np.tile([1.0, 0.0], (k, 1)), np.tile([0.0, -1.0], (k, 1))
    above = np.vstack([np.hstack([-weights, floor]), np.hstack([weights, ceiling])])
    ends = [*zip(cells.low, cells.high, strict=True), (None, None), (None, None)]
    cost = np.concatenate([np.zeros(len(cells.low)), [-1.0, 1.0]])
    solved = scipy.optimize.linprog(
        cost, A_ub=above, b_ub=np.zeros(2 * k), bounds=ends, method="highs"
    )
    filled: Floats = np.clip(solved.x[:-2], cells.low, cells.high)
    return filled


def _nearest(cells: Cells, weights: Floats) -> Floats:
    """The fill with the least sum of squares between the means."""
    open_cells = cells.high > cells.low
    filled = cells.low.copy()
    if not open_cells.any():
        return filled
    apart = weights - weights.mean(axis=0)
    limits = cells.low[open_cells], cells.high[open_cells]
    fixed = apart[:, ~open_cells] @ cells.low[~open_cells]
    solved = scipy.optimize.lsq_linear(apart[:, open_cells], -fixed, bounds=limits)
    filled[open_cells] = np.clip(solved.x, *limits)
    return filled


def _farthest(cells: Cells, weights: Floats) -> list[Floats]:
    """Fills whose means lie far apart in all, the farthest first."""
    fills: dict[bytes, tuple[float, Floats]] = {}
    for side in itertools.product((0.0, 1.0), repeat=len(weights)):
        means = np.array(side)
        for _ in range(_STEPS):
            filled = _toward(cells, (means - means.mean()) @ weights)
            moved = weights @ filled
            if np.allclose(moved, means):
                break
            means = moved
        fills[filled.tobytes()] = float(means.std()), filled
    best = sorted(fills.values(), key=lambda one: -one[0])
    return [filled for _, filled in best[:_BEST]]
