from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.estimates import Estimate, any_values_interval, resampled, resampled_sums
from geobias.stats.over_units import mean_over_units, mean_test, nested_mean

PARTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 15)), min_size=1, max_size=60)


def ends(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_every_unit_weighs_the_same_in_a_mean() -> None:
    assert mean_over_units([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"]).value == 0.5


def test_no_values_are_undefined_and_not_zero() -> None:
    assert mean_over_units([], []) == Estimate(None, None, None, 0, "no values")


@pytest.mark.parametrize("units", [1, 2])
def test_one_or_two_units_have_a_value_and_a_reason_for_no_interval(units: int) -> None:
    found = mean_over_units([0.25, 0.75], range(units) if units == 2 else ["a", "a"])
    assert (found.value, found.low, found.high, found.n) == (0.5, None, None, units)
    assert "no interval" in found.reason


def test_a_value_that_is_missing_is_left_out() -> None:
    assert mean_over_units([0.2, math.nan, 0.4], ["a", "b", "c"]).n == 2


def test_an_infinite_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="infinite"):
        mean_over_units([math.inf], ["a"])


def test_values_and_units_must_match() -> None:
    with pytest.raises(ValueError, match="values for"):
        mean_over_units([0.1, 0.2], ["a"])


def test_a_value_outside_its_bounds_is_an_error() -> None:
    with pytest.raises(ValueError, match="outside"):
        mean_over_units([2.0, 3.0, 4.0], ["a", "b", "c"], bounds=(0, 1))


def test_few_units_without_bounds_have_students_interval() -> None:
    from scipy import stats as reference

    values = [0.1, 0.5, 0.2, 0.7]
    known = reference.t.interval(0.95, 3, np.mean(values), reference.sem(values))
    assert ends(mean_over_units(values, list("abcd"))) == pytest.approx(known)


def test_many_normal_units_have_nearly_students_interval() -> None:
    from scipy import stats as reference

    values = np.random.default_rng(0).normal(5, 2, 400)
    known = reference.t.interval(0.95, 399, values.mean(), reference.sem(values))
    assert ends(mean_over_units(values, range(400))) == pytest.approx(known, abs=0.02)


def test_the_bootstrap_leans_to_the_side_of_the_skew() -> None:
    values = np.random.default_rng(1).lognormal(0, 1, 40)
    found = mean_over_units(values, range(40))
    assert found.value is not None
    low, high = ends(found)
    assert high - found.value > 1.2 * (found.value - low)


def test_equal_units_are_no_proof_that_all_are_equal() -> None:
    low, high = ends(mean_over_units([0.25] * 6, list("abcdef"), bounds=(0, 1)))
    assert low < 0.25 < high
    unbounded = mean_over_units([0.25] * 6, list("abcdef"))
    assert (unbounded.value, unbounded.low) == (0.25, None)
    assert unbounded.reason == "no unit differs"


def test_p_of_a_mean_is_under_five_per_cent_just_where_its_interval_leaves_out_the_null() -> None:
    dice = np.random.default_rng(3)
    for n in (3, 5, 8, 12, 30):
        for shift in (0.0, 0.1, 0.2, 0.4):
            for bounds in ((-math.inf, math.inf), (-1.0, 1.0)):
                means = np.clip(dice.normal(shift, 0.3, n), -1, 1)
                found, p = mean_test(means, bounds=bounds)
                low, high = ends(found)
                assert (p is not None and p < 0.05) == (not low <= 0 <= high)


def test_a_unit_without_a_number_is_left_out_of_a_mean_and_its_test() -> None:
    means = np.array([0.1, 0.4, 0.2, 0.3])
    with_gaps = np.array([0.1, math.nan, 0.4, 0.2, math.nan, 0.3])
    assert mean_test(with_gaps) == mean_test(means)
    assert mean_test(np.full(3, math.nan)) == mean_test(np.zeros(0))


def test_units_that_are_all_alike_have_the_p_of_their_interval() -> None:
    found, p = mean_test(np.full(5, 0.5), bounds=(-1, 1))
    assert p is not None
    assert (p < 0.05) == (ends(found)[0] > 0)
    assert mean_test(np.zeros(5), bounds=(-1, 1))[1] == 1


def test_close_values_of_few_bounded_units_come_with_the_interval_that_needs_no_assumption() -> (
    None
):
    close = mean_over_units([0.1, 0.12, 0.09, 0.11, 0.1, 0.13, 0.12, 0.1], range(8), bounds=(0, 1))
    assert "rare far-off values" in close.caution
    assert "0.43]" in close.caution


def test_values_that_fill_their_bounds_need_no_caution() -> None:
    values = np.linspace(0, 1, 30)
    assert not mean_over_units(values, range(30), bounds=(0, 1)).caution


def test_gaffkes_interval_of_nothing_but_zeros_is_the_exact_binomial_one() -> None:
    low, high = any_values_interval(np.zeros(10), (0.0, 1.0))
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 10), abs=0.01)


def test_few_skewed_units_without_bounds_come_with_a_caution() -> None:
    assert mean_over_units([0.1, 0.12, 0.09, 0.11, 0.1, 0.13, 0.9], range(7)).caution
    assert not mean_over_units([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], range(7)).caution


@given(PARTS)
def test_a_bounded_mean_lies_in_its_interval_and_that_within_the_bounds(
    parts: list[tuple[float, int]],
) -> None:
    values, units = zip(*parts, strict=True)
    found = mean_over_units(values, units, draws=200, bounds=(0, 1))
    assert found.value is not None
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.high <= 1


@given(PARTS, st.floats(-100, 100), st.floats(0.1, 100))
def test_an_unbounded_interval_moves_and_stretches_with_the_values(
    parts: list[tuple[float, int]], shift: float, scale: float
) -> None:
    values, units = (np.array(column) for column in zip(*parts, strict=True))
    values = np.round(values, 3)
    plain = mean_over_units(values, units, draws=200)
    moved = mean_over_units(values * scale + shift, units, draws=200)
    if plain.low is None or moved.low is None:
        return
    expected = [end * scale + shift for end in ends(plain)]
    assert ends(moved) == pytest.approx(expected, rel=1e-3, abs=1e-3 * (abs(shift) + scale))


@given(PARTS)
def test_names_of_units_do_not_matter_to_the_value(parts: list[tuple[float, int]]) -> None:
    values, units = zip(*parts, strict=True)
    renamed = [f"unit {99 - unit}" for unit in units]
    one, two = mean_over_units(values, units, draws=50), mean_over_units(values, renamed, draws=50)
    assert one.n == two.n
    assert one.value == pytest.approx(two.value)


def test_resampled_counts_add_up_to_the_units() -> None:
    for n, draws in ((7, 100), (3000, 1000)):
        blocks = [*resampled(n, draws)]
        assert sum(map(len, blocks)) == draws
        assert all((block.sum(axis=1) == n).all() for block in blocks)


def test_resampled_sums_are_the_sums_of_the_resamples() -> None:
    columns = np.random.default_rng(0).random((12, 3))
    counts = np.concatenate([*resampled(12, 50)])
    assert resampled_sums(columns, 50) == pytest.approx(counts @ columns, rel=1e-5)


def test_a_nested_mean_weighs_entities_alike_within_countries_and_countries_alike() -> None:
    values = [1, 1, 1, 0, 0, 1, 0]
    countries, entities = list("aaaabbc"), list("wwwxyzv")
    assert nested_mean(values, countries, entities).value == pytest.approx((0.5 + 0.5 + 0) / 3)


def test_a_nested_mean_over_other_countries_is_the_mean_of_country_means() -> None:
    dice = np.random.default_rng(0)
    values, countries = dice.random(120), np.repeat(range(20), 6)
    nested = nested_mean(values, countries, np.tile(range(6), 20), bounds=(0, 1))
    assert nested == mean_over_units(values, countries, bounds=(0, 1))


def test_an_entity_of_the_same_name_in_two_countries_is_two() -> None:
    found = nested_mean([0, 1, 1, 1, 1, 1], list("aabbcc"), list("xyxyxy"))
    assert found.value == pytest.approx(5 / 6)


@pytest.mark.parametrize("units", [3, 8, 30])
def test_a_95_percent_interval_covers_95_percent_of_the_time(units: int) -> None:
    """A quick look; `bench/coverage.py` is the proof."""
    dice = np.random.default_rng(1)
    truth = 1 - math.exp(0.32) * math.erfc(0.8 / math.sqrt(2))
    covered, times = 0, 300
    names = np.repeat(np.arange(units), 11)
    for _ in range(times):
        errors = 1 - np.exp(-np.abs(dice.normal(0, 0.8, units * 11)))
        low, high = ends(mean_over_units(errors, names, draws=300, bounds=(0, 1)))
        covered += low <= truth <= high
    assert 0.91 <= covered / times <= 0.99
