from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from geobias.stats import disparity


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([2, 4, 7]), st.floats(0, 2))
def test_noise_is_never_found_to_have_made_a_gap_smaller(
    seed: int, groups: int, apart: float
) -> None:
    dice = np.random.default_rng(seed)
    owner = np.repeat(np.arange(groups), dice.integers(2, 30, groups))
    values = dice.normal(owner * apart, 1)
    found = disparity(values, [str(one) for one in owner], draws=10)
    assert found.value is not None
    assert found.corrected.value is not None
    assert found.corrected.low is not None
    assert found.corrected.high is not None
    assert 0 <= found.corrected.low <= found.corrected.value <= found.corrected.high
    assert found.corrected.value <= found.value


def test_a_gap_between_shares_is_never_said_to_be_above_1() -> None:
    groups = ["a", "a", "a", "b", "b", "b", "c", "c", "c"]
    shares = [0.0, 0.0, 0.1, 1.0, 0.9, 1.0, 0.2, 0.9, 0.4]
    free, bounded = disparity(shares, groups), disparity(shares, groups, most=1)
    assert free.corrected.high is not None
    assert free.corrected.high > 1
    assert bounded.corrected.high == 1
