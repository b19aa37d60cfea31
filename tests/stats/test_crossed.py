"""Numbers over templates crossed with nationalities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.crossed import crossed_ratio, crossed_score, mixed_mean, sign_flip_p
from tests.studies import fewest, most, studies


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
    assert found.error == pytest.approx(math.sqrt(2 / 6 + 2 / 6 - 12 / 72))
    assert found.units == (3, 3)


def test_with_three_kinds_it_is_the_sum_less_pairs_plus_all_three() -> None:
    # Each of 27 items is the sum of three numbers, −1, 0 or 1. By hand: each kind of three units
    # gives 2/6, each pair of nine 2 · 6/72, all three of 27 items 3 · 18/702.
    sides = np.indices((3, 3, 3)).reshape(3, -1)
    values = (sides - 1.0).sum(axis=0) + 5
    found = crossed_ratio(values, np.ones(27), *sides)
    assert found.error == pytest.approx(math.sqrt(3 * 2 / 6 - 3 * 12 / 72 + 54 / 702))
    assert found.units == (3, 3, 3)


def test_a_sum_that_comes_out_small_by_luck_does_not_undercut_fewer_kinds() -> None:
    for seed in range(40):
        dice = np.random.default_rng(seed)
        first, second, third = dice.integers(0, 5, (3, 60))
        values = dice.normal(0, 1, 60)
        three = crossed_ratio(values, np.ones(60), first, second, third)
        for sides in ((first,), (second,), (third,), (first, second)):
            fewer = crossed_ratio(values, np.ones(60), *sides)
            assert three.error is not None
            assert fewer.error is not None
            assert three.error >= fewer.error * (1 - 1e-9)


def test_it_is_never_below_that_of_one_side() -> None:
    rows, columns = grid(4, 5)
    found = crossed_ratio(rows.astype(float), np.ones(20), rows, columns)
    alone = crossed_ratio(rows.astype(float), np.ones(20), rows)
    assert alone.error is not None
    assert found.error is not None
    assert found.error >= alone.error == pytest.approx(np.arange(4).std(ddof=1) / 2)


def test_without_columns_the_interval_is_students_over_rows() -> None:
    found = crossed_ratio([1.0, 2.0, 6.0], np.ones(3), range(3))
    assert found.estimate.value == 3
    half = 4.302653 * np.std([1, 2, 6], ddof=1) / math.sqrt(3)
    assert found.estimate.high == pytest.approx(3 + half)


def test_the_side_with_fewer_units_is_counted() -> None:
    rows, columns = grid(7, 4)
    assert crossed_ratio(columns.astype(float), np.ones(28), rows, columns).estimate.n == 4


def test_two_units_on_a_side_give_no_interval() -> None:
    rows, columns = grid(2, 9)
    found = crossed_ratio(columns.astype(float), np.ones(18), rows, columns)
    assert (found.estimate.value, found.estimate.low, found.p) == (4, None, None)
    assert found.estimate.reason == "2 units: no interval"


def test_nothing_to_divide_by_is_undefined() -> None:
    rows, columns = grid(3, 3)
    for found in (
        crossed_ratio(np.zeros(9), np.zeros(9), rows, columns),
        crossed_ratio([], [], [], []),
        crossed_ratio(np.zeros(9), np.zeros(9), rows, columns, strata=rows),
    ):
        assert (found.estimate.value, found.p) == (None, None)
        assert found.estimate.reason == "nothing to divide by"


def test_all_alike_is_not_certain() -> None:
    rows, columns = grid(10, 10)
    found = crossed_ratio(np.ones(100), np.ones(100), rows, columns, bounds=(0, 1), null=0.5)
    assert found.estimate.high == 1
    assert found.estimate.low is not None
    assert 0.8 < found.estimate.low < 0.95
    assert found.p is not None
    assert 0 < found.p < 0.001


def test_few_large_units_give_a_wider_interval_than_equal_ones() -> None:
    dice = np.random.default_rng(3)

    def width(shares: Floats) -> float:
        columns = np.sort(dice.choice(20, 400, p=shares / shares.sum()))
        rows = np.arange(400) % 20
        own = dice.normal(0, 1, 20)[columns] + dice.normal(0, 1, 400)
        found = crossed_ratio(own, np.ones(400), rows, columns)
        assert found.error is not None
        assert found.estimate.high is not None
        return float((found.estimate.high - (found.estimate.value or 0)) / found.error)

    assert width(1 / np.arange(1, 21) ** 1.5) > width(np.ones(20)) > 1.96


@given(st.integers(0, 10_000), st.sampled_from([(-1.0, 1.0), None]))
def test_p_is_small_exactly_where_the_interval_leaves_out_the_null(
    seed: int, bounds: tuple[float, float] | None
) -> None:
    dice = np.random.default_rng(seed)
    rows, columns = dice.integers(0, 6, 40), dice.integers(0, 5, 40)
    values = np.clip(np.round(dice.normal(dice.normal(), 1, 40)), -1, 1)
    found = crossed_ratio(values, np.ones(40), rows, columns, bounds=bounds, null=0.1)
    one = found.estimate
    assume(None not in (found.p, one.low, one.high))
    assert (found.p < 0.05) == (not one.low <= 0.1 <= one.high)  # type: ignore[operator]


def test_the_ratio_of_two_rates_keeps_above_zero() -> None:
    rows, columns = grid(5, 5, 2)
    table = np.column_stack([rows == 0, np.ones(50), (rows + columns) % 2, np.ones(50)])

    def ratio(sums: Floats) -> Floats:
        found: Floats = sums[:, 0] / sums[:, 2]
        return found

    found = crossed_score(table, [rows, columns], ratio, null=1.0, bounds=(0, math.inf))
    assert found.estimate.low is not None
    assert found.estimate.low > 0


def test_intervals_hold_where_both_sides_vary() -> None:
    dice = np.random.default_rng(1)
    rows, columns = grid(12, 15)
    covered, drawn = 0, studies(200, 2000)
    for _ in range(drawn):
        own = dice.normal(0, 0.5, 12)[rows] + dice.normal(0, 0.5, 15)[columns]
        found = crossed_ratio(own + dice.normal(0, 1, 180), np.ones(180), rows, columns).estimate
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0 <= found.high
    assert fewest(drawn) <= covered <= most(drawn, 0.95)


def test_the_mixed_model_is_the_mean_and_its_error_in_a_balanced_design() -> None:
    # There restricted maximum likelihood has a closed form: the mean squares of rows and columns
    # less that of the rest, over the number of items (Searle, Casella and McCulloch 1992).
    dice = np.random.default_rng(2)
    rows, columns = grid(8, 11)
    values = dice.normal(0, 1, 8)[rows] + dice.normal(0, 1, 11)[columns] + dice.normal(0, 1, 88)
    table = values.reshape(8, 11)
    by_row = 11 * table.mean(axis=1).var(ddof=1)
    by_column = 8 * table.mean(axis=0).var(ddof=1)
    rest = table - table.mean(axis=1)[:, None] - table.mean(axis=0) + table.mean()
    within = float((rest**2).sum()) / (7 * 10)
    found = mixed_mean(values, rows, columns)
    assert found.estimate.value == pytest.approx(values.mean())
    assert found.error == pytest.approx(math.sqrt((by_row + by_column - within) / 88), rel=0.01)


def test_the_mixed_model_of_what_does_not_vary_has_no_interval() -> None:
    rows, columns = grid(3, 4)
    found = mixed_mean(np.ones(12), rows, columns)
    assert (found.estimate.value, found.estimate.low, found.p) == (1, None, None)


def test_the_mixed_model_leaves_out_what_is_missing() -> None:
    rows, columns = grid(4, 4)
    values = np.arange(16.0)
    values[3] = math.nan
    assert mixed_mean(values, rows, columns).estimate.value is not None


def balanced(dice: np.random.Generator, slip: float) -> tuple[Floats, Floats, NDArray[Any]]:
    """Leans of right answers, half +1 and half −1 in each of 40 units; some are turned round."""
    told = np.tile([1.0, -1.0], 160)
    return told * np.where(dice.random(320) < slip, -1, 1), told, np.repeat(np.arange(40), 8)


def test_what_the_design_balances_is_no_noise() -> None:
    leans, told, units = balanced(np.random.default_rng(0), 0)
    found = crossed_ratio(leans, np.ones(320), units, bounds=(-1, 1), strata=told).estimate
    assert found.value == 0
    assert found.high is not None
    assert 0 < found.high < 0.03


def test_the_interval_of_a_balanced_design_is_as_wide_as_its_scores_vary() -> None:
    dice = np.random.default_rng(1)
    values, halves, covered, drawn = [], [], 0, studies(60, 600)
    for _ in range(drawn):
        leans, told, units = balanced(dice, 0.1)
        found = crossed_ratio(leans, np.ones(320), units, bounds=(-1, 1), strata=told).estimate
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        values.append(found.value)
        halves.append((found.high - found.low) / 2)
        covered += found.low <= 0 <= found.high
    close = 0.25 * math.sqrt(60 / drawn)
    assert np.mean(halves) == pytest.approx(1.96 * np.std(values, ddof=1), rel=close)
    assert covered >= fewest(drawn)


def test_an_answer_that_names_nobody_moves_a_balanced_score() -> None:
    # Of those told the one answer, half name nobody: what is left leans to the other.
    told = np.tile([1.0, -1.0], 30)
    named = np.where((told < 0) | (np.arange(60) % 4 == 0), 1.0, 0.0)
    found = crossed_ratio(
        told * named, named, np.repeat(range(15), 4), bounds=(-1, 1), strata=told
    ).estimate
    assert found.value == pytest.approx(-1 / 3)
    assert found.n == 15


def test_a_third_kind_of_unit_that_matters_raises_no_false_alarm() -> None:
    dice = np.random.default_rng(4)
    rows, columns = grid(10, 12, 2)
    alarms, drawn = {2: 0, 3: 0}, studies(150, 1500)
    for _ in range(drawn):
        third = dice.integers(0, 15, len(rows))
        values = dice.normal(0, 1, 15)[third] + dice.normal(0, 1, len(rows))
        for kinds in alarms:
            p = crossed_ratio(values, np.ones(len(rows)), *(rows, columns, third)[:kinds]).p
            alarms[kinds] += p is not None and p < 0.05
    assert alarms[2] > 0.25 * drawn
    assert alarms[3] <= most(drawn)


def test_units_that_all_lean_one_way_give_the_least_p_there_is() -> None:
    assert sign_flip_p([1, 2, 3, 4]) == 2 / 16


def test_a_lean_and_its_opposite_cancel() -> None:
    assert sign_flip_p([1, -1]) == 1


def test_units_without_a_lean_carry_no_sign() -> None:
    assert sign_flip_p([0, 0, 1, 2, 3]) == sign_flip_p([1, 2, 3])


def test_no_lean_at_all_is_no_test() -> None:
    assert sign_flip_p([0, 0]) is None
    assert sign_flip_p([]) is None


def test_many_units_agree_with_the_exact_answer() -> None:
    leans = np.array([1.0] * 9 + [-1.0] * 4)
    # Two-sided binomial: 9 or more of 13 one way, 2 · P(X ≥ 9).
    assert sign_flip_p(leans) == pytest.approx(0.2668, abs=0.015)


def test_a_true_null_is_rejected_one_time_in_twenty_at_most() -> None:
    dice = np.random.default_rng(1)
    found = [sign_flip_p(dice.normal(size=10)) for _ in range(studies(400, 4000))]
    assert sum(p is not None and p < 0.05 for p in found) <= most(len(found))
