"""Two groups of units, North and South say: is one above the other, and by how much?

`mover_difference` compares their means, with an interval made of the two printed ones and the
p-value that belongs to it. `two_groups` compares ranks, which is another question: whether a unit
of the first group tends to lie above one of the second. Two groups with equal means can differ in
that.

The rank-sum test of Mann and Whitney (1947) is written out: importing a library of tests for it
would cost every summary a second.

`changed_groups` tells how the differences between groups changed from one run to another, on the
same units. Each run has the spread of its groups' means and their largest gap, with intervals
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
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.estimates import (
    UNBOUNDED,
    Z_95,
    Bounds,
    Estimate,
    around,
    quantile_95,
    too_few,
    two_sided_p,
    unseen_caution,
    unvaried,
    wilson,
)
from geobias.stats.group_differences import Groups, group_differences

EXACT_UP_TO = 8
ENOUGH_FOR_VARIANCE = 20


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two groups compared; positive means that the first is above the second.

    u              Mann–Whitney's U of the first group: pairs in which its unit is above, ties half
    p              two-sided, of no difference between the distributions; `method` says whether
                   "exact" (no ties, and a group of at most 8) or "normal" (with ties and
                   continuity corrected for)
    effect         rank-biserial correlation from −1 to 1: the share of pairs in which the first is
                   above, less the share in which it is below
    shift          Hodges–Lehmann: the median difference over all pairs, in the values' unit
    difference     mean of the first minus mean of the second, with Welch's interval
    n              units with a value in the first and in the second group

    `n` of the three estimates counts the units of both groups. Their intervals are missing, with
    the reason, where a group has under three units; that of the shift also where the groups are so
    small that no 95% interval exists (3 against 3).
    """

    u: float | None
    p: float | None
    method: str
    effect: Estimate
    shift: Estimate
    difference: Estimate
    n: tuple[int, int]


def two_groups(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    *,
    bounds: Bounds = UNBOUNDED,
) -> Comparison:
    """One value for each unit of the two groups (country means, not single games).

    NaN is left out. An empty group leaves everything undefined. `bounds` is the range that a
    difference of two values can take. Assumes independent units; the shift also that one group's
    distribution is the other's, moved.
    """
    a, b = _known(first), _known(second)
    n = (len(a), len(b))
    if 0 in n:
        nothing = Estimate(None, None, None, sum(n), "an empty group")
        return Comparison(
            u=None,
            p=None,
            method="",
            effect=nothing,
            shift=nothing,
            difference=nothing,
            n=n,
        )
    pairs = a[:, None] - b[None, :]
    tied = len(np.unique(np.concatenate([a, b]))) < sum(n)
    method = "exact" if not tied and min(n) <= EXACT_UP_TO else "normal"
    if np.ptp(np.concatenate([a, b])) == 0:
        u, p = n[0] * n[1] / 2, 1.0
    else:
        u, p = mann_whitney(a, b, exact=method == "exact")
    few = min(n) < 3
    why = "a group of under three units: no interval" if few else ""
    return Comparison(
        u=u,
        p=p,
        method=method,
        effect=_effect(pairs, few, why),
        shift=_shift(a, b, pairs, bounds, few, why),
        difference=_difference(a, b, bounds, few, why),
        n=n,
    )


def group_mean(values: Sequence[float] | Floats, *, bounds: Bounds = UNBOUNDED) -> Estimate:
    """The mean of one value for each unit, with Student's interval on the scale of the bounds.

    Made for `mover_difference`: on the logit scale the interval leans as it must near a bound, and
    the difference of two needs no more (the bootstrap-t, which other means add, is wild with
    fifteen units of which most are at a bound). Where no unit differs, Wilson's allowance.
    """
    known = _known(values)
    n = len(known)
    if n == 0:
        return Estimate(None, None, None, 0, "no values")
    value = float(known.mean())
    if why := too_few(n):
        return Estimate(value, None, None, n, why)
    error = float(known.std(ddof=1)) / math.sqrt(n)
    if error <= 1e-12 * max(1.0, abs(value)):
        low, high = unvaried(value, n, bounds)
        return Estimate(value, low, high, n, "" if low is not None else "no unit differs")
    return Estimate(value, *around(value, quantile_95(n - 1) * error, bounds), n)


def share_over_units(shares: Sequence[float] | Floats, counts: Sequence[int] | Floats) -> Estimate:
    """The mean of the units' shares, each from `counts` trials, with an interval over units.

    Wilson's with an effective number of trials (Korn and Graubard 1998): as many as would give
    independent trials the variance that the units' mean has. It is never above what the counts
    allow, n² / Σ(1/count), which is what it would be if no unit differed: where hits are rare, the
    units with one trial each may all lack one, and their variance then says nothing. Student's t
    with n − 1 degrees of freedom. A caution says where rare units that were not drawn could lie
    outside (`any_values_interval`). `n` counts units.
    """
    known = np.asarray(shares, dtype=float)
    trials = np.asarray(counts, dtype=float)
    n = len(known)
    if n == 0:
        return Estimate(None, None, None, 0, "no values")
    value = float(known.mean())
    if why := too_few(n):
        return Estimate(value, None, None, n, why)
    effective = n**2 / float((1 / trials).sum())
    variance = float(known.var(ddof=1)) / n
    if variance > 0:
        effective = min(effective, value * (1 - value) / variance)
    low, high = wilson(value, effective, quantile_95(n - 1))
    return Estimate(value, low, high, n, caution=unseen_caution(known, low, high, (0.0, 1.0)))


def difference_of_means(
    first: Sequence[float] | Floats, second: Sequence[float] | Floats
) -> Difference:
    """The mean of the first group minus that of the second, by `mover_difference`.

    A group in which no unit differs takes the variance of the other: that its units were all alike
    is no proof that all are.
    """
    groups = [_known(first), _known(second)]
    means = [group_mean(values) for values in groups]
    for i, (values, other) in enumerate(zip(groups, reversed(groups), strict=True)):
        n = len(values)
        if means[i].low is None and n >= 3 and len(other) >= 3 and other.std() > 0:
            error = float(other.std(ddof=1)) / math.sqrt(n)
            half = quantile_95(n - 1) * error
            centre = float(values.mean())
            means[i] = Estimate(centre, centre - half, centre + half, n)
    return mover_difference(means[0], means[1])


class Difference(NamedTuple):
    """A difference, and the two-sided p-value of none: under 0.05 exactly where the 95% interval
    leaves out 0."""

    estimate: Estimate
    p: float | None


def mover_difference(
    first: Estimate, second: Estimate, correlations: tuple[float, float] = (0.0, 0.0)
) -> Difference:
    """The first number minus the second, from the two estimates and their intervals.

    MOVER (Zou and Donner 2008): the lower end lies as far from the difference as the first mean's
    lower and the second's upper end are from their means, added as squares; the upper end likewise.
    So the two groups may vary differently, and where their intervals lean, near 0 or 1, so does
    this one. `correlations` are those of the two numbers' errors, for the lower and for the upper
    end. The p-value is read off the interval (Altman and Bland 2011): the distance to 0 over the
    distance to the end that points there, in units of Student's t with Welch's degrees of freedom.
    `n` counts units of both groups.
    """
    n = first.n + second.n
    if first.value is None or second.value is None:
        return Difference(Estimate(None, None, None, n, "an empty group"), None)
    value = first.value - second.value
    if first.low is None or first.high is None or second.low is None or second.high is None:
        why = first.reason or second.reason
        return Difference(Estimate(value, None, None, n, why), None)
    below = _joined(first.value - first.low, second.high - second.value, correlations[0])
    above = _joined(first.high - first.value, second.value - second.low, correlations[1])
    estimate = Estimate(
        value, value - below, value + above, n, caution=first.caution or second.caution
    )
    toward = below if value > 0 else above
    if not toward > 0:
        return Difference(estimate, None)
    df = _welch_df(first, second)
    return Difference(estimate, two_sided_p(quantile_95(df) * value / toward, df))


def _joined(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))


def _welch_df(first: Estimate, second: Estimate) -> float:
    """Welch's (1947) degrees of freedom, the variances read off the widths of the intervals."""
    parts = []
    for one in (first, second):
        df = max(1, one.n - 1)
        width = (one.high or 0.0) - (one.low or 0.0)
        parts.append(((width / 2 / quantile_95(df)) ** 2, df))
    total = sum(variance for variance, _ in parts)
    return max(1.0, total**2 / sum(variance**2 / df for variance, df in parts))


def _known(values: Any) -> Floats:
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim != 1:
        raise ValueError(f"one value for each unit, not {numbers.shape}")
    if np.isinf(numbers).any():
        raise ValueError("an infinite value cannot be compared")
    known: Floats = numbers[~np.isnan(numbers)]
    return known


def _effect(pairs: Floats, few: bool, why: str) -> Estimate:
    """Rank-biserial correlation; its interval on the logit scale of P(first above second), with
    Brunner and Munzel's (2000) variance and degrees of freedom. With a group of under 20 units, or
    where the groups do not overlap and that variance is 0, Newcombe's method 5 (2006).
    """
    n, m = pairs.shape
    above = (pairs > 0) + (pairs == 0) / 2
    share = float(above.mean())
    value = 2 * share - 1
    if few:
        return Estimate(value, None, None, n + m, why)
    ours, theirs = above.mean(axis=1).var(ddof=1) / n, above.mean(axis=0).var(ddof=1) / m
    variance = float(ours + theirs)
    if min(n, m) < ENOUGH_FOR_VARIANCE or variance == 0 or share in (0.0, 1.0):
        low, high = _newcombe(share, n, m)
        return Estimate(value, 2 * low - 1, 2 * high - 1, n + m)
    df = max(1.0, variance**2 / (ours**2 / (n - 1) + theirs**2 / (m - 1)))
    half = quantile_95(df) * math.sqrt(variance)
    low, high = around(share, half, (0.0, 1.0))
    return Estimate(value, 2 * low - 1, 2 * high - 1, n + m)


def _newcombe(share: float, n: int, m: int) -> tuple[float, float]:
    """Where (share − θ)² = z² · variance(θ), by halving from the share to either end."""
    middle = (n + m) / 2 - 1

    def outside(theta: float) -> bool:
        spread = 1 + middle * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (share - theta) ** 2 > Z_95**2 * theta * (1 - theta) * spread / (n * m)

    def end(limit: float) -> float:
        inner, outer = share, limit
        for _ in range(60):
            mid = (inner + outer) / 2
            inner, outer = (inner, mid) if outside(mid) else (mid, outer)
        return inner

    return end(0.0), end(1.0)


def _shift(a: Floats, b: Floats, pairs: Floats, bounds: Bounds, few: bool, why: str) -> Estimate:
    """The median difference and, by inverting the rank test, its interval (Hodges and Lehmann
    1963; Hollander and Wolfe 1999, section 4.3). Ties make it a little too wide.
    """
    n, m = pairs.shape
    ordered = np.sort(pairs, axis=None)
    value = float(np.median(ordered))
    if few:
        return Estimate(value, None, None, n + m, why)
    place = _rank_limit(n, m)
    if place < 1:
        return Estimate(value, None, None, n + m, f"{n} against {m} units: no interval")
    low, high = float(ordered[place - 1]), float(ordered[len(ordered) - place])
    return Estimate(value, max(bounds[0], low), min(bounds[1], high), n + m)


def _rank_limit(n: int, m: int) -> int:
    """How many of the pairs' differences lie outside at each end: the k with P(U < k) nearest to
    2.5% from below; exact up to 400 pairs, else by the normal approximation.
    """
    if n * m > 400:
        spread = math.sqrt(n * m * (n + m + 1) / 12)
        return max(0, math.floor(n * m / 2 - Z_95 * spread + 0.5))
    ways = counts_of_u(n, m)
    total, reached, k = math.comb(n + m, n), 0, 0
    while (reached + ways[k]) / total <= 0.025:
        reached += ways[k]
        k += 1
    return k


def _difference(a: Floats, b: Floats, bounds: Bounds, few: bool, why: str) -> Estimate:
    if few:
        return Estimate(float(a.mean() - b.mean()), None, None, len(a) + len(b), why)
    found = welch(a, b).estimate
    if found.low is None or found.high is None:
        return found
    return Estimate(found.value, max(bounds[0], found.low), min(bounds[1], found.high), found.n)


def welch(a: Floats, b: Floats) -> Difference:
    """The difference of two means by Welch's (1947) test; two units or more in each group."""
    n, m = len(a), len(b)
    value = float(a.mean() - b.mean())
    ours, theirs = float(a.var(ddof=1)) / n, float(b.var(ddof=1)) / m
    error = math.sqrt(ours + theirs)
    if error == 0:
        why = "no unit differs from its group"
        return Difference(Estimate(value, None, None, n + m, why), None)
    df = error**4 / (ours**2 / (n - 1) + theirs**2 / (m - 1))
    half = quantile_95(df) * error
    estimate = Estimate(value, value - half, value + half, n + m)
    return Difference(estimate, two_sided_p(value / error, df))


def mann_whitney(
    first: NDArray[np.float64], second: NDArray[np.float64], *, exact: bool
) -> tuple[float, float]:
    """U, the pairs in which the first group's value is higher (half for a tie), and the two-sided
    p-value: `exact` where no two values are equal, else by the normal curve with the correction for
    ties and for continuity."""
    pairs = first[:, None] - second[None, :]
    u = float((pairs > 0).sum() + (pairs == 0).sum() / 2)
    most = max(u, pairs.size - u)
    if exact:
        ways = counts_of_u(*sorted(pairs.shape))
        return u, min(1.0, 2 * sum(ways[math.ceil(most) :]) / sum(ways))
    values = np.concatenate([first, second])
    n = len(values)
    ties = np.unique(values, return_counts=True)[1].astype(float)
    variance = pairs.size / 12 * (n + 1 - float((ties**3 - ties).sum()) / (n * (n - 1)))
    z = (most - pairs.size / 2 - 0.5) / math.sqrt(variance)
    return u, min(1.0, math.erfc(z / math.sqrt(2)))


def counts_of_u(n: int, m: int) -> list[int]:
    """In how many orders of n and m units U takes each value: Gauss's binomial coefficients."""
    counts = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for place in range(n * m, m + i - 1, -1):
            counts[place] -= counts[place - m - i]
        for place in range(i, n * m + 1):
            counts[place] += counts[place - i]
    return counts


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
