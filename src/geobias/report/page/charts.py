"""The kinds of charts the report is made of. Each takes a frame and returns SVG.

Every mark carries a sentence (the column `said`) with its value, its interval and its count: a
reader sees it on hover or with the arrow keys, and a screen reader reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from geobias.report.page.colours import SCALE, SERIES, light
from geobias.report.page.drawing import drawn

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

ROW = 25
"""Pixels of a row in a chart of rows."""
_BETWEEN = 56
"""Pixels that an axis with its title takes."""


def _base(frame: pl.DataFrame) -> alt.Chart:
    import altair as alt

    values = [{k: v for k, v in row.items() if v is not None} for row in frame.to_dicts()]
    return alt.Chart(alt.Data(values=values))


def intervals(
    frame: pl.DataFrame,
    *,
    title: str,
    domain: tuple[float, float],
    reference: float | None = None,
    series: Sequence[str] = (),
    bold: Sequence[str] = (),
    percent: bool = False,
) -> str:
    """A dot with its interval for each row, in the order of the frame.

    Columns: row, value, low, high, said, and `series` where there are several; a row without a
    value keeps its place and stays empty. `reference` is a thin line to hold the dots against. Rows named in `bold` stand out.
    """
    import altair as alt

    rows = list(dict.fromkeys(frame["row"]))
    base = _base(frame)
    scale = alt.Scale(domain=list(domain), nice=False, clamp=True)
    axis = alt.Axis(format="%" if percent else "~g")
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    labels = _standing_out(bold) if bold else alt.Axis(labelColor=light("ink"))
    y = alt.Y("row:N", sort=rows, title=None, axis=labels)
    offset: dict[str, Any] = {}
    colour: Any = alt.value(light("accent"))
    if series:
        colours = [light(name) for name in SERIES[: len(series)]]
        colour = alt.Color(
            "series:N",
            scale=alt.Scale(domain=list(series), range=colours),
            sort=list(series),
            legend=alt.Legend(symbolOpacity=1, symbolType="circle", symbolStrokeWidth=0),
        )
        offset = {"yOffset": alt.YOffset("series:N", sort=list(series), scale=alt.Scale(paddingOuter=0.35))}
    layers: list[Any] = []
    if reference is not None:
        layers.append(
            alt.Chart(alt.Data(values=[{"value": reference}]))
            .mark_rule(color=light("faint"), strokeDash=[3, 3], aria=False)
            .encode(x=alt.X("value:Q", scale=scale))
        )
    known = "isValid(datum.low) && isValid(datum.high)"
    layers += [
        base.transform_filter(known)
        .mark_rule(strokeWidth=2.5, opacity=0.45, strokeCap="round", aria=False)
        .encode(
            x=alt.X("low:Q", scale=scale, title=title, axis=axis),
            x2="high:Q",
            y=y,
            color=colour,
            **offset,
        ),
        base.transform_filter("isValid(datum.value)")
        .mark_circle(size=75, opacity=1)
        .encode(x=x, y=y, color=colour, description="said:N", **offset),
    ]
    step = ROW if len(series) < 2 else ROW + 9 * (len(series) - 1)
    return drawn(alt.layer(*layers), height=len(rows) * step + _BETWEEN + 22 * bool(series))


def against_chance(frame: pl.DataFrame, *, title: str, domain: tuple[float, float]) -> str:
    """What was observed (dot, with its interval) on what chance alone gives.

    Columns: row, value, chance (the mean of random deals), chance_high (what 5% of them reach),
    said; low and high where known. Where `deals` (a list of quantiles) is there, they are drawn as
    fine strokes, so that the reader sees the distribution and not only its end.
    """
    import altair as alt

    rows = list(dict.fromkeys(frame["row"]))
    base = _base(frame.drop("deals") if "deals" in frame.columns else frame)
    scale = alt.Scale(domain=list(domain), nice=False, clamp=True)
    axis = alt.Axis(format="~g")
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(labelColor=light("ink")))
    strokes: list[Any] = []
    if "deals" in frame.columns:
        values = [
            {"row": row["row"], "deal": deal} for row in frame.to_dicts() for deal in row["deals"] or ()
        ]
        strokes.append(
            alt.Chart(alt.Data(values=values))
            .mark_tick(color=light("faint"), opacity=0.3, thickness=1, height=13, aria=False)
            .encode(x=alt.X("deal:Q", scale=scale, title=title, axis=axis), y=y)
        )
    layers = [
        base.mark_bar(height=13, color=light("hairline"), opacity=0.75, aria=False)
        .encode(x=alt.X("zero:Q", scale=scale, title=title, axis=axis), x2="chance_high:Q", y=y)
        .transform_calculate(zero="0"),
        *strokes,
        base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        .mark_rule(strokeWidth=2.5, opacity=0.45, color=light("accent"), aria=False)
        .encode(x=alt.X("low:Q", scale=scale), x2="high:Q", y=y),
        base.transform_filter("isValid(datum.value)")
        .mark_circle(size=80, color=light("accent"), opacity=1)
        .encode(x=alt.X("value:Q", scale=scale), y=y, description="said:N"),
    ]
    return drawn(alt.layer(*layers), height=len(rows) * ROW + _BETWEEN)


def heatmap(
    frame: pl.DataFrame,
    *,
    x_title: str,
    columns: Sequence[str],
    most: float,
    percent: bool = False,
    least: float = 0.0,
    ramp: Sequence[str] = tuple(SCALE),
) -> str:
    """Cells coloured by value, with the value in them. Columns: row, column, value, said, shown.

    `shown` is what the cell says; undefined cells stay empty. Seven shades from `least` to `most`.
    """
    import altair as alt

    rows = list(dict.fromkeys(frame["row"]))
    step = (most - least) / len(ramp)
    thresholds = [least + step * i for i in range(1, len(ramp))]
    colours = [light(name) for name in ramp]
    base = _base(frame)
    x = alt.X(
        "column:N",
        sort=list(columns),
        title=x_title,
        axis=alt.Axis(orient="top", labelAngle=0, labelLimit=60, grid=False),
        scale=alt.Scale(paddingInner=0.04, paddingOuter=0),
    )
    y = alt.Y(
        "row:N",
        sort=rows,
        title=None,
        axis=alt.Axis(labelColor=light("ink")),
        scale=alt.Scale(paddingInner=0.08, paddingOuter=0),
    )
    cells = base.transform_filter("isValid(datum.value)").mark_rect(cornerRadius=1).encode(
        x=x,
        y=y,
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(type="threshold", domain=thresholds, range=colours),
            legend=None,
        ),
        description="said:N",
    )
    dark = f"datum.value >= {least + step * 3.999}"
    words = base.transform_filter("isValid(datum.value)").mark_text(fontSize=11, aria=False).encode(
        x=x,
        y=y,
        text="shown:N",
        color=alt.condition(dark, alt.value(light("paper")), alt.value(light("ink"))),
    )
    return drawn(alt.layer(cells, words), height=len(rows) * ROW + 44)


def curves(
    frame: pl.DataFrame,
    *,
    x_title: str,
    y_title: str,
    series: Sequence[str] = (),
    domain: tuple[float, float] | None = None,
    whole: bool = True,
    percent: bool = False,
    height: int = 240,
    marked: bool = True,
) -> str:
    """Lines over a number, with bands where low and high are known; labels at the lines' ends.

    Columns: x, value, said; series, low and high where known. `best` (bool) marks a point.
    """
    import altair as alt

    several = len(series) > 1
    base = _base(frame)
    colours = [light(name) for name in SERIES[: max(1, len(series))]]
    colour: Any = alt.value(light("accent"))
    if several:
        colour = alt.Color(
            "series:N",
            scale=alt.Scale(domain=list(series), range=colours),
            sort=list(series),
            legend=alt.Legend(symbolOpacity=1, symbolType="circle", symbolStrokeWidth=0),
        )
    x = alt.X(
        "x:Q",
        title=x_title,
        scale=alt.Scale(zero=False, nice=False),
        axis=alt.Axis(format="d" if whole else "~g", grid=False, tickMinStep=1, tickCount=6),
    )
    scale = alt.Scale(domain=list(domain), nice=False) if domain else alt.Scale(zero=True)
    y = alt.Y(
        "value:Q",
        title=y_title,
        scale=scale,
        axis=alt.Axis(
            grid=True, gridColor=light("hairline"), format="%" if percent else "~g", tickCount=5,
            titleAngle=0, titleAlign="left", titleAnchor="start", titleX=0, titleY=-14,
        ),
    )
    layers: list[Any] = []
    if {"low", "high"} <= set(frame.columns):
        layers.append(
            base.transform_filter("isValid(datum.low) && isValid(datum.high)")
            .mark_area(opacity=0.16, aria=False)
            .encode(x=x, y=alt.Y("low:Q", scale=scale, title=y_title), y2="high:Q", color=colour)
        )
    layers.append(base.mark_line(strokeWidth=2, aria=False).encode(x=x, y=y, color=colour))
    dots = base if marked else base.transform_filter("datum.x % 5 == 0 || datum.x == 1")
    layers.append(
        dots.mark_circle(size=38, opacity=1).encode(x=x, y=y, color=colour, description="said:N")
    )
    if "best" in frame.columns:
        best = base.transform_filter("datum.best")
        layers += [
            best.mark_point(size=170, strokeWidth=1.6, aria=False).encode(x=x, y=y, color=colour),
            best.mark_text(dy=-16, fontWeight="bold", aria=False).encode(x=x, y=y, text="x:N"),
        ]
    return drawn(alt.layer(*layers), height=height)


def scatter(
    frame: pl.DataFrame,
    *,
    x_title: str,
    y_title: str,
    domain: tuple[float, float],
    diagonal: bool = True,
    labelled: bool = True,
) -> str:
    """Points in a square, with the line where both are equal. Columns: x, y, said, label, here.

    `label` is written beside a point where it is not empty; `here` (bool) puts it in the accent.
    """
    import altair as alt

    base = _base(frame)
    scale = alt.Scale(domain=list(domain), nice=False, clamp=True)
    grid = {"grid": True, "gridColor": light("hairline"), "tickCount": 5, "format": "~g"}
    x = alt.X("x:Q", title=x_title, scale=scale, axis=alt.Axis(**grid))
    y = alt.Y(
        "y:Q",
        title=y_title,
        scale=scale,
        axis=alt.Axis(**grid, titleAngle=0, titleAlign="left", titleAnchor="start", titleX=0, titleY=-14),
    )
    layers: list[Any] = []
    if domain[0] < 0 < domain[1]:
        zero = alt.Chart(alt.Data(values=[{"zero": 0}]))
        line = {"color": light("faint"), "aria": False}
        layers += [
            zero.mark_rule(**line).encode(x=alt.X("zero:Q", scale=scale, title=x_title)),
            zero.mark_rule(**line).encode(y=alt.Y("zero:Q", scale=scale, title=y_title)),
        ]
    if diagonal:
        ends = alt.Data(values=[{"x": end, "y": end} for end in domain])
        layers.append(
            alt.Chart(ends)
            .mark_line(color=light("faint"), strokeDash=[3, 3], strokeWidth=1, aria=False)
            .encode(x=x, y=y)
        )
    colour = alt.condition("datum.here", alt.value(light("accent")), alt.value(light("faint")))
    layers.append(
        base.mark_circle(size=62, opacity=0.8).encode(x=x, y=y, color=colour, description="said:N")
    )
    if labelled:
        layers.append(
            base.transform_filter("datum.label != ''")
            .mark_text(align="left", dx=7, fontSize=11, aria=False)
            .encode(x=x, y=y, text="label:N")
        )
    return drawn(alt.layer(*layers), height=380)


def ladder(frame: pl.DataFrame, *, title: str, domain: tuple[float, float]) -> str:
    """Many models in order, the run's own standing out. Columns: row, value, said, here; low, high."""
    import altair as alt

    rows = list(dict.fromkeys(frame["row"]))
    here = frame.filter(frame["here"])["row"].to_list()
    base = _base(frame)
    scale = alt.Scale(domain=list(domain), nice=False, clamp=True)
    axis = alt.Axis(format="~g")
    x = alt.X("value:Q", title=title, scale=scale, axis=axis)
    y = alt.Y("row:N", sort=rows, title=None, axis=_standing_out(here))
    colour = alt.condition("datum.here", alt.value(light("accent")), alt.value(light("faint")))
    bounds = []
    if {"low", "high"} <= set(frame.columns):
        bounds.append(
            base.transform_filter("isValid(datum.low) && isValid(datum.high)")
            .mark_rule(strokeWidth=2.5, opacity=0.45, aria=False)
            .encode(x=alt.X("low:Q", scale=scale, title=title, axis=axis), x2="high:Q", y=y, color=colour)
        )
    dots = base.mark_circle(opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        size=alt.condition("datum.here", alt.value(85), alt.value(45)),
        description="said:N",
    )
    return drawn(alt.layer(*bounds, dots), height=len(rows) * 18 + _BETWEEN)


def _standing_out(names: Sequence[str]) -> alt.Axis:
    """An axis whose labels of these names are bold. A name is the user's, and JSON keeps it data."""
    import json

    import altair as alt

    one_of = f"indexof({json.dumps(list(names))}, datum.value) >= 0"
    return alt.Axis(
        labelColor=alt.condition(one_of, alt.value(light("accent")), alt.value(light("muted"))),
        labelFontWeight=alt.condition(one_of, alt.value("bold"), alt.value("normal")),
    )


def null_distribution(
    deals: Sequence[float], *, observed: float, said: str, title: str, end: float
) -> str:
    """A histogram of what chance gives, with a line where the observed value stands."""
    import altair as alt
    import numpy as np

    counts, edges = np.histogram(deals, bins=44, range=(0, end))
    bars = [
        {"from": float(a), "to": float(b), "count": int(n)}
        for a, b, n in zip(edges[:-1], edges[1:], counts, strict=True)
        if n
    ]
    top = int(counts.max()) if len(deals) else 1
    scale = alt.Scale(domain=[0, end], nice=False, clamp=True)
    x = alt.X("from:Q", title=title, scale=scale, axis=alt.Axis(format="~g"))
    y = alt.Y("count:Q", axis=None, scale=alt.Scale(domain=[0, top * 1.25]))
    right = observed > 0.62 * end
    mark = alt.Chart(alt.Data(values=[{"at": observed, "top": top * 1.22, "said": said}]))
    at = alt.X("at:Q", scale=scale, title=title)
    return drawn(
        alt.layer(
            alt.Chart(alt.Data(values=bars))
            .mark_bar(color=light("faint"), opacity=0.45, aria=False)
            .encode(x=x, x2="to:Q", y=y, y2=alt.datum(0)),
            mark.mark_rule(color=light("accent"), strokeWidth=2.5).encode(
                x=at, description="said:N"
            ),
            mark.mark_text(
                align="right" if right else "left",
                dx=-7 if right else 7,
                fontWeight="bold",
                color=light("accent"),
                aria=False,
            ).encode(x=at, y=alt.Y("top:Q"), text=alt.value(f"observed {observed:.3f}")),
        ),
        height=170,
    )
