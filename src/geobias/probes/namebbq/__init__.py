"""Name-BBQ: what a model assumes about people of a nationality, named or suggested by a name.

Parrish et al. (2022) wrote BBQ; Pelosio et al. (2025) put names in place of nationalities.
"""

from __future__ import annotations

from typing import Any

from geobias.probes.namebbq.probe import NameBBQ
from geobias.probes.plan import Plan
from geobias.probes.registry import plan_of


def plan(**given: Any) -> Plan:
    """Plan a run of Name-BBQ, e.g. `plan(items="bbq", names=3)`."""
    return plan_of(NameBBQ(), given)
