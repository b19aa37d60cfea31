"""Estimates with uncertainty. Knows numbers, not benchmarks."""
