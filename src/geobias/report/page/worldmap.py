"""World maps: every economy in its outline, small ones as dots, each with a sentence of its own."""

from __future__ import annotations

import bisect
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from geobias.atlas.economies import economies
from geobias.report.page.colours import by_name, light
from geobias.report.page.drawing import HATCH, attribute, framed
from geobias.report.page.said import number
from geobias.report.page.shapes import HEIGHT, WIDTH, shapes

DOT = 6.5


class Spot(NamedTuple):
    """What the map says of an economy that was asked about; no value, no colour."""

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
    """The map as SVG.

    Economies without a value are hatched; those in no spot were not asked about and are blank.
    """
    names = economies()
    dots, land = [], [f'<path class="land" d="{shapes()[""].path}" fill="{light("blank")}"/>']
    for iso3, shape in shapes().items():
        if not iso3:
            continue
        spot = spots.get(iso3)
        said = spot.said if spot else f"{names[iso3].name}: not asked about"
        fill = light("blank")
        if spot is not None:
            fill = "url(#hatch)"
            if spot.value is not None:
                fill = light(ramp[bisect.bisect_right(limits, spot.value)])
        words = f'data-iso="{iso3}" fill="{fill}" aria-label={attribute(said)}'
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


def legend(
    limits: Sequence[float],
    ramp: Sequence[str],
    words: str,
    *,
    percent: bool = False,
    without_value: bool = False,
) -> str:
    """Swatches with the limits between them; `words` says what is measured.

    Some land is never asked about. `without_value` is True where an economy was and has no value.
    """
    wide, high, left = 46, 12, 1
    inside = [f'<text x="{left}" y="13" font-size="12" fill="{light("muted")}">{words}</text>']
    for i, shade in enumerate(ramp):
        inside.append(
            f'<rect x="{left + i * wide}" y="22" width="{wide - 1}" height="{high}" '
            f'fill="{light(shade)}"/>'
        )
    for i, said in enumerate(said_alike(limits, percent=percent), start=1):
        inside.append(
            f'<text x="{left + i * wide - 0.5}" y="49" font-size="11" text-anchor="middle" '
            f'fill="{light("muted")}">{said}</text>'
        )
    x = left + len(ramp) * wide + 14
    most = x + 2 * (2 * high + 66)  # the same with and without the last swatch, and so the letters
    apart = [("not asked", light("blank")), *[("no value", "url(#hatch)")] * without_value]
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
    return [number(one, digits) + "%" * percent for one in shown]


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
