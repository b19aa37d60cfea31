"""Geo20Q+: games of 20 Questions, in which a model guesses people and things of all countries.

After Lalai et al. (COLM 2025) and the entity-deduction game of Zhang et al. (2023).
"""

from __future__ import annotations

from typing import Any

from geobias.probes.geo20q.probe import Geo20Q
from geobias.probes.plan import Plan
from geobias.probes.registry import plan_of


def plan(**given: Any) -> Plan:
    """Return the plan with these settings: `plan(size="standard", language=["fr"])`."""
    return plan_of(Geo20Q(), given)
