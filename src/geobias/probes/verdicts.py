"""What a headline number says, in two or three words."""

from __future__ import annotations

from geobias.results.findings import Metric
from geobias.results.verdicts import word_of


def gap_verdict(gap: Metric) -> tuple[str, bool] | None:
    """Whether a difference is clear, in a word, and whether that is sure; None without a test."""
    word = word_of(gap)
    return None if word is None else (word, word == "clear")
