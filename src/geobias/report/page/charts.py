"""The kinds of charts the report is made of. Each takes a frame and returns SVG.

Charts are Vega-Lite specifications, written as plain dicts: a Python front end checks every one of
them against the grammar's schema, which takes longer than drawing it. Every mark that carries a
value has a sentence (the column `said`) with the value, its interval and its count: a reader sees
it on hover or with the arrow keys, and a screen reader reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from geobias.report.page.colours import SCALE, SERIES, light
from geobias.report.page.drawing import drawn

if TYPE_CHECKING:
    import polars as pl

Spec: TypeAlias = dict[str, Any]

ROW = 25
"""Pixels of a row in a chart of rows."""
_BETWEEN = 56
"""Pixels that an axis with its title takes."""
_BOUNDED = {"filter": "isValid(datum.low) && isValid(datum.high)"}
_VALUED = {"filter": "isValid(datum.value)"}
_INTERVAL = {"type": "rule", "strokeWidth": 2.5, "opacity": 0.45, "aria": False}
_SAID = {"field": "said", "type": "nominal"}


def _values(frame: pl.DataFrame) -> Spec:
    return {"values": [{k: v for k, v in row.items() if v is not None} for row in frame.to_dicts()]}


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


def _colours(series: Sequence[str], frame: pl.DataFrame, offset: int = 6) -> Spec:
    """One colour, or one for each series with a legend `offset` pixels above the chart.

    A series has the colour of its place among all `series`, whether the others are there or not:
    neighbouring figures then agree. Those that the frame lacks are not in the legend.
    """
    if len(series) < 2:
        return {"value": light("accent")}
    found = set(frame["series"])
    shades = {one: light(name) for one, name in zip(series, SERIES, strict=False) if one in found}
    return {
        "field": "series",
        "type": "nominal",
        "sort": list(shades),
        "scale": {"domain": list(shades), "range": list(shades.values())},
        "legend": {"symbolOpacity": 1, "symbolType": "circle", "symbolStrokeWidth": 0}
        | {"offset": offset},
    }


def _order(frame: pl.DataFrame) -> list[str]:
    return list(dict.fromkeys(frame["row"]))


def intervals(
    frame: pl.DataFrame,
    *,
    title: str,
    domain: tuple[float, float],
    reference: float | None = None,
    series: Sequence[str] = (),
    bold: Sequence[str] | None = None,
) -> str:
    """A dot with its interval for each row, in the order of the frame.

    Columns: row, value, low, high, said, and series where `series` names those that can be; a row
    without a value keeps its place and stays empty. `reference` is a thin line to hold the dots
    against.
    """
    names = _order(frame)
    place: Spec = {"y": _rows(names, bold), "color": _colours(series, frame)}
    shown = [one for one in series if one in set(frame["series"])] if series else []
    if len(shown) > 1:
        scale = {"paddingOuter": 0.35}
        place["yOffset"] = {"field": "series", "type": "nominal", "sort": shown, "scale": scale}
    layers: list[Spec] = []
    if reference is not None:
        layers.append(
            {
                "data": {"values": [{"value": reference}]},
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
    return drawn({"data": _values(frame), "layer": layers}, height=height)


def against_chance(frame: pl.DataFrame, *, title: str, domain: tuple[float, float]) -> str:
    """What was observed, as a dot on a bar that holds 95% of what chance alone gives.

    Columns: row, value, chance_high, said; low and high where known.
    """
    names = _order(frame)
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
    return drawn({"data": _values(frame), "layer": layers}, height=len(names) * ROW + _BETWEEN)


def null_distribution(
    bars: Sequence[Mapping[str, float]],
    *,
    observed: float,
    limit: float | None,
    said: str,
    title: str,
    end: float,
    dealt: float | None = None,
) -> str:
    """A histogram of what chance gives, with a line where the observed value stands.

    A bar goes `from` … `to` and is as high as its `deals`. A dashed line stands at the `limit` that
    5% of the deals reach, a dotted one at `dealt`, what a model without any knowledge would have.
    """
    top = max((bar["deals"] for bar in bars), default=1)
    domain = (0, end)
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [0, top * 1.25]}}
    right = observed > 0.62 * end
    text = {
        "type": "text",
        "align": "right" if right else "left",
        "dx": -7 if right else 7,
        "fontWeight": "bold",
        "color": light("accent"),
        "aria": False,
    }
    mark = {"values": [{"at": observed, "top": top * 1.22, "said": said}]}
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
                (limit, {"color": light("muted"), "strokeWidth": 1.5, "strokeDash": [4, 3]}),
                (dealt, {"color": light("second"), "strokeWidth": 2, "strokeDash": [1.5, 2.5]}),
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
    return drawn({"layer": layers}, height=170)


def heatmap(
    frame: pl.DataFrame,
    *,
    x_title: str | None,
    columns: Sequence[str],
    heads: Mapping[str, str] | None = None,
    most: float,
    bold: Sequence[str] | None = None,
) -> str:
    """Cells coloured by value, with a word in them. Columns: row, column, value, said, shown.

    `shown` is what the cell says; undefined cells stay empty. Seven shades from 0 to `most`.
    `heads` are the columns' names where they need several lines.
    """
    import json

    names = _order(frame)
    step = most / len(SCALE)
    breaks = {name: head.count("\n") for name, head in (heads or {}).items()}
    lines = 1 + max(breaks.values(), default=0)
    # Lines are written downwards from the first: all heads get as many, to stand on the cells.
    even = {name: "\n" * (lines - 1 - breaks[name]) + head for name, head in (heads or {}).items()}
    head = f"split({json.dumps(even)}[datum.value] || datum.value, '\\n')"
    x = {
        "field": "column",
        "type": "nominal",
        "sort": list(columns),
        "title": x_title or None,
        "axis": {"orient": "top", "labelAngle": 0, "labelLimit": 80, "grid": False}
        | {"labelFontSize": 11, "labelExpr": head, "labelLineHeight": 12}
        | {"labelPadding": 4 + 12 * (lines - 1)},
        "scale": {"domain": list(columns), "paddingInner": 0.04, "paddingOuter": 0},
    }
    y = _rows(names, bold) | {"scale": {"paddingInner": 0.08, "paddingOuter": 0}}
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
    return drawn({"data": _values(frame), "layer": layers}, height=height)


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


def curves(
    frame: pl.DataFrame,
    *,
    x_title: str,
    y_title: str,
    series: Sequence[str] = (),
    domain: tuple[float, float] | None = None,
    every: int = 1,
) -> str:
    """Lines over whole numbers (years, turns), with bands where low and high are known.

    Columns: x, value, said; series, low and high where known; `label` is written over a point,
    and `sure` (bool) rings it. A dot stands at every so many steps.
    """
    colour = _colours(series, frame, offset=40)  # above the axis's title
    x = {
        "field": "x",
        "type": "quantitative",
        "title": x_title,
        "scale": {"zero": False, "nice": False},
        "axis": {"format": "d", "grid": False, "tickMinStep": 1, "tickCount": 6},
    }
    shown = _upright()
    place = {"x": x, "y": _number("value", y_title, domain, **shown), "color": colour}
    layers: list[Spec] = []
    if {"low", "high"} <= set(frame.columns):
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
            "transform": [{"filter": f"datum.x % {every} == 0"}],
            "mark": {"type": "circle", "size": 38, "opacity": 1},
            "encoding": place | {"description": _SAID},
        },
    ]
    if "label" in frame.columns:
        layers.append(
            {
                "transform": [{"filter": "datum.sure"}],
                "mark": {"type": "point", "size": 170, "strokeWidth": 1.6, "aria": False},
                "encoding": place,
            }
        )
        rows = frame.to_dicts()
        layers += [_beside_a_point(row, rows, place, domain) for row in rows if row["label"]]
    return drawn({"data": _values(frame), "layer": layers}, height=250 + 36 * (len(series) > 1))


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


def scatter(frame: pl.DataFrame, *, x_title: str, y_title: str, domain: tuple[float, float]) -> str:
    """Points in a square, with the line where both are equal. Columns: x, y, said, label.

    `label` is written beside a point where it is not empty.
    """
    grid = {"grid": True, "gridColor": light("hairline"), "tickCount": 5}
    x = _number("x", x_title, domain, **grid)
    y = _number("y", y_title, domain, **_upright())
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
    return drawn({"data": _values(frame), "layer": layers}, height=400)


def ladder(frame: pl.DataFrame, *, title: str, domain: tuple[float, float]) -> str:
    """Many models in order, the run's own standing out. Columns: row, value, said, here."""
    names = _order(frame)
    mark = {
        "mark": {"type": "circle", "opacity": 1},
        "encoding": {
            "x": _number("value", title, domain),
            "y": _rows(names, frame.filter(frame["here"])["row"].to_list()),
            "color": _either("datum.here", light("accent"), light("faint")),
            "size": _either("datum.here", 85, 45),
            "description": _SAID,
        },
    }
    return drawn({"data": _values(frame), **mark}, height=len(names) * 18 + _BETWEEN)
