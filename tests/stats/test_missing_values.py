"""How far groups could come to differ if no value were missing, held against all fills."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

from geobias.stats.group_differences import Groups, spread_value
from geobias.stats.missing_values import Cells, difference_ends, group_ends


def drawn(seed: int, missing: int = 7) -> Cells:
    """Three groups of five units with four items each, some never asked and some missing."""
    dice = np.random.default_rng(seed)
    units, items = np.indices((15, 4)).reshape(2, -1)
    asked = dice.random(60) < 0.85
    units, items = units[asked], items[asked]
    values = np.clip(0.3 + 0.05 * items + dice.normal(0, 0.1, len(units)), 0, 1)
    low, high = values.copy(), values.copy()
    gone = dice.choice(len(units), missing, replace=False)
    low[gone], high[gone] = 0.0, 1.0
    return Cells(low, high, items, units, [f"g{unit // 5}" for unit in units], (0.0, 1.0))


def groups(cells: Cells, filled: np.ndarray) -> Groups:
    return Groups.of(*cells.unit_means(filled))


def fills(cells: Cells) -> list[np.ndarray]:
    """Every way to fill missing cells with one end or the other, and some ways between."""
    gone = np.flatnonzero(cells.high > cells.low)
    found = []
    for ends in itertools.product((0.0, 1.0), repeat=len(gone)):
        filled = cells.low.copy()
        filled[gone] = ends
        found.append(filled)
    dice = np.random.default_rng(0)
    for _ in range(60):
        filled = cells.low.copy()
        filled[gone] = dice.random(len(gone))
        found.append(filled)
    return found


@cache
def filled_groups(seed: int) -> list[Groups]:
    cells = drawn(seed)
    return [groups(cells, filled) for filled in fills(cells)]


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_gap_is_the_largest_over_all_fills_and_none_is_smaller_than_the_smallest(
    seed: int,
) -> None:
    cells = drawn(seed)
    _, (low, high) = group_ends(cells)
    gaps = [float(np.ptp(one.means)) for one in filled_groups(seed)]
    assert high == pytest.approx(max(gaps))
    assert low is not None
    assert low <= min(gaps) + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_no_fill_has_a_spread_beyond_the_ends(seed: int) -> None:
    cells = drawn(seed)
    (low, high), _ = group_ends(cells)
    spreads = [spread_value(one) for one in filled_groups(seed)]
    assert low is not None
    assert high is not None
    assert low <= min(spreads) + 1e-6
    assert high >= max(spreads) - 1e-6


def test_without_missing_values_both_ends_are_the_number() -> None:
    cells = drawn(1, missing=0)
    known = groups(cells, cells.low)
    spread, gap = group_ends(cells)
    assert spread == pytest.approx((spread_value(known),) * 2)
    assert gap == pytest.approx((float(np.ptp(known.means)),) * 2)


def test_a_group_that_was_asked_and_answered_nothing_counts() -> None:
    cells = drawn(2, missing=0)
    silent = np.array([group == "g2" for group in cells.groups])
    asked = cells._replace(
        low=np.where(silent, 0.0, cells.low), high=np.where(silent, 1.0, cells.high)
    )
    _, (low, high) = group_ends(asked)
    assert low == pytest.approx(float(np.ptp(groups(cells, cells.low).means[:2])), abs=0.02)
    assert high is not None
    assert high > 0.5


def test_the_difference_of_two_groups_is_bounded_by_all_fills() -> None:
    cells = drawn(3)
    found = [groups(cells, filled).means for filled in fills(cells)]
    apart = [float(means[0] - means[1]) for means in found]
    assert difference_ends(cells, "g0", "g1") == pytest.approx((min(apart), max(apart)))
    assert difference_ends(cells, "g0", "nowhere") == (None, None)
