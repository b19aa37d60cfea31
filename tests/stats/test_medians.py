from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from geobias.stats.estimates import quantile_95
from geobias.stats.over_units import median_over_units

PARTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9)), min_size=1, max_size=60)
ON_A_GRID = st.lists(
    st.tuples(st.integers(0, 100).map(lambda number: number / 100), st.integers(0, 9)),
    min_size=1,
    max_size=60,
)
"""Values that stay apart when they are turned upside down or bent."""
FAR_OUT = [(0.0, 1), (0.0, 3), (0.0, 3), (0.0, 5), (0.0, 6), (0.01, 2), (0.02, 4), (0.03, 3)]
FAR_OUT += [(0.04, 0)]
"""A number far out is not contradicted though one nearer to the median is."""


def test_a_median_is_over_all_values() -> None:
    assert median_over_units([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"]).value == 0.0


def test_no_values_are_undefined_and_not_zero() -> None:
    found = median_over_units([math.nan], ["a"])
    assert (found.value, found.n, found.reason) == (None, 0, "no values")


def test_five_values_have_no_interval_and_six_have_all_of_them() -> None:
    five = median_over_units([1, 2, 3, 4, 5], range(5))
    assert (five.value, five.low, five.high) == (3, None, None)
    assert five.reason == "5 values: no interval for a median"
    six = median_over_units([1, 2, 3, 4, 5, 6], range(6))
    assert (six.low, six.high) == (1, 6)


def test_many_single_values_have_the_interval_of_order_statistics() -> None:
    found = median_over_units(np.arange(1.0, 101.0), range(100))
    assert found.value == 50.5
    assert found.low == pytest.approx(40, abs=1)  # the sign test's 40th and 61st of 100
    assert found.high == pytest.approx(61, abs=1)


def test_values_of_a_unit_that_stand_together_widen_the_interval() -> None:
    values = np.arange(100.0)
    apart = median_over_units(values, np.arange(100) % 10)
    together = median_over_units(values, np.arange(100) // 10)
    assert apart.low is not None
    assert apart.high is not None
    assert together.low is not None
    assert together.high is not None
    assert together.high - together.low > 3 * (apart.high - apart.low)


def test_one_unit_with_nearly_all_values_says_nothing_of_others() -> None:
    found = median_over_units([*np.linspace(0, 1, 50), 0.2, 0.3], ["a"] * 50 + ["b", "c"])
    assert (found.low, found.high) == (None, None)
    bounded = median_over_units(
        [*np.linspace(0, 1, 50), 0.2, 0.3], ["a"] * 50 + ["b", "c"], bounds=(0, 1)
    )
    assert (bounded.low, bounded.high) == (0, 1)


@given(PARTS)
def test_the_value_lies_in_its_interval(parts: list[tuple[float, int]]) -> None:
    values, units = zip(*parts, strict=True)
    found = median_over_units(values, units, bounds=(0, 1))
    assert found.value is not None
    assert found.value == np.median(values)
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1


@given(ON_A_GRID)
def test_turning_values_upside_down_turns_the_interval(parts: list[tuple[float, int]]) -> None:
    values, units = (np.array(column) for column in zip(*parts, strict=True))
    up = median_over_units(values, units, bounds=(0, 1))
    down = median_over_units(1 - values, units, bounds=(0, 1))
    if up.low is None or up.high is None:
        assert down.low is None
        return
    assert (down.low, down.high) == pytest.approx((1 - up.high, 1 - up.low))


@given(ON_A_GRID)
def test_a_growing_change_of_scale_carries_the_interval_along(
    parts: list[tuple[float, int]],
) -> None:
    values, units = (np.array(column) for column in zip(*parts, strict=True))
    plain = median_over_units(values, units, bounds=(0, 1))
    bent = median_over_units(values**3, units, bounds=(0, 1))
    if plain.low is not None and plain.high is not None and len(values) % 2:
        assert (bent.low, bent.high) == pytest.approx((plain.low**3, plain.high**3))


def contradicted(number: float, parts: list[tuple[float, int]]) -> bool:
    """Whether the units' counts of values below, less half of them, are not 0 on average."""
    units = sorted({unit for _, unit in parts})
    leans = [sum((value < number) - 0.5 for value, own in parts if own == unit) for unit in units]
    spread = np.std(leans, ddof=1) / math.sqrt(len(units))
    return bool(abs(np.mean(leans)) > quantile_95(len(units) - 1) * spread + 1e-12)


@given(ON_A_GRID)
@example(FAR_OUT)
def test_the_interval_holds_every_number_that_the_units_do_not_contradict(
    parts: list[tuple[float, int]],
) -> None:
    values, units = zip(*parts, strict=True)
    found = median_over_units(values, units, bounds=(0, 1))
    if found.low is None or found.high is None:
        return
    for number in (hundredth / 100 + 0.005 for hundredth in range(100)):
        if not contradicted(number, parts):
            assert found.low <= number <= found.high
