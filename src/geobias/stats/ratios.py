"""Ratios of totals whose uncertainty comes from the units, such as a share of what was answered.

A score like "stereotyped answers among those that name a person" is one total divided by another,
and both change when other units (templates, countries) are drawn. Each draw of the cluster
bootstrap (Davison and Hinkley 1997, section 3.8) therefore adds up both totals again. The interval
is the one of `bootstrap`: estimate ± t · SE, corrected for few units.

In all functions here: a ratio whose denominator is 0 is undefined, and `n` of an estimate counts
units. A single unit gives a value without an interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from geobias.stats.bootstrap import DRAWS, resampled
from geobias.stats.rates import Estimate, rate
from geobias.stats.student import quantile_95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LEAST_DEFINED = 0.5
"""Where fewer draws than this have a value, their spread says little: there is no interval."""


def ratio_over_units(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    units: Sequence[Any] | NDArray[Any],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """Sum of numerators over sum of denominators, one pair for each row, rows grouped in units.

    Units weigh by their denominators; rows whose denominator is 0 say nothing and are left out, and
    so are units that have no others. `bounds` is the range that a row's ratio can take; the
    interval is cut there. See `score_over_units` for what happens where nothing varies.
    """
    import numpy as np

    columns = np.column_stack([np.asarray(numerators, float), np.asarray(denominators, float)])
    telling = columns[:, 1] != 0
    return score_over_units(
        columns[telling],
        np.asarray(units)[telling],
        _ratio,
        draws=draws,
        seed=seed,
        bounds=bounds,
    )


def rate_over_units(
    hits: Sequence[float] | Floats, units: Sequence[Any] | NDArray[Any]
) -> Estimate:
    """The share of rows (games, questions) that are hits, rows grouped in units (countries).

    The clustered form of `rate`: the interval knows that the rows of a unit are alike.
    """
    return ratio_over_units(hits, [1.0] * len(hits), units, bounds=(0.0, 1.0))


def _ratio(sums: Floats) -> Floats:
    ratio: Floats = sums[:, 0] / sums[:, 1]
    return ratio


def score_over_units(
    columns: Floats,
    units: Sequence[Any] | NDArray[Any],
    score: Callable[[Floats], Floats],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """Any score of column totals: rows × k columns in, `score` from totals (m × k) to m values.

    `score` is called with all draws at once, and may divide by 0: what is not finite is undefined.
    Draws without a value are left out; where they are more than half, or where the score is
    unbounded and no draw differs from another, there is no interval. Where a bounded score does
    not vary over draws (every unit alike, as with an accuracy of 1), resampling would claim
    certainty: the interval then allows for the share of unlike rows that Wilson's interval allows
    after that many rows without one, each as unlike as `bounds` permit. It takes rows as
    independent, for want of anything to tell how alike those of a unit are.
    """
    import numpy as np

    table = np.asarray(columns, dtype=float)
    names, index = np.unique(np.asarray(units), return_inverse=True)
    n = len(names)
    if n == 0:
        return Estimate(None, None, None, 0)
    totals = np.zeros((n, table.shape[1]))
    np.add.at(totals, index.ravel(), table)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(score(totals.sum(axis=0, keepdims=True))[0])
        if not math.isfinite(value):
            return Estimate(None, None, None, n)
        if n == 1:
            return Estimate(value, None, None, 1)
        drawn = np.concatenate([score(counts @ totals) for counts in resampled(n, draws, seed)])
    return Estimate(value, *_interval(value, drawn, n, len(table), bounds), n)


def _interval(
    value: float, drawn: Floats, n: int, rows: int, bounds: tuple[float, float]
) -> tuple[float | None, float | None]:
    import numpy as np

    defined = drawn[np.isfinite(drawn)]
    if len(defined) < LEAST_DEFINED * len(drawn):
        return None, None
    half = quantile_95(n - 1) * math.sqrt(n / (n - 1)) * float(defined.std())
    if half > 1e-12:
        return max(bounds[0], value - half), min(bounds[1], value + half)
    if not all(map(math.isfinite, bounds)):
        return None, None
    unseen = rate(0, rows).high or 0.0
    return value + unseen * (bounds[0] - value), value + unseen * (bounds[1] - value)
