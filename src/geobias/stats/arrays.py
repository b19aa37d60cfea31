"""Types of the arrays that statistical functions accept."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = Sequence[float] | NDArray[Any]
Index: TypeAlias = NDArray[np.int64]
Names: TypeAlias = Sequence[Any] | NDArray[Any]
"""Names of units, items or groups, one for each value."""

ROUNDING = 1e-12
"""Differences smaller than this count as 0, since rounding errors differ between processors."""


def varies(values: Floats) -> bool:
    """Whether values differ by more than rounding error."""
    largest = max(0.01, float(np.abs(values).max(initial=0.0)))
    return len(values) > 0 and float(np.ptp(values)) > ROUNDING * largest
