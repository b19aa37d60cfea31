from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from geobias.stats.correlation import pearson, spearman_of_subsets
from tests.studies import ends

values = st.one_of(st.integers(0, 4).map(float), st.just(math.nan))


@given(st.lists(st.tuples(values, values, st.booleans()), max_size=9))
def test_the_correlation_of_a_subset_is_that_of_its_pairs_alone(
    rows: list[tuple[float, float, bool]],
) -> None:
    x, y, kept = (np.array([row[i] for row in rows]) for i in range(3))
    chosen = np.array([kept, ~kept.astype(bool)], dtype=bool).reshape(2, len(rows))
    for found, subset in zip(spearman_of_subsets(x, y, chosen), chosen, strict=True):
        pairs = np.array([x[subset], y[subset]])
        a, b = pairs[:, ~np.isnan(pairs).any(axis=0)]
        apart = len(a) > 2 and np.ptp(a) > 0 and np.ptp(b) > 0
        alone = spearmanr(a, b).statistic if apart else math.nan
        assert found == pytest.approx(alone, nan_ok=True)


def test_fishers_interval_is_that_of_the_textbook() -> None:
    x, other = np.tile([1.0, -1.0], 14), np.repeat([1.0, -1.0], 14)
    found = pearson(x, 0.5 * x + math.sqrt(0.75) * other)
    assert found.value == pytest.approx(0.5)
    assert ends(found) == pytest.approx((0.156, 0.736), abs=0.001)
    assert (pearson(x, x).low, pearson(x[:3], other[13:16]).low) == (None, None)
