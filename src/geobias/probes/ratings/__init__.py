"""Ratings: whom a model favours (after Manvi, Khanna, Burke, Lobell and Ermon, ICML 2024)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from geobias.probes.plan import Plan


def plan(**given: Any) -> Plan:
    """The plan with these settings: `plan(size="standard", topics=["morality"])`."""
    from geobias.probes.ratings.probe import Ratings

    return Ratings().make_plan(**given)
