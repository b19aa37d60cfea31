"""Numbers that users give: finite, and such that a table can hold them.

"nan" is a number to Python, is neither over a limit nor under it, and so would be no limit at all.
"""

from __future__ import annotations

import math

from geobias.errors import BadRequest

LARGEST = 2**63 - 1


def is_usable(value: float) -> bool:
    """Whether it is a number to count with: not infinite, not "nan", not of more than 64 bits."""
    if isinstance(value, int):
        return -LARGEST - 1 <= value <= LARGEST
    return math.isfinite(value)


def usable(value: float, name: str) -> float:
    """The number. Raises BadRequest, with its name, where nobody can count with it."""
    if not is_usable(value):
        raise BadRequest(f"{name} cannot be {str(value)[:40]}: give a number that is not infinite")
    return value
