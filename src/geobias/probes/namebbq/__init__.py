"""Name-BBQ: what a model assumes of people (Parrish et al. 2022; Pelosio et al. 2025)."""

from geobias.probes.namebbq.trials import NameBBQRecord, plan

__all__ = ["NameBBQRecord", "plan"]
