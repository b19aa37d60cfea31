from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.probes.worldbench.error import absolute_relative_error

numbers = st.floats(allow_nan=False, allow_infinity=False)


def test_ten_percent_off_is_an_error_of_a_tenth() -> None:
    assert absolute_relative_error(90, 100) == pytest.approx(0.1)


# WorldBench, Figure 10: an answer, the figure of the cited year, the printed error in percent.
@pytest.mark.parametrize(
    ("answer", "figure", "percent"),
    [(3551.72, 43915.95, 91.9), (4.63, 2.86, 38.3), (116714731179.486982, 1120741118380.27, 89.6)],
)
def test_the_error_is_the_one_the_paper_prints(
    answer: float, figure: float, percent: float
) -> None:
    # 38.23 is printed as 38.3, hence a tenth of a percent.
    assert 100 * absolute_relative_error(answer, figure) == pytest.approx(percent, abs=0.1)


def test_two_zeros_have_no_error() -> None:
    assert absolute_relative_error(0, 0) == 0


def test_zero_against_anything_else_is_wholly_wrong() -> None:
    assert absolute_relative_error(0, 5) == absolute_relative_error(5, 0) == 1


def test_a_negative_answer_is_wholly_wrong() -> None:
    assert absolute_relative_error(-5, 5) == 1
    assert absolute_relative_error(-5, 0) == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_no_measurement(bad: float) -> None:
    with pytest.raises(ValueError, match="two finite numbers"):
        absolute_relative_error(bad, 1)
    with pytest.raises(ValueError, match="two finite numbers"):
        absolute_relative_error(1, bad)


@given(numbers, numbers)
def test_an_error_lies_between_zero_and_one(a: float, b: float) -> None:
    assert 0 <= absolute_relative_error(a, b) <= 1


@given(numbers, numbers)
def test_an_error_is_the_same_both_ways(a: float, b: float) -> None:
    assert absolute_relative_error(a, b) == absolute_relative_error(b, a)


@given(numbers)
def test_equal_numbers_have_no_error(a: float) -> None:
    assert absolute_relative_error(a, a) == 0
