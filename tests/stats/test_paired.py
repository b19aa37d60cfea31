from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from geobias.stats.paired import kappa, mcnemar, paired

PAIRS = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 7)), min_size=1, max_size=30
)


def test_the_difference_is_second_minus_first_over_units() -> None:
    found = paired([0.5, 0.5, 0.2, 0.4], [0.3, 0.1, 0.2, 0.0], list("aabc"))
    assert found.first == pytest.approx((0.5 + 0.2 + 0.4) / 3)
    assert found.second == pytest.approx((0.2 + 0.2 + 0.0) / 3)
    assert found.difference.value == pytest.approx(-0.7 / 3)
    assert (found.items, found.difference.n) == (4, 3)


def test_items_that_only_one_run_has_are_left_out() -> None:
    found = paired([0.5, math.nan, 0.2], [0.3, 0.1, math.nan], list("abc"))
    assert (found.items, found.difference.n) == (1, 1)
    assert (found.first, found.second) == (0.5, 0.3)


def test_without_any_pair_everything_is_undefined() -> None:
    found = paired([math.nan], [0.1], ["a"])
    assert (found.first, found.difference.value, found.p, found.items) == (None, None, None, 0)


def test_nothing_changed_gives_p_1() -> None:
    assert paired([0.2, 0.4, 0.9], [0.2, 0.4, 0.9], range(3)).p == 1


def test_few_units_have_the_p_of_students_paired_test() -> None:
    from scipy import stats as reference

    dice = np.random.default_rng(0)
    first, second = dice.random(9), dice.random(9) + 0.1
    known = reference.ttest_rel(second, first)
    assert paired(first, second, range(9)).p == pytest.approx(known.pvalue)


@given(PAIRS)
def test_p_is_under_five_per_cent_just_where_the_interval_leaves_out_no_change(
    pairs: list[tuple[float, float, int]],
) -> None:
    first, second, units = (np.array(column) for column in zip(*pairs, strict=True))
    found = paired(first, second, units, bounds=(-1, 1))
    low, high = found.difference.low, found.difference.high
    assume(None not in (found.p, low, high))
    assert (found.p < 0.05) == (not low <= 0 <= high)  # type: ignore[operator]


def test_two_units_have_no_interval_and_say_why() -> None:
    found = paired([0.1, 0.2], [0.3, 0.3], list("ab")).difference
    assert (found.low, found.reason) == (None, "2 units: no interval")


@given(PAIRS)
def test_exchanging_the_runs_turns_the_sign_and_keeps_p(
    pairs: list[tuple[float, float, int]],
) -> None:
    first, second, units = (np.array(column) for column in zip(*pairs, strict=True))
    one = paired(first, second, units, draws=200, bounds=(-1, 1))
    two = paired(second, first, units, draws=200, bounds=(-1, 1))
    assert one.p == pytest.approx(two.p)
    assert one.difference.value == pytest.approx(-(two.difference.value or 0))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_agrees_with_statsmodels(pairs: list[tuple[bool, bool]]) -> None:
    from statsmodels.stats.contingency_tables import mcnemar as known_mcnemar

    first, second = (np.array(column) for column in zip(*pairs, strict=True))
    found = mcnemar(first, second)
    table = [[(first & second).sum(), found.lost], [found.gained, (~first & ~second).sum()]]
    assert found.items == len(pairs)
    if found.gained + found.lost:
        assert found.p == pytest.approx(min(1, known_mcnemar(table, exact=True).pvalue))
    else:
        assert found.p == 1


def test_mcnemar_of_nothing_is_undefined() -> None:
    assert mcnemar([], []).p is None


def test_items_of_crossed_units_vary_over_both_kinds() -> None:
    dice = np.random.default_rng(2)
    template, nationality = (part.ravel() for part in np.meshgrid(range(8), range(10)))
    change = dice.normal(0.1, 0.2, 10)[nationality] + dice.normal(0, 0.05, 80)
    one_way = paired(np.zeros(80), change, template)
    both_ways = paired(np.zeros(80), change, template, nationality)
    assert both_ways.difference.value == pytest.approx(change.mean())
    assert both_ways.difference.n == 8
    assert one_way.p is not None
    assert both_ways.p is not None
    assert one_way.p < 0.05 < both_ways.p


def test_what_differs_by_rounding_alone_has_not_changed() -> None:
    """Changes of +0.1, +0.2 and −0.3 in every unit: nothing, and 0.1 + 0.2 − 0.3 is not 0."""
    found = paired([0.0] * 9, [0.1, 0.2, -0.3] * 3, [*"aaabbbccc"])
    assert found.difference.value == 0
    assert found.difference.low is None
    assert found.p == 1


def test_kappa_is_that_of_the_textbook() -> None:
    """Cohen's example of two raters on 50 proposals: 20 both yes, 15 both no, 5 and 10 apart."""
    found = kappa([("y", "y")] * 20 + [("n", "n")] * 15 + [("y", "n")] * 5 + [("n", "y")] * 10)
    assert found.value == pytest.approx(0.4)
    assert found.n == 50
    assert found.low is not None
    assert found.high is not None
    assert found.low == pytest.approx(0.4 - (found.high - 0.4))
    assert 0.1 < found.low < 0.2


def test_agreement_on_one_word_alone_is_undefined() -> None:
    found = kappa([("right", "right")] * 30)
    assert found.value is None
    assert "same" in found.reason


def test_full_agreement_claims_no_certainty() -> None:
    found = kappa([("a", "a")] * 5 + [("b", "b")] * 5)
    assert (found.value, found.low, found.high) == (1.0, None, None)


def test_nothing_in_common_is_undefined() -> None:
    assert kappa([]).value is None


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=5, max_size=40))
def test_kappa_and_its_interval_agree_with_statsmodels(pairs: list[tuple[int, int]]) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    found = kappa(pairs)
    if found.low is None or found.high is None or found.low == -1 or found.high == 1:
        return
    table = np.zeros((3, 3))
    for one, other in pairs:
        table[one, other] += 1
    with np.errstate(all="ignore"):
        known = cohens_kappa(table)
    assert found.value == pytest.approx(known.kappa)
    assert (found.low, found.high) == pytest.approx((known.kappa_low, known.kappa_upp), abs=1e-4)
