"""How far two people agree beyond what chance would give."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from geobias.stats.rates import Z_95, Estimate


def kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> Estimate:
    """Cohen's kappa (1960) of two people's words on the same items, `n` of them.

    The 95% interval is the large-sample one of Fleiss, Cohen and Everitt (1969), cut at −1 and 1;
    with few items it is only a rough guide. Undefined without items, and where both gave one and
    the same word to everything: chance alone would then agree as well.
    """
    if not pairs:
        return Estimate(None, None, None, 0, "no item was judged by both")
    words = sorted({word for pair in pairs for word in pair}, key=repr)
    if len(words) == 1:
        return Estimate(None, None, None, len(pairs), "both said the same of every item")
    place = {word: i for i, word in enumerate(words)}
    table = np.zeros((len(words), len(words)))
    for one, other in pairs:
        table[place[one], place[other]] += 1
    value, spread = _kappa(table / len(pairs), len(pairs))
    if not spread > 1e-6:  # full agreement, or none: the formula would claim certainty
        return Estimate(value, None, None, len(pairs), "too few differences for an interval")
    low, high = value - Z_95 * spread, value + Z_95 * spread
    return Estimate(value, max(-1.0, low), min(1.0, high), len(pairs))


def _kappa(shares: NDArray[np.float64], n: int) -> tuple[float, float]:
    """Kappa of a table of shares of `n` pairs, and its standard error."""
    first, second = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = float(first @ second)
    value = (float(np.trace(shares)) - by_chance) / (1 - by_chance)
    moves = np.eye(len(shares)) - (second[:, None] + first) * (1 - value)
    variance = (shares * moves**2).sum() - (value - by_chance * (1 - value)) ** 2
    return value, math.sqrt(max(0.0, variance) / n) / (1 - by_chance)
