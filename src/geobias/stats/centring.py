"""Two-way centring: what is left of a value when the question it answers is allowed for.

Units (countries) have values at some items (indicators) and not at others, and items differ in how
hard they are. A unit's plain mean then depends on which of its items have a value. Here values are
fitted as item + unit, by least squares over all values at once (Yates 1934); a value less its
item's effect, plus the mean effect of all items, is what it would be at an item of middling
difficulty. The mean of these over a unit's items is the unit's mean as if it had a value at every
item.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats


def centred(values: Floats, items: NDArray[Any], units: NDArray[Any]) -> Floats:
    """Each value as it would be at an item of middling difficulty.

    Units that share no item with the others, directly or by way of further units, cannot be
    compared with them: only the largest set that hangs together has numbers, the rest is NaN. Where
    every unit has every item, a unit's mean is its plain mean.
    """
    values = np.asarray(values, dtype=float)
    if not len(values):
        return values
    _, item = np.unique(items, return_inverse=True)
    _, unit = np.unique(units, return_inverse=True)
    kept = _largest_part(item, unit)
    effects = _item_effects(values[kept], item[kept], unit[kept])
    found = np.full(len(values), np.nan)
    found[kept] = values[kept] - effects[item[kept]] + effects[np.unique(item[kept])].mean()
    return found


def weights_of_mean(items: NDArray[Any], units: NDArray[Any]) -> Floats:
    """What each value weighs in the mean of the units' centred means.

    That mean is linear in the values, so one set of weights serves any values at these places. A
    value that hangs together with too few others weighs nothing.
    """
    _, item = np.unique(items, return_inverse=True)
    _, unit = np.unique(units, return_inverse=True)
    found = np.zeros(len(item))
    if not len(item):
        return found
    kept = _largest_part(item, unit)
    met, counts, equations = _equations(item[kept], unit[kept])
    # How often an item is met, per unit, beside how often it ought to be.
    lacking = (met.sum(axis=1) > 0) / np.count_nonzero(met.sum(axis=1))
    lacking -= (met / counts).sum(axis=1) / np.count_nonzero(met.sum(axis=0))
    given = np.linalg.lstsq(equations, lacking, rcond=1e-10)[0]
    shared = given @ met / counts
    own = 1 / (counts * np.count_nonzero(met.sum(axis=0)))
    found[kept] = own[unit[kept]] + given[item[kept]] - shared[unit[kept]]
    return found


def _item_effects(values: Floats, item: NDArray[Any], unit: NDArray[Any]) -> Floats:
    """Units are taken out first, which leaves one equation for each item; effects add up to 0."""
    met, counts, equations = _equations(item, unit)
    own = np.bincount(unit, values, met.shape[1]) / counts
    left = np.bincount(item, values - own[unit], met.shape[0])
    return np.asarray(np.linalg.lstsq(equations, left, rcond=1e-10)[0], dtype=float)


def _equations(item: NDArray[Any], unit: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """How often each item (row) is met by each unit, the values of each unit, and the matrix of the
    items' equations."""
    met = np.zeros((item.max() + 1, unit.max() + 1))
    np.add.at(met, (item, unit), 1.0)
    counts = np.maximum(met.sum(axis=0), 1.0)
    return met, counts, np.diag(met.sum(axis=1)) - (met / counts) @ met.T


def _largest_part(item: NDArray[Any], unit: NDArray[Any]) -> NDArray[np.bool_]:
    """The values whose units and items hang together with most others."""
    label = np.arange(item.max() + 1)
    while True:
        lowest = np.full(unit.max() + 1, len(label))
        np.minimum.at(lowest, unit, label[item])
        joined = label.copy()
        np.minimum.at(joined, item, lowest[unit])
        if (joined == label).all():
            break
        label = joined
    largest: NDArray[np.bool_] = label[item] == np.bincount(label[item]).argmax()
    return largest
