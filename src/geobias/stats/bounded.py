"""An interval for a mean that holds whatever the values are, as long as they have bounds.

Among eight units there is none, four times in ten, of a kind that one unit in ten is. Nothing in
those eight tells, so no interval made of their spread can hold what the far ones would add. This
one allows for it: of a bounded value, one more unit at the bound is always possible.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from geobias.stats.arrays import Floats
from geobias.stats.intervals import Bounds

_DRAWS = 4000
_WIDER = 2.0
"""How many times as wide it may be before a narrower interval needs a caution."""


def any_values_interval(means: Floats, bounds: Bounds) -> tuple[float, float]:
    """Gaffke's 95% interval of the mean of independent units (Gaffke 2005; Learned-Miller and
    Thomas 2019): the quantiles of their mean under random weights, one more unit at the bound.

    No distribution between the bounds is known for which it covers less. Where values lie close
    together it is far wider than Student's.
    """
    low, high = bounds
    ordered, weights = np.sort(means), _weights(len(means))
    lower = weights[:, 1:] @ ordered + weights[:, 0] * low
    upper = weights[:, :-1] @ ordered + weights[:, -1] * high
    return float(np.quantile(lower, 0.025)), float(np.quantile(upper, 0.975))


@lru_cache(maxsize=64)
def _weights(n: int) -> Floats:
    """Rows of n + 1 weights, all ways to share out 1 being as likely."""
    parts = np.random.default_rng((0, n)).exponential(size=(_DRAWS, n + 1))
    weights: Floats = parts / parts.sum(axis=1, keepdims=True)
    return weights


def unseen_caution(means: Floats, low: float, high: float, bounds: Bounds) -> str:
    """What to say beside an interval that leaves no room for rare values that were not drawn."""
    least, most = any_values_interval(means, bounds)
    if most - least <= _WIDER * (high - low):
        return ""
    return (
        "assumes that no rare far-off values are missing from so few units; without that "
        f"[{least:.2f}, {most:.2f}]"
    )
