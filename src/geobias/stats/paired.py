"""Differences between two models or two runs on the same items, clustered by unit."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np

from geobias.stats.arrays import ROUNDING, Names, Numbers, varies
from geobias.stats.crossed import crossed_ratio
from geobias.stats.estimates import UNBOUNDED, Bounds, Estimate, too_few, undefined, unvaried
from geobias.stats.over_units import known_units, mean_test, unit_means


class Paired(NamedTuple):
    """The change from a first to a second model or run, on items that both have.

    first, second  the mean of the units' means; the mean over items if units are crossed
    difference     second minus first, with its interval over units (`n` counts units)
                   The p-value is 1 if nothing changed, and None if there is no interval
    items          number of pairs of values
    """

    first: float | None
    second: float | None
    difference: Estimate
    items: int


def paired(
    first: Numbers, second: Numbers, units: Names, *across: Names, bounds: Bounds = UNBOUNDED
) -> Paired:
    """Return the paired difference, from one pair of values for each item.

    `units` are the items' countries, templates or entities. Pairs with a NaN are left out. `bounds`
    is the range of a difference. `across` are units of further kinds, crossed with the first
    (templates and nationalities); the interval is then over all kinds (`crossed`).
    """
    before, after = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if before.shape != after.shape:
        raise ValueError(f"{before.shape} values for {after.shape}")
    change, index, n = known_units(after - before, units)
    both = ~np.isnan(after - before)
    before, after = before[both], after[both]
    change[np.abs(change) <= ROUNDING] = 0.0
    if n == 0:
        return Paired(None, None, undefined(0, "no values"), 0)
    if across:
        others = (np.asarray(side)[both] for side in across)
        found = crossed_ratio(change, np.ones(len(change)), index, *others, bounds=bounds).estimate
        if not change.any():
            found = msgspec.structs.replace(found, p=1.0)
        return Paired(float(before.mean()), float(after.mean()), found, len(change))
    # Values adjusted for items can differ by more than the bounds allow.
    means = unit_means(change, index, n).clip(*bounds)
    means[np.abs(means) <= ROUNDING] = 0.0
    if not means.any():
        test = unchanged(n)
    elif varies(means):
        test = mean_test(means, bounds=bounds)
    else:
        test = _all_alike(float(means[0]), n, bounds)
    levels = [float(unit_means(side, index, n).mean()) for side in (before, after)]
    return Paired(levels[0], levels[1], test, len(change))


def unchanged(n: int) -> Estimate:
    return Estimate(0.0, None, None, n, "no unit changed", p=1.0)


def _all_alike(value: float, n: int, bounds: Bounds) -> Estimate:
    """The difference if every unit changed by the same amount.

    The interval allows for a share of units that changed as much in the other direction
    (`estimates.unvaried`). Changes as far as the bounds would make it too wide to be useful.
    """
    if why := too_few(n):
        return undefined(n, why, value)
    opposite = max(bounds[0], value - 2 * abs(value)), min(bounds[1], value + 2 * abs(value))
    return unvaried(value, n, opposite)
