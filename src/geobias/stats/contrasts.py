"""Tests of whether groups of units differ: one signed contrast, all groups, and the widest pair.

Each unit has one value and one group. Units are independent; groups may differ in variance and
size. Groups of fewer than `MIN_UNITS` units are not tested, since the variance of three units is
unknown. Units without a group (None) or a value (NaN) are left out.

A contrast is a weighted sum of group means whose weights add up to 0: the difference of two groups,
or the linear trend over ordered groups. Its variance is the sum of the variances of its terms, and
its degrees of freedom are Welch and Satterthwaite's (1946, 1947). It is linear in the values, so
its change between two runs is the contrast of the changes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each
from numpy.typing import NDArray

from geobias.stats.arrays import ROUNDING, Floats, Numbers
from geobias.stats.estimates import (
    LEAST_UNITS,
    LEVEL,
    UNBOUNDED,
    Z_95,
    Bounds,
    Estimate,
    quantile_95,
    two_sided_p,
    undefined,
)

MIN_UNITS = 5
TOO_FEW_GROUPS = f"under two groups of {MIN_UNITS} units"
ALL_ALIKE = "all have the same value"


@dataclass(frozen=True)
class Groups:
    """Groups with enough units, in alphabetical order: means, squared standard errors and sizes.

    A group whose units all have the same value gets the variance of all groups together, since five
    equal units do not prove that further units are equal. If the variance of all groups is 0, one
    unit is assumed to deviate by the distance between the groups' means.
    """

    names: list[str]
    means: Floats
    errors: Floats
    sizes: Floats

    @classmethod
    def of(cls, values: Numbers, groups: Sequence[str | None], least: int = MIN_UNITS) -> Groups:
        numbers = np.asarray(values, dtype=float)
        if len(numbers) != len(groups):
            raise ValueError(f"{len(numbers)} values for {len(groups)} groups")
        if np.isinf(numbers).any():
            raise ValueError("an infinite value cannot be compared")
        members: dict[str, list[float]] = {}
        for value, group in zip(numbers.tolist(), groups, strict=True):
            if group is not None and not math.isnan(value):
                members.setdefault(str(group), []).append(value)
        parts = {name: np.array(own) for name, own in sorted(members.items()) if len(own) >= least}
        sizes = np.array([len(own) for own in parts.values()], dtype=float)
        means = np.array([float(own.mean()) for own in parts.values()])
        variances = np.array([float(own.var(ddof=1)) for own in parts.values()])
        if parts:
            common = float(((sizes - 1) * variances).sum() / (sizes - 1).sum())
            if common <= ROUNDING**2:
                # No variance within groups: assume one deviating unit.
                apart = float(np.ptp(means)) ** 2
                common = apart / sizes.sum() if apart > ROUNDING**2 else 0.0
            variances = np.where(variances <= ROUNDING**2, common, variances)
        return cls([*parts], means, variances / sizes, sizes)

    @property
    def units(self) -> int:
        return int(self.sizes.sum())

    @property
    def why_none(self) -> str:
        """The reason why the groups cannot be tested, or "" if they can."""
        if len(self.names) < 2:
            return TOO_FEW_GROUPS
        return "" if self.errors.sum() > 0 else ALL_ALIKE

    def contrast(self, weights: Mapping[str, float], most: float = math.inf) -> Estimate:
        """The weighted sum of the groups' means; `n` counts the units behind it.

        The interval is limited to ±`most`, the largest possible difference of two means.
        """
        chosen = np.array([weights.get(name, 0.0) for name in self.names])
        n = int(self.sizes[chosen != 0].sum())
        value = float(chosen @ self.means)
        parts = chosen**2 * self.errors
        error = math.sqrt(float(parts.sum()))
        if error == 0:
            return undefined(n, ALL_ALIKE, value)
        df = error**4 / float((parts**2 / (self.sizes - 1)).sum())
        half = quantile_95(df) * error
        ends = max(-most, value - half), min(most, value + half)
        return Estimate(value, *ends, n, p=two_sided_p(value / error, df))


def ratio(first: Numbers, second: Numbers) -> Estimate:
    """Return the first group's mean divided by the second group's mean: "1.5 times".

    The interval is that of the difference of logarithms by the delta method, with Welch and
    Satterthwaite's degrees of freedom. p tests a ratio of 1.
    """
    values = np.concatenate([np.asarray(side, dtype=float) for side in (first, second)])
    names = ["first"] * len(first) + ["second"] * len(second)
    known = Groups.of(values, names, LEAST_UNITS)
    if len(known.names) < 2:
        return undefined(known.units, f"a group of under {LEAST_UNITS} units")
    if (known.means <= 0).any():
        return undefined(known.units, "a mean is not above 0")
    logs = replace(known, means=np.log(known.means), errors=known.errors / known.means**2)
    found = logs.contrast({"first": 1.0, "second": -1.0})
    if found.value is None or found.low is None or found.high is None:
        return undefined(found.n, found.reason)
    value, low, high = (math.exp(one) for one in (found.value, found.low, found.high))
    return Estimate(value, low, high, found.n, p=found.p)


# The trend ----------------------------------------------------------------------------------------


def trend_weights(order: Sequence[str], present: Sequence[str]) -> dict[str, float]:
    """Return the weight of each group's mean in the linear trend.

    The trend is the rise of the best-fitting line from the last group of `order` to the first. Four
    incomes have weights 0.9, 0.3, −0.3 and −0.9. Each group counts once, however large it is. If
    groups are missing, the line goes from the last group present to the first.
    """
    places = {name: place for place, name in enumerate(order) if name in present}
    if len(places) < 2:
        return {}
    middle = sum(places.values()) / len(places)
    squares = sum((place - middle) ** 2 for place in places.values())
    span = max(places.values()) - min(places.values())
    return {name: (middle - place) * span / squares for name, place in places.items()}


def trend(
    values: Numbers,
    groups: Sequence[str | None],
    order: Sequence[str],
    *,
    most: float = math.inf,
    bounds: Bounds = UNBOUNDED,
) -> Estimate:
    """Return the first group of `order` minus the last, by the linear trend over all groups."""
    known = Groups.of(values, [group if group in order else None for group in groups])
    weights = trend_weights(order, known.names)
    if known.why_none == ALL_ALIKE and all(map(math.isfinite, bounds)):
        return _all_alike(known, weights, bounds)
    if why := known.why_none:
        return undefined(known.units, why)
    return known.contrast(weights, most)


def _all_alike(known: Groups, weights: Mapping[str, float], bounds: Bounds) -> Estimate:
    """Return the contrast if all units have the same value (a model that is always right).

    It is 0 with p = 1. Each group's mean has the interval of `estimates.unvaried`. The intervals
    are combined as Newcombe (1998) does for two shares, and Zou and Donner (2008) for any weighted
    sum.
    """
    chosen = np.array([weights[name] for name in known.names])
    unseen = Z_95**2 / (known.sizes + Z_95**2)
    moves = [chosen * unseen * (end - known.means) for end in bounds]
    below, above = np.minimum(*moves), np.maximum(*moves)
    reach = -math.sqrt(float(below @ below)), math.sqrt(float(above @ above))
    return Estimate(0.0, *reach, known.units, p=1.0)


class Ends(NamedTuple):
    """How low and how high a number could be, depending on its missing values.

    The number is computed with all missing values at the lower end, and with all at the upper end.
    So a model cannot hide errors by declining the questions that it would get wrong. `p` is the
    larger p-value, or 1 if either number has another sign than the estimate, and `reach` the
    largest distance from 0 within the two intervals.
    """

    lowest: float | None = None
    highest: float | None = None
    p: float | None = None
    reach: float | None = None

    @classmethod
    def of(cls, low: Estimate, high: Estimate, value: float | None) -> Ends:
        """Combine the estimates at both ends. `value` is the one without the missing values."""
        if low.value is None or high.value is None:
            return cls()
        lowest, highest = sorted((low.value, high.value))
        if value is None:
            return cls(lowest, highest)
        same = lowest * value > 0 and highest * value > 0
        p = max(1.0 if one.p is None or not same else one.p for one in (low, high))
        bounds = [end for one in (low, high) for end in (one.low, one.high)]
        reach = max(math.inf if end is None else abs(end) for end in bounds)
        return cls(lowest, highest, p, reach)


# All groups, and the widest pair ----------------------------------------------------------------


def welch_f(values: Numbers, groups: Sequence[str | None]) -> Estimate:
    """Test that all groups have the same mean (Welch 1951). SciPy has this from version 1.16 on."""
    known = Groups.of(values, groups)
    k = len(known.names)
    if why := known.why_none:
        return undefined(known.units, why)
    weights = 1 / known.errors
    shares = weights / weights.sum()
    doubt = float(((1 - shares) ** 2 / (known.sizes - 1)).sum())
    apart = float((weights * (known.means - shares @ known.means) ** 2).sum()) / (k - 1)
    f = apart / (1 + 2 * (k - 2) / (k * k - 1) * doubt)
    df = (float(k - 1), (k * k - 1) / (3 * doubt))
    p = float(scipy.special.fdtrc(*df, f))
    return Estimate(None, None, None, known.units, p=p)


class Pair(NamedTuple):
    """The mean of the group `first` minus the smaller mean of the group `second`."""

    first: str
    second: str
    difference: Estimate


def widest(values: Numbers, groups: Sequence[str | None], *, most: float = math.inf) -> Pair | None:
    """Compare the groups with the largest and the smallest mean by Games and Howell's test.

    The papers call this difference disparity. Its interval and p-value hold for all pairs of groups
    together.
    """
    known = Groups.of(values, groups)
    if known.why_none:
        return None
    ends = [int(known.means.argmax()), int(known.means.argmin())]
    parts, n = known.errors[ends], known.sizes[ends]
    variance = float(parts.sum())
    df = variance**2 / float((parts**2 / (n - 1)).sum())
    apart, error = float(np.ptp(known.means)), math.sqrt(variance)
    ranged = StudentisedRange(len(known.names), df)
    half = ranged.limit(LEVEL) / math.sqrt(2) * error
    low, high = max(-most, apart - half), min(most, apart + half)
    p = ranged.p(apart / error * math.sqrt(2))
    first, second = (known.names[end] for end in ends)
    return Pair(first, second, Estimate(apart, low, high, int(n.sum()), p=p))


_FARTHEST, _STEPS = 30.0, 3001
_NODES = 96
_quadrature = lru_cache(maxsize=1)(np.polynomial.legendre.leggauss)


class StudentisedRange:
    """The distribution of the studentised range (Tukey 1953; Lund and Lund 1983).

    It is the range of `groups` standard normal variables divided by an independent estimate of
    their SD with `df` degrees of freedom. Probabilities are accurate to 1e-4. SciPy's quantile is
    not used, because it takes 150 ms.
    """

    def __init__(self, groups: int, df: float) -> None:
        nodes, weights = _quadrature(_NODES)
        # Quantiles of the SD: the probability is averaged over them.
        self._spread = np.sqrt(scipy.special.chdtri(df, (1 - nodes) / 2) / df)
        self._weights = weights / 2
        self._grid, self._reached = _reached(groups)

    def p(self, q: float) -> float:
        reached = np.interp(q * self._spread, self._grid, self._reached, right=0.0)
        return float(reached @ self._weights)

    def limit(self, level: float) -> float:
        low, high = 0.0, 1000.0
        for _ in range(32):
            middle = (low + high) / 2
            low, high = (middle, high) if self.p(middle) >= level else (low, middle)
        return high


@lru_cache(maxsize=32)
def _reached(groups: int) -> tuple[Floats, Floats]:
    """Values, and the probability that the range of `groups` standard normals exceeds each."""
    grid = np.linspace(0, _FARTHEST, _STEPS)
    z = np.linspace(-8.5, 8.5, 1201)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    within = (
        groups
        * ((scipy.special.ndtr(z) - scipy.special.ndtr(z - grid[:, None])) ** (groups - 1))
        @ density
    )
    return grid, np.clip(1 - within, 0.0, 1.0)


# Neighbours ---------------------------------------------------------------------------------------

SHUFFLES = 999
NEAREST = 5


def moran(
    values: Numbers, groups: Sequence[str | None], places: Sequence[tuple[float, float] | None]
) -> Estimate:
    """Test whether neighbouring units are alike (Moran 1950). `places` are points of a map.

    I is the mean product of a unit's residual and the mean residual of its `NEAREST` nearest
    neighbours, divided by the mean square of all residuals. A residual is the distance from the
    mean of the group. I is about 0 if neighbours are not more alike than others.

    The p-value is the share of random permutations of the units within groups in which neighbours
    are at least as alike as observed. The observed order counts as one permutation.
    """
    numbers = np.asarray(values, dtype=float)
    kept = [
        i
        for i, (group, place) in enumerate(zip(groups, places, strict=True))
        if group is not None and place is not None and not math.isnan(numbers[i])
    ]
    _, group = np.unique([str(groups[i]) for i in kept], return_inverse=True)
    n = len(kept)
    if n <= NEAREST + 1:
        return undefined(n, "")
    own = numbers[kept]
    left = own - (np.bincount(group, own) / np.bincount(group))[group]
    square = float((left**2).mean())
    if square <= ROUNDING**2:
        return undefined(n, "")
    nearest = _nearest([places[i] for i in kept])

    def likeness(rest: Floats) -> float:
        return float((rest * rest[nearest].mean(axis=1)).mean()) / square

    found = likeness(left)
    dice = np.random.default_rng(0)
    order = np.argsort(group, kind="stable")
    shuffled = np.empty_like(left)
    reached = 0
    for _ in range(SHUFFLES):
        shuffled[order] = left[order[np.lexsort((dice.random(n), group[order]))]]
        reached += likeness(shuffled) >= found - ROUNDING
    return Estimate(found, None, None, n, p=(1 + reached) / (1 + SHUFFLES))


def _nearest(places: Sequence[Any]) -> NDArray[Any]:
    points = np.array(places, dtype=float)
    apart = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    np.fill_diagonal(apart, np.inf)
    return np.argsort(apart, axis=1, kind="stable")[:, :NEAREST]
