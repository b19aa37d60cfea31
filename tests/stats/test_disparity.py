from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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


def test_the_excess_is_what_is_beyond_chance() -> None:
    found = disparity(*regions(0.3), draws=500)
    assert found.value is not None
    assert found.baseline is not None
    assert found.excess == pytest.approx(found.value - found.baseline)


def regions(gap: float, seed: int = 0) -> tuple[list[float], list[str]]:
    dice = np.random.default_rng(seed)
    sizes = (58, 48, 42, 37, 21, 8, 3)
    groups = [str(i) for i, size in enumerate(sizes) for _ in range(size)]
    return [gap * (group == "0") + dice.normal(0.3, 0.1) for group in groups], groups


def test_a_gap_of_noise_alone_is_corrected_towards_0() -> None:
    found = disparity(*regions(0.0), draws=10)
    assert found.value is not None
    assert found.corrected.value is not None
    assert found.corrected.value < 0.8 * found.value
    assert found.corrected.low == 0


def test_a_gap_far_beyond_noise_is_hardly_corrected() -> None:
    found = disparity(*regions(0.8), draws=10)
    assert found.value is not None
    assert found.corrected.value == pytest.approx(found.value, rel=0.05)
    assert found.corrected.low is not None
    assert found.corrected.high is not None
    assert 0.6 < found.corrected.low < 0.8 < found.corrected.high < 1.1


def test_the_corrected_gap_of_two_large_groups_is_their_difference() -> None:
    dice = np.random.default_rng(1)
    values = [*dice.normal(0, 1, 200), *dice.normal(1, 1, 200)]
    found = disparity(values, ["a"] * 200 + ["b"] * 200, draws=10).corrected
    gap = np.mean(values[200:]) - np.mean(values[:200])
    assert found.value == pytest.approx(gap, abs=0.01)
    assert found.low == pytest.approx(gap - 0.2, abs=0.04)
    assert found.high == pytest.approx(gap + 0.2, abs=0.04)


@pytest.mark.parametrize(
    ("values", "groups", "why"),
    [
        ([0.1, 0.2, 0.3], ["a", "b", "c"], "no units to compare within groups"),
        ([0.1, 0.1, 0.3, 0.3], ["a", "a", "b", "b"], "no unit differs from its group"),
        ([0.1, 0.3], ["a", "a"], "under two groups"),
    ],
)
def test_where_noise_cannot_be_told_there_is_no_corrected_gap(
    values: list[float], groups: list[str], why: str
) -> None:
    found = disparity(values, groups, draws=10).corrected
    assert (found.value, found.low, found.high, found.reason) == (None, None, None, why)


def test_a_group_of_one_borrows_its_noise_from_the_others() -> None:
    values, groups = regions(0.0)
    found = disparity([*values, 0.9], [*groups, "alone"], draws=10).corrected
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=8, max_size=40),
    st.floats(-5, 5),
    st.floats(0.5, 5),
)
def test_the_corrected_gap_stretches_with_the_values_and_does_not_move_with_them(
    parts: list[tuple[float, int]], shift: float, scale: float
) -> None:
    values = np.round([value for value, _ in parts], 3)
    groups = [str(group) for _, group in parts]
    plain = disparity(values, groups, draws=10).corrected
    moved = disparity(values * scale + shift, groups, draws=10).corrected
    if plain.value is None or plain.low is None or plain.high is None:
        return
    assert 0 <= plain.low <= plain.value <= plain.high
    expected = [plain.value * scale, plain.low * scale, plain.high * scale]
    assert [moved.value, moved.low, moved.high] == pytest.approx(expected, rel=1e-6, abs=1e-6)
