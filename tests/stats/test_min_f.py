from __future__ import annotations

import numpy as np
import pytest

from geobias.stats.correlation import Correlation, fisher_interval, partial, pearson
from geobias.stats.crossed import crossed_median
from geobias.stats.variance_components import min_f

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
    found = [min_f(table(seed), GROUPS).p or 1 for seed in range(200)]
    assert sum(p < 0.05 for p in found) <= 14


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
