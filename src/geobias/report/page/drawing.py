"""Draw figures (`results.figures`) for the page and for the files of `--save-figures`."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from operator import itemgetter

import msgspec
import polars as pl
from markupsafe import Markup

from geobias.report.formats import without_formula
from geobias.report.page.intervals import draw_intervals
from geobias.report.page.maps import definitions, map_legend, world_map
from geobias.report.page.planes import draw_plane
from geobias.report.page.svg import inlined, light, size, svg_element, text_element
from geobias.results.charts import Chart, Intervals, Plane, WorldMap
from geobias.results.figures import Figure, Panel
from geobias.results.findings import Cell
from geobias.results.formatting import with_true_minus

MARGIN = 24
WIDEST = 1000
"""Maximum width of a panel in a saved figure. Maps are shrunk to it, since their outlines have a
finer grid.
"""


class DrawnPanel(msgspec.Struct, frozen=True):
    svg: str
    label: str


class DrawnFigure(msgspec.Struct, frozen=True):
    figure: Figure
    panels: list[DrawnPanel]
    legend: str


def draw_figure(figure: Figure) -> DrawnFigure:
    panels = [DrawnPanel(draw_chart(panel.chart), panel.label) for panel in figure.panels]
    return DrawnFigure(figure, panels, map_legend(figure.legend) if figure.legend else "")


def draw_chart(chart: Chart) -> str:
    if isinstance(chart, Plane):
        return draw_plane(chart)
    return world_map(chart) if isinstance(chart, WorldMap) else draw_intervals(chart)


def panel_words(figure: Figure, panel: Panel) -> str:
    """Describe a panel for readers who cannot see it, with its largest and smallest value."""
    said = []
    if isinstance(panel.chart, Intervals):
        known = [(dot.value, dot) for dot in panel.chart.rows if dot.value is not None]
        if len(known) > 1:
            most, least = (pick(known, key=itemgetter(0))[1] for pick in (max, min))
            said = [f"Largest: {most.said}.", f"Smallest: {least.said}."]
    return with_true_minus(
        " ".join(filter(None, (f"{figure.title}.", figure.alt, panel.label, *said)))
    )


def inlined_figure(svg: str, figure: Figure, words: str = "") -> Markup:
    """A drawing as an element of the page."""
    return inlined(svg, words or f"{figure.title}. {figure.alt}")


def whole_svg(drawn: DrawnFigure, *, bare: bool = False) -> str:
    """The whole figure as one SVG file: title, panels with their labels, note and source.

    If `bare`, it has no title, note or source, since a paper has these in its caption.
    """
    figure = drawn.figure
    if bare:
        figure = msgspec.structs.replace(figure, title="", note="", source="")
    wide = max(_shown_size(panel.svg)[0] for panel in drawn.panels)
    columns = 1 if figure.wide else min(2, len(drawn.panels))
    total = max(columns * (wide + MARGIN) + MARGIN, 480)
    y = MARGIN + 16.0
    inside = []
    for line in _wrapped(figure.title, total, 9.2):
        inside.append(text_element(MARGIN, y, line, 17, "ink", font_weight="bold"))
        y += 22
    y += 4
    if drawn.legend:
        inside.append(_placed(drawn.legend, MARGIN, y))
        y += size(drawn.legend)[1] + 12
    for start in range(0, len(drawn.panels), columns):
        row = drawn.panels[start : start + columns]
        labelled = any(panel.label for panel in row)
        for i, panel in enumerate(row):
            x = MARGIN + i * (wide + MARGIN)
            inside.append(_heading(panel, x, y + 12))
            inside.append(_placed(panel.svg, x, y + 20 * labelled))
        y += max(_shown_size(panel.svg)[1] for panel in row) + 20 * labelled + 16
    for words in filter(None, (figure.note, figure.source)):
        for line in _wrapped(words, total, 5.6):
            inside.append(text_element(MARGIN, y + 8, line, 11, font_weight="normal"))
            y += 15
        y += 6
    box = f"0 0 {total:g} {y + MARGIN:g}"
    paper = f'<rect width="{total:g}" height="{y + MARGIN:g}" fill="{light("paper")}"/>'
    shapes = definitions() if drawn.legend else ""
    return svg_element(shapes + paper + "".join(inside), box)


def _heading(panel: DrawnPanel, x: float, y: float) -> str:
    if not panel.label:
        return ""
    return text_element(x, y, panel.label, 13, "ink", font_weight="bold")


def _shown_size(svg: str) -> tuple[float, float]:
    width, height = size(svg)
    return (width, height) if width <= WIDEST else (WIDEST, height * WIDEST / width)


def _placed(svg: str, x: float, y: float) -> str:
    width, height = _shown_size(svg)
    place = f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
    return svg.replace("<svg ", place, 1)


def _wrapped(words: str, width: float, letter: float) -> list[str]:
    """Break the words into lines that fit between the margins, at `letter` pixels per letter."""
    return textwrap.wrap(words, max(20, int((width - 2 * MARGIN) / letter)))


def csv_of(rows: Sequence[Mapping[str, Cell]]) -> str:
    """The rows as CSV. Text that a spreadsheet would read as a formula gets an apostrophe."""
    clean = [{name: without_formula(value) for name, value in row.items()} for row in rows]
    return pl.DataFrame(clean, infer_schema_length=None).write_csv()
