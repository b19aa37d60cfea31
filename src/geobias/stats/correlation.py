"""Correlation of two quantities over the same units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from geobias.stats.student import two_sided_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


class Correlation(msgspec.Struct, frozen=True):
    """A coefficient, its two-sided p-value against none, and the number of pairs.

    Both are None with under three pairs, or where one of the two does not vary.
    """

    r: float | None
    p: float | None
    n: int


def pearson(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> Correlation:
    """Pearson's r. Pairs with a NaN are left out.

    The p-value is that of t = r·√((n−2)/(1−r²)), which assumes independent pairs and is exact for
    normal ones. One far outlier can make or hide it: read it beside `spearman`.
    """
    a, b = _pairs(x, y)
    return _coefficient(a, b)


def spearman(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> Correlation:
    """Spearman's ρ: Pearson's r of the ranks, ties sharing the mean of their ranks.

    The p-value is the same t approximation, good from about ten pairs on.
    """
    a, b = _pairs(x, y)
    return _coefficient(ranks(a), ranks(b))


def ranks(values: Floats) -> Floats:
    """Ranks from 1; ties share the mean of the ranks they fill."""
    import numpy as np

    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    shared: Floats = (np.cumsum(counts) - (counts - 1) / 2)[index]
    return shared


def _pairs(x: Any, y: Any) -> tuple[Floats, Floats]:
    import numpy as np

    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"{a.shape} values for {b.shape}")
    known = ~(np.isnan(a) | np.isnan(b))
    return a[known], b[known]


def _coefficient(a: Floats, b: Floats) -> Correlation:
    import numpy as np

    n = len(a)
    if n < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return Correlation(None, None, n)
    # Scaling first keeps squares of trillions and of millionths inside a double's range.
    a, b = (a - a.mean()) / np.ptp(a), (b - b.mean()) / np.ptp(b)
    r = float(np.clip(a @ b / math.sqrt(float(a @ a) * float(b @ b)), -1, 1))
    if abs(r) == 1:
        return Correlation(r, 0.0, n)
    return Correlation(r, two_sided_p(r * math.sqrt((n - 2) / (1 - r * r)), n - 2), n)
