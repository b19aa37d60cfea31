"""Scales of WorldBench's figures."""

from __future__ import annotations

import pytest

from geobias.probes.worldbench.figures import room_for


@pytest.mark.parametrize("values", [[0.53, 0.539], [0.001], [0.999, 1.0], [0.2, 0.7]])
def test_a_scale_over_years_spans_a_tenth_at_least(values: list[float]) -> None:
    low, high = room_for(values)
    assert 0 <= low <= min(values)
    assert max(values) <= high <= 1
    assert high - low > 0.1 - 1e-9
