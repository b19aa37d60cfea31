"""Ratings: which places a model favours (after Manvi, Khanna, Burke, Lobell and Ermon,
ICML 2024).
"""

from __future__ import annotations

from typing import Any

from geobias.probes.plan import Plan
from geobias.probes.ratings.probe import Ratings
from geobias.probes.registry import plan_of


def plan(**given: Any) -> Plan:
    """Plan a run of ratings, e.g. `plan(size="standard", topics=["morality"])`."""
    return plan_of(Ratings(), given)
