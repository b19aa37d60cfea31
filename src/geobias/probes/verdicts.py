"""What a headline number says, in two or three words."""

from __future__ import annotations

from geobias.results.findings import Metric
from geobias.stats.multiple import SIGNIFICANCE


def gap_verdict(gap: Metric) -> tuple[str, bool] | None:
    """Whether a difference is clear, by its adjusted test; None without a test."""
    if gap.p_adjusted is None:
        return None
    sure = gap.p_adjusted < SIGNIFICANCE
    return ("clear" if sure else "not clear"), sure
