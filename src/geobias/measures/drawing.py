"""Figures of a measure: the world map, and dots with intervals for its groups.

A figure has a panel for each model. The map is also drawn for all models together, if there are
at least three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypedDict, Unpack

from geobias.atlas.economies import economies
from geobias.measures.frames import PLACES
from geobias.measures.measure import Measure
from geobias.measures.showing_models import TITLE, all_of
from geobias.measures.words import group_words, intervals_of, table_name
from geobias.results.charts import Chart, MapLegend, Ramp, Spot, WorldMap
from geobias.results.figures import Figure, Panel, even_classes, two_sided_classes
from geobias.results.findings import Cell, Section
from geobias.results.formatting import counted, estimate, in_natural_order, unit_words, words
from geobias.results.tables import GroupRow, metric_of, rows_of
from geobias.stats.estimates import LEAST_UNITS


class Said(TypedDict):
    name: str
    title: str
    note: str


def figures_of(probe: str, measure: Measure, sections: Sequence[Section]) -> Iterator[Figure]:
    """Yield the map, then a figure for each grouping, then one for the contrast within each item.

    Units have no figure, because they are too many.
    """
    if measure.second_to and any(
        metric_of(one, f"{probe}.{measure.second_to}") for one in sections
    ):
        return

    def rows(table: str, value: str, n: str, group: str = "group") -> dict[str, list[GroupRow]]:
        return {one.model: rows_of(one, table, value, n, group) for one in sections}

    if measure.on_map:
        units = measure.counted if measure.crossed else unit_words(measure.item or "question")
        yield from _map(
            measure,
            rows(
                table_name(measure, "country"), "mean", unit_words(measure.inner_column), "country"
            ),
            unit_words(measure.inner_column),
            name=figure_name(probe, measure.name, "map"),
            title=f"{measure.label}, country by country",
            note=f"{measure.note} Intervals are over {units}.".strip(),
        )
    for by in (*measure.all_groups, measure.item):
        if by and by not in measure.units:
            yield from _dots(
                measure,
                rows(table_name(measure, by), "mean", measure.counted),
                by,
                name=figure_name(probe, measure.name, by),
                title=f"{measure.label} by {group_words(by)}",
                note=f"Mean with its 95% interval over {measure.counted}.",
            )
    contrast = measure.primary_contrast
    if measure.on_map and measure.item and contrast:
        yield from _dots(
            replace(measure, relative=True, axis=contrast.short),
            rows(f"{contrast.name}_by_{measure.item}", "gap", measure.counted),
            measure.item,
            name=figure_name(probe, contrast.name, measure.item),
            title=f"{contrast.label}, by {measure.item}",
            note=f"With its 95% interval over {measure.counted}. Even without any gap, one "
            "interval in twenty excludes 0.",
        )


def map_over_models(probe: str, measure: Measure, pooled: Section) -> Iterator[Figure]:
    """Yield the map for all models together, unless they are fewer than three."""
    rows = rows_of(pooled, all_of(table_name(measure, "country")), "mean", "models", "country")
    if measure.on_map and max((row.found.n for row in rows), default=0) >= LEAST_UNITS:
        yield from _map(
            measure,
            {pooled.model: rows},
            "models",
            name=figure_name(f"{probe}-all", measure.name, "map"),
            title=f"{TITLE}: {measure.label.lower()}, country by country",
            note="Over the questions that all models were asked. If one model was not asked about "
            "a country, the country is marked as not asked.",
        )


def figure_name(probe: str, number: str, by: str) -> str:
    return f"{probe}-{number}-{by}".replace("_", "-")


def _dots(
    measure: Measure, found: Mapping[str, Sequence[GroupRow]], by: str, **said: Unpack[Said]
) -> Iterator[Figure]:
    """Yield a figure of dots for the rows of each model, if any has a value.

    All panels have their rows in the same order, so that models can be compared line by line.
    """
    named = str if by in (*PLACES, "language") else words
    known = {
        model: [row._replace(group=named(row.group)) for row in rows if row.found.value is not None]
        for model, rows in found.items()
    }
    every = [row for rows in known.values() for row in rows]
    order = in_natural_order([*dict.fromkeys(row.group for row in every)], str)
    charts = {
        model: intervals_of(sorted(rows, key=lambda row: order.index(row.group)), measure, every)
        for model, rows in known.items()
        if rows
    }
    if charts:
        yield Figure(
            **said,
            alt=f"A dot with its interval for each {group_words(by)}.",
            panels=_panels(charts, found),
            data=_data(found),
        )


def _map(
    measure: Measure, found: Mapping[str, Sequence[GroupRow]], units: str, **said: Unpack[Said]
) -> Iterator[Figure]:
    """Yield the map of the numbers of each model's countries.

    There is none if no number is known. A two-sided map also needs a number that differs from 0.
    """
    sides = measure.two_sided
    spots = {
        model: {row.group: _spot(row, units, two_sided=sides) for row in rows}
        for model, rows in found.items()
        if rows
    }
    shades = {spot.value for own in spots.values() for spot in own.values()}
    if shades <= ({None, 0.0} if sides else {None}):
        return
    numbers = [row.found.value for rows in found.values() for row in rows]
    values = [value for value in numbers if value is not None]
    limits = (two_sided_classes if sides else even_classes)(values)
    ramp: Ramp = "two_sided" if sides else "amount"
    charts = {model: WorldMap(spots=own, limits=limits, ramp=ramp) for model, own in spots.items()}
    if sides:
        said["note"] += " A country whose interval includes 0 has the middle shade."
    label = measure.label.lower()
    yield Figure(
        **said,
        alt=f"A map of the world; each country is shaded by its {label}. The table of countries "
        "has the same numbers.",
        panels=_panels(charts, found),
        data=_data(found),
        wide=True,
        legend=MapLegend(
            limits=limits, ramp=ramp, words=measure.axis or label, without_value=None in shades
        ),
    )


def _spot(row: GroupRow, units: str, *, two_sided: bool) -> Spot:
    """Return a country on the map. A number that may as well be 0 gets the shade of 0."""
    place, found = economies()[row.group].name, row.found
    if found.value is None:
        return Spot(None, f"{place}: no value ({row.cells['asked']:,} asked)")
    value = f"{place}: {estimate(found.value, found.low, found.high)}, {counted(found.n, units)}"
    clear = found.low is not None and found.high is not None and not found.low <= 0 <= found.high
    return Spot(found.value if clear or not two_sided else 0.0, value)


def _panels(charts: Mapping[str, Chart], found: Mapping[str, Sequence[GroupRow]]) -> list[Panel]:
    return [Panel(chart, model if len(found) > 1 else "") for model, chart in charts.items()]


def _data(found: Mapping[str, Sequence[GroupRow]]) -> list[dict[str, Cell]]:
    return [{"model": model, **row.cells} for model, rows in found.items() for row in rows]
