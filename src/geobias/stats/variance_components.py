"""How much of the variance of values comes from the units, and how much from the conditions under
which each of them was looked at: every country in every wording, at each of several indicators.

    value = stratum + unit + condition + unit × condition + draw

A stratum (an indicator) has a mean of its own; units and conditions are crossed within it, and all
other terms are random. Variances are by the analysis of variance (Henderson 1953, method 1; Searle,
Casella and McCulloch 1992, chapter 4): mean squares of the strata are pooled and set equal to what
they are on average. That takes no normal distribution. A variance that comes out below 0 is 0.

Only units that have a value in every condition count in a stratum: then the table is balanced, and
what one condition leaves unanswered moves no other. Without repeated draws, draws of a sampled
model are part of unit × condition; with greedy answers there are none.

The interval is the jackknife's over units and over conditions, their variances added: under crossed
random terms that is a little too wide rather than too narrow (Owen 2007, who shows it of the
bootstrap of both). Student's t has Satterthwaite's (1946) degrees of freedom. With three conditions
that is a wide interval, as it should be.

A mixed model of values at items (fixed), of units in groups (random): REML.

    value = item + group + unit + rest

Units and groups are normal with variances of their own. The restricted likelihood (Patterson and
Thompson 1971) is written out for this nesting, where every large matrix has an inverse in closed
form: statsmodels' MixedLM fits the same model, and takes a minute for two hundred countries.

Do groups differ, for other units of two kinds: other countries and other models?

An F test over countries speaks of these very models, and one over models of these very countries.
Clark (1973, "The language-as-fixed-effect fallacy") joins both into one that speaks of other units
of either kind: min F′ = F₁F₂ / (F₁ + F₂). F₁ is Welch's, since groups of countries vary
differently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each
from numpy.typing import NDArray

from geobias.stats.arrays import Floats, Names
from geobias.stats.estimates import Estimate, around, quantile_95, too_few, unvaried
from geobias.stats.group_differences import MIN_UNITS, TOO_FEW_GROUPS, Groups

LeftOut: TypeAlias = list[list[tuple[float, ...] | None]]
_ALL_ALIKE = 1e-3
FEW_CONDITIONS = 8
"""Under which the share of conditions covers 74 to 94% in simulations: a caution says so."""
SOURCES = ("unit", "condition", "interaction", "draw")


class Components(NamedTuple):
    """Where variance comes from.

    variances   of each of `SOURCES`; the draw's is None where no cell was drawn twice
    shares      of their sum, with intervals; `n` counts units
    outside     the share of condition and interaction together: what would be gone if there were
                only one condition
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

    Undefined, with a reason, where there are under two conditions, no stratum with two complete
    units, or no value that differs.
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
    """Cell means (stratum × unit × condition), which units are complete in a stratum, and the
    variance of draws within a cell with the draws that a cell mean has (harmonic mean)."""

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
        """The variances of `SOURCES`, of some units or conditions alone; None where undefined."""
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
        """The components with each unit left out in turn, and with each condition; None where they
        are undefined."""
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
        # No condition changes anything (or all is condition), whichever is left out: what others
        # would do is not known any better than by the number of those that there are fewer of.
        fewest = min(len(side) for side in left_out)
        low, high = unvaried(float(round(value)), fewest, (0.0, 1.0))
        return Estimate(value, low, high, n, caution=caution)
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


_ONE_SIDED, _TWO_SIDED = 2.705543454095404, 3.841458820694124
"""χ² with one degree of freedom, 10% and 5%."""
_MOST = 20.0
"""SDs of units and of groups are looked for up to so many times the rest's."""


class NestedModel(NamedTuple):
    """The SD between groups and the p of the likelihood ratio test that it is 0, whose null lies at
    the bound: half of χ² with one degree of freedom (Self and Liang 1987). The interval is the
    profile likelihood's, its lower end by the same test."""

    spread: Estimate
    p: float | None


def nested_model(
    values: Floats, items: NDArray[Any], units: NDArray[Any], groups: NDArray[Any]
) -> NestedModel:
    """Fits the model. One value for a unit and item; groups of under `MIN_UNITS` units are left
    out. `n` counts units."""
    owners = dict(zip(units.tolist(), groups.tolist(), strict=True))
    sizes: dict[str, int] = {}
    for group in owners.values():
        sizes[group] = sizes.get(group, 0) + 1
    kept = np.array([sizes[group] >= MIN_UNITS for group in groups.tolist()], dtype=bool)
    if len(set(groups[kept].tolist())) < 2:
        return NestedModel(Estimate(None, None, None, 0, TOO_FEW_GROUPS), None)
    data = _Data.of(values[kept], items[kept], units[kept], groups[kept])

    def best(group: float) -> float:
        found = scipy.optimize.minimize_scalar(
            lambda unit: data.criterion(unit, group)[0],
            bounds=(0.0, _MOST),
            method="bounded",
            options={"xatol": 1e-3},
        )
        return min(float(found.fun), data.criterion(0.0, group)[0])

    found = scipy.optimize.minimize_scalar(
        best, bounds=(0.0, _MOST), method="bounded", options={"xatol": 1e-3}
    )
    none, least = best(0.0), float(found.fun)
    ratio = float(found.x) if least < none else 0.0
    least = min(least, none)
    unit = scipy.optimize.minimize_scalar(
        lambda one: data.criterion(one, ratio)[0], bounds=(0.0, _MOST), method="bounded"
    )
    sd = math.sqrt(data.criterion(float(unit.x), ratio)[1])
    statistic = max(0.0, none - least)
    p = math.erfc(math.sqrt(statistic / 2)) / 2 if statistic > 0 else 1.0
    low = _edge(lambda at: best(at) - least > _ONE_SIDED, 0.0, ratio)
    high = _edge(lambda at: best(at) - least <= _TWO_SIDED, ratio, _MOST)
    value = ratio * sd
    return NestedModel(Estimate(value, low * sd if p < 0.05 else 0.0, high * sd, len(data.sums)), p)


def _edge(holds: Any, low: float, high: float) -> float:
    """Where something that holds at the lower end ceases to, by halving; the lower end if nowhere
    does it hold."""
    if not holds(low):
        return low
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


class _Data(NamedTuple):
    """Sums that the likelihood needs: `met` (unit × item) tells which values there are, `counts`
    how many a unit has, `member` (unit × group) which group it is in."""

    met: Floats
    counts: Floats
    each_item: Floats
    member: Floats
    sums: Floats
    item_sums: Floats
    squares: float
    taken_out: dict[float, _WithoutUnits]

    @classmethod
    def of(
        cls, values: Floats, items: NDArray[Any], units: NDArray[Any], groups: NDArray[Any]
    ) -> _Data:
        values = values - values.mean()
        _, item = np.unique(items, return_inverse=True)
        _, unit = np.unique(units, return_inverse=True)
        _, group = np.unique(groups, return_inverse=True)
        met = np.zeros((unit.max() + 1, item.max() + 1))
        met[unit, item] = 1
        member = np.zeros((unit.max() + 1, group.max() + 1))
        member[unit, group] = 1
        return cls(
            met,
            met.sum(axis=1),
            np.diag(met.sum(axis=0)),
            member,
            np.bincount(unit, values).astype(float),
            np.bincount(item, values).astype(float),
            float(values @ values),
            {},
        )

    def without_units(self, unit: float) -> _WithoutUnits:
        """Each search over units begins at the same places: what is worked out there is kept."""
        if unit in self.taken_out:
            return self.taken_out[unit]
        spread = 1 + self.counts * unit * unit
        shrink = unit * unit / spread
        self.taken_out[unit] = found = _WithoutUnits(
            cross=self.each_item - (self.met * shrink[:, None]).T @ self.met,
            items=self.item_sums - self.met.T @ (shrink * self.sums),
            squares=self.squares - float(shrink @ self.sums**2),
            weight=self.member.T @ (self.counts / spread),
            of_items=self.member.T @ (self.met / spread[:, None]),
            of_values=self.member.T @ (self.sums / spread),
            size=np.log(spread).sum(),
        )
        return found

    def criterion(self, unit: float, group: float) -> tuple[float, float]:
        """Minus twice the restricted log likelihood, but for a constant, and the variance of the
        rest, for SDs of units and groups that are so many times the rest's."""
        cross, items, squares, weight, of_items, of_values, size = self.without_units(unit)
        # What groups share is taken out of what units leave.
        taken = group * group / (1 + group * group * weight)
        cross = cross - (of_items * taken[:, None]).T @ of_items
        items = items - of_items.T @ (taken * of_values)
        squares -= float(taken @ of_values**2)
        fitted = np.linalg.solve(cross, items)
        freedom = float(self.counts.sum()) - len(items)
        rest = max(squares - float(fitted @ items), 1e-12) / freedom
        size = size + np.log1p(group * group * weight).sum()
        return float(freedom * math.log(rest) + size + np.linalg.slogdet(cross)[1]), rest


class _WithoutUnits(NamedTuple):
    """The sums once what a unit's values share is taken out of each: among items, of items with the
    values, of the values; and the same of groups."""

    cross: Floats
    items: Floats
    squares: float
    weight: Floats
    of_items: Floats
    of_values: Floats
    size: float


LEAST = 3
"""Rows. Groups have as many columns as elsewhere (`MIN_UNITS`)."""


class MinF(NamedTuple):
    """`f` with its degrees of freedom and p; all None where there are too few units."""

    f: float | None = None
    df: tuple[float, float] | None = None
    p: float | None = None


def min_f(values: Floats, columns: list[str]) -> MinF:
    """Rows are units that have a value in every column (models), columns are units (countries) with
    the group of each; groups of under `MIN_UNITS` columns are left out. No value may be missing.
    """
    table = np.asarray(values, dtype=float)
    kept = {name for name in columns if columns.count(name) >= MIN_UNITS}
    chosen = [i for i, name in enumerate(columns) if name in kept]
    names = sorted(kept)
    if len(table) < LEAST or len(names) < 2:
        return MinF()
    table, groups = table[:, chosen], np.array([columns[i] for i in chosen])
    means = np.stack([table[:, groups == name].mean(axis=1) for name in names], axis=1)
    by_columns = _between(table.mean(axis=0), groups.tolist())
    by_rows = _within_rows(means)
    if by_columns is None or by_rows is None:
        return MinF()
    (f1, df1), (f2, df2) = by_columns, by_rows
    if f1 <= 0 or f2 <= 0:
        return MinF(0.0, (len(names) - 1, min(df1, df2)), 1.0)
    f = f1 * f2 / (f1 + f2)
    df = (f1 + f2) ** 2 / (f1 * f1 / df2 + f2 * f2 / df1)
    return MinF(f, (len(names) - 1, df), float(scipy.special.fdtrc(len(names) - 1, df, f)))


def _between(values: Floats, groups: list[str]) -> tuple[float, float] | None:
    """Welch's F (1951) over columns, whose groups may vary differently, and its second degrees of
    freedom."""
    known = Groups.of(values, groups)
    if known.why_none:
        return None
    k, weights = len(known.names), 1 / known.errors
    shares = weights / weights.sum()
    uneven = float(((1 - shares) ** 2 / (known.sizes - 1)).sum())
    apart = float((weights * (known.means - shares @ known.means) ** 2).sum()) / (k - 1)
    return apart / (1 + 2 * (k - 2) / (k * k - 1) * uneven), (k * k - 1) / (3 * uneven)


def _within_rows(means: Floats) -> tuple[float, int] | None:
    """F of the columns of a table of rows × groups, rows taken out (repeated measures)."""
    rows, groups = means.shape
    df = (rows - 1) * (groups - 1)
    left = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    inner = float((left**2).sum())
    outer = rows * float(((means.mean(axis=0) - means.mean()) ** 2).sum())
    if inner <= 1e-24:
        return None
    return (outer / (groups - 1)) / (inner / df), df
