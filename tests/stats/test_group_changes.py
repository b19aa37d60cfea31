from __future__ import annotations

import numpy as np
import pytest

from geobias.stats.groups import changed_groups

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
    p = [changed_groups(*two_runs(i, 0.2, 0.2), GROUPS, most=1).gap.change.p for i in range(20)]
    assert sum(one is not None and one < 0.05 for one in p) <= 3


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
