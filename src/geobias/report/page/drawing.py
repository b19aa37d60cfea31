"""Figures (`results.figures`) as drawings, for the page and for the files of `--save-figures`.

A figure is drawn once, as SVG. A panel whose numbers mean nothing has pale marks and says so
wherever it goes.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

import msgspec

from geobias.report.page.charts import draw
from geobias.report.page.colours import light
from geobias.report.page.svg import HATCH, faded, framed, size
from geobias.report.tidy import safe
from geobias.results.charts import Rows
from geobias.results.figures import Figure


class DrawnPanel(msgspec.Struct, frozen=True):
    """The drawing of a panel; pale where its numbers mean nothing."""

    svg: str
    label: str
    measurable: bool


class DrawnFigure(msgspec.Struct, frozen=True):
    """A figure with its drawings."""

    figure: Figure
    panels: list[DrawnPanel]
    legend: str


def drawn(figure: Figure) -> DrawnFigure:
    """The figure, drawn."""
    panels = []
    for panel in figure.panels:
        svg = draw(panel.chart)
        shown = svg if panel.measurable else faded(svg)
        panels.append(DrawnPanel(shown, panel.label, panel.measurable))
    return DrawnFigure(figure, panels, draw(figure.legend) if figure.legend else "")


NOT_MEASURABLE = "not measurable"
MARGIN = 24
WIDEST = 1000
"""Of a panel in a figure that is saved; maps are drawn on a finer grid."""


def composed(one: DrawnFigure) -> str:
    """The whole figure as one SVG to be saved: title, panels with their labels, note, source."""
    figure = one.figure
    wide = min(WIDEST, max(size(panel.svg)[0] for panel in one.panels))
    columns = 1 if figure.wide else min(2, len(one.panels))
    total = max(columns * (wide + MARGIN) + MARGIN, 480)
    y = MARGIN + 16.0
    inside = []
    for line in wrapped(figure.title, total - 2 * MARGIN, 9.2):
        inside.append(_text(MARGIN, y, line, 17, "ink", weight="bold"))
        y += 22
    y += 4
    if one.legend:
        inside.append(_placed(one.legend, MARGIN, y))
        y += size(one.legend)[1] + 12
    for start in range(0, len(one.panels), columns):
        row = one.panels[start : start + columns]
        labelled = any(panel.label or not panel.measurable for panel in row)
        for i, panel in enumerate(row):
            x = MARGIN + i * (wide + MARGIN)
            inside.append(_heading(panel, x, y + 12))
            inside.append(_placed(panel.svg, x, y + 20 * labelled))
        y += max(_height(panel.svg) for panel in row) + 20 * labelled + 16
    for words in filter(None, (figure.note, figure.source)):
        for line in wrapped(words, total - 2 * MARGIN, 5.6):
            inside.append(_text(MARGIN, y + 8, line, 11, "muted"))
            y += 15
        y += 6
    box = f"0 0 {total:g} {y + MARGIN:g}"
    paper = f'<rect width="{total:g}" height="{y + MARGIN:g}" fill="{light("paper")}"/>'
    drawing = "".join(inside)
    hatch = HATCH if HATCH in drawing else ""
    return framed(hatch + paper + drawing.replace(HATCH, ""), box)


def _heading(panel: DrawnPanel, x: float, y: float) -> str:
    """A panel's label, and the warning where its numbers mean nothing."""
    parts = [f'<tspan font-weight="bold">{escape(panel.label)}</tspan>'] if panel.label else []
    if not panel.measurable:
        parts.append(f'<tspan fill="{light("second")}">{NOT_MEASURABLE}</tspan>')
    if not parts:
        return ""
    head = f'<text x="{x:g}" y="{y:g}" font-size="13" fill="{light("ink")}">'
    return f"{head}{' '.join(parts)}</text>"


def _height(svg: str) -> float:
    width, height = size(svg)
    return height * min(1, WIDEST / width)


def _placed(svg: str, x: float, y: float) -> str:
    width, height = size(svg)
    if width > WIDEST:
        width, height = WIDEST, height * WIDEST / width
    place = f'<svg x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
    return svg.replace("<svg ", place, 1)


def _text(x: float, y: float, words: str, points: int, colour: str, weight: str = "normal") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{points}" font-weight="{weight}" '
        f'fill="{light(colour)}">{escape(words)}</text>'
    )


def wrapped(words: str, width: float, letter: float) -> list[str]:
    """Lines that fit, at so many pixels a letter."""
    import textwrap

    return textwrap.wrap(words, max(20, int(width / letter)))


def csv_of(rows: Rows) -> str:
    """Rows as CSV. Text that a spreadsheet would take for a formula gets an apostrophe."""
    import polars as pl

    frame = pl.DataFrame(rows, infer_schema_length=None)
    words = [name for name, kind in frame.schema.items() if kind == pl.String]
    held = [pl.Series(name, [safe(word) for word in frame[name]], pl.String) for name in words]
    return frame.with_columns(held).write_csv()
