"""Read a user's table of points on the map, and find the economy in which each point lies."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from geobias.atlas.economies import economy
from geobias.atlas.outlines import economy_near
from geobias.atlas.table import TableError, finite_number, read_rows


class Point(NamedTuple):
    """A named point, perhaps with coordinates, and its economy ("" if there is none)."""

    id: str
    name: str
    country: str
    latitude: float | None = None
    longitude: float | None = None
    address: str = ""


def point_at(
    latitude: float, longitude: float, name: str, country: str, address: str = ""
) -> Point:
    """A point in the economy `country` or, if that is empty, in the economy at its coordinates."""
    where = f"{latitude:g} {longitude:g}"
    code = economy(country).iso3 if country else economy_near(latitude, longitude)
    identifier = f"{name} {where}".strip().replace("/", " ")
    return Point(identifier, name or where, code, latitude, longitude, address)


def read_points(path: Path) -> tuple[list[Point], list[str]]:
    """Return the points of a table, and a sentence for each that lies in no economy.

    The economy comes from the column `country` if the table has one, else from the coordinates.
    """
    points: dict[str, Point] = {}
    for line, row in read_rows(path, ("name", "latitude", "longitude", "address")):
        latitude, longitude = (
            finite_number(path, line, row[name]) for name in ("latitude", "longitude")
        )
        if abs(latitude) > 90 or abs(longitude) > 360:
            raise TableError(path, line, f"no place is at {latitude:g}, {longitude:g} degrees")
        if not (name := row["name"].strip()):
            raise TableError(path, line, "the place has no name")
        one = point_at(latitude, longitude, name, row.get("country", ""), row["address"].strip())
        if points.setdefault(one.id, one) is not one:
            raise TableError(path, line, f"{name} occurs twice")
    found = [one for one in points.values() if one.country]
    if not found:
        raise TableError(path, None, "none of its places lies in a country")
    return found, [
        f"{one.name} lies in no country: give it a country in a column of its own"
        for one in points.values()
        if not one.country
    ]
