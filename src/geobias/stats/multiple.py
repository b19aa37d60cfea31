"""Many tests at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted so that all those under 0.05 are false together at most 5% of the time.

    Holm's step-down method (1979); needs no assumption about how the tests depend on each other.
    A None (a test that could not be made) stays None and does not count as a test.
    """
    made = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for step, (p, i) in enumerate(made):
        highest = max(highest, min(1.0, p * (len(made) - step)))
        adjusted[i] = highest
    return adjusted
