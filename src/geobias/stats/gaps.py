"""How the gap between groups changed from one run to another, on the same units.

The largest minus the smallest group mean is too large, the more so the smaller the true gap. The
difference of two such gaps is therefore wrong wherever one run has a gap and the other has none,
and resampling units adds the same error once more. So each run's gap is freed of noise first, with
an interval of its own (`extremes`), and the interval of the change is made of these two (MOVER:
Zou and Donner 2008): each end is as far from the change as the two ends it rests on are from their
values, added like standard errors of correlated numbers. The correlation is that of the two gaps
under the noise that units share between the runs. Where a run's gap may be none at all, its
distance from 0 is the direction in which estimates of a gap err, and is added whole.

p is the one that fits the interval (Altman and Bland 2011).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from geobias.stats.disparity import disparity
from geobias.stats.extremes import NOISE_DRAWS, lent_variances
from geobias.stats.rates import Z_95, Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

UNCHANGED = "no unit changed"


class GapChange(msgspec.Struct, frozen=True, kw_only=True):
    """The gap between the groups' true means in two runs, and its change.

    first, second  the gap of each run, freed of noise; undefined as there
    change         second minus first; `n` counts units
    p              two-sided, of no change; 1 where no unit changed
    """

    first: Estimate
    second: Estimate
    change: Estimate
    p: float | None


def changed_gap(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    groups: Sequence[str | None],
    *,
    seed: int = 0,
    most: float = math.inf,
) -> GapChange:
    """A value in each run and a group for each unit (country means, not single answers).

    Units without a group (None) or without a value (NaN) in one of the runs are left out. `most` is
    the largest gap there can be: 1 between shares. Assumes independent units and group means that
    are about normal.
    """
    import numpy as np

    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not len(one) == len(two) == len(groups):
        raise ValueError(f"{len(one)} and {len(two)} values for {len(groups)} groups")
    known = [
        i for i, group in enumerate(groups) if group is not None and not np.isnan(one[i] + two[i])
    ]
    one, two, names = one[known], two[known], [groups[i] for i in known]
    # The deals are for a p-value of each run alone, which nobody asks for here.
    gaps = [
        disparity(values, names, draws=1, seed=seed, most=most).corrected for values in (one, two)
    ]
    n = len(known)
    if gaps[0].value is None or gaps[1].value is None:
        why = next(gap.reason for gap in gaps if gap.value is None)
        change, p = Estimate(None, None, None, n, why), None
    elif np.array_equal(one, two):
        change, p = Estimate(0.0, None, None, n, UNCHANGED), 1.0
    else:
        change = _between(gaps[0], gaps[1], _correlation(one, two, names, seed), most)
        p = _fitting(change)
    return GapChange(first=gaps[0], second=gaps[1], change=change, p=p)


def _between(first: Estimate, second: Estimate, correlation: float, most: float) -> Estimate:
    """Second minus first, of two gaps with intervals."""
    (a, a_low, a_high), (b, b_low, b_high) = (_ends(one) for one in (first, second))

    def joined(one: float, other: float, may_be_none: bool) -> float:
        if may_be_none:
            return one + other
        return math.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))

    value = b - a
    low = value - joined(b - b_low, a_high - a, b_low == 0)
    high = value + joined(b_high - b, a - a_low, a_low == 0)
    return Estimate(value, max(-most, low), min(most, high), first.n)


def _ends(one: Estimate) -> tuple[float, float, float]:
    assert one.value is not None
    assert one.low is not None
    assert one.high is not None
    return one.value, one.low, one.high


def _correlation(one: Floats, two: Floats, names: Sequence[str | None], seed: int) -> float:
    """Of the two gaps, when the runs' group means move by noise that is as alike as their units."""
    import numpy as np

    _, index = np.unique(np.array(names, dtype=str), return_inverse=True)
    sizes = np.bincount(index)
    means = [np.bincount(index, values) / sizes for values in (one, two)]
    apart = [values - own[index] for values, own in zip((one, two), means, strict=True)]
    spread = math.sqrt(float(apart[0] @ apart[0]) * float(apart[1] @ apart[1]))
    alike = max(-1.0, min(1.0, float(apart[0] @ apart[1]) / spread))
    errors = [
        np.sqrt(lent_variances(np.bincount(index, own**2).astype(float), sizes - 1) / sizes)
        for own in apart
    ]
    noise = np.random.default_rng((seed, *sizes)).normal(size=(2, NOISE_DRAWS, len(sizes)))
    both = (noise[0], alike * noise[0] + math.sqrt(1 - alike**2) * noise[1])
    moved = [
        np.ptp(own + error * draws, axis=1)
        for own, error, draws in zip(means, errors, both, strict=True)
    ]
    return float(np.corrcoef(moved[0], moved[1])[0, 1])


def _fitting(change: Estimate) -> float:
    """The p-value that is under 0.05 where the interval does not hold 0."""
    value, low, high = _ends(change)
    half = value - low if value > 0 else high - value
    if value == 0:
        return 1.0
    return math.erfc(Z_95 * abs(value) / half / math.sqrt(2)) if half > 0 else 0.0
