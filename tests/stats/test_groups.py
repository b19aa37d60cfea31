from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.estimates import Estimate
from geobias.stats.groups import (
    Comparison,
    changed_groups,
    counts_of_u,
    group_mean,
    mover_difference,
    share_over_units,
    two_groups,
    welch,
)
from tests.studies import most, studies

VALUES = st.lists(st.floats(-10, 10).map(lambda x: round(x, 2)), min_size=3, max_size=12)


def test_groups_that_do_not_overlap() -> None:
    found = two_groups([4, 5, 6], [1, 2, 3])
    assert (found.u, found.method) == (9, "exact")
    assert found.p == pytest.approx(0.1)
    assert (found.effect.value, found.shift.value, found.difference.value) == (1, 3, 3)
    assert found.n == (3, 3)


def test_three_against_three_have_no_interval_for_a_shift() -> None:
    found = two_groups([4, 5, 6], [1, 2, 3]).shift
    assert (found.low, found.high, found.reason) == (None, None, "3 against 3 units: no interval")


def test_a_group_of_two_has_values_and_no_intervals() -> None:
    found = two_groups([1, 2], [3, 4, 5])
    for one in (found.effect, found.shift, found.difference):
        assert one.value is not None
        assert one.low is None
        assert "under three units" in one.reason


def test_an_empty_group_leaves_everything_undefined() -> None:
    found = two_groups([], [1, 2])
    assert (found.u, found.p) == (None, None)
    assert found.shift.value is None
    assert found.n == (0, 2)


def test_values_that_are_all_equal_are_no_difference() -> None:
    found = two_groups([1.0] * 5, [1.0] * 6)
    assert (found.p, found.effect.value, found.shift.value) == (1, 0, 0)


def test_missing_values_are_left_out_and_infinite_ones_refused() -> None:
    assert two_groups([1, math.nan, 2], [3]).n == (2, 1)
    with pytest.raises(ValueError, match="infinite"):
        two_groups([math.inf], [1])


def test_the_shift_and_its_interval_agree_with_a_published_example() -> None:
    # Hollander and Wolfe (1999), Table 4.1, as R's package coin computes it exactly.
    term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    early = [1.15, 0.88, 0.90, 0.74, 1.21]
    found = two_groups(term, early)
    assert found.shift.value == pytest.approx(0.305)
    assert found.u == 35
    assert found.p == pytest.approx(0.2544, abs=1e-4)
    assert (found.shift.low, found.shift.high) == pytest.approx((-0.15, 0.76))


def test_ways_to_reach_each_u_add_up_to_all_orders() -> None:
    assert counts_of_u(2, 2) == [1, 1, 2, 1, 1]
    assert sum(counts_of_u(7, 9)) == math.comb(16, 7)


def test_the_difference_of_means_has_welchs_interval() -> None:
    from scipy import stats as reference

    a, b = [0.1, 0.4, 0.2, 0.9], [0.5, 0.8, 0.9]
    known = reference.ttest_ind(a, b, equal_var=False).confidence_interval()
    found = two_groups(a, b).difference
    assert (found.low, found.high) == pytest.approx((known.low, known.high))


def test_the_difference_of_means_has_welchs_p() -> None:
    from scipy import stats as reference

    a, b = np.array([0.1, 0.4, 0.2, 0.9]), np.array([0.5, 0.8, 0.9])
    assert welch(a, b).p == pytest.approx(reference.ttest_ind(a, b, equal_var=False).pvalue)


@given(VALUES, VALUES)
def test_u_and_p_agree_with_scipy(a: list[float], b: list[float]) -> None:
    from scipy import stats as reference

    found = two_groups(a, b)
    if len({*a, *b}) == 1:
        return
    method = "exact" if found.method == "exact" else "asymptotic"
    known = reference.mannwhitneyu(a, b, method=method)
    assert found.u == known.statistic
    assert found.p == pytest.approx(min(1, known.pvalue))


def bounds(found: Comparison) -> list[tuple[float | None, float | None]]:
    return [(one.low, one.high) for one in (found.effect, found.shift, found.difference)]


@given(VALUES, VALUES)
def test_swapping_the_groups_turns_every_sign(a: list[float], b: list[float]) -> None:
    one, two = two_groups(a, b), two_groups(b, a)
    assert one.p == pytest.approx(two.p)
    for (low, high), (low2, high2) in zip(bounds(one), bounds(two), strict=True):
        if low is not None and high is not None:
            assert (low2, high2) == pytest.approx((-high, -low), abs=1e-9)


@given(VALUES, VALUES)
def test_values_lie_in_their_intervals_and_the_effect_between_its_bounds(
    a: list[float], b: list[float]
) -> None:
    found = two_groups(a, b)
    for one in (found.effect, found.shift, found.difference):
        assert one.value is not None
        if one.low is not None and one.high is not None:
            assert one.low - 1e-9 <= one.value <= one.high + 1e-9
    assert found.effect.low is not None
    assert found.effect.high is not None
    assert -1 <= found.effect.low <= found.effect.high <= 1


@given(VALUES, VALUES)
def test_a_growing_change_of_scale_leaves_ranks_alone(a: list[float], b: list[float]) -> None:
    plain, bent = two_groups(a, b), two_groups(np.exp(a), np.exp(b))
    assert (plain.u, plain.effect) == (bent.u, bent.effect)
    assert plain.p == pytest.approx(bent.p)


def test_a_difference_adds_the_distances_of_its_intervals_as_squares() -> None:
    """Zou and Donner's formula by hand: 0.3 and 0.4 give 0.5 below, 0.4 and 0.3 give 0.5 above."""
    found, p = mover_difference(Estimate(2.0, 1.7, 2.4, 20), Estimate(1.0, 0.7, 1.4, 20))
    assert (found.value, found.n) == (1.0, 40)
    assert (found.low, found.high) == pytest.approx((0.5, 1.5))
    assert p is not None
    assert p < 0.05


@given(st.floats(-1, 1), st.floats(0.01, 1), st.floats(0.01, 1), st.integers(3, 50))
def test_a_difference_is_rejected_exactly_where_its_interval_leaves_out_0(
    value: float, below: float, above: float, n: int
) -> None:
    found, p = mover_difference(
        Estimate(value, value - below, value + above, n), Estimate(0.0, -above, below, n)
    )
    assert found.low is not None
    assert found.high is not None
    assert p is not None
    if min(abs(found.low), abs(found.high)) > 1e-9:
        assert (p < 0.05) == (not found.low <= 0 <= found.high)


def test_a_difference_without_intervals_has_none_itself() -> None:
    found, p = mover_difference(Estimate(0.5, None, None, 1, "one unit"), Estimate(0.2, 0, 1, 9))
    assert (found.value, found.low, found.reason, p) == (0.3, None, "one unit", None)
    assert mover_difference(Estimate(None, None, None, 0), Estimate(0.2, 0, 1, 9))[1] is None


def test_the_mean_of_a_group_near_its_bound_leans_away_from_it() -> None:
    found = group_mean([0.0] * 15 + [0.5], bounds=(0.0, 1.0))
    assert found.value == 0.03125
    assert found.low is not None
    assert found.high is not None
    assert 0 < found.low < 0.01
    assert 0.15 < found.high < 0.3


def test_a_group_in_which_no_unit_differs_claims_no_certainty() -> None:
    found = group_mean([1.0] * 10, bounds=(0.0, 1.0))
    assert found.high == 1
    assert found.low == pytest.approx(10 / (10 + 1.959964**2))
    assert group_mean([1.0] * 10).low is None


def test_shares_of_units_with_one_trial_each_are_those_of_wilson() -> None:
    from scipy import stats as reference

    found = share_over_units([1.0] * 3 + [0.0] * 27, [1] * 30)
    t, n = reference.t.ppf(0.975, 29), 30 - 1  # the sample variance has n − 1 below it
    middle = (0.1 + t**2 / (2 * n)) / (1 + t**2 / n)
    half = t * math.sqrt(0.1 * 0.9 / n + t**2 / (4 * n**2)) / (1 + t**2 / n)
    assert found.low == pytest.approx(middle - half)
    assert found.high == pytest.approx(middle + half)
    assert found.n == 30


def test_units_with_one_trial_that_all_lack_a_hit_do_not_make_a_share_sure() -> None:
    few = share_over_units([0.04] * 5 + [0.0] * 20, [50] * 5 + [1] * 20)
    many = share_over_units([0.04] * 5 + [0.0] * 20, [50] * 25)
    assert few.high is not None
    assert many.high is not None
    assert few.high > 0.1 > many.high


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 90)), min_size=3, max_size=12))
def test_a_share_over_units_lies_in_its_interval_and_between_0_and_1(
    units: list[tuple[float, int]],
) -> None:
    found = share_over_units([value for value, _ in units], [count for _, count in units])
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


GROUPS = [str(i) for i, n in enumerate((20, 30, 25, 8)) for _ in range(n)]
PLACE = np.array([int(group) for group in GROUPS]) / 3


def two_runs(seed: int, first: float, second: float) -> tuple[np.ndarray, np.ndarray]:
    dice = np.random.default_rng(seed)
    country = dice.normal(0.3, 0.09, len(GROUPS))
    one, two = (
        country + gap * PLACE + dice.normal(0, 0.03, len(GROUPS)) for gap in (first, second)
    )
    return one, two


def test_a_gap_that_grew_is_found() -> None:
    found = changed_groups(*two_runs(1, 0.1, 0.4), GROUPS, most=1)
    for one in (found.spread, found.gap):
        assert one.change.estimate.value == pytest.approx(
            (one.second.value or 0) - (one.first.value or 0)
        )
        assert one.change.p is not None
        assert one.change.p < 0.05
    assert found.gap.change.estimate.low is not None
    assert found.gap.change.estimate.low < 0.3 < (found.gap.change.estimate.high or 0)


def test_a_gap_that_stayed_is_not_clear_in_most_studies() -> None:
    alarms, drawn = 0, studies(20, 200)
    for seed in range(drawn):
        p = changed_groups(*two_runs(seed, 0.2, 0.2), GROUPS, most=1).gap.change.p
        alarms += p is not None and p < 0.05
    assert alarms <= most(drawn)


def test_no_interval_of_a_change_contradicts_its_test() -> None:
    for seed in range(20):
        found = changed_groups(*two_runs(seed, 0.0, 0.03 * (seed % 10)), GROUPS, most=1)
        for one in found:
            low, high = one.change.estimate.low, one.change.estimate.high
            assert low is not None
            assert high is not None
            assert one.change.p is not None
            assert (one.change.p < 0.05) == (not low <= 0 <= high)


def test_equal_runs_have_no_change() -> None:
    one, _ = two_runs(0, 0.1, 0.1)
    found = changed_groups(one, one, GROUPS)
    assert (found.gap.change.estimate.value, found.gap.change.p) == (0, 1)


def test_units_without_a_value_in_one_run_are_left_out() -> None:
    one, two = two_runs(0, 0.1, 0.1)
    two[:3] = np.nan
    assert changed_groups(one, two, GROUPS).gap.change.estimate.n == len(GROUPS) - 3
