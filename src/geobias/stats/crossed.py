"""Estimates over several crossed kinds of units, such as templates and nationalities.

Items that share a template are alike, and so are items that share a nationality. To generalise to
other templates and nationalities, the variance must include both kinds: it is that over rows
(templates) plus that over columns (nationalities), minus that over cells, which both count
(Miglioretti and Heagerty 2007). With three kinds it is the sum over each kind, minus that over each
pair of kinds, plus that over all three (Cameron, Gelbach and Miller 2011). Each part is the
jackknife's over units (Efron and Stein 1981; MacKinnon, Nielsen and Webb 2024 for two ways). The
sum can be too small by chance, even negative. So geobias uses at least the variance over fewer
kinds, and at least that of as many independent items.

If units are few, or a few hold most of the items, the variance is uncertain. So Student's t has
Satterthwaite's (1946) degrees of freedom, from the effective number of units of each kind (Carter,
Schnepel and Steigerwald 2017). The p-value is under 0.05 if and only if the interval leaves out
`null`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import ROUNDING, Floats, Names, Numbers
from geobias.stats.estimates import (
    UNBOUNDED,
    Bounds,
    Estimate,
    around,
    pivot,
    quantile_95,
    too_few,
    two_sided_p,
    undefined,
    unvaried,
)
from geobias.stats.over_units import ALIKE


class Crossed(NamedTuple):
    """An estimate, whose `n` counts the kind with the fewest units, and the units of each kind."""

    estimate: Estimate
    units: tuple[int, ...]


def crossed_ratio(
    numerators: Numbers,
    denominators: Numbers,
    *sides: Names,
    null: float = 0.0,
    bounds: Bounds = UNBOUNDED,
    strata: Names | None = None,
) -> Crossed:
    """Return the sum of `numerators` divided by that of `denominators`, one pair for each item.

    `sides` are the units of each item, one sequence for each kind that varies. Items with
    denominator 0 are left out, and so are units with only such items. `bounds` is the range of an
    item's ratio.

    `strata` are kinds of items whose numbers the design fixes: for example, half of the items
    reveal one answer and half the other. The difference between strata is then not noise. Each
    stratum keeps its share of the items whichever units are left out (post-stratification: Holt and
    Smith 1979). The shares count items with denominator 0 too, since only the number of all items
    is fixed by the design.
    """
    table = np.column_stack([np.asarray(numerators, float), np.asarray(denominators, float)])
    telling = np.full(len(table), bool(table[:, 1].any()))
    score: Callable[[Floats], Floats] = _ratio
    if strata is None:
        telling = table[:, 1] != 0
    elif len(table):
        table, score = _stratified(table, np.asarray(strata))
    kept = [np.asarray(side)[telling] for side in sides]
    return crossed_score(table[telling], kept, score, null=null, bounds=bounds)


def _ratio(sums: Floats) -> Floats:
    ratio: Floats = sums[:, 0] / sums[:, 1]
    return ratio


def _stratified(table: Floats, kinds: NDArray[Any]) -> tuple[Floats, Callable[[Floats], Floats]]:
    """Split the columns of `table` by stratum, and return the ratio with fixed shares of strata."""
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
    sides: Sequence[Names],
    score: Callable[[Floats], Floats],
    *,
    null: float = 0.0,
    bounds: Bounds,
) -> Crossed:
    """Return any smooth score of totals, with its interval over crossed units.

    `table` has k columns for each item. `score` gets m rows of totals (m × k) and returns m values.
    Doubled totals must give the same score. A value that is not finite counts as undefined. There
    is no interval if leaving out one unit makes the score undefined. If a bounded score stays the
    same whichever item is left out (an accuracy of 1), the spread of units is 0. The interval then
    assumes as many deviating items as Wilson's interval allows if none was seen. Items of a unit
    count as somewhat alike (`ALIKE`).
    """
    items = np.arange(len(table))
    indices = [_numbered(side) for side in sides]
    units = tuple(int(index.max()) + 1 if len(table) else 0 for index in indices)
    n = min(units)
    if len(table) == 0:
        return Crossed(undefined(0, "nothing to divide by"), units)
    with np.errstate(all="ignore"):
        value = float(score(table.sum(axis=0, keepdims=True))[0])
        if not math.isfinite(value):
            return Crossed(undefined(n, "nothing to divide by"), units)
        if why := too_few(n):
            return Crossed(undefined(n, why, value), units)
        cells = _cells(indices)
        parts = {kinds: _variance(table, index, score) for kinds, index in cells.items()}
        by_item = _variance(table, items, score)
    known = {kinds: part for kinds, part in parts.items() if part is not None}
    if len(known) < len(parts) or by_item is None:
        return Crossed(undefined(n, "rests on one unit: no interval", value), units)
    variance = max(by_item, *(_over(known, kinds) for kinds in known))
    if variance <= ROUNDING**2 * max(1.0, value * value):
        alike = len(table) / (1 + ALIKE * sum(len(table) / side - 1 for side in units))
        return Crossed(unvaried(value, alike, bounds, n, null), units)
    # A kind whose units are single cells adds nothing: its variance is that of the cells.
    finest = cells[tuple(range(len(units)))] if len(units) > 1 else items
    there = [
        (known[side,], _effective(index, known[side,], by_item))
        for side, index in enumerate(indices)
        if units[side] <= finest.max()
    ]
    df = _freedom(variance, len(table), *there)
    error = math.sqrt(variance)
    ends = around(value, quantile_95(df) * error, bounds)
    p = two_sided_p(pivot(value, null, error, bounds), df)
    return Crossed(Estimate(value, *ends, n, p=p), units)


def _numbered(names: Names) -> NDArray[Any]:
    return np.unique(np.asarray(names), return_inverse=True)[1].ravel()


def _cells(indices: list[NDArray[Any]]) -> dict[tuple[int, ...], NDArray[Any]]:
    """Number the cells of each kind of units and each combination, and return each item's cell."""
    sizes = range(1, len(indices) + 1)
    every = [kinds for size in sizes for kinds in combinations(range(len(indices)), size)]
    units = [int(index.max(initial=0)) + 1 for index in indices]
    return {
        kinds: _numbered(
            np.ravel_multi_index([indices[i] for i in kinds], [units[i] for i in kinds])
        )
        for kinds in every
    }


def _over(parts: dict[tuple[int, ...], float], kinds: tuple[int, ...]) -> float:
    """Return the variance over `kinds` of units, by inclusion and exclusion of shared cells."""
    return sum(
        part if len(cell) % 2 else -part for cell, part in parts.items() if set(cell) <= set(kinds)
    )


def _variance(table: Floats, index: Any, score: Callable[[Floats], Floats]) -> float | None:
    """Return the jackknife variance over units; None if a score without one unit is undefined."""
    index = np.asarray(index)
    totals = np.zeros((int(index.max()) + 1, table.shape[1]))
    np.add.at(totals, index, table)
    left_out = score(table.sum(axis=0) - totals)
    n = len(totals)
    return (n - 1) * float(left_out.var()) if np.isfinite(left_out).all() else None


def _effective(index: Any, by_unit: float, by_item: float) -> float:
    """Return the effective number of units, which is smaller if their numbers of items differ.

    A unit adds two terms to the variance. One comes from the correlation of its items and grows
    with the square of their number. The other grows with their number.
    """
    counts = np.bincount(index).astype(float)
    shared = max(0.0, by_unit - by_item) * counts**2 / float(counts @ counts)
    parts = shared + by_item * counts / counts.sum()
    return float(parts.sum() ** 2 / (parts @ parts))


def _freedom(variance: float, items: int, *parts: tuple[float, float]) -> float:
    """Return the degrees of freedom of a variance with several parts.

    Each of `parts` is a variance and its number of units. The result is never larger than for
    `items` independent items.
    """
    noise = sum(part * part / max(1.0, units - 1) for part, units in parts)
    most = max(1.0, items - 1)
    return min(most, max(1.0, variance * variance / noise)) if noise > 0 else most


SIGN_DRAWS = 10_000


def sign_flip_p(leans: Numbers) -> float | None:
    """Return the two-sided p-value of the sum of `leans` by sign flips (Fisher 1935, section 21).

    `leans` has the total of each unit. The null hypothesis is that each total is as likely as its
    opposite. For whole numbers, such as counts of answers, the p-value is exact, from all sign
    patterns. For other numbers it comes from random signs. With k units it is at least 2/2^k, so
    five units can never reach 0.05. Units of 0 or NaN are left out. None if no unit is left.
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
            chances = (np.pad(chances, (0, size)) + np.pad(chances, (size, 0))) / 2
        totals = np.arange(len(chances)) * 2 - sizes.sum()
        return float(chances[np.abs(totals) >= observed - 1e-9].sum())
    # A sum that equals the observed one has reached it, with room for rounding.
    edge = observed - ROUNDING * max(1.0, float(sizes.sum()))
    signs = np.random.default_rng(0).integers(0, 2, (SIGN_DRAWS, n), dtype=np.int8)
    reached = int((np.abs((1.0 - 2.0 * signs) @ sizes) >= edge).sum())
    return (1 + reached) / (1 + SIGN_DRAWS)
