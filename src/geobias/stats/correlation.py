"""Correlation of two quantities over the same units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.estimates import two_sided_p


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


def partial(
    x: Sequence[float] | Floats, y: Sequence[float] | Floats, within: Sequence[Any]
) -> Correlation:
    """Pearson's r of what is left of both once the means of their groups are taken off: whether the
    two go together among units of one group. Units without a group are left out.

    The p-value has one degree of freedom less for each further group.
    """
    grouped = np.array([group is not None for group in within], dtype=bool)
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    known = grouped & ~(np.isnan(a) | np.isnan(b))
    names, index = np.unique([str(group) for group in np.array(within)[known]], return_inverse=True)
    if known.sum() - len(names) < 2:
        return Correlation(None, None, int(known.sum()))
    rest = []
    for values in (a[known], b[known]):
        means = np.bincount(index, values) / np.bincount(index)
        rest.append(values - means[index])
    return _coefficient(rest[0], rest[1], taken=len(names) - 1)


def fisher_interval(found: Correlation, taken: int = 0) -> tuple[float | None, float | None]:
    """The 95% interval of a coefficient by Fisher's z (1915), for pairs drawn at random; `taken`
    are further variables that were allowed for. None under four pairs, or where r is 1.
    """
    free = found.n - 3 - taken
    if found.r is None or free < 1 or abs(found.r) >= 1:
        return None, None
    middle, half = math.atanh(found.r), 1.959964 / math.sqrt(free)
    return math.tanh(middle - half), math.tanh(middle + half)


def spearman_of_subsets(x: Floats, y: Floats, kept: NDArray[np.bool_]) -> Floats:
    """Spearman's ρ over each row of `kept`, which says what pairs are in; NaN where there is none.

    What a jackknife asks for: all subsets at once take a hundredth of the time of one by one.
    """
    known = ~(np.isnan(x) | np.isnan(y))
    pairs = kept[:, known]
    n = pairs.sum(axis=1)
    a, b = (
        np.where(pairs, _ranks_of_subsets(values[known], pairs) - (n[:, None] + 1) / 2, 0.0)
        for values in (x, y)
    )
    spread = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    defined = (n >= 3) & (spread > 0)
    r = np.full(len(n), np.nan)
    np.divide((a * b).sum(axis=1), spread, out=r, where=defined)
    clipped: Floats = np.clip(r, -1, 1)
    return clipped


def _ranks_of_subsets(values: Floats, kept: NDArray[np.bool_]) -> Floats:
    """The rank of every value among those that each row of `kept` keeps, as in `ranks`."""
    ordered = np.sort(values)
    below = np.cumsum(kept[:, np.argsort(values)], axis=1)
    below = np.concatenate([np.zeros((len(kept), 1), dtype=below.dtype), below], axis=1)
    less, no_more = (
        below[:, np.searchsorted(ordered, values, side=side)] for side in ("left", "right")
    )
    shared: Floats = (less + no_more + 1) / 2
    return shared


def ranks(values: Floats) -> Floats:
    """Ranks from 1; ties share the mean of the ranks they fill."""
    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    shared: Floats = (np.cumsum(counts) - (counts - 1) / 2)[index]
    return shared


def _pairs(x: Any, y: Any) -> tuple[Floats, Floats]:
    a, b = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"{a.shape} values for {b.shape}")
    known = ~(np.isnan(a) | np.isnan(b))
    return a[known], b[known]


def _coefficient(a: Floats, b: Floats, taken: int = 0) -> Correlation:
    n = len(a)
    if n < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return Correlation(None, None, n)
    # Scaling first keeps squares of trillions and of millionths inside a double's range.
    a, b = (a - a.mean()) / np.ptp(a), (b - b.mean()) / np.ptp(b)
    r = float(np.clip(a @ b / math.sqrt(float(a @ a) * float(b @ b)), -1, 1))
    if abs(r) == 1:
        return Correlation(r, 0.0, n)
    df = n - 2 - taken
    return Correlation(r, two_sided_p(r * math.sqrt(df / (1 - r * r)), df), n)
