"""The outline of every economy on a map of the world, and whose a place on it is.

Outlines are in an equal-area projection, as `tools/make_outlines.py` makes them. Lines are Natural
Earth's (public domain), which draws who holds a place, not who claims it. Land that belongs to none
of the 218 economies (Western Sahara, Somaliland, Northern Cyprus and some islands) has a row
without a code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import msgspec

from geobias.atlas.table import read_rows

WIDTH, HEIGHT = 2000, 870
"""Of the map. A unit is about 17 km on the equator."""
OUTLINES = Path(__file__).parent / "tables/outlines.csv"
CENTRE = 11.0
"""The longitude of the map's middle: it cuts through Bering Strait and leaves Russia whole."""
OFF_SHORE = 5.0
"""Units by which a place may lie outside all outlines, which are drawn coarsely, and leave out
small islands."""
AT_SEA = 100.0
"""About 400 km: an island that the map does not draw is of an economy that is no further."""
_REACH = OFF_SHORE + 1e-6
"""Rounding must not put what lies at the limit beyond it."""
Point = tuple[float, float]


class Outline(msgspec.Struct, frozen=True):
    """An outline as SVG path data, and its middle. `dot`: too small to be seen without one."""

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


@lru_cache(maxsize=20_000)
def economy_at(latitude: float, longitude: float) -> str:
    """The code of the economy that a place lies in, or off whose shore; "" where there is none."""
    if not (abs(latitude) <= 90 and abs(longitude) <= 360):
        return ""
    place = on_the_map(latitude, longitude)
    nearest, least = "", math.inf
    for iso3, rings in _rings().items():
        distance = _distance(place, rings)
        if distance == 0:
            return iso3
        if distance < least:
            nearest, least = iso3, distance
    return nearest if least <= OFF_SHORE else ""


def nearest_economy(latitude: float, longitude: float) -> str:
    """The economy whose outline is nearest, of those within `AT_SEA`; "" where there is none."""
    if not (abs(latitude) <= 90 and abs(longitude) <= 360):
        return ""
    x, y = on_the_map(latitude, longitude)
    apart = {
        iso3: min(
            (math.hypot(px - x, py - y) for ring in rings for px, py in ring.points),
            default=math.inf,
        )
        for iso3, rings in _rings().items()
    }
    nearest = min(apart, key=lambda iso3: apart[iso3])
    return nearest if apart[nearest] <= AT_SEA else ""


def on_the_map(latitude: float, longitude: float) -> Point:
    """Units from the top left corner."""
    x, y = equal_earth((longitude - CENTRE + 180) % 360 - 180, latitude)
    return (x + _X_MOST) * _SCALE, (_Y_TOP - y) * _SCALE


def equal_earth(longitude: float, latitude: float) -> Point:
    """Longitude (degrees from the centre, -180 to 180) and latitude to x and y of the unit map.

    Equal Earth (Šavrič, Patterson and Jenny 2018).
    """
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


class _Ring(msgspec.Struct, frozen=True):
    points: list[Point]
    low: Point
    high: Point


@cache
def _rings() -> dict[str, list[_Ring]]:
    return {iso3: list(_rings_of(outline.path)) for iso3, outline in outlines().items()}


def _rings_of(path: str) -> Iterator[_Ring]:
    """The closed lines of path data: a start (M), and whole steps from there (l)."""
    for part in path.split("M")[1:]:
        numbers = [int(one) for one in re.findall(r"-?\d+", part)]
        x = y = 0
        points: list[Point] = []
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            x, y = x + dx, y + dy
            points.append((x, y))
        xs, ys = zip(*points, strict=True)
        yield _Ring([*points, points[0]], (min(xs), min(ys)), (max(xs), max(ys)))


def _distance(place: Point, rings: list[_Ring]) -> float:
    """From a place to an outline; 0 inside, and infinite where it is far off shore."""
    (x, y), least, inside = place, math.inf, False
    # What is further away than counts as off shore is not worth a look.
    left, right, top, bottom = x - _REACH, x + _REACH, y - _REACH, y + _REACH
    for ring in rings:
        if right < ring.low[0] or ring.high[0] < left:
            continue
        if bottom < ring.low[1] or ring.high[1] < top:
            continue
        for (ax, ay), (bx, by) in pairwise(ring.points):
            if (ay < top and by < top) or (ay > bottom and by > bottom):
                continue
            if (ay > y) != (by > y) and x < ax + (y - ay) / (by - ay) * (bx - ax):
                inside = not inside
            if (ax < left and bx < left) or (ax > right and bx > right):
                continue
            length = (bx - ax) ** 2 + (by - ay) ** 2
            along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length if length else 0.0
            share = min(1.0, max(0.0, along))
            least = min(least, math.hypot(ax + share * (bx - ax) - x, ay + share * (by - ay) - y))
    return 0.0 if inside else least
