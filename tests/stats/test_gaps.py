from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats import changed_gap, disparity

GROUPS = ["a"] * 30 + ["b"] * 30 + ["c"] * 30


def two_runs(change: float, seed: int = 0) -> tuple[list[float], list[float]]:
    """Group c lies above a by 0.2 in the first run, and by that much more in the second."""
    dice = np.random.default_rng(seed)
    place = np.array([{"a": 0.0, "b": 0.1, "c": 0.2}[group] for group in GROUPS])
    units = dice.normal(0, 0.05, len(GROUPS))
    first = place + units + dice.normal(0, 0.05, len(GROUPS))
    second = place * (1 + change / 0.2) + units + dice.normal(0, 0.05, len(GROUPS))
    return first.tolist(), second.tolist()


def test_a_gap_that_grew_is_found() -> None:
    found = changed_gap(*two_runs(0.2), GROUPS)
    assert found.first.value == pytest.approx(0.2, abs=0.05)
    assert found.second.value == pytest.approx(0.4, abs=0.05)
    assert found.change.low is not None
    assert found.change.low > 0.1
    assert found.p is not None
    assert found.p < 0.001
    assert found.change.n == 90


def test_the_gap_of_each_run_is_that_of_its_report() -> None:
    first, second = two_runs(0.2)
    found = changed_gap(first, second, GROUPS)
    assert found.first == disparity(first, GROUPS).corrected
    assert found.second == disparity(second, GROUPS).corrected


def test_the_other_way_round_is_the_same_change_with_the_other_sign() -> None:
    first, second = two_runs(0.1)
    there, back = changed_gap(first, second, GROUPS), changed_gap(second, first, GROUPS)
    assert there.change.value == pytest.approx(-(back.change.value or 0))
    assert there.change.low == pytest.approx(-(back.change.high or 0), abs=0.01)


def test_a_change_of_level_is_no_change_of_a_gap() -> None:
    first, second = two_runs(0)
    found = changed_gap(first, [value + 0.3 for value in second], GROUPS)
    assert found.p is not None
    assert found.p > 0.05


def test_runs_that_err_alike_show_a_smaller_change() -> None:
    first, second = two_runs(0)
    near = [a + (b - a) / 10 for a, b in zip(first, second, strict=True)]
    wide, narrow = (changed_gap(first, other, GROUPS).change for other in (second, near))
    assert None not in (wide.low, wide.high, narrow.low, narrow.high)
    assert narrow.high - narrow.low < (wide.high - wide.low) / 3  # type: ignore[operator]


def test_p_is_under_5_percent_where_the_interval_does_not_hold_0() -> None:
    for seed in range(30):
        found = changed_gap(*two_runs(0.04, seed), GROUPS)
        assert found.p is not None
        assert found.change.low is not None
        assert found.change.high is not None
        assert (found.p < 0.05) == (not found.change.low <= 0 <= found.change.high)


def test_a_run_beside_itself_has_no_change_and_p_is_1() -> None:
    first, _ = two_runs(0)
    found = changed_gap(first, first, GROUPS)
    assert (found.change.value, found.change.low, found.p) == (0, None, 1)
    assert found.change.reason == "no unit changed"


def test_one_group_has_no_gap() -> None:
    found = changed_gap([1.0, 2.0], [1.0, 3.0], ["a", None])
    assert (found.first.value, found.change.value, found.p) == (None, None, None)
    assert found.change.reason == "under two groups"


def test_units_that_one_run_lacks_are_left_out() -> None:
    first, second = two_runs(0.2)
    known = changed_gap(first[1:], second[1:], GROUPS[1:])
    assert changed_gap(first, [float("nan"), *second[1:]], GROUPS) == known


numbers = st.floats(-1, 1) | st.just(float("nan"))


@given(st.lists(st.tuples(numbers, numbers, st.sampled_from(["a", "b", "c", None])), max_size=25))
def test_whatever_the_numbers_the_interval_holds_the_change(
    units: list[tuple[float, float, str | None]],
) -> None:
    found = changed_gap(
        [one for one, _, _ in units], [two for _, two, _ in units], [name for _, _, name in units]
    )
    if found.change.low is not None and found.change.high is not None:
        assert found.change.value is not None
        assert found.change.low <= found.change.value <= found.change.high
    if found.p is not None:
        assert 0 <= found.p <= 1
