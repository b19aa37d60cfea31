"""The engine runs trials: it asks models, waits, retries, stores replies and keeps to budgets."""

from geobias.engine.budget import Budget
from geobias.engine.runner import Counts, Runner

__all__ = ["Budget", "Counts", "Runner"]
