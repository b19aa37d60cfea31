from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.figures import figures
from geobias.probes.worldbench.trials import absolute_relative_error

numbers = st.floats(allow_nan=False, allow_infinity=False)


def test_ten_percent_off_is_an_error_of_a_tenth() -> None:
    assert absolute_relative_error(90, 100) == pytest.approx(0.1)


# WorldBench, Figure 10: an answer with a cited year, and two printed errors in percent, against
# the figure of that year and against the nearest figure of any year since 2012.
FIGURE_10 = [
    ("gdp_ppp_per_person_employed", "JOR", 2019, 3551.72, 91.9, 91.7),
    ("education_expenditure", "KAZ", 2019, 4.63, 38.3, 3.97),
    ("gdp", "MEX", 2020, 116714731179.486982, 89.6, 89.5),
]


@pytest.mark.parametrize(("indicator", "iso3", "year", "answer", "printed", "_"), FIGURE_10)
def test_the_error_is_the_one_the_paper_prints(
    indicator: str, iso3: str, year: int, answer: float, printed: float, _: float
) -> None:
    figure = figures().value(indicator, iso3, year)
    assert figure is not None
    assert round(100 * absolute_relative_error(answer, figure), 1) == printed


@pytest.mark.parametrize(("indicator", "iso3", "_", "answer", "__", "printed"), FIGURE_10)
def test_the_error_against_the_nearest_year_is_the_one_the_paper_prints(
    indicator: str, iso3: str, _: int, answer: float, __: float, printed: float
) -> None:
    row = figures().rows[indicator][iso3]
    nearest = min(absolute_relative_error(answer, figure) for figure in row if figure is not None)
    assert 100 * nearest == pytest.approx(printed, abs=0.05)


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
