"""Drives trials: asks models, waits, retries, stores replies, and stops when it should."""

from geobias.engine.budget import Budget
from geobias.engine.runner import Counts, Runner

__all__ = ["Budget", "Counts", "Runner"]
