"""Outlines and maps."""

from __future__ import annotations

import re

import pytest

from geobias.atlas.economies import economies
from geobias.atlas.outlines import HEIGHT, WIDTH, economy_near, outlines
from geobias.report.page.drawing import draw, shared_definitions
from geobias.results.charts import Spot, WorldMap
from tests.labelled import table_beside


def area(path: str) -> float:
    """Square units inside relative path data; holes are few and small."""
    total = 0.0
    for ring in path.split("z")[:-1]:
        start, steps = ring.removeprefix("M").split("l")
        numbers = [int(n) for n in re.findall(r"-?\d+", start + " " + steps)]
        x, y = numbers[0], numbers[1]
        points = [(x, y)]
        for dx, dy in zip(numbers[2::2], numbers[3::2], strict=True):
            x, y = x + dx, y + dy
            points.append((x, y))
        around = zip(points, points[1:] + points[:1], strict=True)
        total += abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in around)) / 2
    return total


def test_every_economy_has_an_outline_on_the_map() -> None:
    assert set(outlines()) == {*economies(), ""}
    assert all(0 <= one.x <= WIDTH and 0 <= one.y <= HEIGHT for one in outlines().values())


@pytest.mark.parametrize(
    ("iso3", "thousand_square_km"),
    [("DZA", 2382), ("GRL", 2166), ("BRA", 8516), ("IDN", 1905), ("FRA", 633), ("AUS", 7692)],
)
def test_areas_can_be_compared(iso3: str, thousand_square_km: float) -> None:
    # The Democratic Republic of the Congo, on the equator, is the yardstick.
    unit = area(outlines()["COD"].path) / 2345
    assert area(outlines()[iso3].path) / unit == pytest.approx(thousand_square_km, rel=0.06)


def test_an_economy_without_a_value_is_drawn_and_says_so() -> None:
    spots = {"KEN": Spot(0.5, "Kenya: 0.50")}
    svg = draw(WorldMap(spots=spots, limits=[0.4]), "")
    assert 'fill="var(--scale-1)" aria-label="Kenya: 0.50"' in svg
    assert 'aria-label="Tuvalu: not asked about"' in svg
    assert svg.count('class="economy"') == len(economies())


def test_maps_of_a_page_share_their_outlines() -> None:
    drawn = draw(WorldMap(spots={}, limits=[0.5]), "")
    shapes = re.findall(r'href="#([\w-]+)"', drawn)
    assert set(shapes) == set(re.findall(r'<path id="([\w-]+)"', shared_definitions()))


@pytest.mark.parametrize("row", table_beside(__file__, "places.csv"))
def test_a_place_lies_in_its_economy_and_the_sea_and_what_is_no_place_in_none(
    row: dict[str, str],
) -> None:
    assert economy_near(float(row["latitude"]), float(row["longitude"])) == row["iso3"]
