"""How large a study must be to see a gap of a given size, and what a given study can see.

By simulation: studies with a known gap are made up, the test that the table uses is applied to
each, and the share that finds the gap is its power. A unit's observed mean is taken to be normal:
its group's true mean, plus what sets the unit apart (`between`), plus the luck of its items
(`within` over the root of their number). More items shrink only the last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from geobias.stats.bootstrap import known_units
from geobias.stats.student import quantile_95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

Test = Literal["disparity", "two_groups", "mean"]
STUDIES = 1000
"""Power from so many studies is right to about 0.025."""
_DEALS = 199
_LEVEL = 0.05


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """A study as a test sees it.

    test     what the table tests: a "disparity" of several groups (permutation of units),
             "two_groups" (Mann–Whitney) or one "mean" against 0 (Student's t over units)
    groups   how many units (countries, templates) there are in each group; one group for "mean"
    items    questions, items or games of each unit
    between  SD of the units' true values within a group
    within   SD of one item around its unit's true value
    """

    test: Test
    groups: tuple[int, ...]
    items: int
    between: float
    within: float


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes to see a gap.

    items    of each unit; None where no number of them up to the most is enough
    units    in all groups
    power    share of simulated studies of that size (or with the most items) that find the gap
    best     the power that endlessly many items of these units would have
    """

    items: int | None
    units: int
    power: float
    best: float


def power(design: Design, gap: float, *, studies: int = STUDIES, seed: int = 0) -> float:
    """The share of simulated studies whose test has p ≤ 0.05 when the true gap is `gap`.

    In a disparity the groups' true means lie evenly over the gap, in another random order in each
    study. In two groups the first is above the second by the gap. The same seed makes the same
    units, so that more items or a larger gap seldom find less.
    """
    return _power(design, gap, design.within / math.sqrt(design.items), studies, seed)


def needed(
    design: Design,
    gap: float,
    *,
    wanted: float = 0.8,
    most_items: int = 10_000,
    studies: int = STUDIES,
    seed: int = 0,
) -> Needed:
    """The fewest items of each unit with which the test finds `gap` as often as `wanted`.

    `design.items` is not looked at. `most_items` is how many there are at most.
    """

    def found(items: float) -> float:
        return _power(design, gap, design.within / math.sqrt(items), studies, seed)

    best, units = found(math.inf), sum(design.groups)
    reached = found(most_items)
    if reached < wanted:
        return Needed(items=None, units=units, power=reached, best=best)
    low, high = 0, 1  # `low` is too few
    while high < most_items and (reached := found(high)) < wanted:
        low, high = high, min(2 * high, most_items)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if found(middle) < wanted else (low, middle)
    return Needed(items=high, units=units, power=found(high), best=best)


def smallest_gap(
    design: Design,
    *,
    wanted: float = 0.8,
    most: float = 1.0,
    studies: int = STUDIES,
    seed: int = 0,
) -> float | None:
    """The smallest gap that this design finds as often as `wanted`; None where not even the gap
    `most` is. Two digits, rounded up: a smaller number would be found less often.
    """

    def found(gap: float) -> float:
        return power(design, gap, studies=studies, seed=seed)

    if found(most) < wanted:
        return None
    low, high = 0.0, most
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if found(middle) < wanted else (low, middle)
    if not high:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(high)) - 1)
    return float(f"{math.ceil(high / step) * step:.2g}")


def unit_spread(
    values: Sequence[float] | Floats,
    units: Sequence[Any] | NDArray[Any],
    items: Sequence[Any] | NDArray[Any] | None = None,
) -> tuple[float, float] | None:
    """SD between units and within them, as `Design` wants them, from data at hand.

    `items` names what every unit is asked (indicators): how hard an item is for all is then no
    luck of a unit and taken out first. None with under three units, or where none has two values.
    The analysis of variance for unequal units (Searle 1971); a negative variance counts as 0.
    """
    import numpy as np

    numbers, index, n = known_units(values, units)
    if items is not None:
        known = ~np.isnan(np.asarray(values, dtype=float))
        _, item = np.unique(np.asarray(items)[known], return_inverse=True)
        item = item.ravel()
        numbers = numbers - (np.bincount(item, numbers) / np.bincount(item))[item]
    freedom = len(numbers) - n
    if n < 3 or freedom < 1:
        return None
    sizes = np.bincount(index, minlength=n)
    means = np.bincount(index, numbers, n) / sizes
    within = float(((numbers - means[index]) ** 2).sum()) / freedom
    centre = float(numbers.mean())
    usual = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (n - 1)
    between = (float((sizes * (means - centre) ** 2).sum()) / (n - 1) - within) / usual
    return math.sqrt(max(0.0, between)), math.sqrt(within)


def _power(design: Design, gap: float, luck: float, studies: int, seed: int) -> float:
    import numpy as np

    dice = np.random.default_rng(seed)
    sizes = np.array(design.groups)
    units = int(sizes.sum())
    noise = dice.normal(size=(studies, units)) * math.hypot(design.between, luck)
    if design.test == "mean":
        return _mean_power(noise + gap)
    if design.test == "two_groups":
        return _two_groups_power(noise + np.repeat([gap, 0.0], sizes), design.groups)
    places = np.linspace(0, gap, len(sizes))
    order = dice.permuted(np.tile(places, (studies, 1)), axis=1)
    return _disparity_power(noise + np.repeat(order, sizes, axis=1), sizes, dice)


def _mean_power(units: Floats) -> float:
    n = units.shape[1]
    if n < 3:
        return 0.0
    se = units.std(axis=1, ddof=1) / math.sqrt(n)
    return float((abs(units.mean(axis=1)) > quantile_95(n - 1) * se).mean())


def _two_groups_power(units: Floats, groups: tuple[int, ...]) -> float:
    from scipy.stats import mannwhitneyu

    found = mannwhitneyu(units[:, : groups[0]], units[:, groups[0] :], axis=1)
    return float((found.pvalue <= _LEVEL).mean())


def _disparity_power(units: Floats, sizes: NDArray[Any], dice: np.random.Generator) -> float:
    """All studies are dealt the same way, which makes of it one multiplication of matrices."""
    import numpy as np

    studies, n = units.shape
    group = np.repeat(np.arange(len(sizes)), sizes)
    deals = np.concatenate(
        [group[None, :], dice.permuted(np.tile(group, (_DEALS, 1)), axis=1)], axis=0
    )
    gaps = np.empty((studies, _DEALS + 1))
    for start in range(0, _DEALS + 1, 50):
        part = deals[start : start + 50]
        member = (part[:, None, :] == np.arange(len(sizes))[:, None]) / sizes[:, None]
        means = (units @ member.reshape(-1, n).T).reshape(studies, len(part), len(sizes))
        gaps[:, start : start + len(part)] = np.ptp(means, axis=2)
    p = (gaps >= gaps[:, :1] - 1e-12).sum(axis=1) / (_DEALS + 1)
    return float((p <= _LEVEL).mean())
