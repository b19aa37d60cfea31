"""Draw charts (`templates/charts.svg`) for the page, and whole figures for files.

On a page, colours are names (`var(--ink)`), so that a drawing follows the reader's light or dark
setting and prints on white. In a file they are the values on white paper.
"""

from __future__ import annotations

import bisect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

import msgspec
from jinja2 import Environment
from markupsafe import Markup

from geobias.atlas.economies import economies
from geobias.atlas.outlines import HEIGHT as MAP_HEIGHT
from geobias.atlas.outlines import WIDTH as MAP_WIDTH
from geobias.atlas.outlines import Outline, outlines
from geobias.report.page.comparison import Cell
from geobias.report.page.planes import draw_plane, plane_size
from geobias.report.page.text import template_environment
from geobias.results.charts import Chart, Intervals, MapLegend, Plane, WorldMap
from geobias.results.figures import FROM_0_TO_1, SHADES, Figure, Panel
from geobias.results.formatting import number, with_true_minus

HERE = Path(__file__).parent
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
WIDTH, ROW = 470, 22
"""Pixels: the width of a chart of rows, and the height of a row."""
MARGIN = 24
WIDEST = 1000
"""Maximum width of a panel in a saved figure. Maps are shrunk to it, since their outlines have a
finer grid.
"""
RAMPS = {
    "amount": [f"scale-{i}" for i in range(SHADES)],
    "two_sided": [f"two-{i}" for i in range(SHADES)],
}
Drawn: TypeAlias = Chart | MapLegend | Cell


@cache
def colours() -> dict[str, tuple[str, str]]:
    """Name → the value on white paper, and the value on dark screens."""
    text = (HERE / "colours.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, tuple[str, str]])


def colour_style(dark_where: str = "(prefers-color-scheme:dark)") -> str:
    """A style sheet that defines the colours, with dark values where `dark_where` holds."""
    light, dark = (
        "".join(f"--{name}:{values[i]};" for name, values in colours().items()) for i in (0, 1)
    )
    return f":root{{{light}}}@media {dark_where}{{:root{{{dark}}}}}"


@cache
def _templates(*, on_page: bool) -> Environment:
    def colour(name: str) -> str:
        if name not in colours():
            return f"url(#{name})"  # a pattern
        return f"var(--{name})" if on_page else colours()[name][0]

    environment = template_environment([HERE / "templates"], trim_blocks=True, lstrip_blocks=True)
    environment.filters["g"] = "{:g}".format
    environment.globals |= {
        "WIDTH": WIDTH,
        "ROW": ROW,
        "MARGIN": MARGIN,
        "FONT": FONT,
        "colour": colour,
        "scaled": scaled,
        "shaded": shaded,
        "shades": RAMPS,
        "same_decimals": same_decimals,
        "FROM_0_TO_1": FROM_0_TO_1,
        "outlines": outlines,
    }
    return environment


def _macro(name: str, *, on_page: bool) -> Callable[..., Markup]:
    shapes = _templates(on_page=on_page).get_template("charts.svg").module
    macro: Callable[..., Markup] = getattr(shapes, name)
    return macro


def _shapes(chart: Drawn, *, on_page: bool) -> Markup:
    if isinstance(chart, Plane):
        return Markup(draw_plane(chart))  # noqa: S704
    return _macro(type(chart).__name__, on_page=on_page)(chart)


def draw(chart: Drawn, words: str) -> Markup:
    """A drawing as an element of the page, described in words."""
    return _macro("svg", on_page=True)(_shapes(chart, on_page=True), *size(chart), words)


def shared_definitions() -> Markup:
    return _macro("shared_definitions", on_page=True)()


def scaled(domain: tuple[float, float], start: float, end: float) -> Callable[[float], float]:
    """A function from values to places between `start` and `end`, which are the domain's ends."""
    low, high = domain

    def place(value: float) -> float:
        share = min(1.0, max(0.0, (value - low) / (high - low)))
        return round(start + share * (end - start), 1)

    return place


def shaded(chart: WorldMap) -> Iterator[tuple[str, Outline, str, str]]:
    """Yield each economy's code, outline, shade or pattern, and sentence."""
    for iso3, outline in outlines().items():
        spot = chart.spots.get(iso3)
        if not iso3:
            continue  # land of no economy
        if spot is None:
            yield iso3, outline, "unasked", f"{economies()[iso3].name}: not asked about"
        elif spot.value is None:
            yield iso3, outline, "hatch", spot.said
        else:
            shade = bisect.bisect_right(chart.limits, spot.value)
            yield iso3, outline, RAMPS[chart.ramp][shade], spot.said


def same_decimals(limits: Sequence[float]) -> list[str]:
    """Write all limits with as many decimals as the most precise one needs: 0.08, 0.20."""
    digits = max((len(f"{limit:g}".partition(".")[2]) for limit in limits), default=0)
    return [with_true_minus(number(limit, digits)) for limit in limits]


def size(chart: Drawn) -> tuple[float, float]:
    match chart:
        case Intervals():
            return WIDTH, ROW * (len(chart.rows) + 1) + 38
        case WorldMap():
            return MAP_WIDTH, MAP_HEIGHT
        case Plane():
            return plane_size(chart)
        case MapLegend():
            return 343, 80
    return 150, 20


def panel_words(figure: Figure, panel: Panel) -> str:
    """Describe a panel for readers who cannot see it, with its largest and smallest value."""
    said = [f"{figure.title}.", figure.alt, panel.label]
    if isinstance(panel.chart, Intervals):
        known = [dot for dot in panel.chart.rows if dot.value is not None]
        if len(known) > 1:
            most, least = (pick(known, key=attrgetter("value")) for pick in (max, min))
            said += [f"Largest: {most.said}.", f"Smallest: {least.said}."]
    return with_true_minus(" ".join(filter(None, said)))


def whole_svg(figure: Figure, *, bare: bool = False) -> str:
    """The whole figure as one SVG file: title, panels with their labels, note and source.

    If `bare`, it has no title, note or source, since a paper has these in its caption.
    """
    if bare:
        figure = msgspec.structs.replace(figure, title="", note="", source="")
    wide, _ = size(figure.panels[0].chart)
    scale = min(1, WIDEST / wide)
    columns = 1 if figure.wide else min(2, len(figure.panels))
    total = max(columns * (wide * scale + MARGIN) + MARGIN, 480)
    title = _wrapped(figure.title, total, 9.2)
    y = MARGIN + 20 + 22.0 * len(title)
    placed: list[tuple[float, float, float, Chart | MapLegend, str]] = []
    if figure.legend:
        placed.append((MARGIN, y, 1, figure.legend, ""))
        y += size(figure.legend)[1] + 12
    for start in range(0, len(figure.panels), columns):
        row = figure.panels[start : start + columns]
        y += 20 * any(panel.label for panel in row)
        for i, panel in enumerate(row):
            x = MARGIN + i * (wide * scale + MARGIN)
            placed.append((x, y, scale, panel.chart, panel.label))
        y += max(size(panel.chart)[1] for panel in row) * scale + 16
    below = []
    for words in filter(None, (figure.note, figure.source)):
        for line in _wrapped(words, total, 5.6):
            below.append((y + 8, line))
            y += 15
        y += 6
    whole = _templates(on_page=False).get_template("figure.svg")
    return whole.render(
        figure=figure,
        width=total,
        height=y + MARGIN,
        title=title,
        placed=placed,
        below=below,
        size=size,
        shapes=partial(_shapes, on_page=False),
    )


def _wrapped(words: str, width: float, letter: float) -> list[str]:
    """Break the words into lines that fit between the margins, at `letter` pixels per letter."""
    return textwrap.wrap(words, max(20, int((width - 2 * MARGIN) / letter)))
