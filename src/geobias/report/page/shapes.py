"""Outlines of the economies, in an equal-area projection, as `tools/make_shapes.py` makes them.

Lines are Natural Earth's (public domain), which draws who holds a place, not who claims it. Land
that belongs to none of the 218 economies (Western Sahara, Somaliland, Northern Cyprus and some
islands) has a row without a code.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

from geobias.atlas.table import read_rows

WIDTH, HEIGHT = 2000, 870
TABLE = Path(__file__).parent / "shapes.csv"


class Shape(msgspec.Struct, frozen=True):
    """An outline as SVG path data, and its middle. `dot`: too small to be seen without one."""

    x: int
    y: int
    dot: bool
    path: str


@cache
def shapes() -> Mapping[str, Shape]:
    """Outlines by three-letter code; "" is land of no economy."""
    rows = read_rows(TABLE, ("iso3", "x", "y", "dot", "path"))
    return MappingProxyType(
        {
            row["iso3"]: Shape(int(row["x"]), int(row["y"]), row["dot"] == "1", row["path"])
            for _, row in rows
        }
    )
