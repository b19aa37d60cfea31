"""Many tests at once: adjusted p-values across the family of tests that one table shows.

A None (a test that could not be made) stays None and does not count as a test.
"""

from __future__ import annotations

from collections.abc import Sequence

SIGNIFICANCE = 0.05
"""Adjusted p-values under this are called significant."""


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted so that all those under 0.05 are false together at most 5% of the time.

    Holm's step-down method (1979); needs no assumption about how the tests depend on each other.
    """
    made = _made(p_values)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for step, (p, i) in enumerate(made):
        highest = max(highest, min(1.0, p * (len(made) - step)))
        adjusted[i] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted so that of all those under 0.05, one in twenty is false on average.

    Benjamini and Hochberg (1995): the false discovery rate, for long tables (a row for each of
    200 countries) where Holm would find nothing. Assumes tests that are independent or go
    together (Benjamini and Yekutieli 2001).
    """
    made = _made(p_values)
    adjusted: list[float | None] = [None] * len(p_values)
    lowest = 1.0
    for rank in range(len(made), 0, -1):
        p, i = made[rank - 1]
        lowest = min(lowest, max(p, p * len(made) / rank))  # rounding must not go below p
        adjusted[i] = lowest
    return adjusted


def _made(p_values: Sequence[float | None]) -> list[tuple[float, int]]:
    made = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    if made and not (made[0][0] >= 0 and made[-1][0] <= 1):
        raise ValueError("a p-value lies between 0 and 1")
    return made
