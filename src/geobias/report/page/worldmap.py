"""World maps: every economy in its outline, small ones as dots, each with a sentence of its own."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from geobias.atlas.economies import economies
from geobias.report.page.colours import light
from geobias.report.page.drawing import attribute, framed
from geobias.report.page.shapes import HEIGHT, WIDTH, shapes

DOT = 6.5


class Spot(NamedTuple):
    """What the map says of one economy; no value, no colour."""

    value: float | None
    said: str


def classes(values: Iterable[float], ramp: Sequence[str]) -> list[float]:
    """Limits between the shades: even steps of a round size that hold 95% of the values.

    What lies outside takes the shade at the end. Without values the steps are tenths.
    """
    known = sorted(values)
    if not known:
        return [0.1 * i for i in range(1, len(ramp))]
    low = known[int(0.025 * (len(known) - 1))]
    high = known[math.ceil(0.975 * (len(known) - 1))]
    step = _round_step((high - low) / len(ramp))
    start = math.floor(low / step + 1e-9) * step
    return [round(start + step * i, 6) for i in range(1, len(ramp))]


def two_sided_classes(values: Iterable[float], ramp: Sequence[str]) -> list[float]:
    """The same for numbers on both sides of 0: the middle shade is for those near it."""
    known = sorted(abs(value) for value in values)
    reach = known[math.ceil(0.95 * (len(known) - 1))] if known else 0.5
    step = _round_step(2 * reach / len(ramp))
    middle = (len(ramp) - 2) / 2
    return [round(step * (i - middle), 6) for i in range(len(ramp) - 1)]


def _round_step(rough: float) -> float:
    if rough <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(rough))
    return next(
        (power * one for one in (1, 1.5, 2, 2.5, 3, 4, 5) if power * one >= rough * 0.95),
        power * 10,
    )


def world_map(spots: Mapping[str, Spot], limits: Sequence[float], ramp: Sequence[str]) -> str:
    """The map as SVG. Economies that are in no spot are drawn as not asked about."""
    names = economies()
    dots, land = [], [f'<path class="land" d="{shapes()[""].path}" fill="{light("no-data")}"/>']
    for iso3, shape in shapes().items():
        if not iso3:
            continue
        spot = spots.get(iso3) or Spot(None, f"{names[iso3].name}: not asked about")
        shade = (
            ramp[bisect.bisect_right(limits, spot.value)] if spot.value is not None else "no-data"
        )
        words = f'data-iso="{iso3}" fill="{light(shade)}" aria-label={attribute(spot.said)}'
        outline = f'd="{shape.path}"'
        if shape.dot:
            land.append(f'<path class="land" {outline} fill="{light(shade)}"/>')
            dots.append(
                f'<circle class="economy" cx="{shape.x}" cy="{shape.y}" r="{DOT}" {words}/>'
            )
        else:
            land.append(f'<path class="economy" {outline} {words}/>')
    line = f'stroke="{light("paper")}" stroke-width="1.2" stroke-linejoin="round"'
    rim = f'stroke="{light("faint")}" stroke-width="1"'
    inside = f'<g class="map" {line}>{"".join(land)}<g {rim}>{"".join(dots)}</g></g>'
    return framed(inside, f"0 0 {WIDTH} {HEIGHT}")


def legend(limits: Sequence[float], ramp: Sequence[str], words: str, percent: bool = False) -> str:
    """Swatches with the limits between them; `words` says what is measured."""
    wide, high, left = 46, 12, 1
    inside = [f'<text x="{left}" y="13" font-size="12" fill="{light("muted")}">{words}</text>']
    for i, shade in enumerate(ramp):
        inside.append(
            f'<rect x="{left + i * wide}" y="22" width="{wide - 1}" height="{high}" '
            f'fill="{light(shade)}"/>'
        )
    for i, limit in enumerate(limits, start=1):
        said = f"{limit:.0%}" if percent else f"{limit:g}".replace("-", "−")
        inside.append(
            f'<text x="{left + i * wide - 0.5}" y="49" font-size="11" text-anchor="middle" '
            f'fill="{light("muted")}">{said}</text>'
        )
    x = left + len(ramp) * wide + 14
    inside.append(
        f'<rect x="{x}" y="22" width="{high}" height="{high}" fill="{light("no-data")}"/>'
        f'<text x="{x + high + 5}" y="32" font-size="11" fill="{light("muted")}">no value</text>'
    )
    return framed("".join(inside), f"0 0 {x + 80} 54")


_OUTLINE = re.compile(r'<path (class="(?:economy|land)") d="([^"]*)"')


def shared_outlines() -> str:
    """The outlines as definitions, so that several maps of a page draw the same ones."""
    paths = "".join(
        f'<path id="shape-{iso3 or "other"}" d="{shape.path}"/>' for iso3, shape in shapes().items()
    )
    return (
        f'<svg class="outlines" width="0" height="0" aria-hidden="true"><defs>{paths}</defs></svg>'
    )


def with_shared_outlines(svg: str) -> str:
    """A map that refers to `shared_outlines` instead of repeating them."""
    codes = {shape.path: iso3 or "other" for iso3, shape in shapes().items()}
    return _OUTLINE.sub(
        lambda found: f'<use {found.group(1)} href="#shape-{codes[found.group(2)]}"', svg
    )
