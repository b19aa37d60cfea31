from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats as reference

from geobias.stats.estimates import Estimate, quantile_95, rate, wilson
from geobias.stats.over_units import (
    mean_over_units,
    mean_test,
    median_over_units,
    rate_over_units,
    ratio_over_units,
    share_over_units,
    single_values_mean,
)
from tests.studies import ends
from tests.wording import reads_as

# Means --------------------------------------------------------------------------------------------


def test_every_unit_weighs_the_same_in_a_mean() -> None:
    assert mean_over_units([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"]).value == 0.5
    assert mean_over_units([0.2, math.nan, 0.4], ["a", "b", "c"]).n == 2


def test_no_values_are_undefined_and_few_units_have_no_interval() -> None:
    found = {
        "none": mean_over_units([], []),
        "two units": mean_over_units([0.25, 0.75], ["a", "b"]),
        "one unit": mean_over_units([0.25, 0.75], ["a", "a"]),
        "a ratio of nothing": ratio_over_units([0, 0], [0, 0], ["a", "b"]),
        "a median of five": median_over_units([1, 2, 3, 4, 5], range(5)),
    }
    values = [(one.value, one.low, one.high, one.n) for one in found.values()]
    assert values == [
        (None, None, None, 0),
        (0.5, None, None, 2),
        (0.5, None, None, 1),
        (None, None, None, 0),
        (3, None, None, 5),
    ]
    reads_as("No interval: one group", {case: one.reason for case, one in found.items()})


def test_what_cannot_be_is_an_error() -> None:
    with pytest.raises(ValueError, match="infinite"):
        mean_over_units([math.inf], ["a"])
    with pytest.raises(ValueError, match="values for"):
        mean_over_units([0.1, 0.2], ["a"])
    with pytest.raises(ValueError, match="outside"):
        mean_over_units([2.0, 3.0, 4.0], ["a", "b", "c"], bounds=(0, 1))


def test_a_mean_without_bounds_has_students_interval_and_p() -> None:
    values = np.array([0.1, 0.5, 0.2, 0.7, -0.3])
    known = reference.ttest_1samp(values, 0)
    found = mean_test(values)
    interval = known.confidence_interval()
    assert ends(found) == pytest.approx((interval.low, interval.high))
    assert found.p == pytest.approx(known.pvalue)
    assert mean_test(np.append(values, math.nan)) == found


def test_equal_units_are_no_proof_that_all_are_equal() -> None:
    low, high = ends(mean_over_units([0.25] * 6, list("abcdef"), bounds=(0, 1)))
    unseen = 1 - wilson(1.0, 6)[0]
    assert (low, high) == pytest.approx((0.25 - 0.25 * unseen, 0.25 + 0.75 * unseen))
    assert mean_over_units([0.25] * 6, list("abcdef")).reason == "no unit differs"


def test_single_values_have_gaffkes_interval_from_twenty_on() -> None:
    few, many = np.linspace(0.1, 0.2, 19), np.linspace(0.1, 0.2, 20)
    assert single_values_mean(few, bounds=(0, 1)) == mean_test(few, bounds=(0, 1))
    _, high = ends(single_values_mean(many, bounds=(0, 1)))
    assert high > 0.25  # room for values that were not drawn


# Shares and ratios --------------------------------------------------------------------------------

ROWS = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.integers(0, 14)), min_size=1, max_size=80
)


def test_shares_of_units_with_one_trial_each_are_those_of_wilson() -> None:
    found = share_over_units([1.0] * 3 + [0.0] * 27, [1] * 30)
    # The sample variance has n − 1 below it.
    assert ends(found) == pytest.approx(wilson(0.1, 29, quantile_95(29)))
    assert found.n == 30


def test_a_clustered_rate_has_wilsons_interval_with_as_many_rows_as_it_is_worth() -> None:
    """Three of twelve countries win all ten games: by the jackknife worth eleven games."""
    hits = np.repeat([1.0] * 3 + [0.0] * 9, 10)
    found = rate_over_units(hits, np.repeat(range(12), 10))
    variance = 0.25 * 0.75 * 12 / 11 / 12
    assert ends(found) == pytest.approx(wilson(0.25, 0.25 * 0.75 / variance, quantile_95(11)))


def test_a_ratio_is_of_the_totals_not_a_mean_of_ratios() -> None:
    found = ratio_over_units([1, 1, 0], [1, 3, 0], ["a", "b", "c"])
    assert (found.value, found.n) == (0.5, 2)  # a row of 0 says nothing


def test_a_ratio_has_the_interval_of_the_jackknife() -> None:
    over, under = np.array([1.0, 4, 2, 5]), np.array([2.0, 5, 9, 6])
    left = [np.delete(over, i).sum() / np.delete(under, i).sum() for i in range(4)]
    error = math.sqrt(3 / 4 * sum((one - np.mean(left)) ** 2 for one in left))
    low, high = ends(ratio_over_units(over, under, range(4)))
    assert (high - low) / 2 == pytest.approx(quantile_95(3) * error)


def test_certainty_is_not_claimed_where_nothing_varied() -> None:
    sure = ratio_over_units(np.ones(20), np.ones(20), range(20), bounds=(0, 1))
    assert ends(sure) == pytest.approx(ends(rate(20, 20)))
    alike = ratio_over_units(np.ones(400), np.ones(400), np.repeat(range(20), 20), bounds=(0, 1))
    assert ends(rate(20, 20))[0] < ends(alike)[0] < ends(rate(400, 400))[0]
    assert ratio_over_units([1, 1, 1], [2, 2, 2], list("abc")).reason == "no unit differs"


# Medians ------------------------------------------------------------------------------------------

ON_A_GRID = st.lists(
    st.tuples(st.integers(0, 100).map(lambda number: number / 100), st.integers(0, 9)),
    min_size=1,
    max_size=60,
)
FAR_OUT = [(0.0, 1), (0.0, 3), (0.0, 3), (0.0, 5), (0.0, 6), (0.01, 2), (0.02, 4), (0.03, 3)]
FAR_OUT += [(0.04, 0)]
"""A number far out is not contradicted though one nearer to the median is."""


def test_a_median_is_over_all_values() -> None:
    assert median_over_units([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"]).value == 0.0
    assert median_over_units([math.nan], ["a"]) == Estimate(None, None, None, 0, "no values")


def test_an_interval_of_a_median_is_that_of_order_statistics() -> None:
    assert ends(median_over_units([1, 2, 3, 4, 5, 6], range(6))) == (1, 6)
    many = ends(median_over_units(np.arange(1.0, 101.0), range(100)))
    assert many == pytest.approx((40, 61), abs=1)  # the sign test's 40th and 61st of 100


def contradicted(number: float, parts: list[tuple[float, int]]) -> bool:
    """Whether the units' counts of values below, less half of them, are not 0 on average."""
    units = sorted({unit for _, unit in parts})
    leans = [sum((value < number) - 0.5 for value, own in parts if own == unit) for unit in units]
    spread = np.std(leans, ddof=1) / math.sqrt(len(units))
    return bool(abs(np.mean(leans)) > quantile_95(len(units) - 1) * spread + 1e-12)


@given(ON_A_GRID)
@example(FAR_OUT)
def test_the_interval_holds_the_median_and_every_number_that_the_units_do_not_contradict(
    parts: list[tuple[float, int]],
) -> None:
    values, units = zip(*parts, strict=True)
    found = median_over_units(values, units, bounds=(0, 1))
    assert found.value == np.median(values)
    assume(found.low is not None)
    low, high = ends(found)
    assert 0 <= low <= np.median(values) <= high <= 1
    numbers = [hundredth / 100 + 0.005 for hundredth in range(100)]
    possible = [number for number in numbers if not contradicted(number, parts)]
    assert all(low <= number <= high for number in possible)
