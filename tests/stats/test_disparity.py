from __future__ import annotations

import math

import numpy as np
import pytest

from geobias.stats import disparity
from geobias.stats.disparity import PAPER_DRAWS


def test_it_is_the_largest_minus_the_smallest_group_mean() -> None:
    found = disparity([0.1, 0.3, 0.5, 0.7, 0.9], ["a", "a", "b", "b", "c"])
    assert found.value == pytest.approx(0.7)
    assert (found.lowest, found.highest) == ("a", "c")


def test_with_one_group_it_is_undefined() -> None:
    found = disparity([0.1, 0.3], ["a", "a"])
    assert (found.value, found.baseline, found.p, found.groups) == (None, None, None, 1)


def test_with_nothing_it_is_undefined() -> None:
    assert disparity([], []).value is None


def test_units_without_group_or_value_are_left_out() -> None:
    found = disparity([0.1, 0.3, 0.9, math.nan], ["a", "b", None, "c"])
    assert found.value == pytest.approx(0.2)
    assert (found.groups, found.units) == (2, 2)


def test_equal_units_are_no_sign_of_a_gap() -> None:
    found = disparity([0.4] * 6, list("aabbcc"))
    assert (found.value, found.p) == (0.0, 1.0)


def test_the_baseline_of_all_deals_is_the_mean_over_all_deals() -> None:
    # Two groups of one: every deal has the same gap.
    found = disparity([0.2, 0.5], ["a", "b"], draws=100)
    assert found.baseline == pytest.approx(0.3)
    assert found.p == 1.0


def test_a_gap_that_no_deal_reaches_has_the_smallest_p() -> None:
    values = [0.0] * 30 + [1.0] * 30
    found = disparity(values, ["a"] * 30 + ["b"] * 30, draws=999)
    assert found.p == 1 / 1000


def test_the_papers_ten_deals_are_a_rough_baseline_of_the_same_kind() -> None:
    dice = np.random.default_rng(0)
    values, groups = dice.random(200), [str(i % 7) for i in range(200)]
    ten = disparity(values, groups, draws=PAPER_DRAWS)
    many = disparity(values, groups)
    assert ten.baseline == pytest.approx(many.baseline, rel=0.3)


def test_the_same_seed_gives_the_same_p() -> None:
    values, groups = [0.1, 0.4, 0.2, 0.9], ["a", "a", "b", "b"]
    assert disparity(values, groups, seed=4) == disparity(values, groups, seed=4)


def test_without_a_gap_one_test_in_twenty_says_there_is_one() -> None:
    dice = np.random.default_rng(2)
    groups = [str(i % 7) for i in range(70)]
    found = [disparity(dice.random(70), groups, draws=200).p or 0 for _ in range(300)]
    assert 0.02 <= np.mean([p <= 0.05 for p in found]) <= 0.08
