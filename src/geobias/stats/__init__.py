"""Estimates with uncertainty. Knows numbers, not benchmarks."""

from geobias.stats.rates import Estimate, rate

__all__ = ["Estimate", "rate"]
