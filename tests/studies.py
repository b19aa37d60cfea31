"""How many studies a simulation draws, and how many of them may go either way by chance."""

from __future__ import annotations

import os

from scipy.special import bdtr

from geobias.stats.estimates import Estimate

THOROUGH = os.environ.get("GEOBIAS_THOROUGH") == "1"


def studies(quick: int, thorough: int) -> int:
    """How many studies to simulate: `GEOBIAS_THOROUGH=1` asks for the larger number."""
    return thorough if THOROUGH else quick


def most(of: int, share: float = 0.05) -> int:
    """The most studies that go wrong if that share of them does: more has a chance under 2%."""
    return next(count for count in range(of + 1) if bdtr(count, of, share) > 0.98)


def fewest(of: int, share: float = 0.95) -> int:
    """The fewest studies that go right if that share of them does: fewer has a chance under 2%."""
    return of - most(of, 1 - share)


def ends(found: Estimate) -> tuple[float, float]:
    """The interval, which there must be."""
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high
