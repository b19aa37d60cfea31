"""Draw dots with intervals and numbers, as a chart of rows or in a cell of a table."""

from __future__ import annotations

from collections.abc import Callable
from xml.sax.saxutils import quoteattr

from geobias.report.page.svg import light, svg_element, text_element
from geobias.report.page.text import harmless
from geobias.results.charts import Dot, Intervals
from geobias.results.formatting import NOTHING, interval, number, with_true_minus

WIDTH, NUMBERS, COUNTS = 470, 296, 466
"""Width of the drawing, and the ends of its columns of numbers, in pixels."""
HEAD = ROW = 22
"""Pixels of the headings, and of a row."""
LETTER = 13
_LABELS = 96, 190
"""Minimum and maximum width of names; a longer one is cut."""
_LETTER_WIDTH = 7.2
CELL = 150, 20
"""Size of an interval in a cell of a table."""


def draw_intervals(chart: Intervals) -> str:
    """Draw a row for each dot, with its interval, its numbers and its n."""
    drawn, bottom = _Rows(chart), HEAD + ROW * len(chart.rows)
    inside = [
        text_element(NUMBERS, HEAD - 8, "[95% interval]", LETTER),
        text_element(COUNTS, HEAD - 8, chart.counted, LETTER, text_anchor="end"),
        line(drawn.left, bottom, drawn.right, bottom, light("faint")),
    ]
    if chart.reference is not None:
        x = drawn.place(chart.reference)
        inside.append(line(x, HEAD, x, bottom, light("faint")))
    for i, dot in enumerate(chart.rows):
        inside.append(drawn.row(dot, HEAD + ROW * i))
    return svg_element("".join(inside) + drawn.axis(bottom), f"0 0 {WIDTH} {bottom + 38}")


class _Rows:
    """Compute the positions, and draw the parts, of a chart of rows."""

    def __init__(self, chart: Intervals) -> None:
        self.chart = chart
        longest = max((len(dot.row) for dot in chart.rows), default=0)
        least, most = _LABELS
        self.left = min(most, max(least, _LETTER_WIDTH * longest)) + 12
        self.right = NUMBERS - 18
        self.letters = int(most / _LETTER_WIDTH)

    def place(self, value: float) -> float:
        return within(value, self.chart.domain, self.left, self.right)

    def row(self, dot: Dot, top: float) -> str:
        name = harmless(dot.row)
        name = name if len(name) <= self.letters else f"{name[: self.letters - 1]}…"
        base = top + ROW / 2 + 4.5
        drawn = text_element(self.left - 12, base, name, LETTER, "ink", text_anchor="end")
        if dot.value is None:
            return drawn
        shown = f"{number(dot.value)} {interval(dot.low, dot.high) or f'[{NOTHING}]'}"
        drawn += text_element(NUMBERS, base, with_true_minus(shown), LETTER, "ink")
        if dot.n is not None:
            drawn += text_element(COUNTS, base, f"{dot.n:,}", LETTER, text_anchor="end")
        # The whole row reacts to the pointer, not only the small dot.
        target = f'<rect x="0" y="{top:g}" width="{WIDTH}" height="{ROW}" fill="none"/>'
        mark = _mark(self.place, dot.value, dot.low, dot.high, top + ROW / 2)
        said = quoteattr(with_true_minus(harmless(dot.said)))
        group = f'<g class="mark" aria-label={said} pointer-events="all">{target}{mark}</g>'
        return drawn + group

    def axis(self, y: float) -> str:
        """The numbers of the scale, with its title below."""
        low, high = self.chart.domain
        reference = self.chart.reference
        middle = (low + high) / 2 if reference is None else reference
        drawn = ""
        for value in dict.fromkeys((low, middle, high)):
            x, shown = self.place(value), f"{value:.2f}".rstrip("0").rstrip(".")
            drawn += line(x, y, x, y + 4, light("faint"))
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
        return within(at, domain, 6, wide - 6)

    zero = line(place(0), 1, place(0), tall - 1, light("faint"))
    return svg_element(zero + _mark(place, value, low, high, tall / 2), f"0 0 {wide} {tall}")


def _mark(
    place: Callable[[float], float], value: float, low: float | None, high: float | None, y: float
) -> str:
    """A dot on its interval, if it has one."""
    colour, bar = light("accent"), ""
    if low is not None and high is not None:
        look = ' stroke-width="5" stroke-linecap="round" opacity="0.4"'
        bar = line(place(low), y, place(high), y, colour, look)
    return f'{bar}<circle cx="{place(value):g}" cy="{y:g}" r="5" fill="{colour}"/>'


def within(value: float, domain: tuple[float, float], start: float, end: float) -> float:
    low, high = domain
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return round(start + share * (end - start), 1)


def line(x1: float, y1: float, x2: float, y2: float, colour: str, look: str = "") -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}"{look}/>'
