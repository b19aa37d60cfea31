from __future__ import annotations

import numpy as np
import pytest

from geobias.stats import mean_over_units, ratio_over_units, score_over_units


def test_a_ratio_is_of_the_totals_not_a_mean_of_ratios() -> None:
    found = ratio_over_units([1, 1], [1, 3], ["a", "b"])
    assert found.value == pytest.approx(0.5)
    assert found.n == 2


def test_equal_units_give_the_interval_of_their_mean() -> None:
    dice = np.random.default_rng(0)
    values = dice.random(60)
    units = np.repeat(np.arange(20), 3)
    ratio = ratio_over_units(values, np.ones(60), units)
    mean = mean_over_units(values, units)
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((mean.value, mean.low, mean.high))


def test_nothing_divided_by_nothing_is_undefined() -> None:
    found = ratio_over_units([0, 0], [0, 0], ["a", "b"])
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
    assert ratio_over_units([], [], []).value is None


def test_one_unit_has_a_value_and_no_interval() -> None:
    found = ratio_over_units([1, 0], [1, 1], ["a", "a"])
    assert (found.value, found.low, found.high, found.n) == (0.5, None, None, 1)


def test_rows_that_say_nothing_and_units_without_others_do_not_count() -> None:
    found = ratio_over_units([1, 0, 0], [1, 1, 0], ["a", "b", "c"])
    assert (found.value, found.n) == (0.5, 2)


def test_a_score_that_most_draws_leave_undefined_has_no_interval() -> None:
    """Defined where the first of three units is drawn at least twice: in 26% of the draws."""
    found = score_over_units(
        np.array([[1.0, 1], [0, 0], [0, 0]]),
        ["a", "b", "c"],
        lambda sums: np.where((sums[:, 0] >= 2) | (len(sums) == 1), sums[:, 0], np.nan),
    )
    assert (found.value, found.low, found.high) == (1.0, None, None)


def test_certainty_is_not_claimed_where_nothing_varied() -> None:
    sure = ratio_over_units(np.ones(20), np.ones(20), range(20), bounds=(0, 1))
    assert sure.value == sure.high == 1.0
    assert sure.low == pytest.approx(0.839, abs=0.001)  # Wilson's bound for 20 of 20
    middle = ratio_over_units(np.zeros(20), np.ones(20), range(20), bounds=(-1, 1))
    assert (middle.low, middle.high) == pytest.approx((-0.161, 0.161), abs=0.001)


def test_where_nothing_varied_rows_count_as_independent() -> None:
    many = ratio_over_units(np.ones(400), np.ones(400), np.repeat(range(20), 20), bounds=(0, 1))
    assert many.low == pytest.approx(0.990, abs=0.001)  # Wilson's bound for 400 of 400


def test_without_bounds_an_unvaried_score_has_no_interval() -> None:
    found = ratio_over_units([1, 1], [2, 2], ["a", "b"])
    assert (found.value, found.low, found.high) == (0.5, None, None)


def test_the_interval_covers_the_true_ratio_95_percent_of_the_time() -> None:
    """20 units of unequal size whose own ratios differ: the truth is a ratio of expectations."""
    dice = np.random.default_rng(1)
    covered = []
    for _ in range(400):
        sizes = dice.integers(5, 40, 20).astype(float)
        own = dice.beta(3, 7, 20)
        hits = dice.binomial(sizes.astype(int), own).astype(float)
        found = ratio_over_units(hits, sizes, range(20), draws=300, bounds=(0, 1))
        assert found.low is not None
        assert found.high is not None
        covered.append(found.low <= 0.3 <= found.high)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.03)


def test_the_same_seed_gives_the_same_interval() -> None:
    values = np.random.default_rng(2).random(30)
    one, two = (ratio_over_units(values, np.ones(30), range(30), seed=5) for _ in range(2))
    assert one == two
