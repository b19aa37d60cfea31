"""Figures of a measure: the world map, and dots with intervals for its groups.

Each figure is made for each model, and for all models together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from geobias.atlas.economies import economies
from geobias.measures.frames import PLACES
from geobias.measures.measure import Measure
from geobias.measures.showing_models import TITLE, all_of, weights_note
from geobias.measures.words import domain_of, group_words, table_name
from geobias.results.charts import MapLegend, Spot, WorldMap
from geobias.results.figures import (
    Figure,
    Panel,
    dots,
    even_classes,
    map_of,
    two_sided_classes,
)
from geobias.results.findings import Cell, Findings, Section
from geobias.results.formatting import estimate, p_value, unit_words, words
from geobias.results.tables import GroupRow, as_number, metric_of, rows_of


def figures_of(
    probe: str, measure: Measure, findings: Findings, sections: Sequence[Section]
) -> Iterator[Figure]:
    """Yield the map, then a figure for each grouping, then one for the items."""
    if measure.second_to and any(
        metric_of(one, f"{probe}.{measure.second_to}") for one in sections
    ):
        return
    made = [_map(probe, measure, findings, sections)] if measure.on_map else []
    made += [_dots(probe, measure, sections, by) for by in _drawn(measure)]
    if measure.item and measure.on_map:
        made.append(_item_gaps(probe, measure, sections))
    yield from filter(None, made)


def figures_over_models(probe: str, measure: Measure, pooled: Section) -> Iterator[Figure]:
    """Yield the map and the figures of groups for all models together."""
    made = [_map_over_models(probe, measure, pooled)] if measure.on_map else []
    made += [_dots(probe, measure, [pooled], by, pooled=True) for by in _drawn(measure)]
    yield from filter(None, made)


def _drawn(measure: Measure) -> list[str]:
    """Return the groupings to draw. Units are left out: they are too many for one figure."""
    every = (*measure.all_groups, *filter(None, (measure.item,)))
    return [by for by in every if by not in measure.units]


def _map(
    probe: str, measure: Measure, findings: Findings, sections: Sequence[Section]
) -> Figure | None:
    return map_of(
        findings,
        sections,
        f"{probe}.{measure.name}",
        ramp="two_sided" if measure.two_sided else "amount",
        legend=measure.axis or measure.label.lower(),
        name=figure_name(probe, measure, "map"),
        title=f"{measure.label}, country by country",
        note=f"{measure.note} Intervals are over {_within(measure)}.".strip(),
        alt=f"A map of the world; each country is shaded by its {measure.label.lower()}. The table "
        "of countries has the same numbers.",
    )


def _within(measure: Measure) -> str:
    """Return what varies within a country, in words."""
    if measure.crossed:
        return measure.counted
    return unit_words(measure.item) if measure.item else "questions"


def figure_name(probe: str, measure: Measure, by: str, *, pooled: bool = False) -> str:
    return f"{probe}{'-all' * pooled}-{measure.name}-{by}".replace("_", "-")


def _dots(
    probe: str, measure: Measure, sections: Sequence[Section], by: str, *, pooled: bool = False
) -> Figure | None:
    group, units, count = group_words(by), measure.counted, "models" if pooled else "asked"
    table = all_of(table_name(measure, by)) if pooled else table_name(measure, by)
    title, note = f"{measure.label} by {group}", f"Mean with its 95% interval over {units}."
    if pooled:
        title = f"{TITLE}: {title[:1].lower()}{title[1:]}"
        note = f"Over {units}. {weights_note(measure)}"

    def said(row: GroupRow) -> str:
        cells = row.cells
        if pooled:
            return f"{row.found.n:,} {units}, {cells['models']:,} models"
        return f"{row.found.n:,} {units}, {cells['answered']:,} of {cells['asked']:,} answered"

    return dots(
        sections,
        table,
        row=str if by in (*PLACES, "language") else words,
        value="mean",
        said=said,
        axis=measure.axis or measure.label.lower(),
        domain=domain_of(
            (row for one in sections for row in rows_of(one, table, "mean", units)), measure
        ),
        reference=0 if measure.two_sided else None,
        data=(units, count),
        counted=units,
        name=figure_name(probe, measure, by, pooled=pooled),
        title=title,
        note=note,
        alt=f"A dot with its interval for each {group}.",
    )


def _map_over_models(probe: str, measure: Measure, pooled: Section) -> Figure | None:
    table = all_of(table_name(measure, "country"))
    rows = rows_of(pooled, table, "mean", "models", "country")
    values = [row.found.value for row in rows if row.found.value is not None]
    if not values:
        return None
    sides = measure.two_sided
    limits = (two_sided_classes if sides else even_classes)(values)
    spots: dict[str, Spot] = {}
    data: list[dict[str, Cell]] = []
    for iso3, found, cells in rows:
        if found.value is None:
            continue
        place = economies()[iso3]
        value = estimate(found.value, found.low, found.high)
        spots[iso3] = Spot(found.value, f"{place.name}: {value}, {found.n} models")
        numbers = ("mean", "mean_low", "mean_high", "models", "answered")
        known = {"country": iso3, "name": place.name, "region": place.region}
        numbered = {name: cells[name] for name in numbers}
        data.append({**known, "income": place.income, **numbered})
    ramp: Any = "two_sided" if sides else "amount"
    label = measure.label.lower()
    return Figure(
        name=figure_name(probe, measure, "map", pooled=True),
        title=f"{TITLE}: {label}, country by country",
        note="Over the questions that all models were asked. If one model was not asked about a "
        "country, the country is marked as not asked.",
        alt=f"A map of the world; each country is shaded by its {label} over all models. The table "
        "of countries has the same numbers.",
        panels=[Panel(WorldMap(spots=spots, limits=limits, ramp=ramp))],
        data=data,
        wide=True,
        legend=MapLegend(limits=limits, ramp=ramp, words=measure.axis or label),
    )


def _item_gaps(probe: str, measure: Measure, sections: Sequence[Section]) -> Figure | None:
    contrast = measure.primary_contrast
    if contrast is None:
        return None
    return dots(
        sections,
        f"{contrast.name}_by_{measure.item}",
        row=words,
        value="gap",
        axis=contrast.short,
        reference=0,
        said=lambda row: (
            f"p {p_value(as_number(row.cells['p']))}; {row.found.n:,} {measure.counted}"
        ),
        data=(measure.counted, "p"),
        counted=measure.counted,
        name=f"{probe}-{contrast.name}-{measure.item}".replace("_", "-"),
        title=f"{contrast.label}, by {measure.item}",
        note=f"With its 95% interval over {measure.counted}. Even without any gap, one interval in "
        "twenty excludes 0.",
        alt=f"A dot with its interval for each {measure.item}, with a line at 0.",
    )
