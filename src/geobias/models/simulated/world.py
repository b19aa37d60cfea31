"""What the simulated model sees of the world: who is in which group, and what is planted there."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from geobias.atlas.economies import Economy, economies
from geobias.errors import BadRequest

if TYPE_CHECKING:
    from geobias.models.simulated.parameters import Parameters


@cache
def group_members(name: str) -> frozenset[str]:
    """ISO-3 codes of a region, income group, continent, or half of the world."""
    members = frozenset(
        e.iso3
        for e in economies().values()
        if name in (e.region, e.income, e.continent, e.north_south, e.west_east)
    )
    if not members:
        raise BadRequest(f"no group of economies is called {name!r} (try Africa or Global South)")
    return members


def planted_error(chosen: Parameters, economy: Economy) -> float:
    """The expected absolute relative error of this model's figures for an economy."""
    base = expected_error(chosen.recall_sd)
    return min(1.0, base + chosen.gap * (economy.iso3 in group_members(chosen.against)))


def expected_error(sd: float) -> float:
    """E[|a − b| / max(a, b)] when a = b·exp(z) and z is normal with this SD.

    That error is 1 − exp(−|z|), whose mean is 1 − 2·exp(sd²/2)·Φ(−sd).
    """
    if sd > 8:  # exp overflows before Φ underflows; the asymptote Φ(−s) ≈ φ(s)/s is exact enough
        return 1 - 2 / (sd * math.sqrt(2 * math.pi))
    return 1 - math.exp(sd * sd / 2) * math.erfc(sd / math.sqrt(2))


@cache
def sd_for_error(error: float) -> float:
    """The SD of log error that gives this expected error (0 to 1), by bisection."""
    if error <= 0:
        return 0.0
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_error(middle) < error else (low, middle)
    return high
