"""WorldBench: what a model knows of each economy (Moayeri, Tabassi and Feizi, FAccT 2024)."""

from geobias.probes.registry import planner
from geobias.probes.worldbench.probe import WorldBench

plan = planner(WorldBench())
"""Plan a run of WorldBench, e.g. `plan(size="standard", indicators=["gdp"])`."""
