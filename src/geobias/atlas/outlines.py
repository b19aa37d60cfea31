"""The outline of every economy on a world map. Also finds the economy at given coordinates.

Outlines are in an equal-area projection, made by `tools/make_outlines.py`. The lines are Natural
Earth's (public domain). They show which state controls a place, not which states claim it. Land
that belongs to none of the 218 economies (Western Sahara, Somaliland, Northern Cyprus and some
islands) has a row without a code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import numpy as np

from geobias.atlas.table import read_rows
from geobias.stats.arrays import Floats

WIDTH, HEIGHT = 2000, 870
"""Size of the map. One unit is about 17 km on the equator."""
OUTLINES = Path(__file__).parent / "tables/outlines.csv"
CENTRE = 11.0
"""Longitude of the map's middle, chosen so that the edge runs through Bering Strait and not Russia.
"""
AT_SEA = 100.0
"""About 1,700 km on the equator. A place outside all outlines belongs to the nearest economy within
this distance, since outlines are coarse and leave out small islands.
"""
Point = tuple[float, float]


class Outline(msgspec.Struct, frozen=True):
    """An outline as SVG path data, with its middle. Small ones are drawn as a `dot` too."""

    x: int
    y: int
    dot: bool
    path: str


@cache
def outlines() -> Mapping[str, Outline]:
    """Outlines by three-letter code; "" is land of no economy."""
    rows = read_rows(OUTLINES, ("iso3", "x", "y", "dot", "path"))
    return MappingProxyType(
        {
            row["iso3"]: Outline(int(row["x"]), int(row["y"]), row["dot"] == "1", row["path"])
            for _, row in rows
        }
    )


def economy_near(latitude: float, longitude: float) -> str:
    """The code of the economy at a place, or of the nearest one within `AT_SEA`, else ""."""
    if not (abs(latitude) <= 90 and abs(longitude) <= 360):
        return ""
    x, y = on_the_map(latitude, longitude)
    codes, owner, ax, ay, bx, by = _segments()
    dx, dy = bx - ax, by - ay
    with np.errstate(divide="ignore", invalid="ignore"):
        # A line from the place to the east enters and leaves an outline equally often, unless the
        # place lies inside.
        crossed = ((ay > y) != (by > y)) & (x < ax + (y - ay) / dy * dx)
        along = np.nan_to_num(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)).clip(0, 1)
    inside = np.bincount(owner[crossed], minlength=len(codes)) % 2
    if inside.any():
        return codes[int(inside.argmax())]
    apart = np.hypot(ax + along * dx - x, ay + along * dy - y)
    nearest = int(apart.argmin())
    return codes[owner[nearest]] if apart[nearest] <= AT_SEA else ""


def on_the_map(latitude: float, longitude: float) -> Point:
    """Map units from the top left corner."""
    x, y = equal_earth((longitude - CENTRE + 180) % 360 - 180, latitude)
    return (x + _X_MOST) * _SCALE, (_Y_TOP - y) * _SCALE


def equal_earth(longitude: float, latitude: float) -> Point:
    """Project degrees from the map's centre (Equal Earth: Šavrič, Patterson and Jenny 2018)."""
    a1, a2, a3, a4 = 1.340264, -0.081106, 0.000893, 0.003796
    root = math.sqrt(3) / 2
    theta = math.asin(root * math.sin(math.radians(latitude)))
    t2 = theta * theta
    t6 = t2**3
    slope = root * (a1 + 3 * a2 * t2 + t6 * (7 * a3 + 9 * a4 * t2))
    x = math.radians(longitude) * math.cos(theta) / slope
    return x, theta * (a1 + a2 * t2 + t6 * (a3 + a4 * t2))


_X_MOST, _ = equal_earth(180, 0)
_, _Y_TOP = equal_earth(0, 84)
_SCALE = WIDTH / (2 * _X_MOST)


class _Segments(NamedTuple):
    codes: list[str]
    owner: np.ndarray[tuple[int], np.dtype[np.int64]]
    ax: Floats
    ay: Floats
    bx: Floats
    by: Floats


@cache
def _segments() -> _Segments:
    """The segments in the path data: closed lines, as a start (M) followed by steps (l)."""
    owner: list[int] = []
    ends = []
    for number, outline in enumerate(outlines().values()):
        for part in outline.path.split("M")[1:]:
            steps = np.array([int(one) for one in re.findall(r"-?\d+", part)], float)
            points = steps.reshape(-1, 2).cumsum(axis=0)
            ends.append(np.hstack([points, np.roll(points, -1, axis=0)]))
            owner += [number] * len(points)
    return _Segments(list(outlines()), np.array(owner), *np.vstack(ends).T)
