"""Name-BBQ: what a model assumes about people of a nationality, named or hinted at by a name.

Parrish et al. (2022) wrote BBQ, Pelosio et al. (2025) put names where it has nationalities.
"""

from geobias.probes.namebbq.trials import NameBBQRecord, plan

__all__ = ["NameBBQRecord", "plan"]
