from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.group_differences import (
    GroupDifferences,
    StudentisedRange,
    group_differences,
    kruskal_p,
    permuted_f_p,
)
from geobias.stats.variance_components import nested_model
from tests.studies import fewest, most, studies

SIZES = (48, 58, 37, 42, 21, 8)


def drawn(
    seed: int, means: list[float], sds: list[float] | None = None
) -> tuple[np.ndarray, list[str]]:
    dice = np.random.default_rng(seed)
    spread = sds or [0.07] * len(means)
    parts = [dice.normal(m, s, n) for m, s, n in zip(means, spread, SIZES, strict=True)]
    return np.concatenate(parts), [str(i) for i, n in enumerate(SIZES) for _ in range(n)]


def test_p_is_that_of_welchs_f_test_or_that_of_random_deals_if_larger() -> None:
    from scipy.stats import f_oneway

    for seed in range(4):
        values, groups = drawn(seed, [0.0, 0.0, 0.02, 0.0, 0.0, 0.05])
        parts = [values[np.array(groups) == str(i)] for i in range(6)]
        known = f_oneway(*parts, equal_var=False).pvalue
        p = group_differences(values, groups).p
        assert p is not None
        # Normal values: both are the same but for the luck of 2,000 deals.
        assert known - 1e-9 <= p < known + 0.04


def test_few_skewed_units_reject_no_more_often_than_they_should() -> None:
    dice = np.random.default_rng(5)
    groups = [str(i) for i, n in enumerate((6, 8, 20, 30)) for _ in range(n)]
    rejected, studied = 0, studies(80, 800)
    for _ in range(studied):
        values = 0.3 + 0.02 * dice.normal(size=64) + 0.4 * (dice.random(64) < 0.1)
        p = group_differences(values, groups).p
        rejected += p is not None and p < 0.05
    assert rejected <= most(studied)


@cache
def slight_differences() -> list[GroupDifferences]:
    """Near the limit of what is significant."""
    means = [0.0, 0.0, 0.03, 0.0, 0.0, 0.03]
    return [group_differences(*drawn(seed, means)) for seed in range(25)]


def test_no_interval_contradicts_its_test() -> None:
    for found in slight_differences():
        assert found.p is not None
        assert found.gap_p is not None
        assert (found.spread.low > 0) == (found.p < 0.05)  # type: ignore[operator]
        assert (found.gap.low > 0) == (found.gap_p < 0.05)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("means", "share"),
    [
        ([0.0] * 6, 0.95),
        ([0.1, 0, 0, 0, 0, 0], 0.95),
        # The smallest group alone is apart: its spread was held in 367 of these 400 studies, and
        # in 94.2% of 1,911 others (93.2% to 95.3%), so that 95% is in doubt.
        ([0, 0, 0, 0, 0, 0.15], 0.94),
    ],
)
def test_the_spread_and_the_gap_are_held(means: list[float], share: float) -> None:
    truth, gap, n = float(np.std(means, ddof=1)), max(means), studies(40, 400)
    held = [0, 0]
    for seed in range(n):
        found = group_differences(*drawn(seed, means))
        held[0] += found.spread.low - 1e-9 <= truth <= found.spread.high + 1e-9  # type: ignore[operator]
        held[1] += found.gap.low - 1e-9 <= gap <= found.gap.high + 1e-9  # type: ignore[operator]
    assert min(held) >= fewest(n, share)


def test_groups_that_vary_unequally_cause_no_alarms() -> None:
    sds = [0.06] * 4 + [0.18] * 2
    p = [group_differences(*drawn(seed, [0.0] * 6, sds)).p for seed in range(studies(50, 500))]
    assert sum(one is not None and one < 0.05 for one in p) <= most(len(p))


def test_groups_of_under_five_units_are_left_out() -> None:
    values = np.arange(14.0)
    found = group_differences(values, ["a"] * 5 + ["b"] * 5 + ["c"] * 4)
    assert (found.groups, found.spread.n, found.highest) == (2, 10, "b")


def test_groups_of_one_mind_each_differ_clearly() -> None:
    groups = ["a"] * 8 + ["b"] * 8 + ["c"] * 8
    found = group_differences([1.0] * 8 + [0.0] * 16, groups, most=1)
    assert found.gap.value == 1
    assert found.p is not None
    assert found.p < 0.01
    assert found.gap.low is not None
    assert found.gap.low > 0.3


def test_units_that_are_all_equal_have_no_test() -> None:
    found = group_differences([0.1] * 10, ["a"] * 5 + ["b"] * 5)
    assert (found.p, found.gap.low, found.gap.reason) == (
        None,
        None,
        "no unit differs from its group",
    )


def test_rates_with_many_zeros_lose_no_power_to_deals_in_which_a_group_is_all_zeros() -> None:
    dice = np.random.default_rng(4)
    groups = [str(i) for i, n in enumerate((5, 6, 8, 20, 40)) for _ in range(n)]
    rates = np.array([0.25 if group == "4" else 0.05 for group in groups])
    found = [group_differences(dice.binomial(5, rates) / 5, groups).p for _ in range(20)]
    assert sum(p is not None and p < 0.05 for p in found) >= 17


def test_small_groups_whose_values_lie_close_come_with_a_caution_where_values_have_bounds() -> None:
    values, groups = drawn(1, [0.3] * 6, [0.01] * 6)
    assert group_differences(values, groups, most=1, bounds=(0, 1)).spread.caution
    assert not group_differences(values, groups, most=1).spread.caution


def test_no_pair_contradicts_the_gap() -> None:
    for found in slight_differences():
        assert found.gap_p == min(pair.p for pair in found.pairs)


def test_one_group_has_no_differences() -> None:
    found = group_differences([0.1] * 5, ["a"] * 5)
    assert (found.spread.value, found.gap.value, found.p) == (None, None, None)


def test_the_studentised_range_is_scipys() -> None:
    from scipy.stats import studentized_range

    df = np.array([4.0, 12.5])
    found = StudentisedRange(6, df)
    assert found.p(np.array([4.0, 4.0])) == pytest.approx(studentized_range.sf(4, 6, df), abs=1e-4)
    assert found.p(found.limit(0.05)) == pytest.approx([0.05, 0.05])


def test_other_tests_see_a_clear_difference_and_none_where_none_is() -> None:
    for means, clear in (([0.1, 0, 0, 0, 0, 0], True), ([0.0] * 6, False)):
        values, groups = drawn(5, means)
        items = np.zeros(len(values), dtype=int)
        units = np.arange(len(values))
        twice = [np.concatenate([one, one]) for one in (values, units, np.array(groups))]
        item = np.concatenate([items, items + 1])
        noise = np.random.default_rng(0).normal(0, 0.05, len(item))
        model = nested_model(twice[0] + noise, item, twice[1], twice[2])
        found = [permuted_f_p(values, groups), kruskal_p(values, groups), model.p]
        assert all((p < 0.05) == clear for p in found)  # type: ignore[operator]


def test_other_tests_leave_out_units_without_a_group_or_a_value() -> None:
    values, groups = drawn(5, [0.1, 0, 0, 0, 0, 0])
    more = np.concatenate([values, [9.0, math.nan]])
    names = [*groups, None, groups[0]]
    for test in (permuted_f_p, kruskal_p):
        assert test(more, names) == test(values, groups)
    assert kruskal_p(values, [None] * len(values)) is None


@given(
    st.lists(
        st.lists(st.integers(0, 9) | st.floats(-1, 1), min_size=5, max_size=12),
        min_size=2,
        max_size=5,
    )
)
def test_kruskal_and_walliss_p_is_scipys_with_ties_and_without(parts: list[list[float]]) -> None:
    from scipy.stats import kruskal

    values = np.concatenate([np.asarray(part, dtype=float) for part in parts])
    groups = [str(number) for number, part in enumerate(parts) for _ in part]
    p = kruskal_p(values, groups)
    # Less their mean, as they are tested: two that differ by less than its rounding are tied.
    centred = np.split(values - values.mean(), np.cumsum([len(part) for part in parts])[:-1])
    if np.ptp(np.concatenate(centred)) == 0:
        assert p is None
    else:
        assert p == pytest.approx(kruskal(*centred).pvalue, abs=1e-9)
