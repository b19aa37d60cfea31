from __future__ import annotations

import pytest

from geobias.stats import kappa


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
