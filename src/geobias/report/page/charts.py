"""Draw charts (`results.charts`) as SVG.

World maps are drawn by this module: every economy as an outline, or as a dot if it is small, with a
sentence about it. Heatmaps, curves and scatter plots become Vega-Lite specifications, written as
plain dicts: a Python front end would check each against the grammar's schema, which takes longer
than drawing it.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias
from xml.sax.saxutils import quoteattr

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.outlines import HEIGHT as MAP_HEIGHT
from geobias.atlas.outlines import WIDTH as MAP_WIDTH
from geobias.atlas.outlines import outlines
from geobias.report.page.intervals import draw_intervals
from geobias.report.page.svg import (
    HATCH,
    SCALE,
    SERIES,
    TWO_SIDED,
    UNASKED,
    light,
    svg_element,
    text_element,
    vega_to_svg,
    with_colour_names,
)
from geobias.report.page.text import finalized
from geobias.results.charts import (
    Chart,
    Curves,
    Heatmap,
    Intervals,
    MapLegend,
    Rows,
    Scatter,
    WorldMap,
)
from geobias.results.figures import FROM_0_TO_1
from geobias.results.formatting import number, with_true_minus

DOT = 6.5
RAMPS = {"amount": SCALE, "two_sided": TWO_SIDED}


def world_map(chart: WorldMap) -> str:
    """The map as SVG."""
    names, ramp = economies(), RAMPS[chart.ramp]
    dots, land = [], [f'<path class="land" d="{outlines()[""].path}" fill="{light("blank")}"/>']
    for iso3, outline in outlines().items():
        if not iso3:
            continue
        spot = chart.spots.get(iso3)
        if spot is None:
            said, fill = f"{names[iso3].name}: not asked about", UNASKED
        elif spot.value is None:
            said, fill = spot.said, "url(#hatch)"
        else:
            shade = ramp[bisect.bisect_right(chart.limits, spot.value)]
            said, fill = spot.said, light(shade)
        label = quoteattr(with_true_minus(said))
        words = f'data-iso="{iso3}" fill="{fill}" aria-label={label}'
        drawn = f'd="{outline.path}"'
        if outline.dot:
            land.append(f'<path class="land" {drawn} fill="{fill}"/>')
            dots.append(
                f'<circle class="economy" cx="{outline.x}" cy="{outline.y}" r="{DOT}" {words}/>'
            )
        else:
            land.append(f'<path class="economy" {drawn} {words}/>')
    line = f'stroke="{light("faint")}" stroke-width="1.1" stroke-linejoin="round"'
    inside = f'<g class="map" {line}>{"".join(land)}<g>{"".join(dots)}</g></g>'
    return svg_element(HATCH + inside, f"0 0 {MAP_WIDTH} {MAP_HEIGHT}")


def map_legend(chart: MapLegend) -> str:
    """A map's legend: swatches with the limits between them, and signs for land without a value."""
    ramp = RAMPS[chart.ramp][: len(chart.limits) + 1]
    wide, high, left = 46, 12, 1

    def swatch(x: float, width: float, fill: str, more: str = "") -> str:
        return f'<rect x="{x}" y="22" width="{width}" height="{high}" fill="{fill}"{more}/>'

    inside = [text_element(left, 13, chart.words, 12)]
    inside += [swatch(left + i * wide, wide - 1, light(shade)) for i, shade in enumerate(ramp)]
    whole = chart.limits == FROM_0_TO_1  # the ends of the scale are known
    marks = [0.0, *chart.limits, 1.0] if whole else chart.limits
    for i, limit in enumerate(same_decimals(marks), start=1 - whole):
        anchor = "start" if i == 0 else "middle"
        inside.append(text_element(left + i * wide - 0.5, 49, limit, 12, text_anchor=anchor))
    x, most = left, left + len(RAMPS[chart.ramp]) * wide + 20
    frame = f' stroke="{light("faint")}" stroke-width="0.7"'
    apart = [("not asked", UNASKED), *[("no value", "url(#hatch)")] * chart.without_value]
    for words, fill in apart:
        inside.append(swatch(x, 2 * high, fill, frame).replace('y="22"', 'y="65"'))
        inside.append(text_element(x + 2 * high + 5, 75, words, 12))
        x += 2 * high + 80
    return svg_element(HATCH + "".join(inside), f"0 0 {most} 80")


def same_decimals(limits: Sequence[float]) -> list[str]:
    """Write limits with equally many decimals, as many as the finest needs: 0.08, 0.20."""
    digits = max((len(f"{limit:g}".partition(".")[2]) for limit in limits), default=0)
    return [with_true_minus(number(limit, digits)) for limit in limits]


_OUTLINE = re.compile(r'<path (class="(?:economy|land)") d="([^"]*)"')


def shared_outlines() -> str:
    """Define the outlines of all economies once, for all maps of a page."""
    paths = "".join(
        f'<path id="shape-{iso3 or "other"}" d="{outline.path}"/>'
        for iso3, outline in outlines().items()
    )
    return (
        '<svg class="outlines" width="0" height="0" aria-hidden="true">'
        f"{with_colour_names(HATCH)}<defs>{paths}</defs></svg>"
    )


def with_shared_outlines(svg: str) -> str:
    """Let a map or its legend refer to `shared_outlines` instead of repeating outlines."""
    codes = {outline.path: iso3 or "other" for iso3, outline in outlines().items()}
    return _OUTLINE.sub(
        lambda found: f'<use {found.group(1)} href="#shape-{codes[found.group(2)]}"',
        svg.replace(HATCH, ""),
    )


Spec: TypeAlias = dict[str, Any]
Drawing: TypeAlias = tuple[list[Spec], int]
"""Layers of marks, and the height of the whole in pixels."""

ROW = 25
"""Pixels of a row in a chart of rows."""
_AXIS = 56
"""Pixels of an axis with its title."""
_LONGEST_LABEL = 215
"""Maximum pixels of a row's label; a longer one is cut."""
_SURELY_FITS = 18
"""Letters that always fit into that, even if each is a W. Longer labels are measured by an
additional drawing, which takes most of the time.
"""
_BOUNDED = {"filter": "isValid(datum.low) && isValid(datum.high)"}
_VALUED = {"filter": "isValid(datum.value)"}
_LABELLED = {"filter": "datum.label != ''"}
_SENTENCE: Spec = {"description": {"field": "said", "type": "nominal"}}
_GRID = {"grid": True, "gridColor": light("hairline"), "tickCount": 5}
_UPRIGHT = _GRID | {
    "titleAngle": 0,
    "titleAlign": "left",
    "titleAnchor": "start",
    "titleX": 0,
    "titleY": -14,
}
"""A vertical axis with a horizontal title above it."""


def draw_chart(chart: Chart) -> str:
    if isinstance(chart, WorldMap):
        return world_map(chart)
    if isinstance(chart, MapLegend):
        return map_legend(chart)
    if isinstance(chart, Intervals):
        return draw_intervals(chart)
    clean = msgspec.structs.replace(chart, rows=[_clean(row) for row in chart.rows])
    layers, height = _DRAWINGS[type(chart)](clean)
    values = [{k: v for k, v in row.items() if v is not None} for row in clean.rows]
    return vega_to_svg({"data": {"values": values}, "layer": layers}, height=height)


def _clean(row: Mapping[str, Any]) -> dict[str, Any]:
    """Remove characters that XML forbids from a row. Names may come from users' files."""
    clean = {key: finalized(value) for key, value in row.items()}
    if "said" in clean:
        clean["said"] = with_true_minus(clean["said"])  # type: ignore[arg-type]
    return clean


def _layer(
    mark: Spec, encoding: Spec, transform: Spec | None = None, data: Rows | None = None
) -> Spec:
    """A layer of marks, drawn from `data` or else from the chart's rows.

    Screen readers skip the marks unless `encoding` has a description.
    """
    layer: Spec = {"mark": mark if "description" in encoding else mark | {"aria": False}}
    if transform is not None:
        layer["transform"] = [transform]
    if data is not None:
        layer["data"] = {"values": data}
    return layer | {"encoding": encoding}


def _number(field: str, title: str, domain: Sequence[float] | None, **axis: Any) -> Spec:
    """A quantitative channel. A value outside the domain is drawn at the nearer end."""
    scale = {"domain": list(domain), "nice": False, "clamp": True} if domain else {"zero": True}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _rows(names: Sequence[str], bold: Sequence[str] | None = None) -> Spec:
    """The channel of row labels, in the order of `names`. Labels in `bold` are emphasised."""
    axis: Spec = {"labelColor": light("ink"), "labelLimit": 0}
    if any(len(name) > _SURELY_FITS for name in names):
        axis["labelLimit"] = _LONGEST_LABEL
    if bold is not None:
        # A name is the user's; as JSON it stays data inside the expression.
        is_bold = f"indexof({json.dumps(list(bold))}, datum.value) >= 0"
        axis |= {
            "labelColor": _either(is_bold, light("accent"), light("muted")),
            "labelFontWeight": _either(is_bold, "bold", "normal"),
        }
    return _nominal("row", sort=list(names), title=None, axis=axis)


def _either(test: str, then: object, otherwise: object) -> Spec:
    return {"condition": {"test": test, "value": then}, "value": otherwise}


def _colours(series: Sequence[str], rows: Rows, offset: int = 6) -> Spec:
    """The colour channel: one colour, or one for each series with a legend.

    The legend is `offset` pixels above the chart and leaves out series without rows. A colour
    depends on the place of its series in `series`, so that a series looks alike in neighbouring
    figures.
    """
    if len(series) < 2:
        return {"value": light("accent")}
    present = {row["series"] for row in rows}
    shades = {one: light(name) for one, name in zip(series, SERIES, strict=False) if one in present}
    legend = {"symbolOpacity": 1, "symbolType": "circle", "symbolStrokeWidth": 0, "offset": offset}
    scale = {"domain": list(shades), "range": list(shades.values())}
    return _nominal("series", sort=list(shades), scale=scale, legend=legend)


def _row_names(rows: Rows) -> list[str]:
    return list(dict.fromkeys(row["row"] for row in rows))


def _nominal(field: str, **more: Any) -> Spec:
    return {"field": field, "type": "nominal"} | more


def _heatmap(chart: Heatmap) -> Drawing:
    names, columns, heads = _row_names(chart.rows), list(chart.columns), chart.heads or {}
    step = chart.most / len(SCALE)
    breaks = {name: head.count("\n") for name, head in heads.items()}
    lines = 1 + max(breaks.values(), default=0)
    # Lines are written downwards from the first: all heads get as many, to stand on the cells.
    even = {name: "\n" * (lines - 1 - breaks[name]) + head for name, head in heads.items()}
    head = f"split({json.dumps(even)}[datum.value] || datum.value, '\\n')"
    axis = {"orient": "top", "labelAngle": 0, "labelLimit": 80, "grid": False}
    axis["labelFontSize"] = 11.6  # seven regions side by side on half a page, read on a phone too
    axis |= {"labelExpr": head, "labelLineHeight": 12}
    axis["labelPadding"] = 4 + 12 * (lines - 1)
    scale = {"domain": columns, "paddingInner": 0.04, "paddingOuter": 0}
    x = _nominal("column", sort=columns, title=chart.x_title or None, axis=axis, scale=scale)
    y = _rows(names, chart.bold) | {"scale": {"paddingInner": 0.08, "paddingOuter": 0}}
    place = {"x": x, "y": y}
    shades = {
        "type": "threshold",
        "domain": [step * i for i in range(1, len(SCALE))],
        "range": [light(name) for name in SCALE],
    }
    colour = {"field": "value", "type": "quantitative", "scale": shades, "legend": None}
    words = {
        "text": _nominal("shown"),
        "color": _either(f"datum.value >= {step * 3.999}", light("paper"), light("ink")),
    }
    layers = [
        {"name": "cells"}
        | _layer({"type": "rect"}, place | {"color": colour} | _SENTENCE, _VALUED),
        _layer({"type": "text", "fontSize": 12}, place | words, _VALUED),
    ]
    return layers, len(names) * ROW + 32 + 12 * lines


def _curves(chart: Curves) -> Drawing:
    rows = chart.rows
    x = _number("x", chart.x_title, None, format="d", grid=False, tickMinStep=1, tickCount=6)
    x["scale"] = {"zero": False, "nice": False}

    def y(field: str) -> Spec:
        return _number(field, chart.y_title, chart.domain, **_UPRIGHT)

    colour = _colours(chart.series, rows, offset=40)  # above the axis's title
    place = {"x": x, "y": y("value"), "color": colour}
    layers: list[Spec] = []
    if any({"low", "high"} <= row.keys() for row in rows):
        band = place | {"y": y("low"), "y2": {"field": "high"}}
        layers.append(_layer({"type": "area", "opacity": 0.16}, band, _BOUNDED))
    dot = {"type": "circle", "size": 38, "opacity": 1}
    every = {"filter": f"datum.x % {chart.every} == 0"}
    layers += [
        _layer({"type": "line", "strokeWidth": 2}, place),
        _layer(dot, place | _SENTENCE, every),
    ]
    for words, level in chart.levels.items():
        data = [{"value": level, "said": words}]
        across = {"y": y("value")}
        layers.append(_layer({"type": "rule", "strokeDash": [4, 3]}, across, data=data))
        words_at = {"type": "text", "align": "left", "baseline": "bottom", "dx": 3}
        text = across | {"x": {"value": 0}, "text": {"field": "said"}}
        layers.append(_layer(words_at, text, data=data))
    if any("label" in row for row in rows):
        ring = {"type": "point", "size": 170, "strokeWidth": 1.6}
        layers.append(_layer(ring, place, {"filter": "datum.sure"}))
        above = {"type": "text", "fontWeight": "bold", "dy": -20}
        layers.append(_layer(above, place | {"text": _nominal("label")}, _LABELLED))
    return layers, 250 + 36 * (len(chart.series) > 1)


def _scatter(chart: Scatter) -> Drawing:
    y_domain = chart.y_domain or chart.domain
    x = _number("x", chart.x_title, chart.domain, **_GRID)
    y = _number("y", chart.y_title, y_domain, **_UPRIGHT)
    place = {"x": x, "y": y}
    faint = {"color": light("faint")}
    rule = {"type": "rule", **faint}
    layers = [
        _layer(rule, {name: axis}, data=[{name: 0}])
        for (name, axis), (low, high) in zip(place.items(), (chart.domain, y_domain), strict=True)
        if low < 0 < high
    ]
    if chart.y_domain is None:
        diagonal = {"type": "line", "strokeDash": [3, 3], "strokeWidth": 1, **faint}
        ends = [{"x": end, "y": end} for end in chart.domain]
        layers.append(_layer(diagonal, place, data=ends))
    shade = {"color": _either("datum.here", light("accent"), light("muted"))}
    dot: Spec = {"type": "point", "filled": True, "size": 62, "opacity": 0.8}
    if chart.series:
        scale = {"domain": list(chart.series), "range": _SHAPES[: len(chart.series)]}
        legend = {"offset": 34, "symbolFillColor": light("muted"), "symbolStrokeWidth": 0}
        shape = _nominal("series", sort=list(chart.series), scale=scale, legend=legend)
        dots = _layer(dot, place | shade | {"shape": shape} | _SENTENCE)
    else:
        dots = _layer(dot | {"shape": "circle"}, place | shade | _SENTENCE)
    layers += [
        dots,
        _layer(
            {"type": "text", "align": "left", "dx": 7, "fontSize": 12},
            {"x": x | {"field": "label_x"}, "y": y | {"field": "label_y"}}
            | {"text": _nominal("label")},
            _LABELLED,
        ),
    ]
    return layers, 400


_SHAPES = ["circle", "square", "diamond"]


_DRAWINGS: dict[type, Callable[[Any], Drawing]] = {
    Heatmap: _heatmap,
    Curves: _curves,
    Scatter: _scatter,
}
