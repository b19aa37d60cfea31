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
Found = list[tuple[Section, Rows]]
MOST_GROUPS = 40
"""Drawn in a panel; more could not be read."""
_NOT_DATA = {"said", "shown", "label"}
"""Columns that say in words what others hold as numbers."""


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
    counted: str = "",
    series: Sequence[str] = ("",),
    most: int | None = None,
) -> Figure | None:
    """A figure with a panel for each section that has rows, or None where none has.

    `draw` takes the rows of a panel as a frame and the rows of all panels, from which it takes the
    scale they share. In the `same_order` rows stand in all panels as in the first, so that models
    can be compared line by line. `counted` is the column whose number stands in brackets behind
    each row's name, in the order of the `series`. Only the `most` largest groups by that number are
    drawn, the same in all panels, and the note tells how many are not. The data are those of all
    panels and groups, with columns for the model and whether it can be measured.
    """
    import polars as pl

    found = [(section, _clean(made)) for section in sections if (made := rows(section))]
    if not found:
        return None
    if same_order:
        order = {row["row"]: i for _, made in reversed(found) for i, row in enumerate(made)}
        for _, made in found:
            made.sort(key=lambda row: order[row["row"]])
    large, left = (found, 0) if most is None else _largest(found, counted, most)
    if left:
        note += f" {left} smallest group{'s' * (left > 1)} not drawn; the CSV file has them all."
    everything = [made for _, made in large]
    panels = []
    for section, made in large:
        shown = _with_counts(made, counted, series) if counted else made
        svg = draw(pl.DataFrame(shown, infer_schema_length=None), everything)
        label = section.model if len(sections) > 1 else ""
        panels.append(Panel(svg, label, section.measurable))
    data = [
        {"model": section.model, "measurable": section.measurable} | _data(row)
        for section, made in found
        for row in made
    ]
    return Figure(name=name, title=title, note=note, alt=alt, panels=panels, data=frame_of(data))


def beside(
    sections: Sequence[Section],
    rows: Callable[[Section], Rows],
    draw: Callable[[Any, Sequence[Rows]], str],
    *,
    order: Callable[[dict[str, Any]], Any],
    name: str,
    title: str,
    note: str,
    alt: str,
) -> Figure | None:
    """A figure that sets the report's models (rows with `here`) among published ones.

    Models that are held against the same published numbers share a panel; another panel is for
    those that were asked something else. A model that cannot be measured has no place among the
    others and is named in the note; published ones are always shown as they are.
    """
    import polars as pl

    found = [(section, _clean(made)) for section in sections if (made := rows(section))]
    if not found:
        return None
    among: dict[str, tuple[Rows, Found]] = {}
    for section, made in found:
        published = [row for row in made if not row["here"]]
        own = [row for row in made if row["here"]] if section.measurable else []
        group = among.setdefault(repr(published), (published, []))
        if own:
            group[1].append((section, own))
    kept = [one for one in among.values() if one[1]] or list(among.values())[:1]
    everything = [
        sorted([*published, *(row for _, made in own for row in made)], key=order)
        for published, own in kept
    ]
    panels = [
        Panel(
            draw(pl.DataFrame(made, infer_schema_length=None), everything),
            ", ".join(section.model for section, _ in own) if len(kept) > 1 else "",
        )
        for made, (_, own) in zip(everything, kept, strict=True)
    ]
    absent = list(dict.fromkeys(one.model for one, _ in found if not one.measurable))
    if absent:
        note += f" Not shown, because not measurable: {', '.join(absent)}."
    data = [
        {"panel": i, "measurable": True if row["here"] else None} | _data(row)
        for i, made in enumerate(everything, start=1)
        for row in made
    ]
    return Figure(name=name, title=title, note=note, alt=alt, panels=panels, data=frame_of(data))


def frame_of(rows: Rows) -> Any:
    """The numbers behind a figure as a frame."""
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def _clean(rows: Rows) -> Rows:
    """Names in tables may come from users' files; a drawing is XML, which forbids some letters."""
    return [{key: finalized(value) for key, value in row.items()} for row in rows]


def _data(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in _NOT_DATA}


def _largest(found: Found, counted: str, most: int) -> tuple[Found, int]:
    """The rows of the `most` groups with the largest counts over all panels and series, and how
    many other groups there are."""
    sizes: dict[str, int] = {}
    for _, made in found:
        for row in made:
            sizes[row["row"]] = sizes.get(row["row"], 0) + (row[counted] or 0)
    kept = set(sorted(sizes, key=lambda name: (-sizes[name], name))[:most])
    cut = [(section, [row for row in made if row["row"] in kept]) for section, made in found]
    return [(section, made) for section, made in cut if made], len(sizes) - len(kept)


def _with_counts(rows: Rows, counted: str, series: Sequence[str]) -> Rows:
    """Rows whose names end in what they rest on: "Europe (12)", or "Europe (12, 30)" where the
    series differ; a series without the row has a dash."""
    counts: dict[str, dict[str, Any]] = {}
    for row in rows:
        counts.setdefault(row["row"], {})[row.get("series", "")] = row[counted]
    present = [one for one in series if any(one in by for by in counts.values())]
    names = {}
    for name, by in counts.items():
        each = ["–" if by.get(one) is None else f"{by[one]:,}" for one in present]
        names[name] = f"{name} ({each[0] if len(set(each)) == 1 else ', '.join(each)})"
    return [row | {"row": names[row["row"]]} for row in rows]


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
    measurable = {section.model: section.measurable for section in sections}
    data = frame_of(
        [
            {"model": one.model, "measurable": measurable.get(one.model)}
            | {"country": country.iso3, "name": country.name}
            | {"region": country.region, "income": country.income, "value": one.value}
            | {
                "low": one.low,
                "high": one.high,
                "n": one.n,
                "counted": one.counted,
                "asked": one.asked,
            }
            for country, one in rows
        ]
    )
    return Figure(
        name=name,
        title=title,
        note=note,
        alt=alt,
        panels=panels,
        data=data,
        wide=True,
        legend=worldmap.legend(
            between,
            ramp,
            legend,
            percent=percent,
            without_value=any(one.value is None for _, one in rows),
        ),
    )
