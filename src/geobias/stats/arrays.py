"""Types of the arrays that statistical functions accept."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.int64]
Names: TypeAlias = Sequence[Any] | NDArray[Any]
"""Names of units, items or groups, one for each value."""
