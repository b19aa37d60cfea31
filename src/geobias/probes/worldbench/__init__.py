"""WorldBench: what a model knows of each economy (Moayeri, Tabassi and Feizi, FAccT 2024)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geobias.probes.plan import Plan


def plan(**given: Any) -> Plan:
    """The plan with these settings: `plan(size="standard", indicators=["gdp"])`."""
    from geobias.probes.worldbench.probe import WorldBench

    return WorldBench().make_plan(**given)
