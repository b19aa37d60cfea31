"""Variance components: how much of the variance of values comes from units, and how much from the
conditions under which each unit was observed, such as the wordings of a question.

    value = stratum + unit + condition + unit × condition + draw

A stratum (an indicator) has a mean of its own. Units and conditions are crossed within it, and all
other terms are random. Variances are estimated by the analysis of variance (Henderson 1953, method
1; Searle, Casella and McCulloch 1992, chapter 4): mean squares of the strata are pooled and set
equal to their expectations. This needs no normal distribution. A negative variance counts as 0.

Only units with a value in every condition count in a stratum. Then the table is balanced, and
answers missing in one condition move no other. Without repeated draws, the draws of a sampled model
are part of unit × condition; greedy answers have none.

The interval is the jackknife's over units and over conditions, with their variances added. Under
crossed random terms it is a little too wide rather than too narrow (Owen 2007, who shows it for the
bootstrap of both). Student's t has Satterthwaite's (1946) degrees of freedom. With three conditions
the interval is wide, as it should be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats, Names
from geobias.stats.estimates import Estimate, around, quantile_95, too_few, unvaried

LeftOut: TypeAlias = list[list[tuple[float, ...] | None]]
_ALL_ALIKE = 1e-3
FEW_CONDITIONS = 8
"""With fewer conditions the interval of their share covers 74 to 94% in simulations; a caution says
so.
"""
SOURCES = ("unit", "condition", "interaction", "draw")


class Components(NamedTuple):
    """Where variance comes from.

    variances   of each of `SOURCES`; the draw's is None if no cell was drawn twice
    shares      of their sum, with intervals; `n` counts units
    outside     the share of condition and interaction together, which would vanish with a single
                condition
    units, conditions, cells   what it rests on
    """

    variances: dict[str, float | None]
    shares: dict[str, Estimate]
    outside: Estimate
    units: int
    conditions: int
    cells: int


def crossed_components(
    values: Sequence[float] | Floats, strata: Names, units: Names, conditions: Names
) -> Components:
    """The components of values, one row each; several rows of one cell are draws. NaN is left out.

    Undefined, with a reason, if there are fewer than two conditions, no stratum with two complete
    units, or no variation.
    """
    y = np.asarray(values, dtype=float)
    known = np.isfinite(y)
    names = [
        np.unique(np.asarray(side)[known], return_inverse=True)
        for side in (strata, units, conditions)
    ]
    shape = tuple(len(kinds) for kinds, _ in names)
    index = tuple(numbers.ravel() for _, numbers in names)
    table = _Table.of(y[known], index, shape)
    if shape[2] < 2:
        return _undefined("one condition alone", shape)
    found = table.components()
    used: NDArray[Any] = np.asarray(table.complete.any(axis=0))
    counts = int(used.sum()), shape[2], int(table.complete.sum()) * shape[2]
    if found is None:
        return _undefined("under two units have a value in every condition", (0, *counts[:2]))
    if not sum(found) > 0:
        return _undefined("no value differs from another", (0, *counts[:2]))
    left_out = table.left_out(used)
    shares = {name: _share(found, [i], left_out, counts[0]) for i, name in enumerate(SOURCES)}
    if not table.drawn:
        shares["draw"] = Estimate(None, None, None, counts[0], "no cell was drawn twice")
    variances = {
        name: float(part) if name != "draw" or table.drawn else None
        for name, part in zip(SOURCES, found, strict=True)
    }
    return Components(variances, shares, _share(found, [1, 2], left_out, counts[0]), *counts)


class _Table(NamedTuple):
    """Cell means (stratum × unit × condition), which units are complete in a stratum, the variance
    of draws within a cell, and the number of draws behind a cell mean (harmonic mean).
    """

    means: Floats
    complete: NDArray[Any]
    within: float
    draws: float
    drawn: bool

    @classmethod
    def of(cls, y: Floats, index: tuple[Any, ...], shape: tuple[int, ...]) -> _Table:
        counts, sums = np.zeros(shape), np.zeros(shape)
        np.add.at(counts, index, 1.0)
        np.add.at(sums, index, y)
        with np.errstate(invalid="ignore"):
            means = sums / counts
        complete: NDArray[Any] = np.asarray((counts > 0).all(axis=2))
        kept = complete[index[0], index[1]]
        freedom = int(kept.sum()) - int(complete.sum()) * shape[2]
        left = float(((y - means[index]) ** 2)[kept].sum()) if freedom else 0.0
        inside = counts[complete]
        draws = float(1 / (1 / inside).mean()) if inside.size else 1.0
        return cls(means, complete, left / freedom if freedom else 0.0, draws, freedom > 0)

    def components(
        self, units: NDArray[Any] | None = None, conditions: NDArray[Any] | None = None
    ) -> tuple[float, float, float, float] | None:
        """The variances of `SOURCES`, for some units or conditions; None if undefined."""
        squares, freedom = np.zeros(3), np.zeros(3)
        sizes = []
        for means, complete in zip(self.means, self.complete, strict=True):
            own = means[complete if units is None else complete & units]
            own = own if conditions is None else own[:, conditions]
            rows, columns = own.shape
            if rows < 2 or columns < 2:
                continue
            grand = own.mean()
            of_rows, of_columns = own.mean(axis=1) - grand, own.mean(axis=0) - grand
            rest = own - grand - of_rows[:, None] - of_columns
            squares += columns * (of_rows**2).sum(), rows * (of_columns**2).sum(), (rest**2).sum()
            freedom += rows - 1, columns - 1, (rows - 1) * (columns - 1)
            sizes.append(rows)
        if not sizes:
            return None
        unit, condition, rest_square = squares / freedom
        width = self.means.shape[2] if conditions is None else int(conditions.sum())
        return (
            max(0.0, float(unit - rest_square) / width),
            max(0.0, float(condition - rest_square) / float(np.mean(sizes))),
            max(0.0, float(rest_square) - self.within / self.draws),
            self.within,
        )

    def left_out(self, used: NDArray[Any]) -> LeftOut:
        """The components with each unit, and each condition, left out in turn; None if they are
        undefined.
        """
        width = self.means.shape[2]
        without: LeftOut = [
            [self.components(np.arange(len(used)) != i) for i in np.flatnonzero(used)]
        ]
        without.append([self.components(None, np.arange(width) != i) for i in range(width)])
        return [[one if one and sum(one) > 0 else None for one in side] for side in without]


def _share(found: tuple[float, ...], of: list[int], left_out: LeftOut, n: int) -> Estimate:
    def share(parts: tuple[float, ...]) -> float:
        return sum(parts[i] for i in of) / sum(parts)

    value = share(found)
    parts = []
    for side, kind in zip(left_out, ("unit", "condition"), strict=True):
        if why := too_few(len(side)):
            return Estimate(value, None, None, n, why.replace("unit", kind))
        if None in side:
            why = f"undefined as soon as one {kind} is left out"
            return Estimate(value, None, None, n, why)
        again = np.array([share(one) for one in side if one is not None])
        parts.append(((len(side) - 1) * float(again.var()), len(side) - 1))
    variance = sum(part for part, _ in parts)
    conditions = len(left_out[1])
    caution = (
        f"{conditions} conditions: the interval may be too narrow"
        if conditions < FEW_CONDITIONS
        else ""
    )
    if min(value, 1 - value) < _ALL_ALIKE:
        # Every share is 0 or 1, whichever unit or condition is left out. The uncertainty
        # then follows from the number of units or conditions, whichever is smaller.
        fewest = min(len(side) for side in left_out)
        ends = unvaried(float(round(value)), fewest, (0.0, 1.0)).estimate
        return Estimate(value, ends.low, ends.high, n, caution=caution)
    if variance <= 0:
        return Estimate(value, None, None, n, "no unit differs")
    freedom = variance**2 / sum(part**2 / df for part, df in parts)
    half = quantile_95(freedom) * math.sqrt(variance)
    # The logit scale never reaches 0, and a component may well be 0.
    if value <= half or value + half >= 1:
        return Estimate(value, max(0.0, value - half), min(1.0, value + half), n, caution=caution)
    return Estimate(value, *around(value, half, (0.0, 1.0)), n, caution=caution)


def _undefined(why: str, shape: tuple[int, ...]) -> Components:
    nothing = Estimate(None, None, None, shape[1], why)
    return Components(
        dict.fromkeys(SOURCES), dict.fromkeys(SOURCES, nothing), nothing, shape[1], shape[2], 0
    )
