"""How the differences between groups changed from one run to another, on the same units.

Each run has the spread of its groups' means and their largest gap, with intervals
(`group_differences`). The interval of a change is made of these two (MOVER: Zou and Donner 2008)
with the correlation of the two numbers' errors. Units err alike in both runs: the gap's correlation
is that of units within groups where the same two groups are highest and lowest in both runs, and 0
else; the spread's is that times the square of the correlation of the groups' means. Where a run may
have no gap at all, its distance from 0 is the direction in which estimates of a gap err, and is
added whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from geobias.stats.arrays import Floats
from geobias.stats.group_differences import Groups, group_differences
from geobias.stats.groups import Difference, mover_difference
from geobias.stats.rates import Estimate

_WHOLE = -1.0
"""A correlation with which two distances add up as they are."""


class Changed(NamedTuple):
    """A number of both runs, and the second minus the first with the p-value that belongs to it."""

    first: Estimate
    second: Estimate
    change: Difference


class GroupChange(NamedTuple):
    spread: Changed
    gap: Changed


def changed_groups(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    groups: Sequence[str | None],
    *,
    most: float = math.inf,
) -> GroupChange:
    """A value in each run and a group for each unit (country means, not single answers).

    Units without a group (None) or without a value (NaN) in one of the runs are left out. `most` is
    the largest that two means can differ by.
    """
    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not len(one) == len(two) == len(groups):
        raise ValueError(f"{len(one)} and {len(two)} values for {len(groups)} groups")
    known = ~np.isnan(one + two)
    one, two = one[known], two[known]
    names = [group for group, kept in zip(groups, known, strict=True) if kept]
    found = [group_differences(values, names, most=most) for values in (one, two)]
    within, between = _correlations(Groups.of(one, names), Groups.of(two, names))
    ends = [(run.lowest, run.highest) for run in found]
    unchanged = np.array_equal(one, two)
    return GroupChange(
        _changed(found[0].spread, found[1].spread, within * between**2, unchanged),
        _changed(found[0].gap, found[1].gap, within * (ends[0] == ends[1]), unchanged),
    )


def _changed(first: Estimate, second: Estimate, alike: float, unchanged: bool) -> Changed:
    if unchanged and first.value is not None:
        nothing = Estimate(0.0, None, None, first.n, "no unit changed")
        return Changed(first, second, Difference(nothing, 1.0))
    ends = (alike if second.low else _WHOLE, alike if first.low else _WHOLE)
    change = mover_difference(second, first, ends)
    # Both runs have the same units.
    estimate = msgspec.structs.replace(change.estimate, n=first.n)
    return Changed(first, second, Difference(estimate, change.p))


def _correlations(first: Groups, second: Groups) -> tuple[float, float]:
    """Of units within groups, and of the groups' means; never under 0."""
    if len(first.names) < 2:
        return 0.0, 0.0
    owner = np.repeat(np.arange(len(first.names)), first.sizes.astype(int))
    within = _alike(first.values - first.means[owner], second.values - second.means[owner])
    between = _alike(first.means - first.means.mean(), second.means - second.means.mean())
    return max(0.0, within), max(0.0, between)


def _alike(one: Floats, two: Floats) -> float:
    lengths = math.sqrt(float(one @ one) * float(two @ two))
    return float(one @ two) / lengths if lengths > 0 else 0.0
