from __future__ import annotations

import numpy as np
import pytest

from geobias.stats.paired import paired
from tests.defined import defined


def test_the_difference_is_second_minus_first_over_units() -> None:
    found = paired([0.5, 0.5, 0.2, 0.4], [0.3, 0.1, 0.2, 0.0], list("aabc"))
    assert found.first == pytest.approx((0.5 + 0.2 + 0.4) / 3)
    assert found.second == pytest.approx((0.2 + 0.2 + 0.0) / 3)
    assert found.difference.value == pytest.approx(-0.7 / 3)
    assert (found.items, found.difference.n) == (4, 3)


def test_p_is_that_of_students_paired_test() -> None:
    from scipy import stats as reference

    dice = np.random.default_rng(0)
    first, second = dice.random(9), dice.random(9) + 0.1
    known = reference.ttest_rel(second, first)
    assert paired(first, second, range(9)).difference.p == pytest.approx(known.pvalue)


def test_items_of_crossed_units_vary_over_both_kinds() -> None:
    dice = np.random.default_rng(2)
    template, nationality = (part.ravel() for part in np.meshgrid(range(8), range(10)))
    change = dice.normal(0.1, 0.2, 10)[nationality] + dice.normal(0, 0.05, 80)
    one_way = paired(np.zeros(80), change, template)
    both_ways = paired(np.zeros(80), change, template, nationality)
    assert both_ways.difference.value == pytest.approx(change.mean())
    assert both_ways.difference.n == 8
    assert defined(one_way.difference.p) < 0.05 < defined(both_ways.difference.p)


def test_what_differs_by_rounding_alone_has_not_changed() -> None:
    """Changes of +0.1, +0.2 and −0.3 in every unit: nothing, and 0.1 + 0.2 − 0.3 is not 0."""
    found = paired([0.0] * 9, [0.1, 0.2, -0.3] * 3, [*"aaabbbccc"])
    assert found.difference.value == 0
    assert found.difference.low is None
    assert found.difference.p == 1
    equal, units = np.array([0.3, 0.1 + 0.2] * 30), np.repeat(np.arange(12), 5)
    assert paired(equal, equal[::-1], units, np.arange(60) % 5).difference.p == 1


def test_units_that_all_change_alike_leave_room_for_some_that_change_the_other_way() -> None:
    found = paired([0.0] * 30, [0.2] * 30, range(30), bounds=(-10, 10)).difference
    assert found.low is not None
    assert -0.2 < found.low < 0.2 == found.value
    assert defined(found.p) < 0.05


def test_changes_beyond_the_bounds_are_cut_to_them() -> None:
    """Errors from 0 to 1 that are adjusted for their indicators can change by more than 1."""
    found = paired([1.1, 1.05, 1.0], [-0.1, 0.0, 0.02], list("abc"), bounds=(-1.0, 1.0)).difference
    assert found.value == pytest.approx(-2.98 / 3)
    assert defined(found.low) >= -1.0
