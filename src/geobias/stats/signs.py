"""Whether units lean to one side together, for few units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from geobias.stats.arrays import Floats

DRAWS = 10_000
_CELLS = 2_500_000
"""Signs held in memory at once."""


def sign_flip_p(
    leans: Sequence[float] | Floats, *, draws: int = DRAWS, seed: int = 0
) -> float | None:
    """Two-sided p-value of the sum of the units' leans against none (Fisher 1935, section 21).

    Assumes that without a lean each unit's total is as likely as its opposite. Exact where all
    sign patterns are at most `draws`, by random signs beyond; with k units p is at least 2/2^k, so
    five units can never reach 0.05. Units of 0 carry no sign and are left out; None where none is
    left. NaN is left out.
    """
    sums = np.asarray(leans, dtype=float)
    sums = sums[np.isfinite(sums) & (sums != 0)]
    n = len(sums)
    if n == 0:
        return None
    # A sum that equals the observed one has reached it, with room for rounding.
    edge = abs(float(sums.sum())) - 1e-12 * max(1.0, float(np.abs(sums).sum()))
    if n < 31 and 2 ** (n - 1) <= draws:
        # Turning all signs round changes nothing: the last unit may keep its own.
        patterns = (np.arange(2 ** (n - 1))[:, None] >> np.arange(n)) & 1
        return float((np.abs((1.0 - 2.0 * patterns) @ sums) >= edge).mean())
    dice = np.random.default_rng(seed)
    reached, block = 0, max(1, _CELLS // n)
    for start in range(0, draws, block):
        signs = dice.integers(0, 2, (min(block, draws - start), n), dtype=np.int8)
        reached += int((np.abs((1.0 - 2.0 * signs) @ sums) >= edge).sum())
    return (1 + reached) / (1 + draws)
