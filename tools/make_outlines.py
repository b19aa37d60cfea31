"""Make src/geobias/atlas/tables/outlines.csv, outlines of economies, from Natural Earth.

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    python tools/make_outlines.py package src/geobias/atlas/tables/outlines.csv

`world-atlas` carries Natural Earth's countries (public domain) as TopoJSON. The 1:50m file gives
the outlines; Gibraltar and Tuvalu, which it leaves out, come from the 1:10m file. Lines that two
countries share are simplified once, so that no gap opens between them. Coordinates are whole
numbers.
"""

from __future__ import annotations

import csv
import heapq
import json
import math
import sys
from pathlib import Path
from typing import Any

from geobias.atlas.outlines import CENTRE, WIDTH, equal_earth

Point = tuple[float, float]
Ring = list[Point]

LEAST_TRIANGLE = 0.015
"""Points that span less than this with their neighbours are dropped (square degrees on the
equator): about a unit of the table."""
LEAST_ISLAND = 3.0
"""Islands smaller than this (square units) go, unless they are all an economy has."""
SMALL = 80.0
"""An economy whose land covers less than this gets a dot."""
APART = 13.0
"""Dots are pushed until their centres are this far apart."""
ECONOMIES = Path(__file__).parent.parent / "src/geobias/atlas/tables/economies.csv"
BY_NAME = {"Kosovo": "XKX", "Jersey": "CHI", "Guernsey": "CHI"}
"""Those without an ISO number, and the islands that the World Bank counts as one economy."""
LEFT_OUT = {"Antarctica"}


X_MOST, _ = equal_earth(180, 0)
_, Y_TOP = equal_earth(0, 84)
_, Y_BOTTOM = equal_earth(0, -57)
SCALE = WIDTH / (2 * X_MOST)
HEIGHT = round((Y_TOP - Y_BOTTOM) * SCALE)


def on_the_map(lon: float, lat: float) -> Point:
    """Whole units from the top left corner."""
    x, y = equal_earth(lon, lat)
    return round((x + X_MOST) * SCALE), round((Y_TOP - y) * SCALE)


def arcs_of(topology: dict[str, Any], least: float) -> list[Ring]:
    """The arcs in degrees, simplified."""
    (sx, sy), (tx, ty) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = []
    for deltas in topology["arcs"]:
        x = y = 0
        arc = []
        for dx, dy in deltas:
            x, y = x + dx, y + dy
            arc.append((x * sx + tx, y * sy + ty))
        arcs.append(simplified(arc, least))
    return arcs


def simplified(arc: Ring, least: float) -> Ring:
    """Visvalingam's method: the point that spans the smallest triangle goes, again and again."""
    n = len(arc)
    closed = arc[0] == arc[-1]
    keep = 4 if closed else 2
    before, after = list(range(-1, n - 1)), list(range(1, n + 1))
    alive = [True] * n

    def span(i: int) -> float:
        (ax, ay), (bx, by), (cx, cy) = arc[before[i]], arc[i], arc[after[i]]
        flat = math.cos(math.radians(by))
        return abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) * flat / 2

    queue = [(span(i), i) for i in range(1, n - 1)]
    spans = {i: s for s, i in queue}
    heapq.heapify(queue)
    left = n
    floor = 0.0
    while queue and left > keep:
        s, i = heapq.heappop(queue)
        if not alive[i] or spans[i] != s:
            continue
        floor = max(floor, s)
        if floor > least:
            break
        alive[i] = False
        left -= 1
        b, a = before[i], after[i]
        after[b], before[a] = a, b
        for j in (b, a):
            if 0 < j < n - 1:
                spans[j] = max(floor, span(j))
                heapq.heappush(queue, (spans[j], j))
    return [p for p, there in zip(arc, alive, strict=True) if there]


def rings_of(geometry: dict[str, Any], arcs: list[Ring]) -> list[list[Ring]]:
    """Polygons of a geometry, each a list of rings, in degrees."""

    def ring(indexes: list[int]) -> Ring:
        points: Ring = []
        for index in indexes:
            arc = arcs[index] if index >= 0 else arcs[~index][::-1]
            points += arc[1:] if points else arc
        return points

    shapes = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
    return [[ring(indexes) for indexes in polygon] for polygon in shapes]


def unrolled(ring: Ring) -> Ring:
    """Longitudes from the map's centre, without a jump where the ring crosses 180°."""
    rolled: Ring = []
    shift = 0.0
    for lon, lat in ring:
        x = lon - CENTRE + shift
        if rolled:
            while x - rolled[-1][0] > 180:
                x, shift = x - 360, shift - 360
            while x - rolled[-1][0] < -180:
                x, shift = x + 360, shift + 360
        rolled.append((x, lat))
    return rolled


def clipped(ring: Ring, low: float, high: float) -> Ring:
    """The part of a ring between two longitudes (Sutherland and Hodgman 1974)."""
    for limit, sign in ((low, 1), (high, -1)):
        kept: Ring = []
        for (ax, ay), (bx, by) in zip(ring, [*ring[1:], *ring[:1]], strict=True):
            a_in, b_in = sign * (ax - limit) >= 0, sign * (bx - limit) >= 0
            if a_in:
                kept.append((ax, ay))
            if a_in != b_in:
                share = (limit - ax) / (bx - ax)
                kept.append((limit, ay + share * (by - ay)))
        ring = kept
    return ring


def projected(polygons: list[list[Ring]]) -> list[list[Ring]]:
    """Polygons in units of the map, cut at its edge, without points that fall together."""
    found = []
    for polygon in polygons:
        rolled = [unrolled(ring) for ring in polygon]
        for turn in (-360, 0, 360):
            rings = []
            for ring in rolled:
                part = clipped([(x + turn, y) for x, y in ring], -180, 180)
                points: Ring = []
                for lon, lat in part:
                    point = on_the_map(lon, lat)
                    if not points or points[-1] != point:
                        points.append(point)
                if points and points[0] == points[-1]:
                    points.pop()
                rings.append(points)
            if rings and len(rings[0]) > 2:
                found.append([ring for ring in rings if len(ring) > 2])
    return found


def area(ring: Ring) -> float:
    """In square units, without its sign."""
    return (
        abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1], strict=True)))
        / 2
    )


def middle(polygons: list[list[Ring]]) -> Point:
    """The centre of mass of the largest polygon, or the mean of its points where it has no area."""
    ring = max((polygon[0] for polygon in polygons), key=area)
    signed = sx = sy = 0.0
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
        cross = ax * by - bx * ay
        signed, sx, sy = signed + cross, sx + (ax + bx) * cross, sy + (ay + by) * cross
    if abs(signed) < 1e-9:
        return sum(p[0] for p in ring) / len(ring), sum(p[1] for p in ring) / len(ring)
    return sx / (3 * signed), sy / (3 * signed)


def path(polygons: list[list[Ring]]) -> str:
    """SVG path data with whole, relative steps."""
    words = []
    for polygon in polygons:
        for ring in polygon:
            (x, y), *rest = ring
            steps = []
            for nx, ny in rest:
                steps.append(f"{nx - x:.0f},{ny - y:.0f}")
                x, y = nx, ny
            words.append(f"M{ring[0][0]:.0f},{ring[0][1]:.0f}l{' '.join(steps)}z")
    return "".join(words).replace(",-", "-").replace(" -", "-")


def spread(dots: dict[str, Point]) -> dict[str, Point]:
    """The dots, moved apart as little as it takes for each to be seen."""
    places = {name: list(dot) for name, dot in dots.items()}
    names = sorted(places)
    for _ in range(400):
        moved = False
        for i, one in enumerate(names):
            for two in names[i + 1 :]:
                (ax, ay), (bx, by) = places[one], places[two]
                gap = math.hypot(bx - ax, by - ay)
                if gap >= APART - 0.01:
                    continue
                moved = True
                push = (APART - gap) / 2
                ux, uy = ((bx - ax) / gap, (by - ay) / gap) if gap > 1e-6 else (1.0, 0.0)
                places[one] = [ax - ux * push, ay - uy * push]
                places[two] = [bx + ux * push, by + uy * push]
        if not moved:
            break
    return {name: (x, y) for name, (x, y) in places.items()}


def main(package: Path, out: Path) -> None:
    """Read the package's files, write the table."""
    with ECONOMIES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    by_number = {row["numeric"]: row["iso3"] for row in rows if row["numeric"]}
    land: dict[str, list[list[Ring]]] = {}
    for scale, least in (("50m", LEAST_TRIANGLE), ("10m", 0.0)):
        topology = json.loads((package / f"countries-{scale}.json").read_text("utf-8"))
        arcs = arcs_of(topology, least)
        raw = arcs_of(topology, 0.0) if least else arcs
        known = set(land)
        for geometry in topology["objects"]["countries"]["geometries"]:
            name = geometry["properties"]["name"]
            iso3 = by_number.get(geometry.get("id", "")) or BY_NAME.get(name, "")
            if name in LEFT_OUT or (scale == "10m" and (iso3 in known or not iso3)):
                continue
            polygons = projected(rings_of(geometry, arcs))
            if not polygons:
                # Smaller than a unit: a point of its outline stands for it.
                lon, lat = rings_of(geometry, raw)[0][0][0]
                x, y = on_the_map(unrolled([(lon, lat)])[0][0], lat)
                polygons = [[[(x, y), (x + 1, y), (x, y + 1)]]]
            land.setdefault(iso3, []).extend(polygons)
    if missing := {row["iso3"] for row in rows} - set(land):
        sys.exit(f"no outline for {', '.join(sorted(missing))}")
    sizes = {iso3: sum(area(p[0]) for p in polygons) for iso3, polygons in land.items()}
    dots = spread({iso3: middle(land[iso3]) for iso3 in land if iso3 and sizes[iso3] < SMALL})
    with out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["iso3", "x", "y", "dot", "path"])
        for iso3 in sorted(land):
            polygons = land[iso3]
            large = [p for p in polygons if area(p[0]) >= LEAST_ISLAND]
            polygons = large or [max(polygons, key=lambda p: area(p[0]))]
            x, y = dots.get(iso3) or middle(polygons)
            table.writerow([iso3, round(x), round(y), int(iso3 in dots), path(polygons)])
    print(
        f"{len(land) - 1} economies, {len(dots)} with dots, {WIDTH} × {HEIGHT}, "
        f"{out.stat().st_size:,} bytes"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
