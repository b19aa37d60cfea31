"""Numbers over templates crossed with nationalities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from geobias.stats.crossed import crossed_ratio, sign_flip_p
from geobias.stats.estimates import quantile_95
from tests.defined import defined
from tests.studies import ends, most, studies


def grid(rows: int, columns: int, each: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    first, second = np.indices((rows, columns)).reshape(2, -1)
    return np.tile(first, each), np.tile(second, each)


def test_the_variance_is_that_of_rows_and_of_columns_less_that_of_cells() -> None:
    # Row means and column means are −1, 0 and 1 away from the whole, and nothing besides: by hand,
    # the jackknife over three rows gives 2/6, over three columns as much, over nine cells 12/72.
    rows, columns = grid(3, 3)
    values = (rows - 1.0) + (columns - 1.0) + 5
    found = crossed_ratio(values, np.ones(9), rows, columns)
    assert found.estimate.value == 5
    error, df = math.sqrt(2 / 6 + 2 / 6 - 12 / 72), 2.25
    assert found.estimate.high == pytest.approx(5 + quantile_95(df) * error)
    assert found.units == (3, 3)


def test_with_three_kinds_it_is_the_sum_less_pairs_plus_all_three() -> None:
    # Each of 27 items is the sum of three numbers, −1, 0 or 1. By hand: each kind of three units
    # gives 2/6, each pair of nine 2 · 6/72, all three of 27 items 3 · 18/702.
    sides = np.indices((3, 3, 3)).reshape(3, -1)
    values = (sides - 1.0).sum(axis=0) + 5
    found = crossed_ratio(values, np.ones(27), *sides)
    variance = 3 * 2 / 6 - 3 * 12 / 72 + 54 / 702
    half = quantile_95(variance**2 * 6) * math.sqrt(variance)
    assert found.estimate.high == pytest.approx(5 + half)
    assert found.units == (3, 3, 3)


def test_without_columns_the_interval_is_students_over_rows() -> None:
    found = crossed_ratio([1.0, 2.0, 6.0], np.ones(3), range(3)).estimate
    assert found.value == 3
    half = 4.302653 * np.std([1, 2, 6], ddof=1) / math.sqrt(3)
    assert found.high == pytest.approx(3 + half)


def test_nothing_to_divide_by_is_undefined() -> None:
    rows, columns = grid(3, 3)
    for found, _ in (
        crossed_ratio(np.zeros(9), np.zeros(9), rows, columns),
        crossed_ratio([], [], [], []),
        crossed_ratio(np.zeros(9), np.zeros(9), rows, columns, strata=rows),
    ):
        assert (found.value, found.p) == (None, None)
        assert found.reason


def test_all_alike_is_not_certain() -> None:
    rows, columns = grid(10, 10)
    found = crossed_ratio(
        np.ones(100), np.ones(100), rows, columns, bounds=(0, 1), null=0.5
    ).estimate
    assert found.high == 1
    assert 0.8 < defined(found.low) < 0.95
    assert 0 < defined(found.p) < 0.001


@given(st.integers(0, 10_000), st.sampled_from([(-1.0, 1.0), (-math.inf, math.inf)]))
def test_p_is_small_exactly_where_the_interval_leaves_out_the_null(
    seed: int, bounds: tuple[float, float]
) -> None:
    dice = np.random.default_rng(seed)
    rows, columns = dice.integers(0, 6, 40), dice.integers(0, 5, 40)
    values = np.clip(np.round(dice.normal(dice.normal(), 1, 40)), -1, 1)
    found = crossed_ratio(values, np.ones(40), rows, columns, bounds=bounds, null=0.1).estimate
    one = found
    assume(None not in (found.p, one.low, one.high))
    assert (found.p < 0.05) == (not one.low <= 0.1 <= one.high)  # type: ignore[operator]


def test_what_the_design_balances_is_no_noise() -> None:
    """Half of the answers of each unit lean to either side, as they were told."""
    told, units = np.tile([1.0, -1.0], 160), np.repeat(np.arange(40), 8)
    found = crossed_ratio(told, np.ones(320), units, bounds=(-1, 1), strata=told).estimate
    assert found.value == 0
    assert 0 < ends(found)[1] < 0.03


def test_a_third_kind_of_unit_that_matters_raises_no_false_alarm() -> None:
    dice = np.random.default_rng(4)
    rows, columns = grid(10, 12, 2)
    alarms, drawn = {2: 0, 3: 0}, studies(150, 1500)
    for _ in range(drawn):
        third = dice.integers(0, 15, len(rows))
        values = dice.normal(0, 1, 15)[third] + dice.normal(0, 1, len(rows))
        for kinds in alarms:
            p = crossed_ratio(
                values, np.ones(len(rows)), *(rows, columns, third)[:kinds]
            ).estimate.p
            alarms[kinds] += p is not None and p < 0.05
    assert alarms[2] > 0.25 * drawn
    assert alarms[3] <= most(drawn)


def test_signs_are_flipped_in_all_ways() -> None:
    assert sign_flip_p([1, 2, 3, 4]) == 2 / 16
    assert sign_flip_p([1, -1]) == 1
    assert sign_flip_p([0, 0, 1, 2, 3]) == sign_flip_p([1, 2, 3])
    assert sign_flip_p([0, 0]) is sign_flip_p([]) is None


def test_flipped_signs_of_equal_leans_are_the_binomial_test() -> None:
    from scipy.stats import binomtest

    for ahead, of, close in ((9, 13, 1e-12), (20, 28, 0.01)):  # drawn at random where many
        leans = np.repeat([1.0, -1.0], [ahead, of - ahead])
        assert sign_flip_p(leans) == pytest.approx(binomtest(ahead, of).pvalue, abs=close)
