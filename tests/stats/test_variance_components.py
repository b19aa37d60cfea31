"""Where variance comes from, against what was planted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from geobias.stats.correlation import Correlation, fisher_interval, partial, pearson
from geobias.stats.crossed import crossed_median
from geobias.stats.variance_components import Components, crossed_components, min_f
from tests.studies import fewest, most, studies


def drawn(
    dice: np.random.Generator, shape: tuple[int, int, int], sds: tuple[float, float, float]
) -> Components:
    strata, units, conditions = shape
    values = (
        dice.normal(0, 5, (strata, 1, 1))
        + dice.normal(0, sds[0], (strata, units, 1))
        + dice.normal(0, sds[1], (strata, 1, conditions))
        + dice.normal(0, sds[2], shape)
    )
    return crossed_components(values.ravel(), *(index.ravel() for index in np.indices(shape)))


def test_a_table_by_hand() -> None:
    """Two units, two conditions: mean squares 4 (units), 1 (conditions) and 0 (rest)."""
    found = crossed_components([1, 2, 3, 4], ["i"] * 4, [0, 0, 1, 1], [0, 1, 0, 1])
    assert found.variances["unit"] == pytest.approx((4 - 0) / 2)
    assert found.variances["condition"] == pytest.approx((1 - 0) / 2)
    assert found.variances["interaction"] == 0
    assert found.variances["draw"] is None
    assert found.outside.value == pytest.approx(0.5 / 2.5)
    assert found.outside.low is None
    assert found.outside.reason == "2 units: no interval"


def test_what_was_planted_is_found_on_average() -> None:
    dice = np.random.default_rng(0)
    tables = studies(25, 250)
    found = [drawn(dice, (3, 40, 6), (2.0, 1.0, 1.5)).variances for _ in range(tables)]
    close = 0.25 * math.sqrt(25 / tables)
    for name, planted in (("unit", 4.0), ("condition", 1.0), ("interaction", 2.25)):
        every = [one[name] for one in found]
        assert np.mean([x for x in every if x is not None]) == pytest.approx(planted, rel=close)


def test_the_interval_holds_the_planted_share() -> None:
    """The jackknife over both is meant to be a little wide: never in fewer than 95%."""
    dice = np.random.default_rng(1)
    sds = (0.2, 0.1, 0.2)
    share = (0.1**2 + 0.2**2) / sum(sd**2 for sd in sds)
    every = [drawn(dice, (3, 27, 3), sds).outside for _ in range(studies(40, 400))]
    held = [one.low is not None and one.low <= share <= (one.high or 0) for one in every]
    assert sum(held) >= fewest(len(held))


def test_draws_are_told_from_the_interaction() -> None:
    dice = np.random.default_rng(2)
    shape = (3, 60, 4)
    cells = dice.normal(0, 1, (3, 60, 1)) + dice.normal(0, 0.5, shape)
    values = cells[..., None] + dice.normal(0, 2, (*shape, 5))
    index = [one.ravel() for one in np.indices(values.shape)]
    found = crossed_components(values.ravel(), *index[:3]).variances
    assert found["draw"] == pytest.approx(4, rel=0.1)
    assert found["interaction"] == pytest.approx(0.25, abs=0.15)


def test_units_without_a_value_in_every_condition_are_left_out() -> None:
    values = [1, 2, 3, 4, 100, np.nan]
    found = crossed_components(values, ["i"] * 6, [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1])
    assert (found.units, found.cells) == (2, 4)


@pytest.mark.parametrize(
    ("values", "conditions", "why"),
    [
        ([1.0, 2.0], [0, 0], "one condition alone"),
        ([1.0, 2.0], [0, 1], "under two units have a value in every condition"),
        ([3.0, 3.0, 3.0, 3.0], [0, 1, 0, 1], "no value differs from another"),
        ([], [], "one condition alone"),
    ],
)
def test_what_is_undefined_says_why(values: list[float], conditions: list[int], why: str) -> None:
    units = [i // 2 for i in range(len(values))]
    found = crossed_components(values, ["i"] * len(values), units, conditions)
    assert found.outside.value is None
    assert found.outside.reason == why


GROUPS = ["a"] * 5 + ["b"] * 5


def table(seed: int, models: int = 6) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, 1, (models, 10))


def test_min_f_joins_both_f_tests() -> None:
    values = table(1) + np.where(np.arange(10) < 5, 0, 3)
    found = min_f(values, GROUPS)
    from scipy.stats import f_oneway, ttest_rel

    f1 = f_oneway(values.mean(axis=0)[:5], values.mean(axis=0)[5:]).statistic
    f2 = ttest_rel(values[:, :5].mean(axis=1), values[:, 5:].mean(axis=1)).statistic ** 2
    assert found.f == pytest.approx(f1 * f2 / (f1 + f2))
    assert found.p is not None
    assert found.p < 0.01


def test_min_f_needs_three_models_and_two_groups() -> None:
    assert min_f(table(1, models=2), GROUPS).p is None
    assert min_f(table(1), ["a"] * 10).p is None


def test_min_f_finds_no_difference_where_there_is_none() -> None:
    found = [min_f(table(seed), GROUPS).p or 1 for seed in range(studies(200, 2000))]
    assert sum(p < 0.05 for p in found) <= most(len(found))


def test_a_median_over_models_and_countries_allows_for_both() -> None:
    rows, columns = (side.ravel() for side in np.indices((8, 20)))
    dice = np.random.default_rng(0)
    values = 0.4 + dice.normal(0, 0.1, 8)[rows] + dice.normal(0, 0.01, 160)
    both = crossed_median(values, rows, columns, bounds=(0, 1))
    alone = crossed_median(values, columns, bounds=(0, 1))
    assert both.value == pytest.approx(float(np.median(values)))
    assert None not in (both.low, both.high, alone.low, alone.high)
    assert both.high - both.low > 2 * (alone.high - alone.low)  # type: ignore[operator]


def test_two_models_have_no_interval_of_a_median() -> None:
    found = crossed_median([1.0, 2.0, 3.0, 4.0], ["a", "a", "b", "b"], ["x", "y", "x", "y"])
    assert (found.value, found.low, found.reason) == (2.5, None, "2 units: no interval")


def test_a_partial_correlation_is_that_of_what_groups_leave() -> None:
    x, y = [1.0, 2, 3, 11, 12, 13], [3.0, 2, 1, 13, 12, 11]
    assert (pearson(x, y).r or 0) > 0.9
    assert partial(x, y, ["a"] * 3 + ["b"] * 3).r == pytest.approx(-1)
    assert partial(x, y, [None] * 6).r is None


def test_fishers_interval_is_that_of_the_textbook() -> None:
    low, high = fisher_interval(Correlation(0.5, 0.02, 28))
    assert low == pytest.approx(0.156, abs=0.001)
    assert high == pytest.approx(0.736, abs=0.001)
    assert fisher_interval(Correlation(1.0, 0.0, 28)) == (None, None)
