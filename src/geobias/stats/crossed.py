"""Estimates over several kinds of units at once: every template is asked about many nationalities,
and every nationality in many templates.

Items that share a template are alike, and so are items that share a nationality. To generalise to
other templates and other nationalities, both must count. The variance is that over rows (templates)
plus that over columns (nationalities) minus that over their cells, which both contain (Miglioretti
and Heagerty 2007). With three kinds of units it is the sum over each kind, minus that over each
pair of kinds, plus that over all three (Cameron, Gelbach and Miller 2011). Each part is the
jackknife's, which leaves out one unit in turn (Efron and Stein 1981; MacKinnon, Nielsen and Webb
2024 for two ways). The sum can be too small by chance, even negative. So it is never below that of
fewer kinds of units, nor below that of as many independent items.

If units are few, or a few hold most of the items, the variance is uncertain. So Student's t has
Satterthwaite's (1946) degrees of freedom, from the effective number of units of each kind (Carter,
Schnepel and Steigerwald 2017).

The p-value is two-sided and belongs to the interval: it is under 0.05 if and only if the interval
leaves out `null`.

`sign_flip_p` tests whether a few units lean to one side together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats, Names
from geobias.stats.estimates import (
    UNBOUNDED,
    Bounds,
    Estimate,
    around,
    pivot,
    quantile_95,
    too_few,
    two_sided_p,
    unvaried,
)
from geobias.stats.over_units import ALIKE


class Crossed(NamedTuple):
    """An estimate over several kinds of units.

    estimate  with its interval; `n` is the number of units of the kind with the fewest
    p         of `null`, by the same pivot as the interval; None without an interval
    error     the standard error, or None
    units     the number of units of each kind
    """

    estimate: Estimate
    p: float | None
    error: float | None
    units: tuple[int, ...]


def crossed_ratio(
    numerators: Sequence[float] | Floats,
    denominators: Sequence[float] | Floats,
    *sides: Names | None,
    null: float = 0.0,
    bounds: Bounds | None = None,
    strata: Names | None = None,
) -> Crossed:
    """Sum of numerators over sum of denominators, one pair for each item.

    `sides` are the units of each item, one sequence for each kind. None stands for a kind that is
    fixed, so that the estimate concerns these very units of it. Items with denominator 0 are left
    out, and so are units that have no others. `bounds` is the range of an item's ratio.

    `strata` are kinds of items whose numbers the design fixes, such as the items that reveal one
    answer and as many that reveal the other. The difference between strata is then not noise. Each
    stratum keeps its share of the items whichever units are left out (post-stratification: Holt and
    Smith 1979). All items count, since the number in a stratum that have a denominator varies.
    """
    table = np.column_stack([np.asarray(numerators, float), np.asarray(denominators, float)])
    telling = np.full(len(table), bool(table[:, 1].any()))
    score: Callable[[Floats], Floats] = _ratio
    if strata is None:
        telling = table[:, 1] != 0
    elif len(table):
        table, score = _stratified(table, np.asarray(strata))
    kept = [None if side is None else np.asarray(side)[telling] for side in sides]
    return crossed_score(table[telling], kept, score, null=null, bounds=bounds)


def _ratio(sums: Floats) -> Floats:
    ratio: Floats = sums[:, 0] / sums[:, 1]
    return ratio


def _stratified(table: Floats, kinds: NDArray[Any]) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Columns of each stratum (over, under, items), and the ratio that keeps their shares."""
    names, index = np.unique(kinds, return_inverse=True)
    k = len(names)
    held = np.eye(k)[index.ravel()]
    shares = held.mean(axis=0)

    def ratio(sums: Floats) -> Floats:
        over, under, items = sums[:, :k], sums[:, k : 2 * k], sums[:, 2 * k :]
        found: Floats = (over / items) @ shares / ((under / items) @ shares)
        return found

    return np.hstack([held * table[:, :1], held * table[:, 1:], held]), ratio


def crossed_score(
    table: Floats,
    sides: Sequence[Names | None],
    score: Callable[[Floats], Floats],
    *,
    null: float = 0.0,
    bounds: Bounds | None = None,
) -> Crossed:
    """Any smooth score of totals: items × k in, `score` from totals (m × k) to m values.

    Twice the totals must give the same score. Values that are not finite are undefined; if one unit
    left out makes the score undefined, there is no interval. If a bounded score stays the same
    whichever item is left out (an accuracy of 1), the units would suggest certainty. The interval
    then allows for the share of deviating items that Wilson's interval allows if none was observed,
    with items of a unit counted as somewhat alike (`ALIKE`).
    """
    limits = UNBOUNDED if bounds is None else bounds
    items = np.arange(len(table))
    indices = [_numbered(side) for side in sides if side is not None]
    units = tuple(int(index.max()) + 1 if len(table) else 0 for index in indices)
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
        cells = _cells(indices)
        parts = {kinds: _variance(table, index, score) for kinds, index in cells.items()}
        by_item = _variance(table, items, score)
    known = {kinds: part for kinds, part in parts.items() if part is not None}
    if len(known) < len(parts) or by_item is None:
        why = "rests on one unit: no interval"
        return Crossed(Estimate(value, None, None, n, why), None, None, units)
    variance = max(by_item, *(_over(known, kinds) for kinds in known))
    if variance <= 1e-24 * max(1.0, value * value):
        return _alike(value, null, units, len(table), limits)
    # A kind whose units are single cells adds nothing: its variance is that of the cells.
    finest = cells[tuple(range(len(units)))] if len(units) > 1 else items
    there = [
        (known[side,], _effective(index, known[side,], by_item))
        for side, index in enumerate(indices)
        if units[side] <= finest.max()
    ]
    df = _freedom(variance, len(table), *there)
    error = math.sqrt(variance)
    ends = around(value, quantile_95(df) * error, limits)
    p = two_sided_p(pivot(value, null, error, limits), df)
    return Crossed(Estimate(value, *ends, n), p, error, units)


def _numbered(names: Names) -> NDArray[Any]:
    """The number of each item's unit."""
    return np.unique(np.asarray(names), return_inverse=True)[1].ravel()


def _cells(indices: list[NDArray[Any]]) -> dict[tuple[int, ...], NDArray[Any]]:
    """The number of each item's cell, for each kind of units and each combination of kinds."""
    found: dict[tuple[int, ...], NDArray[Any]] = {}
    for size in range(1, len(indices) + 1):
        for kinds in combinations(range(len(indices)), size):
            cell = np.zeros(len(indices[0]), dtype=np.int64)
            for side in kinds:
                cell = cell * (int(indices[side].max(initial=0)) + 1) + indices[side]
            found[kinds] = _numbered(cell)
    return found


def _over(parts: dict[tuple[int, ...], float], kinds: tuple[int, ...]) -> float:
    """The variance over these kinds of units, by inclusion and exclusion of what cells share."""
    return sum(
        part if len(cell) % 2 else -part for cell, part in parts.items() if set(cell) <= set(kinds)
    )


def _variance(table: Floats, index: Any, score: Callable[[Floats], Floats]) -> float | None:
    """The jackknife's variance over units; None if the score is undefined without one of them."""
    index = np.asarray(index)
    totals = np.zeros((int(index.max()) + 1, table.shape[1]))
    np.add.at(totals, index, table)
    left_out = score(table.sum(axis=0) - totals)
    n = len(totals)
    return (n - 1) * float(left_out.var()) if np.isfinite(left_out).all() else None


def _effective(index: Any, by_unit: float, by_item: float) -> float:
    """The effective number of units, which is smaller if they hold unequal shares of the items.

    Of a unit's part in the variance, what items share grows with the square of its items, and the
    rest with their number.
    """
    counts = np.bincount(index).astype(float)
    shared = max(0.0, by_unit - by_item) * counts**2 / float(counts @ counts)
    parts = shared + by_item * counts / counts.sum()
    return float(parts.sum() ** 2 / (parts @ parts))


def _freedom(variance: float, items: int, *parts: tuple[float, float]) -> float:
    """Degrees of freedom of a variance made of parts, each with its number of units.

    They never exceed those of single items.
    """
    noise = sum(part * part / max(1.0, units - 1) for part, units in parts)
    most = max(1.0, items - 1)
    return min(most, max(1.0, variance * variance / noise)) if noise > 0 else most


def _alike(
    value: float, null: float, units: tuple[int, ...], items: int, bounds: Bounds
) -> Crossed:
    """The estimate if no item differs from another."""
    count = items / (1 + ALIKE * sum(items / side - 1 for side in units))
    found = unvaried(value, count, bounds, min(units)).estimate
    if found.low is None:
        return Crossed(found, None, None, units)
    room = bounds[0] - value if null < value else bounds[1] - value
    share = (null - value) / room if null != value else 0.0
    # Wilson's interval reaches the share z² / (count + z²) of the room.
    p = 0.0 if share >= 1 else math.erfc(math.sqrt(count * share / (1 - share) / 2))
    return Crossed(found, p, 0.0, units)


SIGN_DRAWS = 10_000
_CELLS = 2_500_000
"""Maximum signs held in memory at once."""


def sign_flip_p(leans: Sequence[float] | Floats) -> float | None:
    """Two-sided p-value of the sum of the units' leans, by random signs (Fisher 1935, section 21).

    Assumes that without a lean each unit's total is as likely as its opposite. Exact for whole
    numbers, such as counts of answers: the distribution of the sum over all sign patterns is built
    up unit by unit. Other numbers take random signs. With k units p is at least 2/2^k, so five
    units can never reach 0.05. Units of 0 carry no sign and are left out, as is NaN; None if none
    is left.
    """
    known = np.asarray(leans, dtype=float)
    known = known[np.isfinite(known) & (known != 0)]
    sizes, observed = np.abs(known), abs(float(known.sum()))
    n = len(sizes)
    if n == 0:
        return None
    if (sizes == np.round(sizes)).all():
        chances = np.ones(1)  # chances of each sum, from the smallest to the largest, in steps of 2
        for size in sizes.astype(int):
            apart = np.zeros(size)
            chances = (np.concatenate([chances, apart]) + np.concatenate([apart, chances])) / 2
        totals = np.arange(len(chances)) * 2 - sizes.sum()
        return float(chances[np.abs(totals) >= observed - 1e-9].sum())
    # A sum that equals the observed one has reached it, with room for rounding.
    edge = observed - 1e-12 * max(1.0, float(sizes.sum()))
    dice = np.random.default_rng(0)
    reached, block = 0, max(1, _CELLS // n)
    for start in range(0, SIGN_DRAWS, block):
        signs = dice.integers(0, 2, (min(block, SIGN_DRAWS - start), n), dtype=np.int8)
        reached += int((np.abs((1.0 - 2.0 * signs) @ sizes) >= edge).sum())
    return (1 + reached) / (1 + SIGN_DRAWS)
