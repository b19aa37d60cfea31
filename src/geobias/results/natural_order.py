"""The order in which people expect groups: income from low to high, regions as the World Bank
lists them, continents by name. What has no such order keeps its own.

A group that stands first because it has the largest number would stand elsewhere for the next
model, and no two figures could be compared line by line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from geobias.atlas.economies import INCOMES, REGION_CODES

_ORDERS: tuple[tuple[str, ...], ...] = (
    INCOMES,
    tuple(REGION_CODES),
    ("Global North", "Global South"),
    ("Global West", "Global East"),
    ("Africa", "Asia", "Europe", "North America", "Oceania", "South America"),
)
Row = TypeVar("Row", bound=Mapping[str, Any])


def in_natural_order(rows: Sequence[Row], column: str) -> list[Row]:
    """The rows in the order of the names in a column, where those have one; else as they are."""
    names = {row.get(column) for row in rows}
    order = next((one for one in _ORDERS if names <= set(one)), None)
    if order is None or len(names) < 2:
        return list(rows)
    return sorted(rows, key=lambda row: order.index(row[column]))
