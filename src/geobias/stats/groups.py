"""Two groups of units, North and South say: is one above the other, and by how much?

Everything here is about ranks, so that one country far out cannot make or hide a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from geobias.stats.rates import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

DRAWS = 10_000


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two groups compared; positive means that the first is above the second.

    u              Mann–Whitney's U of the first group: pairs in which its unit is above, ties half
    p              two-sided, of no difference between the distributions; "exact" or "normal"
                   says by which `method` (exact without ties and with a group of at most 8)
    p_permutation  the same of the difference of means: units dealt anew into the two groups,
                   all ways where they are at most `draws`
    effect         rank-biserial correlation from −1 to 1: the share of pairs in which the first is
                   above, less the share in which it is below (n counts units of both groups)
    shift          Hodges–Lehmann: the median difference over all pairs, in the values' unit
    difference     mean of the first minus mean of the second (Welch's interval)
    n              units with a value in the first and in the second group
    """

    u: float | None
    p: float | None
    method: str
    p_permutation: float | None
    effect: Estimate
    shift: Estimate
    difference: Estimate
    n: tuple[int, int]


def two_groups(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """One value for each unit of the two groups (country means, not single games).

    NaN is left out. An empty group leaves everything undefined.
    """
    raise NotImplementedError
