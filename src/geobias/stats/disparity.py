"""Disparity: how far the best and the worst group are apart, and how far chance alone puts them.

The largest minus the smallest group mean is never negative, grows with the number of groups and
with their smallness, and so says little by itself. Its baseline is what the same units give when
they are dealt at random into groups of the same sizes (a permutation test: Good 2005, chapter 3).
WorldBench averages ten such deals; that is `draws=10`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from geobias.stats.dealing import dealt_gaps, group_means
from geobias.stats.extremes import group_variances, true_gap
from geobias.stats.rates import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

DRAWS = 10_000
PAPER_DRAWS = 10


class Disparity(msgspec.Struct, frozen=True, kw_only=True):
    """The gap between groups and its baseline. All but the counts are None with under two groups.

    value          largest minus smallest group mean
    lowest         the group with the smallest mean; of equals, the first in alphabetical order
    highest        the group with the largest mean; of equals, the first in alphabetical order
    baseline       mean gap over random deals
    baseline_high  the gap that 5% of random deals reach or exceed
    excess         value minus baseline: what is beyond chance, negative where it is less
    corrected      the gap between the groups' true means, freed of what noise adds to the largest
                   minus the smallest, with its interval (`extremes`); `n` counts units
    p              share of deals, this one counted, with a gap at least as large
    groups, units  how many have a value
    """

    value: float | None
    lowest: str | None
    highest: str | None
    baseline: float | None
    baseline_high: float | None
    excess: float | None
    corrected: Estimate
    p: float | None
    groups: int
    units: int
    draws: int


def disparity(
    values: Sequence[float] | Floats,
    groups: Sequence[str | None],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    most: float = math.inf,
) -> Disparity:
    """The disparity of unit values over groups: one value and one group for each unit.

    Assumes that under "no difference" any unit could as well be in any group. Units without a
    group (None) or without a value (NaN) are left out, so an empty group does not exist. With
    `draws` deals p is at least 1/(draws + 1); a gap equal to the observed one counts as reaching
    it, with room for rounding, so units that are all equal give p = 1. `most` is the largest gap
    there can be: 1 between shares.
    """
    import numpy as np

    numbers = np.asarray(values, dtype=float)
    if len(numbers) != len(groups):
        raise ValueError(f"{len(numbers)} values for {len(groups)} groups")
    known = [i for i, group in enumerate(groups) if group is not None and not np.isnan(numbers[i])]
    names, index = np.unique(np.array([str(groups[i]) for i in known]), return_inverse=True)
    if len(names) < 2:
        return Disparity(
            value=None,
            lowest=None,
            highest=None,
            baseline=None,
            baseline_high=None,
            excess=None,
            corrected=Estimate(None, None, None, len(known), "under two groups"),
            p=None,
            groups=len(names),
            units=len(known),
            draws=draws,
        )
    order = np.argsort(index, kind="stable")
    ranked = numbers[known][order]
    sizes = np.bincount(index)
    means = group_means(ranked[None, :], sizes)[0]
    gap = float(means.max() - means.min())
    dealt = dealt_gaps(ranked, sizes, draws, seed)
    reached = int((dealt >= gap - 1e-12).sum())
    return Disparity(
        value=gap,
        lowest=str(names[means.argmin()]),
        highest=str(names[means.argmax()]),
        baseline=float(dealt.mean()),
        baseline_high=float(np.quantile(dealt, 0.95)),
        excess=gap - float(dealt.mean()),
        corrected=true_gap(means, group_variances(ranked, sizes), sizes, most=most, seed=seed),
        p=(1 + reached) / (1 + draws),
        groups=len(names),
        units=len(known),
        draws=draws,
    )
