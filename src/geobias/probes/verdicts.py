"""What a headline number says, in two or three words."""

from __future__ import annotations

from geobias.results.findings import Metric
from geobias.stats.multiple import SIGNIFICANCE


def gap_verdict(gap: Metric) -> tuple[str, bool] | None:
    """Whether a difference is clear; None without a test.

    "Weak" is what its own test, and so its interval, calls clear, but not the test adjusted for the
    number of tests beside it.
    """
    if gap.p is None:
        return None
    alone = gap.p < SIGNIFICANCE
    sure = alone and (gap.p_adjusted is None or gap.p_adjusted < SIGNIFICANCE)
    return ("clear" if sure else "weak" if alone else "not clear"), sure
