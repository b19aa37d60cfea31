"""Drives trials: asks, waits, retries, remembers, and stops when it should."""

from geobias.engine.budget import Budget
from geobias.engine.runner import Counts, Runner

__all__ = ["Budget", "Counts", "Runner"]
