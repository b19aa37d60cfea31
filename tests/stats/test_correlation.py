from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.correlation import Correlation, pearson, ranks, spearman, spearman_of_subsets
from geobias.stats.pooling import holm

X = [1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_known_example() -> None:
    # r of (1..5) and (2, 1, 4, 3, 5) is 0.8; t = 2.309 with 3 degrees of freedom.
    found = pearson(X, [2.0, 1.0, 4.0, 3.0, 5.0])
    assert found.r == pytest.approx(0.8)
    assert found.p == pytest.approx(0.104, abs=5e-4)


def test_spearman_sees_order_and_not_size() -> None:
    found = spearman(X, [1.0, 10.0, 100.0, 1e6, 1e12])
    assert (found.r, found.p) == (1.0, 0.0)


def test_ties_share_the_mean_of_their_ranks() -> None:
    assert list(ranks(np.array([3.0, 1.0, 3.0, 2.0]))) == [3.5, 1.0, 3.5, 2.0]


def test_what_does_not_vary_has_no_correlation() -> None:
    assert pearson(X, [7.0] * 5) == Correlation(None, None, 5)


def test_two_pairs_are_too_few() -> None:
    assert spearman([1.0, 2.0], [1.0, 2.0]) == Correlation(None, None, 2)


def test_pairs_with_a_gap_are_left_out() -> None:
    assert pearson([1.0, 2.0, math.nan, 4.0], [1.0, 2.1, 3.0, math.nan]).n == 2


values = st.one_of(st.integers(0, 4).map(float), st.just(math.nan))


@given(st.lists(st.tuples(values, values, st.booleans()), max_size=9))
def test_the_correlation_of_a_subset_is_that_of_its_pairs_alone(
    rows: list[tuple[float, float, bool]],
) -> None:
    x, y, kept = (np.array([row[i] for row in rows]) for i in range(3))
    chosen = np.array([kept, ~kept.astype(bool)], dtype=bool).reshape(2, len(rows))
    for found, subset in zip(spearman_of_subsets(x, y, chosen), chosen, strict=True):
        alone = spearman(x[subset], y[subset]).r
        assert found == pytest.approx(math.nan if alone is None else alone, nan_ok=True)


def test_figures_of_trillions_do_not_overflow() -> None:
    assert pearson([1e200, 2e200, 4e200], [1.0, 2.0, 4.0]).r == pytest.approx(1.0)


def test_holms_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_test_that_was_not_made_is_not_counted() -> None:
    assert holm([0.02, None, 0.9]) == [0.04, None, 0.9]
