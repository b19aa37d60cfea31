from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geobias.stats import Estimate, mean_over_units, median_over_units
from geobias.stats.bootstrap import resampled

PARTS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=1, max_size=40)


def test_every_unit_weighs_the_same_in_a_mean() -> None:
    assert mean_over_units([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"]).value == 0.5


def test_a_median_is_over_all_values() -> None:
    assert median_over_units([0.0, 0.0, 0.0, 1.0], ["a", "a", "a", "b"]).value == 0.0


def test_no_values_are_undefined_and_not_zero() -> None:
    assert mean_over_units([], []) == Estimate(None, None, None, 0)
    assert median_over_units([math.nan], ["a"]) == Estimate(None, None, None, 0)


def test_one_unit_has_a_value_and_no_interval() -> None:
    assert mean_over_units([0.25, 0.75], ["a", "a"]) == Estimate(0.5, None, None, 1)


def test_a_value_that_is_missing_is_left_out() -> None:
    assert mean_over_units([0.2, math.nan, 0.4], ["a", "b", "c"]).n == 2


def test_an_infinite_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="infinite"):
        mean_over_units([math.inf], ["a"])


def test_values_and_units_must_match() -> None:
    with pytest.raises(ValueError, match="values for"):
        mean_over_units([0.1, 0.2], ["a"])


def test_the_same_seed_gives_the_same_interval() -> None:
    values, units = [0.1, 0.5, 0.2, 0.7], ["a", "b", "c", "d"]
    assert mean_over_units(values, units, seed=3) == mean_over_units(values, units, seed=3)


def test_an_interval_stays_inside_what_is_possible() -> None:
    found = mean_over_units([0.0, 0.9], ["a", "b"], bounds=(0.0, 1.0))
    assert (found.low, found.high) == (0.0, 1.0)


def test_equal_units_leave_no_doubt() -> None:
    found = mean_over_units([0.25] * 6, list("abcdef"))
    assert found.low == found.value == found.high == 0.25


@settings(deadline=None, max_examples=50)
@given(PARTS)
def test_the_value_lies_in_its_interval(parts: list[tuple[float, int]]) -> None:
    values, units = zip(*parts, strict=True)
    for estimate in (mean_over_units(values, units), median_over_units(values, units)):
        assert estimate.value is not None
        if estimate.low is not None and estimate.high is not None:
            assert estimate.low <= estimate.value <= estimate.high


def test_resampled_medians_are_the_medians_of_the_resamples() -> None:
    # The quick search for the middle, against writing every resample out.
    dice = np.random.default_rng(5)
    values, units = np.round(dice.random(60), 2), np.arange(60) % 7
    draws = [
        np.median(np.repeat(values, row[units])) for row in np.concatenate([*resampled(7, 1000)])
    ]
    found = median_over_units(values, units)
    half = 2.4469 * math.sqrt(7 / 6) * np.std(draws)
    assert found.value is not None
    assert found.high == pytest.approx(found.value + half, rel=1e-4)


@pytest.mark.parametrize("units", [3, 8, 30])
def test_a_95_percent_interval_covers_95_percent_of_the_time(units: int) -> None:
    dice = np.random.default_rng(1)
    truth = 1 - math.exp(0.32) * math.erfc(0.8 / math.sqrt(2))
    covered, times = 0, 400
    names = np.repeat(np.arange(units), 11)
    for _ in range(times):
        errors = 1 - np.exp(-np.abs(dice.normal(0, 0.8, units * 11)))
        found = mean_over_units(errors, names, draws=300)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / times <= 0.98
