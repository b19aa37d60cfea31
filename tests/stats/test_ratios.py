from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.estimates import rate
from geobias.stats.over_units import (
    mean_over_units,
    rate_over_units,
    rates_over_units,
    ratio_over_units,
    score_over_units,
)

ROWS = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.integers(0, 14)), min_size=1, max_size=80
)


def test_a_ratio_is_of_the_totals_not_a_mean_of_ratios() -> None:
    found = ratio_over_units([1, 1], [1, 3], ["a", "b"])
    assert found.value == pytest.approx(0.5)
    assert found.n == 2


def test_equal_units_give_nearly_the_interval_of_their_mean() -> None:
    dice = np.random.default_rng(0)
    units = np.repeat(np.arange(20), 3)
    values = dice.random(20)[units] + dice.random(60) / 10
    ratio = ratio_over_units(values, np.ones(60), units)
    mean = mean_over_units(values, units)
    found, expected = (ratio.value, ratio.low, ratio.high), (mean.value, mean.low, mean.high)
    assert found == pytest.approx(expected, abs=2e-3)


def test_nothing_divided_by_nothing_is_undefined() -> None:
    found = ratio_over_units([0, 0], [0, 0], ["a", "b"])
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)
    assert found.reason == "nothing to divide by"
    assert ratio_over_units([], [], []).value is None


@pytest.mark.parametrize("units", [["a", "a"], ["a", "b"]])
def test_one_or_two_units_have_a_value_and_no_interval(units: list[str]) -> None:
    found = ratio_over_units([1, 0], [1, 1], units)
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert "no interval" in found.reason


def test_rows_that_say_nothing_and_units_without_others_do_not_count() -> None:
    found = ratio_over_units([1, 0, 0], [1, 1, 0], ["a", "b", "c"])
    assert (found.value, found.n) == (0.5, 2)


def test_a_score_that_rests_on_one_unit_has_no_interval() -> None:
    found = score_over_units(
        np.array([[1.0, 2.0], [0, 0], [0, 0]]), ["a", "b", "c"], lambda s: s[:, 0] / s[:, 1]
    )
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert found.reason == "rests on one unit: no interval"


def test_certainty_is_not_claimed_where_nothing_varied() -> None:
    sure = ratio_over_units(np.ones(20), np.ones(20), range(20), bounds=(0, 1))
    assert sure.value == sure.high == 1.0
    assert sure.low == pytest.approx(0.839, abs=0.001)  # Wilson's bound for 20 of 20
    middle = ratio_over_units(np.zeros(20), np.ones(20), range(20), bounds=(-1, 1))
    assert (middle.low, middle.high) == pytest.approx((-0.161, 0.161), abs=0.001)


def test_where_nothing_varied_rows_of_a_unit_count_as_somewhat_alike() -> None:
    many = ratio_over_units(np.ones(400), np.ones(400), np.repeat(range(20), 20), bounds=(0, 1))
    apart, units = rate(400, 400).low, rate(20, 20).low
    assert many.low is not None
    assert apart is not None
    assert units is not None
    assert units < many.low < apart


def test_without_bounds_an_unvaried_score_has_no_interval() -> None:
    found = ratio_over_units([1, 1, 1], [2, 2, 2], ["a", "b", "c"])
    assert (found.value, found.low, found.high) == (0.5, None, None)
    assert found.reason == "no unit differs"


def test_a_rate_of_independent_rows_has_nearly_wilsons_interval() -> None:
    hits = np.random.default_rng(1).random(400) < 0.3
    known = rate(int(hits.sum()), 400)
    found = rate_over_units(hits.astype(float), range(400))
    expected = (known.value, known.low, known.high)
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=0.005)


def test_a_clustered_rate_is_never_surer_than_independent_rows() -> None:
    """Every country wins exactly three of ten: no spread between them, yet 300 games."""
    hits = np.tile([1.0] * 3 + [0.0] * 7, 30)
    found = rate_over_units(hits, np.repeat(range(30), 10))
    assert found.low is not None
    assert found.high is not None
    alone = rate(90, 300)
    assert alone.low is not None
    assert alone.high is not None
    assert found.high - found.low >= 0.95 * (alone.high - alone.low)


def test_games_of_a_country_that_stand_together_widen_the_interval() -> None:
    hits = np.repeat([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 10)
    together = rate_over_units(hits, np.repeat(range(12), 10))
    apart = rate(30, 120)
    assert together.low is not None
    assert together.high is not None
    assert apart.low is not None
    assert apart.high is not None
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_a_positive_ratio_has_an_interval_above_its_bound() -> None:
    found = ratio_over_units([9.0, 0.1, 0.1, 0.1], [1, 1, 1, 1], range(4), bounds=(0, np.inf))
    assert found.low is not None
    assert found.low > 0


@given(ROWS)
def test_a_bias_score_lies_in_its_interval_and_that_within_the_bounds(
    rows: list[tuple[bool, bool, int]],
) -> None:
    named, toward, units = (np.array(column) for column in zip(*rows, strict=True))
    lean = np.where(toward, 1.0, -1.0) * named
    found = ratio_over_units(lean, named.astype(float), units, draws=200, bounds=(-1, 1))
    if found.value is None:
        assert not named.any()
    elif found.low is not None and found.high is not None:
        assert -1 <= found.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.high <= 1


@given(ROWS)
def test_swapping_stereotyped_and_other_answers_turns_the_sign(
    rows: list[tuple[bool, bool, int]],
) -> None:
    named, toward, units = (np.array(column) for column in zip(*rows, strict=True))
    lean = np.where(toward, 1.0, -1.0) * named
    one = ratio_over_units(lean, named.astype(float), units, draws=200, bounds=(-1, 1))
    two = ratio_over_units(-lean, named.astype(float), units, draws=200, bounds=(-1, 1))
    if one.low is not None and one.high is not None:
        # The 2.5% from either end of 200 draws are the same places.
        assert (two.low, two.high) == pytest.approx((-one.high, -one.low), abs=1e-3)


def test_the_interval_covers_the_true_ratio_95_percent_of_the_time() -> None:
    """20 units of unequal size whose own ratios differ: the truth is a ratio of expectations."""
    dice = np.random.default_rng(1)
    covered = []
    for _ in range(300):
        sizes = dice.integers(5, 40, 20).astype(float)
        own = dice.beta(3, 7, 20)
        hits = dice.binomial(sizes.astype(int), own).astype(float)
        found = ratio_over_units(hits, sizes, range(20), draws=300, bounds=(0, 1))
        assert found.low is not None
        assert found.high is not None
        covered.append(found.low <= 0.3 <= found.high)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.035)


def test_the_same_values_give_the_same_interval() -> None:
    values = np.random.default_rng(2).random(30)
    one, two = (ratio_over_units(values, np.ones(30), range(30)) for _ in range(2))
    assert one == two


@pytest.mark.parametrize("n", [12, 23, 30, 61])
@pytest.mark.parametrize("others", [1.0, 0.999])
def test_one_unit_that_differs_from_all_others_does_not_make_everything_possible(
    n: int, others: float
) -> None:
    values = [others + 0.0001 * (i % 7) * (others < 1) for i in range(n - 1)] + [0.0]
    found = ratio_over_units(values, [1.0] * n, range(n), draws=2000, bounds=(0, 1))
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    wilson = rate(n - 1, n)
    assert wilson.low is not None
    assert wilson.low - 0.15 < found.low < found.value < found.high <= 1


@given(ROWS)
def test_rates_from_totals_are_those_from_rows(rows: list[tuple[bool, bool, int]]) -> None:
    units = np.array([unit for _, _, unit in rows])
    names, index = np.unique(units, return_inverse=True)
    kinds = [np.array([row[kind] for row in rows], dtype=float) for kind in (0, 1)]
    totals = np.column_stack([np.bincount(index, kind, len(names)) for kind in kinds]).astype(float)
    found = rates_over_units(totals, np.bincount(index).astype(float), draws=200)
    for one, kind in zip(found, kinds, strict=True):
        whole = rate_over_units(kind, units, draws=200)
        assert (one.low is None) == (whole.low is None)
        if one.low is not None:
            ends = (one.value, one.low, one.high)
            assert ends == pytest.approx((whole.value, whole.low, whole.high), abs=1e-6)
