"""Whether units lean to one side together, for few units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

EXACT = 12
"""Units up to which all sign patterns are tried: 4,096."""
DRAWS = 10_000


def sign_flip_p(
    leans: Sequence[float] | Floats, *, draws: int = DRAWS, seed: int = 0
) -> float | None:
    """Two-sided p-value of the sum of the units' leans against none (Fisher 1935, section 21).

    Assumes that without a lean each unit's total is as likely as its opposite. Exact up to twelve
    units, by random signs beyond; with k units p is at least 2/2^k, so five units can never reach
    0.05. Units of 0 carry no sign and are left out; None where none is left. NaN is left out.
    """
    import numpy as np

    sums = np.asarray(leans, dtype=float)
    sums = sums[np.isfinite(sums) & (sums != 0)]
    n = len(sums)
    if n == 0:
        return None
    if n <= EXACT:
        patterns = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        extra = 0
    else:
        patterns = np.random.default_rng(seed).integers(0, 2, (draws, n))
        extra = 1
    reached = np.abs((2 * patterns - 1) @ sums) >= abs(sums.sum()) - 1e-12
    return float((reached.sum() + extra) / (len(patterns) + extra))
