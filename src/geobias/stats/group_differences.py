"""Do groups of units differ? The spread of their means, the largest gap, and every pair.

One value and one group for each unit; units are independent, groups may vary unequally and need not
be equally large. Groups of under `MIN_UNITS` units are in no test: what three units vary by is not
known. Three things are told of the others, each with an interval and the test that belongs to it.

spread  the standard deviation τ of the groups' true means. The test of τ = 0 is Welch's F test
        (1951). The interval is Q-profile (Viechtbauer 2007): it holds every τ for which the means'
        weighted sum of squares Q(τ²) is an ordinary one. Two things are ours. Q is referred to
        Welch's F instead of χ², since standard errors are estimated. And it is referred to the
        noncentral distribution that it has for these very groups (Steiger 2004): there are seven
        regions, not a population of regions to draw from. The estimate is Paule and Mandel's (1982):
        the τ for which Q is what it is expected to be.
gap     the largest minus the smallest true mean. The test and the lower end are Games and Howell's
        (1976) simultaneous ones over all pairs, of which the gap is the largest. The upper end is
        the largest that any pair's own interval reaches: the pair that truly is the extreme one is
        among them, so it holds at least as often as that pair's interval does.
pairs   Games and Howell's difference of each two groups.

At τ = 0 all 5% lie on the side of large Q, because there are no values below; far from 0 they are
split evenly, and in between by the share of the spread that is no noise (after Feldman and Cousins
1998). So every interval of τ leaves out 0 exactly where p is under 0.05.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from geobias.stats.rates import Estimate
from geobias.stats.studentised_range import StudentisedRange

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

MIN_UNITS = 5
LEVEL = 0.05
TOO_FEW_GROUPS = f"under two groups of {MIN_UNITS} units"
ALL_ALIKE = "no unit differs from its group"


class Groups(NamedTuple):
    """Groups of enough units, in alphabetical order: means, squared standard errors, sizes.

    A group whose units are all alike takes the variance of all groups together: that five units are
    equal is no proof that all are.
    """

    names: list[str]
    means: Floats
    errors: Floats
    sizes: Floats

    @classmethod
    def of(cls, values: Sequence[float] | Floats, groups: Sequence[str | None]) -> Groups:
        import numpy as np

        numbers = np.asarray(values, dtype=float)
        if len(numbers) != len(groups):
            raise ValueError(f"{len(numbers)} values for {len(groups)} groups")
        members: dict[str, list[float]] = {}
        for value, group in zip(numbers.tolist(), groups, strict=True):
            if group is not None and not math.isnan(value):
                members.setdefault(str(group), []).append(value)
        parts = {name: np.array(own) for name, own in sorted(members.items())}
        parts = {name: own for name, own in parts.items() if len(own) >= MIN_UNITS}
        sizes = np.array([len(own) for own in parts.values()], dtype=float)
        variances = np.array([float(own.var(ddof=1)) for own in parts.values()])
        if parts:
            alike = variances <= 1e-20
            common = float(((sizes - 1) * variances).sum() / (sizes - 1).sum())
            variances = np.where(alike, common if common > 1e-20 else 0.0, variances)
        means = np.array([float(own.mean()) for own in parts.values()])
        return cls([*parts], means, variances / sizes, sizes)

    @property
    def units(self) -> int:
        return int(self.sizes.sum())

    @property
    def why_none(self) -> str:
        """Why nothing can be tested; "" where it can."""
        if len(self.names) < 2:
            return TOO_FEW_GROUPS
        return "" if self.errors.sum() > 0 else ALL_ALIKE

    def moved(self, means: Floats) -> Groups:
        """The same groups with other means."""
        return self._replace(means=means)


class Pair(NamedTuple):
    """The mean of `first` minus that of `second`, `first` being the larger."""

    first: str
    second: str
    difference: Estimate
    p: float


class GroupDifferences(NamedTuple):
    """What groups differ by; `n` of the estimates counts units. See the head of the module."""

    spread: Estimate
    p: float | None
    gap: Estimate
    gap_p: float | None
    lowest: str | None
    highest: str | None
    pairs: list[Pair]
    groups: int


def group_differences(
    values: Sequence[float] | Floats, groups: Sequence[str | None], *, most: float = math.inf
) -> GroupDifferences:
    """The differences between groups; `most` is the largest that two means can differ by.

    Units without a group (None) or a value (NaN) are left out.
    """
    known = Groups.of(values, groups)
    names, means = known.names, known.means
    if len(names) < 2:
        nothing = Estimate(None, None, None, known.units, known.why_none)
        return GroupDifferences(nothing, None, nothing, None, None, None, [], len(names))
    ends = names[int(means.argmin())], names[int(means.argmax())]
    if known.why_none:
        spread = Estimate(float(means.std(ddof=1)), None, None, known.units, known.why_none)
        gap = Estimate(float(means.max() - means.min()), None, None, known.units, known.why_none)
        return GroupDifferences(spread, None, gap, None, *ends, [], len(names))
    spread, p = spread_of(known, most)
    gap, gap_p, pairs = _pairs(known, most)
    return GroupDifferences(spread, p, gap, gap_p, *ends, pairs, len(names))


# The spread -------------------------------------------------------------------------------------


class _Reference(NamedTuple):
    """Q of the means at a τ, over what it is expected to be; how often it is smaller; and the share
    of the spread that is no noise."""

    ratio: float
    below: float
    beyond_noise: float


def _referred(known: Groups, tau: float) -> _Reference:
    """Welch's statistic, with τ² added to every squared standard error.

    An error that τ² outweighs is an uncertain part of a weight no more, so its degrees of freedom
    grow. What the true means contribute to Q does not vary: its distribution is noncentral.
    """
    import numpy as np
    from scipy.special import fdtr

    k = len(known.names)
    total = known.errors + tau * tau
    weights = 1 / total
    weights /= weights.sum()
    noise = known.errors / total
    centre = float(weights @ known.means)
    q = float(((known.means - centre) ** 2 / total).sum())
    doubt = float(((1 - weights) ** 2 * noise**2 / (known.sizes - 1)).sum())
    doubt = max(doubt, 1e-9)
    ratio = q / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * doubt)
    beyond = float(np.sqrt(((1 - noise) ** 2).mean()))
    freedom = min((k * k - 1) / (3 * doubt), 1e6)
    below = float(fdtr(k - 1, freedom, ratio))
    return _Reference(ratio, below, beyond)


def spread_of(known: Groups, most: float = math.inf) -> tuple[Estimate, float]:
    """τ with its interval, and Welch's p."""
    p = 1 - _referred(known, 0.0).below
    far = float(known.means.max() - known.means.min() + 10 * math.sqrt(known.errors.max()))
    # The largest SD that means within `most` of each other can have: half of them at either end.
    k = len(known.names)
    highest = most * math.sqrt((k // 2) * (k - k // 2) / (k * (k - 1)))
    end = min(far * 4, highest)

    def too_large(tau: float) -> bool:
        at = _referred(known, tau)
        return at.below > 1 - LEVEL + LEVEL / 2 * at.beyond_noise

    def not_too_small(tau: float) -> bool:
        at = _referred(known, tau)
        return at.below >= LEVEL / 2 * at.beyond_noise

    low = _last(too_large, end) if p < LEVEL else 0.0
    value = spread_value(known)
    high = max(_last(not_too_small, end), value)
    return Estimate(value, min(low, value), high, known.units), p


def spread_value(known: Groups) -> float:
    """Paule and Mandel's τ; 0 where the means differ by no more than noise."""
    end = float(known.means.max() - known.means.min())
    return _last(lambda tau: _ratio(known, tau) > 1, end)


def _ratio(known: Groups, tau: float) -> float:
    total = known.errors + tau * tau
    if total.min() <= 0:
        return math.inf
    weights = 1 / total
    centre = float(weights @ known.means / weights.sum())
    return float(((known.means - centre) ** 2 * weights).sum()) / (len(known.names) - 1)


def _last(holds: Callable[[float], bool], end: float) -> float:
    """The largest number up to `end` for which it still holds, by halving; 0 if it never does."""
    if not holds(0.0):
        return 0.0
    low, high = 0.0, end
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low if high < end else end


# Pairs and the largest of them ------------------------------------------------------------------


def _pairs(known: Groups, most: float) -> tuple[Estimate, float, list[Pair]]:
    """The gap, its p, and all pairs, the least p first."""
    import numpy as np
    from scipy.special import stdtr, stdtrit

    first, second = np.triu_indices(len(known.names), 1)
    swap = known.means[first] < known.means[second]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    parts = known.errors / 1.0
    variance = parts[first] + parts[second]
    trust = parts**2 / (known.sizes - 1)
    df = variance**2 / (trust[first] + trust[second])
    apart, se = known.means[first] - known.means[second], np.sqrt(variance)
    ranged = StudentisedRange(len(known.names), df)
    p = ranged.p(apart / se * math.sqrt(2))
    together = ranged.limit(LEVEL) / math.sqrt(2)
    low = apart - together * se
    # A pair's own lower end takes this much of the 5%; its upper end has the rest.
    taken = 1 - stdtr(df, together)
    high = float((apart + stdtrit(df, 1 - (LEVEL - taken)) * se).max())
    n = (known.sizes[first] + known.sizes[second]).astype(int)
    pairs = [
        Pair(
            known.names[first[i]],
            known.names[second[i]],
            Estimate(
                float(apart[i]),
                max(-most, float(low[i])),
                min(most, float(apart[i] + together[i] * se[i])),
                int(n[i]),
            ),
            float(p[i]),
        )
        for i in np.argsort(p, kind="stable")
    ]
    gap = Estimate(float(apart.max()), max(0.0, float(low.max())), min(most, high), known.units)
    return gap, pairs[0].p, pairs
