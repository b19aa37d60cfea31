"""What a figure is, and how a chart becomes a drawing.

A `Figure` is one or more panels (usually one per model), the numbers behind them, and the words
that say what they show. It is drawn once, as SVG; the page and the files of `--save-figures` both
use that drawing. A panel whose numbers mean nothing has pale marks and says so wherever it goes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

import msgspec

from geobias.report.page.colours import light
from geobias.report.tidy import safe

if TYPE_CHECKING:
    import polars as pl

WIDTH = 430
"""Of a panel, in CSS pixels: a phone shows it nearly at its own size, a screen two or three."""
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"

HATCH = (
    '<defs><pattern id="hatch" width="10" height="10" patternUnits="userSpaceOnUse" '
    f'patternTransform="rotate(45)"><rect width="10" height="10" fill="{light("no-data")}"/>'
    f'<rect width="3.4" height="10" fill="{light("faint")}"/></pattern></defs>'
)
"""What stands for no value: no shade of a scale looks like it."""


class Panel(msgspec.Struct, frozen=True):
    """One drawing. `label` tells it from its neighbours; `measurable` is False where a screen says
    that its numbers mean nothing, and its marks are then shown pale."""

    svg: str
    label: str = ""
    measurable: bool = True

    @property
    def shown(self) -> str:
        """The drawing as readers get it."""
        return self.svg if self.measurable else faded(self.svg)


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with its words and numbers.

    name     of its files and its anchor, e.g. "worldbench-regions"
    title    what it shows, as a statement where the data allow one
    note     how to read it: the measure, the interval, the unit
    alt      what a reader who cannot see it should know
    data     the numbers behind the drawing (a polars frame)
    wide     whether it takes the whole width of the page, as maps do
    legend   a drawing that explains the colours of all panels, where one is needed
    source   whose numbers these are: model, probe, count, data, version and date; a figure that is
             saved takes it along
    """

    name: str
    title: str
    note: str
    alt: str
    panels: list[Panel]
    data: Any
    wide: bool = False
    legend: str = ""
    source: str = ""


def drawn(spec: dict[str, Any], *, height: int) -> str:
    """A Vega-Lite specification as SVG in our dress, `WIDTH` wide and `height` high in all."""
    import vl_convert

    dressed = spec | {
        "width": WIDTH,
        "height": height,
        "autosize": {"type": "fit", "contains": "padding"},
        "config": _dress(),
    }
    return lean(vl_convert.vegalite_to_svg(dressed))


def _dress() -> dict[str, Any]:
    axis = {
        "domain": False,
        "ticks": False,
        "grid": False,
        "labelColor": light("muted"),
        "labelFontSize": 12,
        "labelPadding": 6,
        "labelFlush": False,
        "titleColor": light("muted"),
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    }
    return {
        "background": "transparent",
        "font": FONT,
        "padding": {"left": 2, "right": 14, "top": 4, "bottom": 4},
        "view": {"stroke": None},
        "axis": axis,
        "axisX": {"grid": True, "gridColor": light("hairline"), "tickCount": 4},
        "axisY": {"labelLimit": 215},
        "legend": {
            "orient": "top",
            "title": None,
            "labelColor": light("ink"),
            "labelFontSize": 12,
            "symbolSize": 70,
            "offset": 6,
            "padding": 0,
        },
        "text": {"font": FONT, "fontSize": 12, "color": light("ink")},
    }


_SIZE = re.compile(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>')
_LEFT_OUT = re.compile(
    r'<path class="(?:background|foreground)"[^>]*/>| aria-roledescription="[^"]*"| opacity="1"'
    r'| pointer-events="none"| aria-hidden="true"'
    r'|<rect width="\d+" height="\d+" fill="(?:white|transparent)"/>'
    r'| font-family="[^"]*"| role="graphics-(?:object|symbol)"| class="mark-[^"]*"'
    r'| stroke-miterlimit="10"| transform="translate\(0,0\)"| [xy]2="0"| stroke-width="1"'
    r'| font-weight="normal"'
)
_CELLS = re.compile(r' class="mark-rect role-mark cells_marks"')
_MARKS = re.compile(r' class="mark-(?!text|group)\w+ role-(?:mark|legend-symbol)[^"]*"')
"""What carries a value, or explains one, and is not text."""
_LONG = re.compile(r"(\d+\.\d)\d+")
_AXIS = re.compile(r' aria-label="[^"]*(?:axis|legend) titled[^"]*"| aria-label="[XY]-axis[^"]*"')


def lean(svg: str) -> str:
    """The drawing's inside in an `<svg>` of ours: no axis descriptions (the figure's words say
    more), one decimal of a pixel. Marks keep their `aria-label`, which the page shows on hover."""
    found = _SIZE.match(svg)
    if found is None:
        raise ValueError("the drawing has no size")
    inside = _CELLS.sub(' class="cell"', svg[found.end() : svg.rindex("</svg>")])
    inside = _MARKS.sub(' class="mark"', inside)
    inside = _LEFT_OUT.sub("", inside)
    inside = _AXIS.sub("", inside)
    inside = _outside_labels(inside)
    return framed(inside, found.group(1))


PALE = {"mark": 0.5, "map": 0.6, "cell": 0.4}
"""Opacity of what is not measurable: its hue can still be told. Cells have words on them."""
_FADING = re.compile(r'<g class="(mark|map|cell)"')


def faded(svg: str) -> str:
    """The drawing with pale marks. Text keeps its strength, so that it can still be read."""
    pale = _FADING.sub(lambda found: f'{found.group()} opacity="{PALE[found.group(1)]}"', svg)
    light_on_dark = re.compile(rf'(<text [^>]*fill="){light("paper")}"')
    return light_on_dark.sub(rf'\g<1>{light("ink")}"', pale)


def _outside_labels(svg: str) -> str:
    """Shorten numbers in coordinates, and leave alone those that a reader is told."""
    parts = re.split(r'(aria-label="[^"]*"|>[^<]*<)', svg)
    return "".join(part if i % 2 else _LONG.sub(r"\1", part) for i, part in enumerate(parts))


def framed(inside: str, view_box: str) -> str:
    """An SVG with this inside."""
    head = f'xmlns="http://www.w3.org/2000/svg" viewBox="{view_box}" font-family="{FONT}"'
    return f"<svg {head}>{inside}</svg>"


def size(svg: str) -> tuple[float, float]:
    """Width and height of a drawing."""
    found = _SIZE.match(svg)
    if found is None:
        raise ValueError("the drawing has no size")
    _, _, width, height = (float(word) for word in found.group(1).split())
    return width, height


NOT_MEASURABLE = "not measurable"
MARGIN = 24
WIDEST = 1000
"""Of a panel in a figure that is saved; maps are drawn on a finer grid."""


def composed(figure: Figure) -> str:
    """The whole figure as one SVG to be saved: title, panels with their labels, note, source."""
    wide = min(WIDEST, max(size(panel.svg)[0] for panel in figure.panels))
    columns = 1 if figure.wide else min(2, len(figure.panels))
    total = max(columns * (wide + MARGIN) + MARGIN, 480)
    y = MARGIN + 16.0
    inside = []
    for line in wrapped(figure.title, total - 2 * MARGIN, 9.2):
        inside.append(_text(MARGIN, y, line, 17, "ink", weight="bold"))
        y += 22
    y += 4
    if figure.legend:
        inside.append(_placed(figure.legend, MARGIN, y))
        y += size(figure.legend)[1] + 12
    for start in range(0, len(figure.panels), columns):
        row = figure.panels[start : start + columns]
        labelled = any(panel.label or not panel.measurable for panel in row)
        for i, panel in enumerate(row):
            x = MARGIN + i * (wide + MARGIN)
            inside.append(_heading(panel, x, y + 12))
            inside.append(_placed(panel.shown, x, y + 20 * labelled))
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


def _heading(panel: Panel, x: float, y: float) -> str:
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


def attribute(words: str) -> str:
    """Words as an attribute's value, with its quotes."""
    return quoteattr(words)


def csv_of(frame: pl.DataFrame) -> str:
    """A frame as CSV. Text that a spreadsheet would take for a formula gets an apostrophe."""
    import polars as pl

    words = [name for name, kind in frame.schema.items() if kind == pl.String]
    held = [pl.Series(name, [safe(word) for word in frame[name]], pl.String) for name in words]
    return frame.with_columns(held).write_csv()
