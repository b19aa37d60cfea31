from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.paired import kappa


def test_kappa_is_that_of_the_textbook() -> None:
    """Cohen's example of two raters on 50 proposals: 20 both yes, 15 both no, 5 and 10 apart."""
    found = kappa([("y", "y")] * 20 + [("n", "n")] * 15 + [("y", "n")] * 5 + [("n", "y")] * 10)
    assert found.value == pytest.approx(0.4)
    assert found.n == 50
    assert found.low is not None
    assert found.high is not None
    assert found.low == pytest.approx(0.4 - (found.high - 0.4))
    assert 0.1 < found.low < 0.2


def test_agreement_on_one_word_alone_is_undefined() -> None:
    found = kappa([("right", "right")] * 30)
    assert found.value is None
    assert "same" in found.reason


def test_full_agreement_claims_no_certainty() -> None:
    found = kappa([("a", "a")] * 5 + [("b", "b")] * 5)
    assert (found.value, found.low, found.high) == (1.0, None, None)


def test_nothing_in_common_is_undefined() -> None:
    assert kappa([]).value is None


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=5, max_size=40))
def test_kappa_and_its_interval_agree_with_statsmodels(pairs: list[tuple[int, int]]) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    found = kappa(pairs)
    if found.low is None or found.high is None or found.low == -1 or found.high == 1:
        return
    table = np.zeros((3, 3))
    for one, other in pairs:
        table[one, other] += 1
    with np.errstate(all="ignore"):
        known = cohens_kappa(table)
    assert found.value == pytest.approx(known.kappa)
    assert (found.low, found.high) == pytest.approx((known.kappa_low, known.kappa_upp), abs=1e-4)
