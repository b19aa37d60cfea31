"""Pictures of the first screen: a few dots with intervals and their numbers on one scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import quoteattr

from markupsafe import Markup

from geobias.report.page.svg import inlined, light, svg_element, text_element
from geobias.report.page.text import harmless, with_true_minuses
from geobias.results.formatting import interval, number, with_true_minus
from geobias.results.verdicts import Dots

WIDTH, LABELS, NUMBERS, COUNTS, ROW, LETTER = 470, 108, 296, 466, 22, 13
"""Of the drawing, of its columns' places, of a row, and of a letter's size, in pixels."""
_EDGE = 10
_MOST_LETTERS = 17
CELL = (150, 20)
"""Of an interval in a cell of a table."""


def picture(dots: Dots | None) -> Markup | str:
    """Dots, described for who cannot see them."""
    if dots is None:
        return ""
    said = "; ".join(str(row["said"]) for row in dots.rows)
    return inlined(draw_dots(dots), with_true_minuses(said))


def draw_dots(dots: Dots) -> str:
    """The dots as SVG: a name, a dot with its interval, the numbers and what they rest on."""
    head, high = ROW, ROW * (len(dots.rows) + 1)
    inside = [
        text_element(NUMBERS, head - 8, "[95% interval]", LETTER - 1),
        text_element(COUNTS, head - 8, dots.counted, LETTER - 1, text_anchor="end"),
        _line(LABELS, high, NUMBERS - _EDGE, high, light("faint"), "1"),
    ]
    if dots.reference is not None:
        x = _place(dots, dots.reference)
        inside.append(_line(x, head, x, high, light("faint"), "1"))
    inside += [_row(dots, row, head + ROW * i + ROW / 2) for i, row in enumerate(dots.rows)]
    return svg_element("".join(inside) + _axis(dots, high), f"0 0 {WIDTH} {high + 2 * LETTER + 8}")


def _axis(dots: Dots, high: float) -> str:
    """The numbers of the scale, and below them what its ends mean."""
    drawn = []
    middle = sum(dots.domain) / 2 if dots.reference is None else dots.reference
    for value in (*dots.domain, middle):
        x, shown = _place(dots, value), f"{value:.2f}".rstrip("0").rstrip(".")
        drawn.append(_line(x, high, x, high + 4, light("faint"), "1"))
        words = with_true_minus(shown)
        drawn.append(text_element(x, high + 16, words, LETTER - 1, text_anchor="middle"))
    left, right = (words for words in dots.ends)
    drawn.append(text_element(LABELS - 30, high + 30, left, LETTER - 2))
    drawn.append(text_element(NUMBERS + 20, high + 30, right, LETTER - 2, text_anchor="end"))
    return "".join(drawn)


def _row(dots: Dots, row: Mapping[str, Any], y: float) -> str:
    name = harmless(str(row["row"]))
    name = name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"
    drawn = text_element(LABELS - 12, y + 4.5, name, LETTER, "ink", text_anchor="end")
    shown = f"{number(row['value'])} {interval(row['low'], row['high'])}"
    drawn += text_element(NUMBERS, y + 4.5, with_true_minus(shown), LETTER, "ink")
    if row.get("n") is not None:
        drawn += text_element(COUNTS, y + 4.5, f"{row['n']:,}", LETTER, text_anchor="end")
    x, inside = _place(dots, row["value"]), ""
    if row["low"] is not None and row["high"] is not None:
        inside += _bar(_place(dots, row["low"]), _place(dots, row["high"]), y, 5)
    inside += f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="{light("accent")}"/>'
    # The whole row can be pointed at, not the small dot alone.
    target = f'<rect x="0" y="{y - ROW / 2:g}" width="{WIDTH}" height="{ROW}" fill="none"/>'
    said = quoteattr(with_true_minus(harmless(str(row["said"]))))
    return f'{drawn}<g class="mark" aria-label={said} pointer-events="all">{target}{inside}</g>'


def _place(dots: Dots, value: float) -> float:
    return _within(value, dots.domain, LABELS, NUMBERS - _EDGE - 8)


def _within(value: float, domain: tuple[float, float], start: float, end: float) -> float:
    low, high = domain
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return round(start + share * (end - start), 1)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: str) -> str:
    ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _bar(low: float, high: float, y: float, width: float) -> str:
    line = _line(low, y, high, y, light("accent"), f"{width}")
    return line.replace("/>", ' stroke-linecap="round" opacity="0.4"/>')


def draw_interval(
    value: float | None, low: float | None, high: float | None, domain: tuple[float, float]
) -> str:
    """One number of a table's cell on its column's scale, with a line at 0."""
    wide, tall = CELL

    def place(at: float) -> float:
        return _within(at, domain, 6, wide - 6)

    inside = [_line(place(0), 1, place(0), tall - 1, light("faint"), "1")]
    if low is not None and high is not None:
        inside.append(_bar(place(low), place(high), tall / 2, 5))
    if value is not None:
        inside.append(
            f'<circle cx="{place(value):g}" cy="{tall / 2:g}" r="5" fill="{light("accent")}"/>'
        )
    return svg_element("".join(inside), f"0 0 {wide} {tall}")
