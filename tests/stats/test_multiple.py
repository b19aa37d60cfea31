from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.pooling import benjamini_hochberg, holm

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_holm_agrees_with_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(0).beta(0.3, 1, 40)
    assert holm(p_values.tolist()) == pytest.approx([*multipletests(p_values, method="holm")[1]])


@given(P_VALUES)
def test_benjamini_hochberg_agrees_with_scipy(p_values: list[float]) -> None:
    from scipy.stats import false_discovery_control

    assert benjamini_hochberg(p_values) == pytest.approx([*false_discovery_control(p_values)])


@given(P_VALUES)
def test_adjusting_never_makes_a_p_value_smaller_and_keeps_their_order(
    p_values: list[float],
) -> None:
    for adjust in (holm, benjamini_hochberg):
        found = [p for p in adjust(p_values) if p is not None]
        assert all(p <= q <= 1 for p, q in zip(p_values, found, strict=True))
        order = sorted(range(len(found)), key=lambda i: p_values[i])
        assert [found[i] for i in order] == sorted(found)


def test_a_test_that_could_not_be_made_counts_for_nothing() -> None:
    assert holm([0.02, None, 0.04]) == [0.04, None, 0.04]
    assert benjamini_hochberg([0.02, None, 0.04]) == [0.04, None, 0.04]


def test_a_family_without_tests_is_empty() -> None:
    assert benjamini_hochberg([]) == holm([]) == []


def test_what_is_no_p_value_is_refused() -> None:
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match="between 0 and 1"):
            adjust([1.5])
