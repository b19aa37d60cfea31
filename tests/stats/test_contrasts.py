"""Groups of units against scipy's and statsmodels' tests of the same name, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as reference
from statsmodels.stats.proportion import confint_proportions_2indep

from geobias.stats.contrasts import (
    ALL_ALIKE,
    Ends,
    Groups,
    moran,
    ratio,
    trend,
    trend_weights,
    welch_f,
    widest,
)
from geobias.stats.estimates import Estimate
from tests.defined import defined
from tests.studies import ends, fewest, most, studies

SIZES = (48, 58, 37, 8)
ORDER = ("a", "b", "c", "d")
GROUPS = [name for name, n in zip(ORDER, SIZES, strict=True) for _ in range(n)]


def drawn(seed: int, *means: float, sds: tuple[float, ...] = (0.07,) * 4) -> np.ndarray:
    dice = np.random.default_rng(seed)
    parts = [dice.normal(m, s, n) for m, s, n in zip(means, sds, SIZES, strict=True)]
    return np.concatenate(parts)


def parts(values: np.ndarray) -> list[np.ndarray]:
    return np.split(values, np.cumsum(SIZES)[:-1])


def test_a_group_in_which_no_unit_differs_takes_the_variance_of_the_others() -> None:
    """(5 · 0 + 5 · 2.5) / 8 in place of 0, over five units."""
    groups = Groups.of([1.0] * 5 + [1, 2, 3, 4, 5], ["a"] * 5 + ["b"] * 5)
    assert groups.errors == pytest.approx([1.25 / 5, 2.5 / 5])
    apart = trend([1.0] * 8 + [0.0] * 8, ["a"] * 8 + ["b"] * 8, ORDER, most=1)
    assert defined(apart.p) < 0.01
    assert defined(apart.low) > 0.3


def test_weights_of_a_trend_are_those_of_the_line_that_fits() -> None:
    assert trend_weights(ORDER, ORDER) == pytest.approx({"a": 0.9, "b": 0.3, "c": -0.3, "d": -0.9})
    assert trend_weights(ORDER, ("a", "d")) == pytest.approx({"a": 1, "d": -1})
    for present in (ORDER, ("a", "b", "d")):
        weights = trend_weights(ORDER, present)
        places = [ORDER.index(name) for name in weights]
        means = np.random.default_rng(0).normal(size=len(places))
        slope = float(np.polyfit(places, means, 1)[0])
        expected = -slope * (max(places) - min(places))
        assert float(np.array([*weights.values()]) @ means) == pytest.approx(expected)
    assert trend_weights(ORDER, ("b",)) == {}


def test_a_trend_over_two_groups_is_their_difference_by_welchs_test() -> None:
    values = drawn(1, 0.1, 0, 0, 0)
    names = [name if name in "ad" else None for name in GROUPS]
    first, *_, last = parts(values)
    found, known = trend(values, names, ORDER), reference.ttest_ind(first, last, equal_var=False)
    low, high = known.confidence_interval()
    assert (found.low, found.high, found.p) == pytest.approx((low, high, known.pvalue))
    assert trend([1.0] * 4 + [0.9, *[0.0] * 5], ["a"] * 5 + ["b"] * 5, ORDER, most=1).high == 1
    with pytest.raises(ValueError, match="infinite"):
        trend([math.inf], ["a"], ORDER)


def test_a_trend_has_satterthwaites_degrees_of_freedom() -> None:
    values = drawn(2, 0.1, 0.05, 0, 0)
    weights = np.array([0.9, 0.3, -0.3, -0.9])
    errors = weights**2 * [own.var(ddof=1) / len(own) for own in parts(values)]
    df = errors.sum() ** 2 / (errors**2 / (np.array(SIZES) - 1)).sum()
    value = weights @ [own.mean() for own in parts(values)]
    half = reference.t.ppf(0.975, df) * math.sqrt(errors.sum())
    found = trend(values, GROUPS, ORDER)
    assert (found.value, found.low, found.high) == pytest.approx(
        (value, value - half, value + half)
    )
    assert found.p == pytest.approx(2 * reference.t.sf(value / math.sqrt(errors.sum()), df))


def test_groups_of_under_five_units_are_left_out_of_a_trend() -> None:
    found = trend(np.arange(14.0), ["a"] * 5 + ["b"] * 5 + ["c"] * 4, ORDER)
    assert (found.value, found.n) == (-5, 10)
    assert trend(np.arange(9.0), ["a"] * 5 + ["b"] * 4, ORDER).value is None


@pytest.mark.parametrize("sds", [(0.07,) * 4, (0.18, 0.06, 0.06, 0.12)])
def test_a_trend_is_held_and_none_is_found_where_none_is(sds: tuple[float, ...]) -> None:
    held, n = 0, studies(200, 4000)
    for seed in range(n):
        found = trend(drawn(seed, 0.3, 0.2, 0.1, 0.0, sds=sds), GROUPS, ORDER)
        low, high = ends(found)
        held += low <= 0.3 <= high
    assert fewest(n) <= held <= most(n, 0.95)


def test_an_end_of_another_sign_has_p_1() -> None:
    low, high = (Estimate(-0.1, -0.3, 0.1, 9, p=0.2), Estimate(0.3, 0.1, 0.5, 9, p=0.01))
    assert Ends.of(low, high, 0.2) == Ends(-0.1, 0.3, 1.0, 0.5)
    assert Ends.of(high, high, 0.2).p == 0.01


def test_welchs_f_is_that_of_statsmodels() -> None:
    from statsmodels.stats.oneway import anova_oneway

    values = drawn(3, 0, 0, 0.03, 0, sds=(0.07, 0.2, 0.05, 0.1))
    found, known = welch_f(values, GROUPS), anova_oneway(parts(values), use_var="unequal")
    assert found.p == pytest.approx(known.pvalue)
    assert found.n == 151
    assert welch_f([0.1] * 10, ["a"] * 5 + ["b"] * 5).reason == ALL_ALIKE


def test_the_widest_pair_is_games_and_howells() -> None:
    values = drawn(4, 0.05, 0, 0.02, -0.02, sds=(0.07, 0.2, 0.05, 0.1))
    known = reference.tukey_hsd(*parts(values), equal_var=False)
    pair = defined(widest(values, GROUPS))
    first, second, apart = pair
    i, j = ORDER.index(first), ORDER.index(second)
    value = float(known.statistic[i, j])
    assert value == pytest.approx(float(known.statistic.max())) == apart.value
    assert apart.p == pytest.approx(known.pvalue[i, j], abs=1e-3)
    errors = np.array([parts(values)[side].var(ddof=1) / SIZES[side] for side in (i, j)])
    df = errors.sum() ** 2 / (errors**2 / [SIZES[side] - 1 for side in (i, j)]).sum()
    reached = (value - defined(apart.low)) / math.sqrt(errors.sum() / 2)
    assert reference.studentized_range.sf(reached, 4, df) == pytest.approx(0.05, abs=1e-3)
    assert widest([0.1] * 5, ["a"] * 5) is None


def test_neighbours_that_are_alike_are_told_from_others() -> None:
    places = [(float(i), 0.0) for i in range(60)]
    alike = moran(np.sin(np.arange(60) / 10), ["a"] * 60, places)
    assert (alike.value or 0) > 0.5
    assert alike.p == 1 / 1000
    dice, n = np.random.default_rng(0), studies(25, 600)
    alarms = [moran(dice.normal(size=60), ["a"] * 60, places).p or 0 for _ in range(n)]
    assert sum(p < 0.05 for p in alarms) <= most(n)
    assert moran([1.0] * 60, ["a"] * 60, places).value is None
    assert moran([1.0, 2.0], ["a"] * 2, [None, (0.0, 0.0)]).n == 1


def test_a_ratio_of_means_covers_the_true_one() -> None:
    dice, drawn = np.random.default_rng(5), studies(300, 3000)
    held = 0
    for _ in range(drawn):
        first, second = dice.gamma(4, 0.15, 26), dice.gamma(4, 0.10, 80)
        found = ratio(first, second)
        held += defined(found.low) <= 1.5 <= defined(found.high)
    assert held >= fewest(drawn)


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_where_all_are_right_or_all_wrong_the_interval_is_newcombes(value: float) -> None:
    found = trend([value] * 52, ["a"] * 20 + ["b"] * 32, ("a", "b"), bounds=(0, 1))
    hits = int(value)
    low, high = confint_proportions_2indep(20 * hits, 20, 32 * hits, 32, method="newcomb")
    assert (found.value, found.p) == (0, 1)
    assert [found.low, found.high] == pytest.approx([low, high])


def test_where_all_are_alike_on_an_endless_scale_nothing_is_tested() -> None:
    assert trend([2.0] * 40, ["a"] * 20 + ["b"] * 20, ("a", "b")).reason == ALL_ALIKE
