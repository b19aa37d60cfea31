"""Draw dots with intervals and numbers, as a chart of rows or in a cell of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from geobias.report.page.svg import SERIES, light, svg_element, text_element
from geobias.report.page.text import harmless
from geobias.results.charts import Intervals
from geobias.results.formatting import NOTHING, interval, number, with_true_minus

WIDTH, NUMBERS, COUNTS = 470, 296, 466
"""Width of the drawing, and the ends of its columns of numbers, in pixels."""
ROW, LETTER, APART = 22, 13, 9
"""Pixels of a row, of a letter, and between two series in a row."""
_LABELS = 96, 190
"""Minimum and maximum width of names; a longer one is cut."""
_LETTER_WIDTH = 7.2
CELL = 150, 20
"""Size of an interval in a cell of a table."""


def draw_intervals(chart: Intervals) -> str:
    """Draw a row for each name, with a dot and interval for each series.

    If there is only one series, the row also shows its numbers and n.
    """
    present = [one for one in chart.series if any(row["series"] == one for row in chart.rows)]
    drawn = _Rows(chart, has_numbers=len(present) < 2)
    names = list(dict.fromkeys(row["row"] for row in chart.rows))
    tall = ROW + APART * max(0, len(present) - 1)
    head = ROW if drawn.has_numbers or present else 8
    bottom = head + tall * len(names)
    inside = []
    if drawn.has_numbers:
        inside.append(text_element(NUMBERS, head - 8, "[95% interval]", LETTER))
        inside.append(text_element(COUNTS, head - 8, chart.counted, LETTER, text_anchor="end"))
    x = drawn.left
    for one in present if len(present) > 1 else ():
        inside.append(f'<circle cx="{x:g}" cy="8" r="5" fill="{drawn.shade(one)}"/>')
        inside.append(text_element(x + 10, 12, one, LETTER, "ink"))
        x += 30 + _LETTER_WIDTH * len(one)
    inside.append(_line(drawn.left, bottom, drawn.right, bottom, light("faint")))
    if chart.reference is not None:
        x = drawn.place(chart.reference)
        inside.append(_line(x, head, x, bottom, light("faint")))
    for i, name in enumerate(names):
        y = head + tall * i
        bold = chart.bold is not None and name in chart.bold
        inside.append(drawn.name(name, y + tall / 2, bold))
        own = [row for row in chart.rows if row["row"] == name and row.get("value") is not None]
        for row in own:
            place = present.index(row["series"]) if len(present) > 1 else 0
            inside.append(drawn.row(row, y + ROW / 2 + APART * place))
    return svg_element("".join(inside) + drawn.axis(bottom), f"0 0 {WIDTH} {bottom + 38}")


class _Rows:
    """Compute the positions, and draw the parts, of a chart of rows."""

    def __init__(self, chart: Intervals, *, has_numbers: bool) -> None:
        self.chart, self.has_numbers = chart, has_numbers
        longest = max((len(row["row"]) for row in chart.rows), default=0)
        least, most = _LABELS
        self.left = min(most, max(least, _LETTER_WIDTH * longest)) + 12
        self.right = (NUMBERS if has_numbers else WIDTH) - 18
        self.letters = int(most / _LETTER_WIDTH)

    def place(self, value: float) -> float:
        return _within(value, self.chart.domain, self.left, self.right)

    def shade(self, series: str) -> str:
        """The colour of a series, by its place among all series, even those without rows."""
        return light(SERIES[self.chart.series.index(series)] if series else "accent")

    def name(self, name: str, y: float, bold: bool) -> str:
        shown = harmless(name)
        shown = shown if len(shown) <= self.letters else f"{shown[: self.letters - 1]}…"
        look = {"font_weight": "bold"} if bold else {}
        return text_element(
            self.left - 12, y + 4.5, shown, LETTER, "ink", text_anchor="end", **look
        )

    def row(self, row: Mapping[str, Any], y: float) -> str:
        drawn = ""
        if self.has_numbers:
            between = interval(row.get("low"), row.get("high")) or f"[{NOTHING}]"
            shown = f"{number(row['value'])} {between}"
            drawn += text_element(NUMBERS, y + 4.5, with_true_minus(shown), LETTER, "ink")
            if row.get("n") is not None:
                count = f"{row['n']:,}"
                drawn += text_element(COUNTS, y + 4.5, count, LETTER, text_anchor="end")
        shade, inside = self.shade(row.get("series", "")), ""
        if row.get("low") is not None and row.get("high") is not None:
            inside = _bar(self.place(row["low"]), self.place(row["high"]), y, shade)
        inside += f'<circle cx="{self.place(row["value"]):g}" cy="{y:g}" r="5" fill="{shade}"/>'
        # The whole row reacts to the pointer, not only the small dot.
        high = ROW if self.has_numbers else APART
        target = f'<rect x="0" y="{y - high / 2:g}" width="{WIDTH}" height="{high}" fill="none"/>'
        said = quoteattr(with_true_minus(harmless(str(row["said"]))))
        group = f'<g class="mark" aria-label={said} pointer-events="all">{target}{inside}</g>'
        return drawn + group

    def axis(self, y: float) -> str:
        """The numbers of the scale, with its title below."""
        low, high = self.chart.domain
        reference = self.chart.reference
        middle = (low + high) / 2 if reference is None else reference
        drawn = ""
        for value in dict.fromkeys((low, middle, high)):
            x, shown = self.place(value), f"{value:.2f}".rstrip("0").rstrip(".")
            drawn += _line(x, y, x, y + 4, light("faint"))
            words = with_true_minus(shown)
            drawn += text_element(x, y + 16, words, LETTER, text_anchor="middle")
        x = (self.left + self.right) / 2
        title = with_true_minus(self.chart.title)
        return drawn + text_element(x, y + 32, title, LETTER, text_anchor="middle")


def draw_cell(
    value: float, low: float | None, high: float | None, domain: tuple[float, float]
) -> str:
    """Draw one interval on the scale of the column (`domain`), with a line at 0."""
    wide, tall = CELL

    def place(at: float) -> float:
        return _within(at, domain, 6, wide - 6)

    inside = _line(place(0), 1, place(0), tall - 1, light("faint"))
    if low is not None and high is not None:
        inside += _bar(place(low), place(high), tall / 2, light("accent"))
    inside += f'<circle cx="{place(value):g}" cy="{tall / 2:g}" r="5" fill="{light("accent")}"/>'
    return svg_element(inside, f"0 0 {wide} {tall}")


def _within(value: float, domain: tuple[float, float], start: float, end: float) -> float:
    low, high = domain
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return round(start + share * (end - start), 1)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}"/>'


def _bar(low: float, high: float, y: float, colour: str) -> str:
    look = 'stroke-width="5" stroke-linecap="round" opacity="0.4"'
    return _line(low, y, high, y, colour).replace("/>", f" {look}/>")
