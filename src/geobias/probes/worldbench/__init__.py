"""WorldBench: what a model knows of each economy (Moayeri, Tabassi and Feizi, FAccT 2024)."""

from typing import Any

from geobias.probes.plan import Plan
from geobias.probes.registry import plan_of
from geobias.probes.worldbench.probe import WorldBench


def plan(**given: Any) -> Plan:
    """Plan a run of WorldBench, e.g. `plan(size="standard", indicators=["gdp"])`."""
    return plan_of(WorldBench(), given)
