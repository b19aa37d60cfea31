"""Charts (`results.charts`) as drawings.

Each becomes a Vega-Lite specification, written as a plain dict: a Python front end checks every one
of them against the grammar's schema, which takes longer than drawing it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from geobias.report.page.colours import SCALE, SERIES, light
from geobias.report.page.svg import rendered
from geobias.report.page.text import finalized
from geobias.report.page.worldmap import legend, world_map
from geobias.results.charts import (
    AgainstChance,
    Chart,
    Curves,
    Heatmap,
    Intervals,
    Ladder,
    MapLegend,
    NullDistribution,
    Rows,
    Scatter,
    WorldMap,
)
from geobias.results.formatting import with_true_minus

Spec: TypeAlias = dict[str, Any]

ROW = 25
"""Pixels of a row in a chart of rows."""
_BETWEEN = 56
"""Pixels that an axis with its title takes."""
_BOUNDED = {"filter": "isValid(datum.low) && isValid(datum.high)"}
_VALUED = {"filter": "isValid(datum.value)"}
_INTERVAL = {"type": "rule", "strokeWidth": 2.5, "opacity": 0.45, "aria": False}
_SAID = {"field": "said", "type": "nominal"}


def draw(chart: Chart) -> str:
    """The chart as SVG."""
    if not isinstance(chart, WorldMap | MapLegend):
        chart = msgspec.structs.replace(chart, rows=[_clean(row) for row in chart.rows])
    return _DRAWN[type(chart)](chart)


def _clean(row: Mapping[str, Any]) -> dict[str, Any]:
    """Names in tables may come from users' files; a drawing is XML, which forbids some letters."""
    clean = {key: finalized(value) for key, value in row.items()}
    if "said" in clean:
        clean["said"] = with_true_minus(clean["said"])  # type: ignore[arg-type]
    return clean


def _values(rows: Rows) -> Spec:
    return {"values": [{k: v for k, v in row.items() if v is not None} for row in rows]}


def _number(field: str, title: str, domain: Sequence[float] | None = None, **axis: Any) -> Spec:
    """A quantitative channel. Values outside the domain are drawn at its end."""
    scale = {"domain": list(domain), "nice": False, "clamp": True} if domain else {"zero": True}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _rows(names: Sequence[str], bold: Sequence[str] | None = None) -> Spec:
    """The channel of row labels, in the given order; those in `bold` stand out."""
    axis: Spec = {"labelColor": light("ink")}
    if bold is not None:
        import json

        # A name is the user's; as JSON it stays data inside the expression.
        one_of = f"indexof({json.dumps(list(bold))}, datum.value) >= 0"
        axis = {
            "labelColor": _either(one_of, light("accent"), light("muted")),
            "labelFontWeight": _either(one_of, "bold", "normal"),
        }
    return {"field": "row", "type": "nominal", "sort": list(names), "title": None, "axis": axis}


def _either(test: str, then: object, otherwise: object) -> Spec:
    return {"condition": {"test": test, "value": then}, "value": otherwise}


def _colours(series: Sequence[str], rows: Rows, offset: int = 6) -> Spec:
    """One colour, or one for each series with a legend `offset` pixels above the chart.

    A series has the colour of its place among all `series`, whether the others are there or not:
    neighbouring figures then agree. Those that the rows lack are not in the legend.
    """
    if len(series) < 2:
        return {"value": light("accent")}
    found = {row["series"] for row in rows}
    shades = {one: light(name) for one, name in zip(series, SERIES, strict=False) if one in found}
    return {
        "field": "series",
        "type": "nominal",
        "sort": list(shades),
        "scale": {"domain": list(shades), "range": list(shades.values())},
        "legend": {"symbolOpacity": 1, "symbolType": "circle", "symbolStrokeWidth": 0}
        | {"offset": offset},
    }


def _order(rows: Rows) -> list[str]:
    return list(dict.fromkeys(row["row"] for row in rows))


def _intervals(chart: Intervals) -> str:
    title, domain, series = chart.title, chart.domain, chart.series
    names = _order(chart.rows)
    place: Spec = {"y": _rows(names, chart.bold), "color": _colours(series, chart.rows)}
    shown = [one for one in series if any(row["series"] == one for row in chart.rows)]
    if len(shown) > 1:
        scale = {"paddingOuter": 0.35}
        place["yOffset"] = {"field": "series", "type": "nominal", "sort": shown, "scale": scale}
    layers: list[Spec] = []
    if chart.reference is not None:
        layers.append(
            {
                "data": {"values": [{"value": chart.reference}]},
                "mark": {
                    "type": "rule",
                    "color": light("faint"),
                    "strokeDash": [3, 3],
                    "aria": False,
                },
                "encoding": {"x": _number("value", title, domain)},
            }
        )
    layers += [
        {
            "transform": [_BOUNDED],
            "mark": _INTERVAL | {"strokeCap": "round"},
            "encoding": {
                "x": _number("low", title, domain),
                "x2": {"field": "high"},
                **place,
            },
        },
        {
            "transform": [_VALUED],
            "mark": {"type": "circle", "size": 75, "opacity": 1},
            "encoding": {
                "x": _number("value", title, domain),
                "description": _SAID,
                **place,
            },
        },
    ]
    step = ROW if len(shown) < 2 else ROW + 9 * (len(shown) - 1)
    height = len(names) * step + _BETWEEN + 22 * (len(series) > 1)
    return rendered({"data": _values(chart.rows), "layer": layers}, height=height)


def _against_chance(chart: AgainstChance) -> str:
    title, domain = chart.title, chart.domain
    names = _order(chart.rows)
    y = _rows(names)
    layers = [
        {
            "transform": [{"calculate": "0", "as": "zero"}],
            "mark": {"type": "bar", "height": 13, "color": light("hairline"), "opacity": 0.75}
            | {"aria": False},
            "encoding": {
                "x": _number("zero", title, domain),
                "x2": {"field": "chance_high"},
                "y": y,
            },
        },
        {
            "transform": [_BOUNDED],
            "mark": _INTERVAL | {"color": light("accent")},
            "encoding": {"x": _number("low", title, domain), "x2": {"field": "high"}, "y": y},
        },
        {
            "transform": [_VALUED],
            "mark": {"type": "circle", "size": 80, "color": light("accent"), "opacity": 1},
            "encoding": {"x": _number("value", title, domain), "y": y, "description": _SAID},
        },
    ]
    height = len(names) * ROW + _BETWEEN
    return rendered({"data": _values(chart.rows), "layer": layers}, height=height)


def _null_distribution(chart: NullDistribution) -> str:
    bars, title, observed = chart.rows, chart.title, chart.observed
    top = max((bar["deals"] for bar in bars), default=1)
    domain = (0, chart.end)
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [0, top * 1.25]}}
    right = observed > 0.62 * chart.end
    text = {
        "type": "text",
        "align": "right" if right else "left",
        "dx": -7 if right else 7,
        "fontWeight": "bold",
        "color": light("accent"),
        "aria": False,
    }
    mark = {"values": [{"at": observed, "top": top * 1.22, "said": with_true_minus(chart.said)}]}
    layers = [
        {
            "data": {"values": [dict(bar) for bar in bars]},
            "mark": {"type": "bar", "color": light("faint"), "opacity": 0.45, "aria": False},
            "encoding": {
                "x": _number("from", title, domain),
                "x2": {"field": "to"},
                "y": y | {"field": "deals"},
                "y2": {"datum": 0},
            },
        },
        *(
            {
                "data": {"values": [{"at": at, "top": top * 1.08}]},
                "mark": {"type": "rule", "aria": False, **look},
                "encoding": {
                    "x": _number("at", title, domain),
                    "y": y | {"field": "top"},  # under the label
                    "y2": {"datum": 0},
                },
            }
            for at, look in (
                (chart.limit, {"color": light("muted"), "strokeWidth": 1.5, "strokeDash": [4, 3]}),
                (
                    chart.baseline,
                    {"color": light("second"), "strokeWidth": 2, "strokeDash": [1.5, 2.5]},
                ),
            )
            if at is not None
        ),
        {
            "data": mark,
            "mark": {"type": "rule", "color": light("accent"), "strokeWidth": 2.5},
            "encoding": {"x": _number("at", title, domain), "description": _SAID},
        },
        {
            "data": mark,
            "mark": text,
            "encoding": {
                "x": _number("at", title, domain),
                "y": y | {"field": "top"},
                "text": {"value": f"observed {observed:.3f}"},
            },
        },
    ]
    return rendered({"layer": layers}, height=170)


def _heatmap(chart: Heatmap) -> str:
    import json

    names, columns, heads = _order(chart.rows), list(chart.columns), chart.heads or {}
    step = chart.most / len(SCALE)
    breaks = {name: head.count("\n") for name, head in heads.items()}
    lines = 1 + max(breaks.values(), default=0)
    # Lines are written downwards from the first: all heads get as many, to stand on the cells.
    even = {name: "\n" * (lines - 1 - breaks[name]) + head for name, head in heads.items()}
    head = f"split({json.dumps(even)}[datum.value] || datum.value, '\\n')"
    x = {
        "field": "column",
        "type": "nominal",
        "sort": columns,
        "title": chart.x_title or None,
        "axis": {"orient": "top", "labelAngle": 0, "labelLimit": 80, "grid": False}
        | {"labelFontSize": 11, "labelExpr": head, "labelLineHeight": 12}
        | {"labelPadding": 4 + 12 * (lines - 1)},
        "scale": {"domain": columns, "paddingInner": 0.04, "paddingOuter": 0},
    }
    y = _rows(names, chart.bold) | {"scale": {"paddingInner": 0.08, "paddingOuter": 0}}
    shades = {
        "type": "threshold",
        "domain": [step * i for i in range(1, len(SCALE))],
        "range": [light(name) for name in SCALE],
    }
    dark = f"datum.value >= {step * 3.999}"
    layers = [
        {
            "name": "cells",
            "transform": [_VALUED],
            "mark": {"type": "rect"},
            "encoding": {
                "x": x,
                "y": y,
                "color": {
                    "field": "value",
                    "type": "quantitative",
                    "scale": shades,
                    "legend": None,
                },
                "description": _SAID,
            },
        },
        {
            "transform": [_VALUED],
            "mark": {"type": "text", "fontSize": 11, "aria": False},
            "encoding": {
                "x": x,
                "y": y,
                "text": {"field": "shown", "type": "nominal"},
                "color": _either(dark, light("paper"), light("ink")),
            },
        },
    ]
    height = len(names) * ROW + 32 + 12 * lines
    return rendered({"data": _values(chart.rows), "layer": layers}, height=height)


def _upright(**axis: Any) -> Spec:
    """A vertical axis whose title stands above it, so that nobody has to tilt the head."""
    return {
        "grid": True,
        "gridColor": light("hairline"),
        "tickCount": 5,
        "titleAngle": 0,
        "titleAlign": "left",
        "titleAnchor": "start",
        "titleX": 0,
        "titleY": -14,
    } | axis


def _curves(chart: Curves) -> str:
    rows, domain, y_title = chart.rows, chart.domain, chart.y_title
    colour = _colours(chart.series, rows, offset=40)  # above the axis's title
    x = {
        "field": "x",
        "type": "quantitative",
        "title": chart.x_title,
        "scale": {"zero": False, "nice": False},
        "axis": {"format": "d", "grid": False, "tickMinStep": 1, "tickCount": 6},
    }
    shown = _upright()
    place = {"x": x, "y": _number("value", y_title, domain, **shown), "color": colour}
    layers: list[Spec] = []
    if any({"low", "high"} <= row.keys() for row in rows):
        layers.append(
            {
                "transform": [_BOUNDED],
                "mark": {"type": "area", "opacity": 0.16, "aria": False},
                "encoding": place
                | {"y": _number("low", y_title, domain, **shown), "y2": {"field": "high"}},
            }
        )
    layers += [
        {"mark": {"type": "line", "strokeWidth": 2, "aria": False}, "encoding": place},
        {
            "transform": [{"filter": f"datum.x % {chart.every} == 0"}],
            "mark": {"type": "circle", "size": 38, "opacity": 1},
            "encoding": place | {"description": _SAID},
        },
    ]
    if any("label" in row for row in rows):
        layers.append(
            {
                "transform": [{"filter": "datum.sure"}],
                "mark": {"type": "point", "size": 170, "strokeWidth": 1.6, "aria": False},
                "encoding": place,
            }
        )
        layers += [_beside_a_point(row, rows, place, domain) for row in rows if row["label"]]
    height = 250 + 36 * (len(chart.series) > 1)
    return rendered({"data": _values(rows), "layer": layers}, height=height)


def _beside_a_point(
    row: Spec, rows: Sequence[Spec], place: Spec, domain: tuple[float, float] | None
) -> Spec:
    """A point's label, where there is room: towards the middle, and below near the upper end."""
    values, places = [one["value"] for one in rows], [one["x"] for one in rows]
    low, high = domain or (min(values), max(values))
    near_the_top = row["value"] > low + 0.8 * (high - low)
    left = row["x"] <= (min(places) + max(places)) / 2
    look = {"align": "left" if left else "right", "dy": 20 if near_the_top else -20}
    return {
        "data": {"values": [row]},
        "mark": {"type": "text", "fontWeight": "bold", "aria": False} | look,
        "encoding": {
            "x": place["x"],
            "y": place["y"],
            "text": {"field": "label", "type": "nominal"},
        },
    }


def _scatter(chart: Scatter) -> str:
    domain = chart.domain
    grid = {"grid": True, "gridColor": light("hairline"), "tickCount": 5}
    x = _number("x", chart.x_title, domain, **grid)
    y = _number("y", chart.y_title, domain, **_upright())
    line = {"color": light("faint"), "aria": False}
    layers: list[Spec] = []
    if domain[0] < 0 < domain[1]:
        zero = {"values": [{"x": 0, "y": 0}]}
        layers += [
            {"data": zero, "mark": {"type": "rule", **line}, "encoding": {"x": x}},
            {"data": zero, "mark": {"type": "rule", **line}, "encoding": {"y": y}},
        ]
    place = {"x": x, "y": y}
    layers += [
        {
            "data": {"values": [{"x": end, "y": end} for end in domain]},
            "mark": {"type": "line", "strokeDash": [3, 3], "strokeWidth": 1, **line},
            "encoding": place,
        },
        {
            "mark": {"type": "circle", "size": 62, "opacity": 0.8, "color": light("accent")},
            "encoding": place | {"description": _SAID},
        },
        {
            "transform": [{"filter": "datum.label != ''"}],
            "mark": {"type": "text", "align": "left", "dx": 7, "fontSize": 11, "aria": False},
            "encoding": place | {"text": {"field": "label", "type": "nominal"}},
        },
    ]
    return rendered({"data": _values(chart.rows), "layer": layers}, height=400)


def _ladder(chart: Ladder) -> str:
    names = _order(chart.rows)
    mark = {
        "mark": {"type": "circle", "opacity": 1},
        "encoding": {
            "x": _number("value", chart.title, chart.domain),
            "y": _rows(names, [row["row"] for row in chart.rows if row["here"]]),
            "color": _either("datum.here", light("accent"), light("faint")),
            "size": _either("datum.here", 85, 45),
            "description": _SAID,
        },
    }
    return rendered({"data": _values(chart.rows), **mark}, height=len(names) * 18 + _BETWEEN)


_DRAWN: dict[type, Callable[[Any], str]] = {
    Intervals: _intervals,
    AgainstChance: _against_chance,
    NullDistribution: _null_distribution,
    Heatmap: _heatmap,
    Curves: _curves,
    Scatter: _scatter,
    Ladder: _ladder,
    WorldMap: world_map,
    MapLegend: legend,
}
