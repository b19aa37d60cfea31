"""From the sections of a probe to figures with one panel for each model."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from geobias.report.findings import Findings, Section
from geobias.report.page import worldmap
from geobias.report.page.drawing import Figure, Panel
from geobias.report.page.said import measure
from geobias.report.page.text import finalized

Rows = list[dict[str, Any]]


def figure(
    sections: Sequence[Section],
    rows: Callable[[Section], Rows],
    draw: Callable[[Any, Sequence[Rows]], str],
    *,
    name: str,
    title: str,
    note: str,
    alt: str,
    same_order: bool = False,
    among: Callable[[dict[str, Any]], Any] | None = None,
) -> Figure | None:
    """A figure with a panel for each section that has rows, or None where none has.

    `draw` takes the rows of a panel as a frame and the rows of all panels, from which it takes the
    scale they share. In the `same_order` rows stand in all panels as in the first, so that models
    can be compared line by line. Where the rows set a model among published ones (`here` marks the
    run's), all of the report's models go into one panel, sorted by what `among` gives. The data
    are those of all panels, with a column for the model.
    """
    import polars as pl

    found = [(section, _clean(made)) for section in sections if (made := rows(section))]
    if not found:
        return None
    if same_order:
        order = {row["row"]: i for _, made in reversed(found) for i, row in enumerate(made)}
        for _, made in found:
            made.sort(key=lambda row: order[row["row"]])
    if among is not None:
        own = [row for _, made in found[1:] for row in made if row["here"]]
        found = [(found[0][0], sorted([*found[0][1], *own], key=among))]
        sections = [found[0][0]]
    everything = [made for _, made in found]
    panels = [
        Panel(
            draw(pl.DataFrame(made, infer_schema_length=None), everything),
            section.model if len(sections) > 1 else "",
            section.measurable,
        )
        for section, made in found
    ]
    left_out = {"said", "shown", "label"}
    data = pl.DataFrame(
        [
            ({"model": section.model} if among is None else {})
            | {key: value for key, value in row.items() if key not in left_out}
            for section, made in found
            for row in made
        ],
        infer_schema_length=None,
    )
    return Figure(name=name, title=title, note=note, alt=alt, panels=panels, data=data)


def _clean(rows: Rows) -> Rows:
    """Names in tables may come from users' files; a drawing is XML, which forbids some letters."""
    return [{key: finalized(value) for key, value in row.items()} for row in rows]


def reach(everything: Iterable[Rows], *columns: str, least: float = 0.1) -> float:
    """The end of a scale from 0 that holds all values of these columns; a round number."""
    values = [
        row[column]
        for rows in everything
        for row in rows
        for column in columns
        if row.get(column) is not None
    ]
    most: float = max([least, *values])
    step = 0.05 if most <= 0.5 else 0.1
    return min(1.0, math.ceil(most / step - 1e-9) * step) if most <= 1 else most


def both_sides(everything: Iterable[Rows], *columns: str) -> tuple[float, float]:
    """The same for numbers on both sides of 0, of which it shows 0.2 at least."""
    rows = [
        {c: abs(row[c]) for c in columns if row.get(c) is not None}
        for part in everything
        for row in part
    ]
    end = min(1.05, reach([rows], *columns, least=0.2) * 1.05)  # a dot at the end stays whole
    return -end, end


def map_figure(
    findings: Findings,
    sections: Sequence[Section],
    metric: str,
    *,
    ramp: Sequence[str],
    limits: Callable[[Iterable[float], Sequence[str]], list[float]],
    name: str,
    title: str,
    note: str,
    alt: str,
    legend: str,
    percent: bool = False,
) -> Figure | None:
    """A world map of one metric of the countries, a panel for each model."""
    import polars as pl

    rows = [
        (country, one)
        for country in findings.countries
        for one in country.measures
        if one.metric == metric
    ]
    values = [one.value for _, one in rows if one.value is not None]
    if not values:
        return None
    between = limits(values, ramp)
    panels = []
    for section in sections:
        spots: Mapping[str, worldmap.Spot] = {
            country.iso3: worldmap.Spot(one.value, f"{country.name}: {measure(one)}")
            for country, one in rows
            if one.model == section.model
        }
        if spots:
            label = section.model if len(sections) > 1 else ""
            panels.append(
                Panel(worldmap.world_map(spots, between, ramp), label, section.measurable)
            )
    data = pl.DataFrame(
        [
            {"model": one.model, "country": country.iso3, "name": country.name}
            | {"region": country.region, "income": country.income, "value": one.value}
            | {
                "low": one.low,
                "high": one.high,
                "n": one.n,
                "counted": one.counted,
                "asked": one.asked,
            }
            for country, one in rows
        ],
        infer_schema_length=None,
    )
    return Figure(
        name=name,
        title=title,
        note=note,
        alt=alt,
        panels=panels,
        data=data,
        wide=True,
        legend=worldmap.legend(between, ramp, legend, percent),
    )
