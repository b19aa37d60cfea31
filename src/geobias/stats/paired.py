"""Two models, or two runs, on the same items: the difference, clustered by unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from geobias.stats.rates import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

DRAWS = 10_000


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """What changed from the first to the second, on items that both have.

    first, second  means over units of each unit's mean
    difference     second minus first, with its interval over units (`n` counts units)
    p              two-sided, by flipping the sign of whole units' differences
    items          pairs of values behind it
    """

    first: float | None
    second: float | None
    difference: Estimate
    p: float | None
    items: int


def paired(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    units: Sequence[Any] | NDArray[Any],
    *,
    draws: int = DRAWS,
    seed: int = 0,
    bounds: tuple[float, float] | None = None,
) -> Paired:
    """One pair of values for each item; `units` are the items' countries, templates or entities.

    Pairs with a NaN are left out. `bounds` is the range that a difference can take.
    """
    raise NotImplementedError


class McNemar(msgspec.Struct, frozen=True, kw_only=True):
    """Yes-or-no outcomes of the same items twice.

    gained, lost  items that only the second has, only the first has
    p             two-sided and exact (binomial on the items that changed); None where none did
    items         pairs
    """

    gained: int
    lost: int
    p: float | None
    items: int


def mcnemar(first: Sequence[bool] | NDArray[Any], second: Sequence[bool] | NDArray[Any]) -> McNemar:
    """McNemar's exact test (1947). Takes items as independent: where they come in units, whose
    items change together, `paired` is the test and this one says how many changed.
    """
    raise NotImplementedError
