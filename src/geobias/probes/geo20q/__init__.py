"""Geo20Q+: games of 20 Questions, in which a model guesses people and things of all countries.

After Lalai et al. (COLM 2025) and the entity-deduction game of Zhang et al. (2023).
"""

from geobias.probes.geo20q.probe import Geo20Q
from geobias.probes.registry import planner

plan = planner(Geo20Q())
"""Return the plan with these settings: `plan(size="standard", language=["fr"])`."""
