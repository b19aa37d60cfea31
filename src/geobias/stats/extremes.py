"""The gap between the true means of several groups, freed of what noise adds to it.

The largest of several noisy means is too large and the smallest too small, so the gap between them
overstates the true one: seven regions without any difference show a gap, and a region of three
countries shows the largest. Two things are done about it.

The value is corrected by the parametric bootstrap: the same noise is added to the observed means
once more, the gap grows by about as much as it grew the first time, and that much is taken off,
down to 0 at most; it is never more than the plain gap.

The interval treats the true gap as the largest difference among all pairs of groups (inference on
a maximum: Chernozhukov, Lee and Rosen 2013). Its lower end is the largest difference that is left
when each pair gives up c standard errors, where c is what the worst of all pairs that may be the
extreme one reaches by chance. Its upper end is the largest that some pair may truly have; since
taking the largest of many makes that too large, its level is set by simulation from the observed
means, within limits (`UPPER_LEVELS`).

The variance of a small group is not known from three units: each is averaged with that of all
groups, as if the latter were known from `BORROWED` units more (Smyth 2004).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from geobias.stats.rates import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

BORROWED = 4.0
NOISE_DRAWS = 1000
LOWER_LEVEL = 0.04
UPPER_LEVELS = (0.02, 0.03, 0.045, 0.065)
TWO_GROUPS_LEVEL = 0.025
"""With two groups no pair is the largest of many, and either end errs alike."""
NOTHING_WITHIN = "no units to compare within groups"
ALL_ALIKE = "no unit differs from its group"
UPPER_TARGET = 0.015
"""How often the upper end may fall short in studies simulated from the observed means."""


def group_variances(ranked: Floats, sizes: NDArray[Any]) -> Floats:
    """Variances (n − 1) of neighbouring stretches of values, `sizes` long; NaN for single units."""
    import numpy as np

    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    means = np.add.reduceat(ranked, starts) / sizes
    squares = np.add.reduceat((ranked - np.repeat(means, sizes)) ** 2, starts)
    with np.errstate(invalid="ignore"):
        variances: Floats = np.where(sizes > 1, squares / (sizes - 1), np.nan)
    return variances


def true_gap(
    means: Floats,
    variances: Floats,
    sizes: NDArray[Any],
    *,
    most: float = math.inf,
    seed: int = 0,
) -> Estimate:
    """The largest minus the smallest true mean of groups, with its interval.

    `variances` are of the units within a group; `most` is the largest gap there can be. Assumes
    independent units and group means that are about normal. Without any group of two units, or
    where no unit differs from its group, there is no telling what noise adds: the value is
    undefined.
    """
    import numpy as np

    units = int(sizes.sum())
    freedom = sizes - 1
    if freedom.sum() < 2:
        return Estimate(None, None, None, units, NOTHING_WITHIN)
    squares = np.where(freedom > 0, variances * np.maximum(freedom, 1), 0.0)
    squares = np.nan_to_num(squares)
    if squares.sum() <= 0:
        return Estimate(None, None, None, units, ALL_ALIKE)
    own = lent_variances(squares, freedom)
    noise = _noise(tuple(int(size) for size in sizes), seed)
    first, second = np.nonzero(~np.eye(len(means), dtype=bool))

    def errors(variance: Floats) -> Floats:
        part = variance / sizes
        found: Floats = np.sqrt(part[..., first] + part[..., second])
        return found

    moved = noise.normal * np.sqrt(own / sizes)
    wrong = errors(lent_variances(own * noise.chi_square, freedom))
    ratios = (moved[:, first] - moved[:, second]) / wrong
    gaps, se = means[first] - means[second], errors(own)
    gap = float(gaps.max())

    # Pairs that are clearly not the extreme one need no allowance.
    sure = float(np.quantile(ratios.max(axis=1), 1 - 0.1 / math.log(max(units, 3))))
    may_be = gaps + sure * se >= (gaps - sure * se).max()
    level = LOWER_LEVEL if len(means) > 2 else TWO_GROUPS_LEVEL
    c = float(np.quantile(ratios[:, may_be].max(axis=1), 1 - level))
    low = max(0.0, float((gaps - c * se).max()))

    again = means + moved
    known = again[:, first] - again[:, second]
    levels = UPPER_LEVELS if len(means) > 2 else (TWO_GROUPS_LEVEL,)
    limits = np.quantile(ratios, [1 - level for level in levels], axis=0)
    high = 0.0
    for limit in limits:
        short = float(((known + limit * wrong).max(axis=1) < gap).mean())
        if high and short > UPPER_TARGET:
            break
        high = float((gaps + limit * se).max())
    # Noise adds to a gap on average; that a thousand draws of it took away is their own luck.
    value = min(gap, max(0.0, 2 * gap - float(np.ptp(again, axis=1).mean())))
    return Estimate(value, min(low, value), min(most, max(high, value)), units)


def lent_variances(squares: Floats, freedom: NDArray[Any]) -> Floats:
    """Variances of groups, each leaning on that of all; from sums of squares."""
    common = squares.sum(axis=-1, keepdims=True) / freedom.sum()
    lent: Floats = (BORROWED * common + squares) / (BORROWED + freedom)
    return lent


class _Noise:
    """Standard draws for groups of these sizes: of means, and of sums of squares."""

    def __init__(self, sizes: tuple[int, ...], seed: int) -> None:
        import numpy as np

        dice = np.random.default_rng((seed, *sizes))
        shape = (NOISE_DRAWS, len(sizes))
        self.normal = dice.normal(size=shape)
        freedom = np.array(sizes) - 1
        self.chi_square = np.where(freedom > 0, dice.chisquare(np.maximum(freedom, 1), shape), 0.0)


@lru_cache(maxsize=64)
def _noise(sizes: tuple[int, ...], seed: int) -> _Noise:
    """Kept, because one indicator after another has the same groups."""
    return _Noise(sizes, seed)
