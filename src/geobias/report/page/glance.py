"""Pictures that are taken in at a glance: a few dots with intervals, and what a map's shades mean.

They carry no numbers: a reader who wants one points at a mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from geobias.report.page.colours import light
from geobias.report.page.svg import UNASKED, svg_element, text_element
from geobias.report.page.text import harmless
from geobias.report.page.worldmap import RAMPS
from geobias.results.charts import Ramp
from geobias.results.formatting import with_true_minus
from geobias.results.verdicts import Dots

WIDTH, LABELS, ROW, LETTER = 400, 116, 21, 13
"""Of the drawing, of its column of names, of a row, and of a letter's size, in pixels."""
_EDGE = 12
_MOST_LETTERS = 18


def draw_dots(dots: Dots) -> str:
    """The dots as SVG."""
    high = ROW * len(dots.rows)
    ends = (LABELS, WIDTH - _EDGE)
    inside = [_line(ends[0], high, ends[1], high, light("faint"), "1")]
    if dots.reference is not None:
        x = _place(dots, dots.reference)
        inside.append(_line(x, 2, x, high, light("faint"), "1"))
    for i, row in enumerate(dots.rows):
        inside.append(_row(dots, row, ROW * i + ROW / 2))
    foot = high + LETTER + 4
    for words, x, anchor in (
        (dots.ends[0], ends[0], "start"),
        (dots.at, _place(dots, dots.reference or 0), "middle"),
        (dots.ends[1], ends[1], "end"),
    ):
        if words:
            inside.append(text_element(x, foot, words, LETTER - 1, text_anchor=anchor))
    return svg_element("".join(inside), f"0 0 {WIDTH} {foot + 5:g}")


def _row(dots: Dots, row: Mapping[str, Any], y: float) -> str:
    name = harmless(str(row["row"]))
    name = name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"
    drawn = text_element(LABELS - 14, y + 4.5, name, LETTER, "ink", text_anchor="end")
    x = _place(dots, row["value"])
    inside = ""
    if row["low"] is not None and row["high"] is not None:
        ends = _place(dots, row["low"]), _place(dots, row["high"])
        line = _line(ends[0], y, ends[1], y, light("accent"), "5")
        inside += line.replace("/>", ' stroke-linecap="round" opacity="0.4"/>')
    said = quoteattr(with_true_minus(harmless(str(row["said"]))))
    inside += f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="{light("accent")}"/>'
    # The whole row can be pointed at, not the small dot alone.
    target = f'<rect x="0" y="{y - ROW / 2:g}" width="{WIDTH}" height="{ROW}" fill="none"/>'
    return f'{drawn}<g class="mark" aria-label={said} pointer-events="all">{target}{inside}</g>'


def _place(dots: Dots, value: float) -> float:
    low, high = dots.domain
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return round(LABELS + share * (WIDTH - LABELS - _EDGE), 1)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: str) -> str:
    ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def draw_interval(
    value: float | None, low: float | None, high: float | None, domain: tuple[float, float]
) -> str:
    """One number of a table's cell on its column's scale, with a line at 0."""
    dots = Dots(rows=[], domain=domain)
    wide, y = WIDTH - LABELS, 10
    inside = [_line(_place(dots, 0) - LABELS, 1, _place(dots, 0) - LABELS, 19, light("faint"), "2")]
    if low is not None and high is not None:
        ends = [_place(dots, end) - LABELS for end in (low, high)]
        line = _line(ends[0], y, ends[1], y, light("accent"), "7")
        inside.append(line.replace("/>", ' opacity="0.4"/>'))
    if value is not None:
        x = _place(dots, value) - LABELS
        inside.append(f'<circle cx="{x:g}" cy="{y}" r="7.5" fill="{light("accent")}"/>')
    return svg_element("".join(inside), f"0 0 {wide} 20")


def draw_shades(ramp: Ramp, ends: tuple[str, str], *, without_value: bool) -> str:
    """What the shades of a map mean, in words."""
    high, wide = 11, 20
    inside = [text_element(0, 11, ends[0], LETTER - 1)]
    x = 7.0 * len(ends[0]) + 8
    for shade in RAMPS[ramp]:
        inside.append(
            f'<rect x="{x:g}" y="1" width="{wide}" height="{high}" fill="{light(shade)}"/>'
        )
        x += wide
    inside.append(text_element(x + 7, 11, ends[1], LETTER - 1))
    x += 7.0 * len(ends[1]) + 24
    for words, fill in [("not asked", UNASKED)] + [("no value", "url(#hatch)")] * without_value:
        frame = f'stroke="{light("faint")}" stroke-width="0.7"'
        inside.append(
            f'<rect x="{x:g}" y="1" width="{wide}" height="{high}" fill="{fill}" {frame}/>'
        )
        inside.append(text_element(x + wide + 6, 11, words, LETTER - 1))
        x += wide + 7.0 * len(words) + 18
    return svg_element("".join(inside), f"0 0 {x:g} 15")
