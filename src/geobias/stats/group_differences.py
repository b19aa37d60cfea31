"""Do groups of units differ? The spread of their means, the largest gap, and every pair.

One value and one group for each unit; units are independent, groups may vary unequally and need not
be equally large. Groups of under `MIN_UNITS` units are not tested: what three units vary by is not
known. Three things are told of the others, each with an interval and the test that belongs to it.

spread  the standard deviation τ of the groups' true means. The test of τ = 0 is Welch's F test
        (1951). The interval is Q-profile (Viechtbauer 2007): it holds every τ for which the means'
        weighted sum of squares Q(τ²) is an ordinary one. Two things are ours. Q is referred to
        Welch's F instead of χ², since standard errors are estimated. And it is referred to the
        distribution that it has for these very groups: there are seven regions, not a population
        of regions to draw from. The estimate is the τ for which Q is what it is expected to be, as
        Paule and Mandel's (1982) is, with that expectation for these very groups.
gap     the largest minus the smallest true mean. The test and the lower end are Games and Howell's
        (1976) simultaneous ones over all pairs, of which the gap is the largest. The upper end is
        the largest that any pair's own interval reaches: the pair that truly is the extreme one is
        among them, so it holds at least as often as that pair's interval does.
pairs   Games and Howell's difference of each two groups.

Few units that are skewed reach F and q too often. So both tests are made a second time with the
units shuffled among the groups, on the same studentised statistic: that is exact where groups
have one distribution, and right in large groups where they vary unequally (Janssen 1997; Chung and
Romano 2013). p is the larger of the two, and where it is over 0.05 the lower end is 0. Small groups
that are skewed and vary more than the others are covered by neither; a caution marks them.

At τ = 0 all 5% lie on the side of large Q, because there are no values below; far from 0 they are
split evenly, and in between by the share of the spread that is no noise (after Feldman and Cousins
1998). So every interval of τ leaves out 0 exactly where p is under 0.05.

Tukey's studentised range tells how far the largest and the smallest of k equal means lie apart.
SciPy has it and takes 15 ms for each probability, since it integrates anew; a table of pairs needs
hundreds.

`permuted_f_p` and `kruskal_p` are other tests, to check the primary one by. They use its very units
(`Groups`): units without a
group (None) or a value (NaN) are left out, and so are groups of too few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.estimates import Bounds, Estimate, quantile_95, unseen_caution

_FARTHEST, _STEPS = 30.0, 3001
_NODES = 96


class StudentisedRange:
    """The range of `groups` standard normal variables over an independent estimate of their SD with
    `df` degrees of freedom each (Tukey 1953; Lund and Lund 1983). Probabilities are good to 1e-4.
    """

    def __init__(self, groups: int, df: Floats) -> None:
        nodes, weights = _quadrature()
        df = np.asarray(df, dtype=float)[:, None]
        # Quantiles of the SD, over which the probability is averaged.
        self._spread = np.sqrt(scipy.special.chdtri(df, (1 - nodes) / 2) / df)
        self._weights = weights / 2
        self._grid, self._reached = _reached(groups)

    def p(self, q: Floats) -> Floats:
        """The probability of a range of at least q, one for each `df`."""
        reached = np.interp(q[:, None] * self._spread, self._grid, self._reached, right=0.0)
        found: Floats = reached @ self._weights
        return found

    def limit(self, level: float) -> Floats:
        """The q that are reached with probability `level`: the inverse of `p`, by halving."""
        low = np.zeros(len(self._spread))
        high = np.full(len(self._spread), 1000.0)
        for _ in range(32):
            middle = (low + high) / 2
            above = self.p(middle) >= level
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return high


@lru_cache(maxsize=1)
def _quadrature() -> tuple[Floats, Floats]:
    """Where to look at the SD's distribution, and with which weights."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights


@lru_cache(maxsize=32)
def _reached(groups: int) -> tuple[Floats, Floats]:
    """The probability that the range of standard normal variables is at least each of a grid's."""
    grid = np.linspace(0, _FARTHEST, _STEPS)
    z = np.linspace(-8.5, 8.5, 1201)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    within = (
        groups
        * ((scipy.special.ndtr(z) - scipy.special.ndtr(z - grid[:, None])) ** (groups - 1))
        @ density
    )
    return grid, np.clip(1 - within, 0.0, 1.0)


_CELLS = 2_500_000
"""Units times deals that are held in memory at once."""
_QUICK_CELLS = 12_000
"""Of these, as many as a processor has at hand: memory that is asked for anew takes longest."""


def group_means(rows: Floats, sizes: NDArray[Any]) -> Floats:
    """Means of neighbouring stretches of each row, the stretches being `sizes` long."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    means: Floats = np.add.reduceat(rows, starts, axis=1) / sizes
    return means


def even_sizes(units: int, groups: int) -> NDArray[np.int64]:
    """Groups as equally large as can be: a random categorisation that knows no sizes."""
    return np.array([units // groups + (i < units % groups) for i in range(groups)])


def dealt_means(values: Floats, sizes: NDArray[Any], draws: int) -> Floats:
    """The groups' means (columns) in each deal (rows) of the units into groups of these sizes."""
    return np.concatenate([group_means(dealt, sizes) for dealt in _dealt(values, draws)])


def _dealt(values: Floats, draws: int) -> Iterator[Floats]:
    """The units in each deal (rows), some deals at a time."""
    block = max(1, min(draws, _CELLS // len(values)))
    for start in range(0, draws, block):
        orders = deals(len(values), min(block, draws - start), start=start)
        few = max(1, _QUICK_CELLS // len(values))
        for row in range(0, len(orders), few):
            # No place lies outside: "clip" is the quickest way.
            yield values.take(orders[row : row + few], mode="clip")


def dealt_means_and_errors(
    values: Floats, sizes: NDArray[Any], draws: int
) -> tuple[Floats, Floats]:
    """The groups' means in each deal, and their squared standard errors; groups whose units are all
    alike take the variance within all groups of the deal."""
    apart = values - values.mean()
    both = [
        (group_means(dealt, sizes), group_means(dealt * dealt, sizes))
        for dealt in _dealt(apart, draws)
    ]
    means, squares = (np.concatenate(parts) for parts in zip(*both, strict=True))
    within = np.maximum(squares - means**2, 0.0) * sizes
    least = 1e-12 * max(float(apart @ apart), 1e-300)
    common = np.maximum(within.sum(axis=1, keepdims=True) / (sizes - 1).sum(), least)
    variances = within / (sizes - 1)
    errors: Floats = np.where(variances > least, variances, common) / sizes
    return means, errors


def dealt_gaps(values: Floats, sizes: NDArray[Any], draws: int) -> Floats:
    """The largest minus the smallest mean in each deal."""
    gaps: Floats = np.ptp(dealt_means(values, sizes, draws), axis=1)
    return gaps


@lru_cache(maxsize=32)
def deals(n: int, rows: int, seed: int = 0, start: int = 0) -> NDArray[Any]:
    """That many random orders of n units, one a row, kept: shuffling is most of the work of a test,
    and one table after another asks for the same number of countries. 5 MB each at most.
    """
    # Whole machine words are shuffled in half the time that single bytes take.
    orders = np.tile(np.arange(n), (rows, 1))
    np.random.default_rng((seed, start)).permuted(orders, axis=1, out=orders)
    return orders.astype(np.min_scalar_type(n))


MIN_UNITS = 5
SMALL = 30
"""Units of a group from which on rare values seldom go unseen: of a kind that one in ten is."""
DRAWS = 2000
LEVEL = 0.05
TOO_FEW_GROUPS = f"under two groups of {MIN_UNITS} units"
ALL_ALIKE = "no unit differs from its group"


@dataclass(frozen=True)
class Groups:
    """Groups of enough units, in alphabetical order: means, squared standard errors, sizes, and the
    units, group after group.

    A group whose units are all alike takes the variance of all groups together: that five units are
    equal is no proof that all are. Where that is none, one unit among all is taken to lie as far
    off as the groups' means are apart.
    """

    names: list[str]
    means: Floats
    errors: Floats
    sizes: Floats
    values: Floats

    @classmethod
    def of(cls, values: Sequence[float] | Floats, groups: Sequence[str | None]) -> Groups:
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
            if common <= 1e-20:
                # Every group is of one mind: allow for one unit that is as unlike as can be seen.
                common = float(np.ptp([own.mean() for own in parts.values()])) ** 2 / sizes.sum()
            variances = np.where(alike, common, variances)
        means = np.array([float(own.mean()) for own in parts.values()])
        values = np.concatenate([*parts.values()]) if parts else np.zeros(0)
        return cls([*parts], means, variances / sizes, sizes, values)

    @property
    def units(self) -> int:
        return int(self.sizes.sum())

    @property
    def why_none(self) -> str:
        """Why nothing can be tested; "" where it can."""
        if len(self.names) < 2:
            return TOO_FEW_GROUPS
        return "" if self.errors.sum() > 0 else ALL_ALIKE

    @cached_property
    def shares(self) -> Floats:
        """Which share of the true means' sum of squares each group has, as far as can be told: that
        of the observed ones, less what noise adds."""
        k = len(self.names)
        apart = (self.means - self.means.mean()) ** 2
        own = np.maximum(apart - self.errors * (k - 1) / k, 0.0) + apart.sum() * 0.02 + 1e-300
        shares: Floats = own / own.sum()
        return shares


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
    values: Sequence[float] | Floats,
    groups: Sequence[str | None],
    *,
    most: float = math.inf,
    bounds: Bounds | None = None,
) -> GroupDifferences:
    """The differences between groups; `most` is the largest that two means can differ by, `bounds`
    the range of a value, where it has one: a caution then tells of small groups that may lack rare
    values.

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
    dealt = dealt_means_and_errors(known.values, known.sizes.astype(int), DRAWS)
    own_f = _welch(known.means[None], known.errors[None], known.sizes)
    spread, p = spread_of(
        known, most, float(_share_reaching(own_f, _welch(*dealt, known.sizes))[0])
    )
    gap, gap_p, pairs = _pairs(known, most, _largest_t(*dealt))
    if caution := _caution(known, bounds):
        spread, gap = (msgspec.structs.replace(one, caution=caution) for one in (spread, gap))
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
    grow. What the true means contribute to Q does not vary: Q then varies the less, the less of it
    is noise, which is matched by more degrees of freedom (Satterthwaite 1946). At τ = 0 all of it
    is noise, and this is Welch's test.
    """
    k = len(known.names)
    total = known.errors + tau * tau
    weights = 1 / total
    weights /= weights.sum()
    noise = known.errors / total
    centre = float(weights @ known.means)
    q = float(((known.means - centre) ** 2 / total).sum())
    true = (k - 1) * known.shares
    expected = float((noise * (k - 1) / k + (1 - noise) * true).sum()) / (k - 1)
    varying = float((noise**2 * (k - 1) / k + 2 * noise * (1 - noise) * true).sum()) / (k - 1)
    doubt = max(float(((1 - weights) ** 2 * noise**2 / (known.sizes - 1)).sum()), 1e-9)
    ratio = q / (k - 1) / expected / (1 + 2 * (k - 2) / (k * k - 1) * doubt)
    freedom = (k - 1) * expected**2 / max(varying, 1e-6)
    below = float(scipy.special.fdtr(freedom, min((k * k - 1) / (3 * doubt), 1e6), ratio))
    return _Reference(ratio, below, 1 - float(noise.mean()))


def _welch(means: Floats, errors: Floats, sizes: Floats) -> Floats:
    """Welch's statistic of each row of group means."""
    k = means.shape[1]
    weights = 1 / errors
    shares = weights / weights.sum(axis=1, keepdims=True)
    centre = (shares * means).sum(axis=1, keepdims=True)
    q = (weights * (means - centre) ** 2).sum(axis=1) / (k - 1)
    doubt = ((1 - shares) ** 2 / (sizes - 1)).sum(axis=1)
    found: Floats = q / (1 + 2 * (k - 2) / (k * k - 1) * doubt)
    return found


def _largest_t(means: Floats, errors: Floats) -> Floats:
    """The largest difference of a pair over its standard error, in each row."""
    first, second = np.triu_indices(means.shape[1], 1)
    apart = np.abs(means[:, first] - means[:, second])
    found: Floats = (apart / np.sqrt(errors[:, first] + errors[:, second])).max(axis=1)
    return found


def _share_reaching(own: Floats, dealt: Floats) -> Floats:
    """Of each number, the share of shuffles, this one counted, whose statistic is as large."""
    below = np.searchsorted(np.sort(dealt), own * (1 - 1e-9))
    share: Floats = (1 + len(dealt) - below) / (1 + len(dealt))
    return share


def _caution(known: Groups, bounds: Bounds | None) -> str:
    """Whether a small group may lack rare values that would move its mean."""
    if bounds is None:
        return ""
    for own in np.split(known.values, np.cumsum(known.sizes.astype(int))[:-1]):
        half = quantile_95(len(own) - 1) * float(own.std(ddof=1)) / math.sqrt(len(own))
        if len(own) < SMALL and unseen_caution(own, -half, half, bounds):
            return "a small group may lack rare values: the interval may be too narrow"
    return ""


def spread_of(known: Groups, most: float, dealt_p: float) -> tuple[Estimate, float]:
    """τ with its interval, and the larger of Welch's p and that of shuffles."""
    p = max(1 - _referred(known, 0.0).below, dealt_p)
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
    high = min(max(_last(not_too_small, end), _farthest(known), value), highest)
    return Estimate(value, min(low, value), high, known.units), p


def _farthest(known: Groups) -> float:
    """The largest SD that means can have which lie as near to the observed ones as the true ones do
    in 97.5% of studies, measured along one direction in standard errors: the upper end by the
    profile likelihood.

    Q gives little weight to a group that is badly known, and so may miss how far that one is off.
    """
    k = len(known.names)
    noisiest = int(known.errors.argmax())
    reach = float(scipy.special.stdtrit(known.sizes[noisiest] - 1, 1 - LEVEL / 2)) ** 2
    scale = np.sqrt(known.errors)
    apart = known.means - known.means.mean()
    values, vectors = np.linalg.eigh(np.diag(known.errors) - np.outer(scale, scale) / k)
    pull = vectors.T @ (scale * apart)

    def step(power: float) -> Floats:
        """The step to the farthest means, the shorter the larger the power."""
        found: Floats = pull / (values[-1] * (1 + math.exp(power - 20)) - values)
        return found

    power = _last(lambda power: float((step(power) ** 2).sum()) > reach, 60.0)
    return float(np.std(known.means + scale * (vectors @ step(power)), ddof=1))


def spread_value(known: Groups) -> float:
    """Paule and Mandel's τ; 0 where the means differ by no more than noise."""
    if known.why_none:  # no noise to tell from
        return float(known.means.std(ddof=1)) if len(known.names) > 1 else 0.0
    end = 4 * float(known.means.max() - known.means.min())
    return _last(lambda tau: _referred(known, tau).ratio > 1, end)


def _last(holds: Callable[[float], bool], end: float) -> float:
    """The largest number up to `end` for which it still holds, by halving; 0 if it never does."""
    if not holds(0.0):
        return 0.0
    low, high = 0.0, end
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low if high < end else end


# Pairs and the largest of them ------------------------------------------------------------------


def _pairs(known: Groups, most: float, dealt: Floats) -> tuple[Estimate, float, list[Pair]]:
    """The gap, its p, and all pairs, the least p first; `dealt` are the largest t of each deal."""
    first, second = np.triu_indices(len(known.names), 1)
    swap = known.means[first] < known.means[second]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    variance = known.errors[first] + known.errors[second]
    trust = known.errors**2 / (known.sizes - 1)
    df = variance**2 / (trust[first] + trust[second])
    apart, se = known.means[first] - known.means[second], np.sqrt(variance)
    ranged = StudentisedRange(len(known.names), df)
    p = np.maximum(ranged.p(apart / se * math.sqrt(2)), _share_reaching(apart / se, dealt))
    together = ranged.limit(LEVEL) / math.sqrt(2)
    low = np.where(p < LEVEL, apart - together * se, np.minimum(apart - together * se, 0.0))
    # A pair's own lower end takes this much of the 5%; its upper end has the rest.
    taken = 1 - scipy.special.stdtr(df, together)
    high = float((apart + scipy.special.stdtrit(df, 1 - (LEVEL - taken)) * se).max())
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


SHUFFLES = 5000


def permuted_f_p(values: Floats, groups: Sequence[str | None]) -> float | None:
    """The share of shuffles into groups of the same sizes, this one counted, in which means lie
    as far apart (Fisher's F; Good 2005, chapter 3). Assumes groups that vary alike."""
    units, sizes = _tested(values, groups)
    if len(sizes) < 2 or np.ptp(units) == 0:
        return None
    # With the units given, F rises with the sum of squares between groups and with nothing else.
    own = float(group_means(units[None, :], sizes)[0] ** 2 @ sizes)
    dealt = dealt_means(units, sizes, SHUFFLES) ** 2 @ sizes
    return float((1 + (dealt >= own - 1e-12).sum()) / (1 + SHUFFLES))


def kruskal_p(values: Floats, groups: Sequence[str | None]) -> float | None:
    """Kruskal and Wallis (1952): whether values of one group tend to rank above another's; with
    their correction for ties, and from χ² with k − 1 degrees of freedom.

    SciPy has it, in a module that takes longer to load than all our tests of a report take.
    """
    units, sizes = _tested(values, groups)
    if len(sizes) < 2 or np.ptp(units) == 0:
        return None
    n = len(units)
    _, place, ties = np.unique(units, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]
    sums = np.add.reduceat(ranks, np.cumsum(sizes) - sizes)
    h = 12 / (n * (n + 1)) * float((sums**2 / sizes).sum()) - 3 * (n + 1)
    return float(
        scipy.special.chdtrc(len(sizes) - 1, h / (1 - float((ties**3 - ties).sum()) / (n**3 - n)))
    )


def _tested(values: Floats, groups: Sequence[str | None]) -> tuple[Floats, NDArray[Any]]:
    """The units of groups that are large enough, group after group, less their mean; the sizes."""
    known = Groups.of(values, groups)
    units = known.values - (known.values.mean() if len(known.values) else 0)
    return units, np.asarray(known.sizes, dtype=int)
