"""World maps: every economy in its outline, small ones as dots, each with a sentence of its own."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from geobias.atlas.economies import economies
from geobias.report.page.colours import SCALE, TWO_SIDED, by_name, light
from geobias.report.page.shapes import HEIGHT, WIDTH, shapes
from geobias.report.page.svg import HATCH, framed
from geobias.results.charts import MapLegend, WorldMap
from geobias.results.formatting import number, with_true_minus

DOT = 6.5
RAMPS = {"amount": SCALE, "two_sided": TWO_SIDED}


def world_map(chart: WorldMap) -> str:
    """The map as SVG."""
    names, ramp = economies(), RAMPS[chart.ramp]
    dots, land = [], [f'<path class="land" d="{shapes()[""].path}" fill="{light("blank")}"/>']
    for iso3, shape in shapes().items():
        if not iso3:
            continue
        spot = chart.spots.get(iso3)
        said = spot.said if spot else f"{names[iso3].name}: not asked about"
        fill = light("blank")
        if spot is not None:
            fill = "url(#hatch)"
            if spot.value is not None:
                fill = light(ramp[bisect.bisect_right(chart.limits, spot.value)])
        home = ' data-home="1"' if iso3 == chart.home else ""
        label = quoteattr(with_true_minus(said))
        words = f'data-iso="{iso3}"{home} fill="{fill}" aria-label={label}'
        outline = f'd="{shape.path}"'
        if shape.dot:
            land.append(f'<path class="land" {outline} fill="{fill}"/>')
            dots.append(
                f'<circle class="economy" cx="{shape.x}" cy="{shape.y}" r="{DOT}" {words}/>'
            )
        else:
            land.append(f'<path class="economy" {outline} {words}/>')
    line = f'stroke="{light("faint")}" stroke-width="1.1" stroke-linejoin="round"'
    inside = f'<g class="map" {line}>{"".join(land)}<g>{"".join(dots)}</g></g>'
    return framed(HATCH + inside, f"0 0 {WIDTH} {HEIGHT}")


def legend(chart: MapLegend) -> str:
    """Swatches with the limits between them. Some land is never asked about."""
    ramp = RAMPS[chart.ramp]
    wide, high, left = 46, 12, 1
    inside = [
        f'<text x="{left}" y="13" font-size="12" fill="{light("muted")}">{chart.words}</text>'
    ]
    for i, shade in enumerate(ramp):
        inside.append(
            f'<rect x="{left + i * wide}" y="22" width="{wide - 1}" height="{high}" '
            f'fill="{light(shade)}"/>'
        )
    for i, said in enumerate(said_alike(chart.limits, percent=chart.percent), start=1):
        inside.append(
            f'<text x="{left + i * wide - 0.5}" y="49" font-size="11" text-anchor="middle" '
            f'fill="{light("muted")}">{said}</text>'
        )
    x = left + len(ramp) * wide + 14
    most = x + 2 * (2 * high + 66)  # the same with and without the last swatch, and so the letters
    apart = [("not asked", light("blank")), *[("no value", "url(#hatch)")] * chart.without_value]
    for said, fill in apart:
        inside.append(
            f'<rect x="{x}" y="22" width="{2 * high}" height="{high}" fill="{fill}" '
            f'stroke="{light("faint")}" stroke-width="0.7"/>'
            f'<text x="{x + 2 * high + 5}" y="32" font-size="11" fill="{light("muted")}">'
            f"{said}</text>"
        )
        x += 2 * high + 66
    return framed(HATCH + "".join(inside), f"0 0 {most} 54")


def said_alike(limits: Sequence[float], *, percent: bool = False) -> list[str]:
    """Numbers of one scale with the same decimals, as many as the finest of them needs: 0.08,
    0.20."""
    shown = [round(limit * 100, 6) if percent else limit for limit in limits]
    digits = max((len(f"{one:g}".partition(".")[2]) for one in shown), default=0)
    return [with_true_minus(number(one, digits)) + "%" * percent for one in shown]


_OUTLINE = re.compile(r'<path (class="(?:economy|land)") d="([^"]*)"')


def shared_outlines() -> str:
    """The outlines as definitions, so that several maps of a page draw the same ones."""
    paths = "".join(
        f'<path id="shape-{iso3 or "other"}" d="{shape.path}"/>' for iso3, shape in shapes().items()
    )
    return (
        '<svg class="outlines" width="0" height="0" aria-hidden="true">'
        f"{by_name(HATCH)}<defs>{paths}</defs></svg>"
    )


def with_shared_outlines(svg: str) -> str:
    """A map or its legend that refers to `shared_outlines` instead of repeating them."""
    codes = {shape.path: iso3 or "other" for iso3, shape in shapes().items()}
    return _OUTLINE.sub(
        lambda found: f'<use {found.group(1)} href="#shape-{codes[found.group(2)]}"',
        svg.replace(HATCH, ""),
    )
