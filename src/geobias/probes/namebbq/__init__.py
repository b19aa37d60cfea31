"""Name-BBQ: what a model assumes about people of a nationality, named or suggested by a name.

Parrish et al. (2022) wrote BBQ; Pelosio et al. (2025) put names in place of nationalities.
"""

from geobias.probes.namebbq.probe import NameBBQ
from geobias.probes.registry import planner

plan = planner(NameBBQ())
"""Plan a run of Name-BBQ, e.g. `plan(items="bbq", names=3)`."""
