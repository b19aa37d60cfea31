from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.estimates import rate


def test_no_trials_give_no_rate() -> None:
    assert rate(0, 0).value is None
    assert str(rate(0, 0)) == "undefined (n = 0; no trials)"


def test_wilsons_interval_agrees_with_the_published_example() -> None:
    # Newcombe (1998), Table I: 81 of 263 gives 0.2553 to 0.3662.
    estimate = rate(81, 263)
    assert estimate.low == pytest.approx(0.2553, abs=5e-5)
    assert estimate.high == pytest.approx(0.3662, abs=5e-5)


def test_more_hits_than_trials_is_refused() -> None:
    with pytest.raises(ValueError, match="3 hits of 2"):
        rate(3, 2)


@given(st.integers(1, 10_000), st.data())
def test_the_interval_holds_the_rate_and_stays_between_0_and_1(n: int, data: st.DataObject) -> None:
    estimate = rate(data.draw(st.integers(0, n)), n)
    assert estimate.low is not None
    assert estimate.value is not None
    assert estimate.high is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
