from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from geobias.stats.estimates import (
    Estimate,
    any_values_interval,
    quantile_95,
    rate,
    resampled,
    resampled_sums,
)
from geobias.stats.over_units import (
    mean_over_units,
    mean_test,
    median_over_units,
    nested_mean,
    rate_over_units,
    rates_over_units,
    ratio_over_units,
    score_over_units,
)
from tests.studies import fewest, most, studies

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
    covered, times = 0, studies(300, 3000)
    names = np.repeat(np.arange(units), 11)
    for _ in range(times):
        errors = 1 - np.exp(-np.abs(dice.normal(0, 0.8, units * 11)))
        low, high = ends(mean_over_units(errors, names, draws=300, bounds=(0, 1)))
        covered += low <= truth <= high
    assert fewest(times) <= covered <= most(times, 0.965)  # a little wide


MEDIAN_PARTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9)), min_size=1, max_size=60)
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


def test_no_values_have_no_median() -> None:
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


@given(MEDIAN_PARTS)
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
    assume(plain.low is not None and len(values) % 2)
    cubes = [end**3 for end in (plain.low, plain.high) if end is not None]
    assert [bent.low, bent.high] == pytest.approx(cubes)


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
    low, high = found.low, found.high
    assume(low is not None and high is not None)
    assert low is not None
    assert high is not None
    numbers = [hundredth / 100 + 0.005 for hundredth in range(100)]
    possible = [number for number in numbers if not contradicted(number, parts)]
    assert all(low <= number <= high for number in possible)


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
    assert (found.value is None) == (not named.any())
    assume(None not in (found.value, found.low, found.high))
    assert -1 <= found.low <= found.value + 1e-9  # type: ignore[operator]
    assert found.value - 1e-9 <= found.high <= 1  # type: ignore[operator]


@given(ROWS)
def test_swapping_stereotyped_and_other_answers_turns_the_sign(
    rows: list[tuple[bool, bool, int]],
) -> None:
    named, toward, units = (np.array(column) for column in zip(*rows, strict=True))
    lean = np.where(toward, 1.0, -1.0) * named
    one = ratio_over_units(lean, named.astype(float), units, draws=200, bounds=(-1, 1))
    two = ratio_over_units(-lean, named.astype(float), units, draws=200, bounds=(-1, 1))
    assume(None not in (one.low, one.high))
    # The 2.5% from either end of 200 draws are the same places.
    assert [two.low, two.high] == pytest.approx([-one.high, -one.low], abs=1e-3)  # type: ignore[operator]


def test_the_interval_covers_the_true_ratio_95_percent_of_the_time() -> None:
    """20 units of unequal size whose own ratios differ: the truth is a ratio of expectations."""
    dice = np.random.default_rng(1)
    covered, drawn = 0, studies(300, 3000)
    for _ in range(drawn):
        sizes = dice.integers(5, 40, 20).astype(float)
        own = dice.beta(3, 7, 20)
        hits = dice.binomial(sizes.astype(int), own).astype(float)
        found = ratio_over_units(hits, sizes, range(20), draws=300, bounds=(0, 1))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.3 <= found.high
    assert fewest(drawn) <= covered <= most(drawn, 0.965)  # a little wide


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
