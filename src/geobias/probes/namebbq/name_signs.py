"""How plainly names are signs of a nationality and a gender, as the tables of names have it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from geobias.atlas.names import EDITIONS, Name, all_names, names

ORDER = ("high", "medium", "low")


def least_exclusive(both: Iterable[Name]) -> str:
    """Of two names, what is said of the one that is less exclusive."""
    return max((one.exclusive for one in both), key=ORDER.index)


@cache
def shipped_signs() -> dict[tuple[str, str], Name]:
    """Nationality and name → its row, of the latest edition that has it: for records of runs that
    did not keep it."""
    return {
        (one.nationality, one.name): one
        for edition in EDITIONS
        for one in all_names(names(edition))
    }
