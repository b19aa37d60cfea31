"""Draw world maps and their legends as SVG.

Every economy is an outline, or a dot if it is small, with a sentence about it. Drawings refer to
the outlines and patterns of `definitions`, which a page or file has once for all its maps.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from geobias.atlas.economies import economies
from geobias.atlas.outlines import HEIGHT as MAP_HEIGHT
from geobias.atlas.outlines import WIDTH as MAP_WIDTH
from geobias.atlas.outlines import outlines
from geobias.report.page.svg import (
    HATCH,
    SCALE,
    TWO_SIDED,
    UNASKED,
    light,
    svg_element,
    text_element,
    with_colour_names,
)
from geobias.results.charts import MapLegend, WorldMap
from geobias.results.figures import FROM_0_TO_1
from geobias.results.formatting import number, with_true_minus

DOT = 6.5
RAMPS = {"amount": SCALE, "two_sided": TWO_SIDED}


def world_map(chart: WorldMap) -> str:
    names, ramp = economies(), RAMPS[chart.ramp]
    dots, land = [], [f'<use class="land" href="#shape-other" fill="{light("blank")}"/>']
    for iso3, outline in outlines().items():
        if not iso3:
            continue
        spot = chart.spots.get(iso3)
        if spot is None:
            said, fill = f"{names[iso3].name}: not asked about", UNASKED
        elif spot.value is None:
            said, fill = spot.said, "url(#hatch)"
        else:
            shade = ramp[bisect.bisect_right(chart.limits, spot.value)]
            said, fill = spot.said, light(shade)
        label = quoteattr(with_true_minus(said))
        words = f'data-iso="{iso3}" fill="{fill}" aria-label={label}'
        shape = f'href="#shape-{iso3}"'
        if outline.dot:
            land.append(f'<use class="land" {shape} fill="{fill}"/>')
            dots.append(
                f'<circle class="economy" cx="{outline.x}" cy="{outline.y}" r="{DOT}" {words}/>'
            )
        else:
            land.append(f'<use class="economy" {shape} {words}/>')
    line = f'stroke="{light("faint")}" stroke-width="1.1" stroke-linejoin="round"'
    inside = f'<g class="map" {line}>{"".join(land)}<g>{"".join(dots)}</g></g>'
    return svg_element(inside, f"0 0 {MAP_WIDTH} {MAP_HEIGHT}")


def map_legend(chart: MapLegend) -> str:
    """A map's legend: swatches with the limits between them, and signs for land without a value."""
    ramp = RAMPS[chart.ramp][: len(chart.limits) + 1]
    wide, high, left = 46, 12, 1

    def swatch(x: float, width: float, fill: str, more: str = "") -> str:
        return f'<rect x="{x}" y="22" width="{width}" height="{high}" fill="{fill}"{more}/>'

    inside = [text_element(left, 13, chart.words, 12)]
    inside += [swatch(left + i * wide, wide - 1, light(shade)) for i, shade in enumerate(ramp)]
    whole = chart.limits == FROM_0_TO_1  # the ends of the scale are known
    marks = [0.0, *chart.limits, 1.0] if whole else chart.limits
    for i, limit in enumerate(same_decimals(marks), start=1 - whole):
        anchor = "start" if i == 0 else "middle"
        inside.append(text_element(left + i * wide - 0.5, 49, limit, 12, text_anchor=anchor))
    x, most = left, left + len(RAMPS[chart.ramp]) * wide + 20
    frame = f' stroke="{light("faint")}" stroke-width="0.7"'
    apart = [("not asked", UNASKED), *[("no value", "url(#hatch)")] * chart.without_value]
    for words, fill in apart:
        inside.append(swatch(x, 2 * high, fill, frame).replace('y="22"', 'y="65"'))
        inside.append(text_element(x + 2 * high + 5, 75, words, 12))
        x += 2 * high + 80
    return svg_element("".join(inside), f"0 0 {most} 80")


def same_decimals(limits: Sequence[float]) -> list[str]:
    """Write all limits with as many decimals as the most precise one needs: 0.08, 0.20."""
    digits = max((len(f"{limit:g}".partition(".")[2]) for limit in limits), default=0)
    return [with_true_minus(number(limit, digits)) for limit in limits]


def definitions() -> str:
    """Define the outlines of all economies, and the patterns of maps."""
    paths = "".join(
        f'<path id="shape-{iso3 or "other"}" d="{outline.path}"/>'
        for iso3, outline in outlines().items()
    )
    return f"{HATCH}<defs>{paths}</defs>"


def shared_definitions() -> str:
    """The definitions for all maps of a page."""
    return (
        '<svg class="outlines" width="0" height="0" aria-hidden="true">'
        f"{with_colour_names(definitions())}</svg>"
    )
