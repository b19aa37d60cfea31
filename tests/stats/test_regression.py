from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.regression import (
    difference_at_equal,
    linear,
    logistic,
    overlap,
    slope_over_clusters,
)
from tests.studies import ends, fewest, most, studies


def games(countries: int = 60, seed: int = 0) -> tuple[Floats, Floats, NDArray[Any]]:
    dice = np.random.default_rng(seed)
    names = np.repeat(np.arange(countries), 10)
    popular = dice.normal(0, 1, len(names))
    return popular, dice.normal(0, 0.5, countries)[names], names


def test_the_jackknife_of_a_linear_regression_is_exact() -> None:
    popular, apart, names = games(12)
    turns = 12 - popular + apart
    found = linear(turns, popular, names).slope
    without = [
        sm.OLS(turns[names != g], sm.add_constant(popular[names != g])).fit().params[1]
        for g in range(12)
    ]
    error = math.sqrt(11 / 12 * sum((one - np.mean(without)) ** 2 for one in without))
    low, high = ends(found)
    assert (high - low) / 2 == pytest.approx(2.201 * error, rel=1e-3)


def test_errors_of_log_odds_are_a_little_larger_than_the_usual_robust_ones() -> None:
    popular, apart, names = games()
    won = np.random.default_rng(2).random(600) < 1 / (1 + np.exp(-popular - apart))
    found = logistic(won, popular, names).slope
    robust = {"cov_type": "cluster", "cov_kwds": {"groups": names}}
    known = sm.Logit(won, sm.add_constant(popular)).fit(disp=0, **robust)
    low, high = ends(found)
    assert 1 < (high - low) / 2 / (2.001 * known.bse[1]) < 1.15


def test_separation_is_said_and_not_fitted() -> None:
    popular, _, names = games()
    found = logistic(popular > 0, popular, names).slope
    assert found.value is None
    assert "apart" in found.reason


@pytest.mark.parametrize("fit", [linear, logistic])
def test_an_outcome_or_a_predictor_that_does_not_vary_is_said(fit: Any) -> None:
    popular, _, names = games()
    assert "outcome does not" in fit(np.ones(600), popular, names).slope.reason
    won = popular + np.random.default_rng(0).normal(0, 1, 600) > 0
    assert "does not vary" in fit(won, np.ones(600), names).slope.reason


def test_errors_of_single_rows_are_those_of_hc2() -> None:
    """With one row a cluster CR2 is HC2; without covariates, Welch's standard error."""
    won, second, fame, _ = halves(2, 0.2)
    known = sm.OLS(won, np.column_stack([np.ones(len(won)), second, fame])).fit(cov_type="HC2")
    rows = np.arange(len(won))
    found = difference_at_equal(won, second, {"fame": fame}, rows)
    assert found.value == pytest.approx(-known.params[1])
    low, high = ends(found)
    assert (high - low) / 2 == pytest.approx(1.96 * known.bse[1], rel=0.03)
    assert found.p == pytest.approx(known.pvalues[1], abs=0.01)
    slope = slope_over_clusters(won, fame, rows, times=3)
    line = sm.OLS(won, sm.add_constant(fame)).fit(cov_type="HC2")
    assert slope.value == pytest.approx(3 * line.params[1])
    low, high = ends(slope)
    assert (high - low) / 2 == pytest.approx(3 * 1.96 * line.bse[1], rel=0.03)


def halves(seed: int, gap: float) -> tuple[Floats, Floats, Floats, NDArray[Any]]:
    """Games of 20 and of 60 countries; the first ones are about the more famous."""
    dice = np.random.default_rng(seed)
    names = np.repeat(np.arange(80), dice.integers(1, 7, 80))
    second = (names >= 20).astype(float)
    fame = dice.normal(0, 2, len(names)) - 2 * second
    chance = 0.5 + 0.05 * fame - gap * second + dice.normal(0, 0.1, 80)[names]
    return (dice.random(len(names)) < chance).astype(float), second, fame, names


def test_a_gap_that_a_covariate_explains_is_gone_and_another_is_held() -> None:
    held, rejected, drawn = 0, 0, studies(100, 1000)
    for seed in range(drawn):
        won, second, fame, names = halves(seed, 0.1)
        found = difference_at_equal(won, second, {"fame": fame}, names)
        low, high = ends(found)
        held += low <= 0.1 <= high
        won, second, fame, names = halves(seed, 0.0)
        p = difference_at_equal(won, second, {"fame": fame}, names).p
        rejected += p is not None and p < 0.05
    assert held >= fewest(drawn)
    assert rejected <= most(drawn)


def test_a_side_of_two_clusters_is_not_compared() -> None:
    won, second, _, names = halves(1, 0.3)
    kept = (second == 1) | (names < 2)
    found = difference_at_equal(won[kept], second[kept], {}, names[kept])
    assert (found.value, found.p) == (None, None)
    assert "2 and 60" in found.reason


def test_few_hits_on_one_side_come_with_a_caution() -> None:
    won, second, fame, names = halves(1, 0.0)
    none_won = np.where((second == 0) & (names > 2), 0.0, won)
    assert difference_at_equal(none_won, second, {"fame": fame}, names).caution
    assert not difference_at_equal(won, second, {"fame": fame}, names).caution


def test_the_chance_is_that_of_two_normal_distributions() -> None:
    # One SD apart and equally many: the chance is 0.9 where the logit, (x − 1/2), is log 9.
    values = np.concatenate([np.linspace(-2, 2, 41), np.linspace(-1, 3, 41)])
    second = np.repeat([0.0, 1.0], 41)
    variance = float(np.linspace(-2, 2, 41).var())
    within = np.abs((values - 0.5) / variance) <= np.log(9)
    assert overlap(values, second) == pytest.approx(within.mean())


def test_a_slope_that_fits_each_row_has_no_interval_whatever_the_rounding() -> None:
    steps = np.arange(40) % 4 / 3
    countries = np.arange(40) // 4
    for values in (0.1 + 0.3 * steps, 1e5 * (0.7 - 0.1 * steps)):
        slope = slope_over_clusters(values, steps, countries)
        assert (slope.low, slope.high, slope.p) == (None, None, None)
        assert slope.reason == "no row differs from the fit"


def test_a_slope_between_two_clusters_that_determine_it_has_no_interval() -> None:
    steps = np.array([0.0, 0.0, 1.0, 1.0])
    slope = slope_over_clusters([0.1, 0.4, 0.5, 0.7], steps, np.array([0, 0, 1, 1]))
    assert slope.value == pytest.approx(0.35)
    assert (slope.low, slope.high, slope.p) == (None, None, None)
