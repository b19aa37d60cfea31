"""A mixed model of values at items (fixed), of units in groups (random): REML.

    value = item + group + unit + rest

Units and groups are normal with variances of their own. The restricted likelihood (Patterson and
Thompson 1971) is written out for this nesting, where every large matrix has an inverse in closed
form: statsmodels' MixedLM fits the same model, and takes a minute for two hundred countries.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its optimize when that is first called: 0.3 s
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.group_differences import MIN_UNITS, TOO_FEW_GROUPS
from geobias.stats.rates import Estimate
from geobias.stats.remembering import remembered

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


@remembered
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
