"""Differences between two models or two runs on the same items, clustered by unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each
from numpy.typing import NDArray

from geobias.stats.arrays import ROUNDING, Floats, Names, varies
from geobias.stats.crossed import crossed_ratio
from geobias.stats.estimates import (
    UNBOUNDED,
    Bounds,
    Estimate,
    Tested,
    too_few,
    undefined,
    unvaried,
)
from geobias.stats.over_units import known_units, mean_test, unit_means


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """The change from a first to a second model or run, on items that both have.

    first, second  the mean of the units' means; the mean over items if units are crossed
    difference     second minus first, with its interval over units (`n` counts units)
    p              two-sided, from the same pivot as the interval; 1 if nothing changed, None if
                   there is no interval
    items          number of pairs of values
    """

    first: float | None
    second: float | None
    difference: Estimate
    p: float | None
    items: int


def paired(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    units: Names,
    *across: Names,
    bounds: Bounds = UNBOUNDED,
) -> Paired:
    """Return the paired difference, from one pair of values for each item.

    `units` are the items' countries, templates or entities. Pairs with a NaN are left out. `bounds`
    is the range of a difference. `across` are units of further kinds, crossed with the first
    (templates and nationalities); the difference is then over all of them (`crossed`).
    """
    before, after = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if before.shape != after.shape:
        raise ValueError(f"{before.shape} values for {after.shape}")
    change, index, n = known_units(after - before, units)
    both = ~np.isnan(after - before)
    change[np.abs(change) <= ROUNDING] = 0.0
    if across and n:
        others = (np.asarray(side)[both] for side in across)
        found = crossed_ratio(change, np.ones(len(change)), index, *others, bounds=bounds)
        return Paired(
            first=float(before[both].mean()),
            second=float(after[both].mean()),
            difference=found.estimate,
            p=found.p if change.any() else 1.0,
            items=len(change),
        )
    if n == 0:
        return Paired(
            first=None, second=None, difference=undefined(0, "no values"), p=None, items=0
        )
    means = unit_means(change, index, n)
    means[np.abs(means) <= ROUNDING] = 0.0
    p: float | None
    if not means.any():
        difference, p = Estimate(0.0, None, None, n, "no unit changed"), 1.0
    elif not varies(means):
        difference, p = _all_alike(float(means[0]), n, bounds)
    else:
        difference, p = mean_test(means, bounds=bounds)
    return Paired(
        first=float(unit_means(before[both], index, n).mean()),
        second=float(unit_means(after[both], index, n).mean()),
        difference=difference,
        p=p,
        items=len(change),
    )


def _all_alike(value: float, n: int, bounds: Bounds) -> Tested:
    """The difference if every unit changed by the same amount.

    Other units may have changed as much the other way, as far as Wilson's interval allows
    (`estimates.unvaried`).
    """
    if why := too_few(n):
        return Tested(Estimate(value, None, None, n, why), None)
    opposite = max(bounds[0], value - 2 * abs(value)), min(bounds[1], value + 2 * abs(value))
    return unvaried(value, n, opposite)


class McNemar(msgspec.Struct, frozen=True, kw_only=True):
    """The result of McNemar's test, on two binary outcomes of each item.

    gained, lost  items right only in the second, and only in the first
    p             two-sided and exact (binomial on the items that changed); 1 if none did, None
                  without any pair
    items         number of pairs
    """

    gained: int
    lost: int
    p: float | None
    items: int


def mcnemar(first: Sequence[bool] | NDArray[Any], second: Sequence[bool] | NDArray[Any]) -> McNemar:
    """McNemar's exact test (1947), which assumes independent items.

    If the items of a unit change together, test with `paired`, and take only the counts from here.
    """
    before, after = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if before.shape != after.shape:
        raise ValueError(f"{before.shape} outcomes for {after.shape}")
    gained, lost = int((~before & after).sum()), int((before & ~after).sum())
    if not before.size:
        return McNemar(gained=0, lost=0, p=None, items=0)
    changed, p = gained + lost, 1.0
    if changed:
        p = float(scipy.stats.binomtest(gained, changed).pvalue)
    return McNemar(gained=gained, lost=lost, p=p, items=int(before.size))
