"""Types of arrays in the statistics."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.int64]
Names: TypeAlias = Sequence[Any] | NDArray[Any]
"""A name for each value: of its unit, item or group."""
