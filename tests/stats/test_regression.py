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
    mixed_difference,
    overlap,
    pulls,
    reml,
)
from tests.studies import fewest, most, studies


def games(countries: int = 60, seed: int = 0) -> tuple[Floats, Floats, NDArray[Any]]:
    dice = np.random.default_rng(seed)
    names = np.repeat(np.arange(countries), 10)
    popular = dice.normal(0, 1, len(names))
    return popular, dice.normal(0, 0.5, countries)[names], names


def test_coefficients_are_those_of_statsmodels() -> None:
    popular, apart, names = games()
    turns = 12 - popular + apart
    found = linear(turns, {"popularity": popular}, names)
    known = sm.OLS(turns, sm.add_constant(popular)).fit()
    assert [one.estimate.value for one in found.coefficients.values()] == pytest.approx(
        [*known.params]
    )
    assert found.r_squared == pytest.approx(known.rsquared)
    assert (found.rows, found.clusters) == (600, 60)
    assert list(found.coefficients) == ["intercept", "popularity"]


@pytest.mark.parametrize("seed", range(5))
def test_log_odds_are_those_of_statsmodels_whatever_the_scale_of_a_predictor(seed: int) -> None:
    popular, apart, names = games(seed=seed)
    views = 1000 * popular
    won = np.random.default_rng(seed).random(600) < 1 / (1 + np.exp(1 - popular - apart))
    found = logistic(won, {"views": views, "apart": apart}, names)
    known = sm.Logit(won, sm.add_constant(np.column_stack([popular, apart]))).fit(disp=0)
    values = [one.estimate.value for one in found.coefficients.values()]
    assert values == pytest.approx(known.params / [1, 1000, 1], rel=1e-6)
    assert found.r_squared == pytest.approx(known.prsquared)


def test_errors_are_a_little_larger_than_the_usual_robust_ones() -> None:
    popular, apart, names = games()
    turns = 12 - popular + apart + np.random.default_rng(1).normal(0, 1, 600)
    won = np.random.default_rng(2).random(600) < 1 / (1 + np.exp(-popular - apart))
    design = sm.add_constant(popular)
    groups = {"groups": names}
    for found, known in (
        (
            linear(turns, {"popularity": popular}, names),
            sm.OLS(turns, design).fit(cov_type="cluster", cov_kwds=groups),
        ),
        (
            logistic(won, {"popularity": popular}, names),
            sm.Logit(won, design).fit(disp=0, cov_type="cluster", cov_kwds=groups),
        ),
    ):
        one = found.coefficients["popularity"].estimate
        assert one.low is not None
        assert one.high is not None
        usual = 2 * 2.001 * known.bse[1]
        assert usual < one.high - one.low < 1.15 * usual
        assert one.value == pytest.approx(known.params[1], abs=1e-6)


def test_the_jackknife_of_a_linear_regression_is_exact() -> None:
    popular, apart, names = games(12)
    turns = 12 - popular + apart
    found = linear(turns, {"popularity": popular}, names).coefficients["popularity"].estimate
    without = [
        sm.OLS(turns[names != g], sm.add_constant(popular[names != g])).fit().params[1]
        for g in range(12)
    ]
    error = math.sqrt(11 / 12 * sum((one - np.mean(without)) ** 2 for one in without))
    assert found.high is not None
    assert found.low is not None
    assert (found.high - found.low) / 2 == pytest.approx(2.201 * error, rel=1e-3)


def test_separation_is_said_and_not_fitted() -> None:
    popular, _, names = games()
    found = logistic(popular > 0, {"popularity": popular}, names)
    assert found.coefficients == {}
    assert found.reason == "the predictors tell the outcome apart without fail"


@pytest.mark.parametrize("fit", [linear, logistic])
def test_an_outcome_or_a_predictor_that_does_not_vary_is_said(fit: Any) -> None:
    popular, _, names = games()
    assert "outcome does not vary" in fit(np.ones(600), {"popularity": popular}, names).reason
    won = popular + np.random.default_rng(0).normal(0, 1, 600) > 0
    assert "does not vary" in fit(won, {"popularity": np.ones(600)}, names).reason
    twice = {"popularity": popular, "again": 2 * popular}
    assert "follows from the others" in fit(won, twice, names).reason


def test_rows_with_a_missing_value_are_left_out() -> None:
    popular, apart, names = games()
    popular[:10] = math.nan
    found = linear(apart, {"popularity": popular}, names)
    assert (found.rows, found.clusters) == (590, 59)


def test_few_clusters_have_coefficients_and_no_intervals() -> None:
    popular, apart, names = games(6)
    found = linear(apart + popular, {"popularity": popular}, names).coefficients["popularity"]
    assert found.estimate.value is not None
    assert (found.estimate.low, found.p) == (None, None)
    assert found.estimate.reason == "6 clusters: no interval"


def test_nothing_to_fit_is_said() -> None:
    assert linear([], {"x": []}, []).reason == "0 observations are too few"


def test_columns_must_match_and_outcomes_be_yes_or_no() -> None:
    with pytest.raises(ValueError, match="each row"):
        linear([1.0, 2.0], {"x": [1.0]}, ["a", "b"])
    with pytest.raises(ValueError, match="0 or 1"):
        logistic(np.array([0.5, 1.0]), {"x": [1.0, 2.0]}, ["a", "b"])


def test_log_popularity_and_views_in_millions_may_stand_together() -> None:
    dice = np.random.default_rng(0)
    popular, apart, names = games()
    views = dice.lognormal(12, 2, 600)
    found = linear(apart - popular, {"popularity": popular, "views": views}, names)
    assert found.reason == ""
    assert found.coefficients["popularity"].estimate.value == pytest.approx(-1, abs=0.1)


def test_without_covariates_single_rows_give_the_standard_error_of_two_means() -> None:
    first, second = np.array([1.0, 2.0, 3.0, 6.0]), np.array([0.0, 1.0, 5.0])
    rows = np.concatenate([first, second])
    found, p = difference_at_equal(rows, np.repeat([0.0, 1.0], [4, 3]), {}, np.arange(7))
    error = math.sqrt(first.var(ddof=1) / 4 + second.var(ddof=1) / 3)
    assert found.value == pytest.approx(1.0)
    assert found.n == 7
    assert found.low is not None
    assert found.high is not None
    assert p is not None
    t = (found.high - found.low) / 2 / error
    assert 2.57 < t < 3.2  # 5 degrees of freedom at most, over 3 at least
    assert p > 0.05


def test_a_difference_of_shares_is_cut_where_none_can_be_larger() -> None:
    won = np.array([1.0, 1.0, 1.0, 0.9, 0.0, 0.1, 0.0, 0.0])
    second = np.repeat([0.0, 1.0], 4)
    free, p = difference_at_equal(won, second, {}, np.arange(8))
    cut, same_p = difference_at_equal(won, second, {}, np.arange(8), most=1)
    assert free.high is not None
    assert free.high > 1
    assert (cut.value, cut.low, cut.high) == (free.value, free.low, 1)
    assert same_p == p


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
        found, p = difference_at_equal(won, second, {"fame": fame}, names)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.1 <= found.high
        won, second, fame, names = halves(seed, 0.0)
        p = difference_at_equal(won, second, {"fame": fame}, names).p
        rejected += p is not None and p < 0.05
    assert held >= fewest(drawn)
    assert rejected <= most(drawn)


def test_a_mixed_model_is_that_of_statsmodels_where_clusters_differ() -> None:
    won, second, fame, names = halves(1, 0.3)
    level = won + np.random.default_rng(0).normal(0, 1, 80)[names]
    found = mixed_difference(level, second, {"fame": fame}, names).estimate
    x = np.column_stack([np.ones(len(level)), second, fame])
    known = sm.MixedLM(level, x, names).fit(reml=True)
    assert found.value == pytest.approx(-known.fe_params[1], abs=1e-4)
    assert found.low is not None
    assert found.high is not None
    assert (found.high - found.low) / 2 / 1.99 == pytest.approx(known.bse_fe[1], rel=0.01)


def test_a_mixed_model_of_clusters_that_do_not_differ_is_least_squares() -> None:
    won, second, fame, names = halves(1, 0.3)
    found = mixed_difference(won, second, {"fame": fame}, names).estimate
    known = sm.OLS(won, np.column_stack([np.ones(len(won)), second, fame])).fit()
    assert found.value == pytest.approx(-known.params[1], abs=0.05)


def test_a_side_of_two_clusters_is_not_compared() -> None:
    won, second, _, names = halves(1, 0.3)
    kept = (second == 1) | (names < 2)
    found, p = difference_at_equal(won[kept], second[kept], {}, names[kept])
    assert (found.value, p) == (None, None)
    assert found.reason == "2 and 60 units: too few"


def test_few_hits_on_one_side_come_with_a_caution() -> None:
    won, second, fame, names = halves(1, 0.0)
    none_won = np.where((second == 0) & (names > 2), 0.0, won)
    assert difference_at_equal(none_won, second, {"fame": fame}, names).estimate.caution
    assert not difference_at_equal(won, second, {"fame": fame}, names).estimate.caution


def test_the_difference_is_the_weighted_sum_that_its_weights_say() -> None:
    dice = np.random.default_rng(8)
    clusters = np.repeat(np.arange(12), [30, 1, 4, 9, 2, 2, 20, 3, 1, 1, 5, 6])
    second = (clusters >= 6).astype(float)
    fame = {"fame": dice.normal(size=len(second))}
    won = (dice.random(len(second)) < 0.4).astype(float)
    weights = pulls(second, fame, clusters)
    found = difference_at_equal(won, second, fame, clusters).estimate.value
    assert found == pytest.approx(-(weights @ won) / (weights @ second))


def test_weights_of_clusters_do_not_change_a_difference_without_noise() -> None:
    clusters = np.repeat(np.arange(8), [40, 2, 1, 3, 5, 2, 2, 9])
    second = (clusters >= 4).astype(float)
    outcome = 0.7 - 0.2 * second + 0.001 * (np.arange(len(second)) % 2)
    for weights in ("alike", "rows", "clusters"):
        found = difference_at_equal(outcome, second, {}, clusters, weights=weights)
        assert found.estimate.value == pytest.approx(0.2, abs=0.001)


def test_one_kind_of_units_is_fitted_as_by_statsmodels() -> None:
    from statsmodels.regression.mixed_linear_model import MixedLM

    dice = np.random.default_rng(2)
    unit = np.repeat(np.arange(20), 6)
    x = np.column_stack([np.ones(120), dice.normal(size=120)])
    y = x @ [1.0, 0.5] + dice.normal(0, 0.8, 20)[unit] + dice.normal(0, 1, 120)
    found, known = reml(y, x, [unit]), MixedLM(y, x, groups=unit).fit(reml=True)
    assert found.values == pytest.approx(known.fe_params, abs=1e-3)
    assert np.sqrt(found.variances) == pytest.approx(known.bse_fe, rel=0.04)
    assert found.units[0] == pytest.approx(float(known.cov_re[0, 0]), abs=5e-3)


def test_units_that_do_not_differ_have_no_variance_and_two_kinds_are_told_apart() -> None:
    dice = np.random.default_rng(3)
    rows, columns = np.indices((25, 25)).reshape(2, -1)
    y = dice.normal(0, 2, 25)[columns] + dice.normal(0, 1, 625)
    y -= np.array([y[rows == row].mean() for row in range(25)])[rows]
    found = reml(y, np.ones((625, 1)), [rows, columns])
    assert found.units[0] == pytest.approx(0, abs=0.01)
    assert found.units[1] == pytest.approx(float(np.bincount(columns, y).var() / 625), rel=0.2)


def test_groups_that_are_alike_overlap_and_groups_far_apart_do_not() -> None:
    dice = np.random.default_rng(0)
    values, second = dice.normal(0, 1, 400), np.repeat([0.0, 1.0], 200)
    assert overlap(values, second) == 1
    assert overlap(values + 9 * second, second) == 0


def test_the_chance_is_that_of_two_normal_distributions() -> None:
    # One SD apart and equally many: the chance is 0.9 where the logit, (x − 1/2), is log 9.
    values = np.concatenate([np.linspace(-2, 2, 41), np.linspace(-1, 3, 41)])
    second = np.repeat([0.0, 1.0], 41)
    variance = float(np.linspace(-2, 2, 41).var())
    within = np.abs((values - 0.5) / variance) <= np.log(9)
    assert overlap(values, second) == pytest.approx(within.mean())


def test_an_empty_group_overlaps_with_nothing() -> None:
    assert overlap(np.ones(3), np.zeros(3)) is None
    assert overlap(np.array([1.0, 1, 2, 2]), np.array([0.0, 0, 1, 1])) is None
