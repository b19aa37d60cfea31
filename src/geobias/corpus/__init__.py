"""Counts of how often a corpus names each entity, as the popularity regressions need."""

from geobias.corpus.counting import count, read_counts

__all__ = ["count", "read_counts"]
