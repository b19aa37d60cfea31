"""Ratings: which places a model favours (after Manvi, Khanna, Burke, Lobell and Ermon,
ICML 2024).
"""

from geobias.probes.ratings.probe import Ratings
from geobias.probes.registry import planner

plan = planner(Ratings())
"""Plan a run of ratings, e.g. `plan(size="standard", topics=["morality"])`."""
