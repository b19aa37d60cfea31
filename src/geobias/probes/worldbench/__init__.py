"""WorldBench: what a model knows of each economy (Moayeri, Tabassi and Feizi, FAccT 2024)."""

from typing import Any

from geobias.probes.plan import Plan
from geobias.probes.worldbench.probe import WorldBench


def plan(**given: Any) -> Plan:
    """The plan with these settings: `plan(size="standard", indicators=["gdp"])`."""
    return WorldBench().make_plan(**given)
