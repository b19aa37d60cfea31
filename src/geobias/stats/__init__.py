"""Estimates with uncertainty. This package knows numbers, but no benchmarks."""
