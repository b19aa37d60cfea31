"""WorldBench: what a model knows of each economy (Moayeri, Tabassi and Feizi, FAccT 2024)."""

from geobias.probes.worldbench.trials import WorldBenchRecord, plan

__all__ = ["WorldBenchRecord", "plan"]
