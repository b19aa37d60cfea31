"""Numbers over two kinds of units at once: every template is asked about many nationalities, and
every nationality in many templates.

Items that share a template are alike, and so are items that share a nationality. To speak of other
templates and other nationalities, both must count. The variance is that over rows (templates) plus
that over columns (nationalities) minus that over their cells, which both contain (Miglioretti and
Heagerty 2007; Cameron, Gelbach and Miller 2011). Each of the three is the jackknife's: one unit is
left out in turn (Efron and Stein 1981; MacKinnon, Nielsen and Webb 2024 for two ways). The sum can
come out too small by luck, so it is never taken below any of its parts, nor below that of as many
independent items.

Few units, or a few that hold most of the items, know their variance badly. Student's t therefore
has the degrees of freedom of Satterthwaite (1946), from the effective number of units of each side
(Carter, Schnepel and Steigerwald 2017).

The p-value is two-sided and belongs to the interval: it is under 0.05 where the interval leaves out
`null`, and only there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from geobias.stats.intervals import UNBOUNDED, Bounds, around, too_few
from geobias.stats.rates import Estimate, unvaried
from geobias.stats.student import quantile_95, two_sided_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Names: TypeAlias = Sequence[Any] | NDArray[Any]


class Crossed(NamedTuple):
    """An estimate over two kinds of units.

    estimate  with its interval; `n` is the number of units of the side that has fewer
    p         of `null`, by the same pivot as the interval; None where there is no interval
    error     the standard error; None where there is none
    units     the number of rows and of columns
    """

    estimate: Estimate
    p: float | None
    error: float | None
    units: tuple[int, int]


def crossed_ratio(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    rows: Names,
    columns: Names,
    *,
    null: float = 0.0,
    bounds: Bounds | None = None,
) -> Crossed:
    """Sum of numerators over sum of denominators, one pair for each item.

    Items whose denominator is 0 say nothing and are left out, and so are units that have no others.
    `bounds` is the range that an item's ratio can take.
    """
    import numpy as np

    table = np.column_stack([np.asarray(numerators, float), np.asarray(denominators, float)])
    telling = table[:, 1] != 0

    def ratio(sums: Floats) -> Floats:
        found: Floats = sums[:, 0] / sums[:, 1]
        return found

    sides = np.asarray(rows)[telling], np.asarray(columns)[telling]
    return crossed_score(table[telling], *sides, ratio, null=null, bounds=bounds)


def crossed_score(
    table: Floats,
    rows: Names,
    columns: Names,
    score: Callable[[Floats], Floats],
    *,
    null: float = 0.0,
    bounds: Bounds | None = None,
) -> Crossed:
    """Any smooth score of totals: items × k in, `score` from totals (m × k) to m values.

    Twice the totals must give the same score. What is not finite is undefined; where it is so as
    soon as one unit is left out, there is no interval. Where a bounded score is the same whichever
    item is left out (an accuracy of 1), the units would claim certainty: the interval then allows
    for the share of unlike units that Wilson's allows after as many without one.
    """
    import numpy as np

    limits = UNBOUNDED if bounds is None else bounds
    sides = [np.unique(np.asarray(side), return_inverse=True) for side in (rows, columns)]
    first, second = (index.ravel() for _, index in sides)
    units = len(sides[0][0]), len(sides[1][0])
    n = min(units)
    if len(table) == 0:
        return Crossed(Estimate(None, None, None, 0, "nothing to divide by"), None, None, units)
    with np.errstate(all="ignore"):
        value = float(score(table.sum(axis=0, keepdims=True))[0])
        if not math.isfinite(value):
            why = "nothing to divide by"
            return Crossed(Estimate(None, None, None, n, why), None, None, units)
        if why := too_few(n):
            return Crossed(Estimate(value, None, None, n, why), None, None, units)
        cells = np.unique(first * units[1] + second, return_inverse=True)[1].ravel()
        variances = [
            _variance(table, index, score) for index in (first, second, cells, range(len(table)))
        ]
    known = [one for one in variances if one is not None]
    if len(known) < len(variances):
        why = "rests on one unit: no interval"
        return Crossed(Estimate(value, None, None, n, why), None, None, units)
    by_row, by_column, by_cell, by_item = known
    variance = max(by_row + by_column - by_cell, by_row, by_column, by_item)
    if variance <= 1e-24 * max(1.0, value * value):
        return _alike(value, null, units, limits)
    df = _freedom(
        variance,
        (by_row, _effective(table, first)),
        (by_column, _effective(table, second)),
    )
    error = math.sqrt(variance)
    ends = around(value, quantile_95(df) * error, limits)
    p = two_sided_p(_pivot(value, null, error, limits), df)
    return Crossed(Estimate(value, *ends, n), p, error, units)


def _variance(table: Floats, index: Any, score: Callable[[Floats], Floats]) -> float | None:
    """The jackknife's variance over units; None where the score cannot spare one of them."""
    import numpy as np

    index = np.asarray(index)
    totals = np.zeros((int(index.max()) + 1, table.shape[1]))
    np.add.at(totals, index, table)
    left_out = score(table.sum(axis=0) - totals)
    n = len(totals)
    return (n - 1) * float(left_out.var()) if np.isfinite(left_out).all() else None


def _effective(table: Floats, index: Any) -> float:
    """As how many equal units these count, which hold unequal shares of the items.

    Taken as if items of a unit were all alike, which is the least number that it can be.
    """
    import numpy as np

    squares = np.bincount(index).astype(float) ** 2
    return float(squares.sum() ** 2 / (squares**2).sum())


def _freedom(variance: float, *sides: tuple[float, float]) -> int:
    """Whole degrees of freedom of a variance made of parts, each with its number of units."""
    noise = sum(part * part / max(1.0, units - 1) for part, units in sides)
    return max(1, int(variance * variance / noise)) if noise > 0 else 1000


def _pivot(value: float, null: float, error: float, bounds: Bounds) -> float:
    """The distance from `null` in standard errors, on the scale on which `around` lays out."""
    low, high = bounds
    if low < value < high and math.isfinite(low):
        if not low < null < high:
            return math.inf
        if math.isfinite(high):
            share, other = (value - low) / (high - low), (null - low) / (high - low)
            apart = math.log(share / (1 - share)) - math.log(other / (1 - other))
            return apart * (high - low) * share * (1 - share) / error
        return math.log((value - low) / (null - low)) * (value - low) / error
    return (value - null) / error


def _alike(value: float, null: float, units: tuple[int, int], bounds: Bounds) -> Crossed:
    """Where no item differs from another: each unit of the side with fewer counts once."""
    n = min(units)
    low, high = unvaried(value, n, bounds)
    if low is None or high is None:
        return Crossed(Estimate(value, None, None, n, "no unit differs"), None, None, units)
    room = bounds[0] - value if null < value else bounds[1] - value
    share = (null - value) / room if null != value else 0.0
    # Wilson's interval reaches the share z² / (n + z²).
    p = 0.0 if share >= 1 else math.erfc(math.sqrt(n * share / (1 - share) / 2))
    return Crossed(Estimate(value, low, high, n), p, 0.0, units)


def mixed_mean(
    values: Sequence[float] | Floats, rows: Names, columns: Names, *, null: float = 0.0
) -> Crossed:
    """The mean under a mixed model: value = mean + row + column + rest, all three normal.

    Fitted by restricted maximum likelihood; the likelihood of the two variance ratios is profiled
    over the rest as in lme4 (Bates, Mächler, Bolker and Walker 2015). Unlike the ratio of totals it
    weighs an item less where its row or column has many. Student's t has Satterthwaite's degrees of
    freedom from the three variances. NaN is left out.
    """
    import numpy as np
    from scipy.optimize import minimize

    y = np.asarray(values, dtype=float)
    known = np.isfinite(y)
    y = y[known]
    sides = [
        np.unique(np.asarray(side)[known], return_inverse=True)[1].ravel()
        for side in (rows, columns)
    ]
    units = tuple(int(side.max()) + 1 if len(y) else 0 for side in sides)
    n, first, second = min(units), units[0], units[1]
    if n == 0:
        return Crossed(Estimate(None, None, None, 0, "no values"), None, None, (first, second))
    if (why := too_few(n)) or (why := "no item differs" if np.ptp(y) == 0 else ""):
        value = float(y.mean())
        return Crossed(Estimate(value, None, None, n, why), None, None, (first, second))
    middle, spread = y.mean(), y.std()
    scaled = (y - middle) / spread
    counts = np.zeros((first, second))
    np.add.at(counts, (sides[0], sides[1]), 1.0)
    across = np.block(
        [
            [np.diag(counts.sum(axis=1)), counts],
            [counts.T, np.diag(counts.sum(axis=0))],
        ]
    )
    sizes = np.diag(across)
    sums = np.concatenate(
        [np.bincount(side, scaled, k) for side, k in zip(sides, units, strict=True)]
    )
    total, squares, items = float(scaled.sum()), float(scaled @ scaled), len(scaled)

    def fit(ratios: Floats) -> tuple[float, float, float, float]:
        """−2 log likelihood, the mean, its variance over that of the rest, and the rest's."""
        weights = np.repeat(np.abs(ratios), units)
        lower = np.linalg.cholesky(weights[:, None] * across * weights + np.eye(len(weights)))
        both = np.linalg.solve(lower, np.column_stack([weights * sizes, weights * sums]))
        information = items - float(both[:, 0] @ both[:, 0])
        mean = (total - float(both[:, 0] @ both[:, 1])) / information
        left = squares - float(both[:, 1] @ both[:, 1]) - mean * mean * information
        likelihood = (
            2 * float(np.log(np.diag(lower)).sum())
            + math.log(information)
            + (items - 1) * math.log(max(left, 1e-300))
        )
        return likelihood, mean, 1 / information, left / (items - 1)

    found = minimize(
        lambda ratios: fit(ratios)[0],
        np.array([0.3, 0.3]),
        method="Nelder-Mead",
        options={"xatol": 1e-3, "fatol": 1e-4},
    ).x
    _, mean, inverse, rest = fit(found)
    value, variance = float(middle + spread * mean), inverse * rest * spread**2
    parts = [
        (ratio * ratio * rest * spread**2 / k, float(k))
        for ratio, k in zip(found.tolist(), units, strict=True)
    ]
    df = _freedom(variance, *parts, (max(0.0, variance - sum(one for one, _ in parts)), items))
    error = math.sqrt(variance)
    half = quantile_95(df) * error
    estimate = Estimate(value, value - half, value + half, n)
    return Crossed(estimate, two_sided_p((value - null) / error, df), error, (first, second))
