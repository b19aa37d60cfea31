"""Draw models between two axes, each in its own colour, with a line from a point to its name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, pairwise
from xml.sax.saxutils import quoteattr

from geobias.report.page.intervals import LETTER, line, within
from geobias.report.page.svg import light, svg_element, text_element
from geobias.report.page.text import harmless
from geobias.results.charts import Plane
from geobias.results.figures import round_step
from geobias.results.formatting import with_true_minus

LEFT, RIGHT, TOP, NAMES, SPACING = 50, 450, 30, 490, 17
"""Pixels: the sides and the top of the axes, the left of the names, and between two names."""


def draw_plane(chart: Plane) -> str:
    bottom, gray = TOP + max(360, SPACING * len(chart.points)), light("hairline")
    points, levels = [*chain(*chart.points.values())], chain(*chart.levels.values())
    x_ticks = _ticks([*chart.ends, *(x for x, _ in points)])
    y_ticks = _ticks([*chart.ends, *levels, *(y for _, y in points)])

    def placed(x: float, y: float) -> tuple[float, float]:
        ends = (x_ticks[0], x_ticks[-1]), (y_ticks[0], y_ticks[-1])
        return within(x, ends[0], LEFT, RIGHT), within(y, ends[1], bottom, TOP)

    drawn = text_element(0, TOP - 14, chart.y_title, LETTER)
    drawn += text_element(LEFT, bottom + 34, chart.x_title, LETTER)
    for tick in x_ticks:
        x, _ = placed(tick, y_ticks[0])
        drawn += line(x, TOP, x, bottom, gray)
        drawn += text_element(x, bottom + 16, _number(tick), LETTER, text_anchor="middle")
    for tick in y_ticks:
        _, y = placed(x_ticks[0], tick)
        drawn += line(LEFT, y, RIGHT, y, gray)
        drawn += text_element(LEFT - 8, y + 4, _number(tick), LETTER, text_anchor="end")
    models, height = list(chart.points), float(TOP - SPACING)
    by_height = sorted(models, key=lambda model: -chart.points[model][-1][1])
    for above, model in enumerate(by_height, start=1):
        i, name = models.index(model), harmless(model)
        colour = f"hsl({(205 + 137 * i) % 360},65%,{36 + i // 8 * 18}%)"
        dots = [placed(*point) for point in chart.points[model]]
        # Names neither cover each other nor leave the chart.
        height = min(max(dots[-1][1], height + SPACING), bottom - SPACING * (len(models) - above))
        drawn += line(*dots[-1], NAMES - 4, height, colour, ' stroke-width="0.5"')
        drawn += text_element(NAMES, height + 4, name, LETTER).replace(light("muted"), colour)
        for start, end in pairwise(dots):
            drawn += line(*start, *end, colour, ' stroke-width="1.6"')
        for level, dashes in zip(chart.levels.get(model, ()), ("7 3", "2 3"), strict=False):
            _, y = placed(x_ticks[0], level)
            drawn += line(LEFT, y, RIGHT, y, colour, f' stroke-dasharray="{dashes}"')
        for (x, y), dot in zip(chart.points[model], dots, strict=True):
            said = f"{name}: {chart.x_title} {_number(x)}, {chart.y_title} {_number(y)}"
            look = f'r="{5 if dot == dots[-1] else 3}" fill="{colour}"'
            circle = f'<circle cx="{dot[0]:g}" cy="{dot[1]:g}" {look}/>'
            drawn += f'<g class="mark" aria-label={quoteattr(said)}>{circle}</g>'
    width = NAMES + 7.2 * max(len(model) for model in models)
    return svg_element(drawn, f"0 0 {width:g} {bottom + 44}")


def _number(value: float) -> str:
    return with_true_minus(f"{value:.4g}")


def _ticks(values: Sequence[float]) -> list[float]:
    """Return about five round numbers from below to above the values."""
    step = round_step(max(max(values) - min(values), 0.02) / 5)
    first, last = math.floor(min(values) / step), math.ceil(max(values) / step)
    return [round(step * i, 6) for i in range(first, last + 1)]
