"""Figures that follow from a measure: the world map, and groups as dots with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from geobias.atlas.economies import REGION_CODES
from geobias.measures.frames import PLACES
from geobias.measures.measure import Measure, unit_words
from geobias.measures.words import domain_of, group_words, table_name
from geobias.results.charts import Chart, Heatmap, Rows
from geobias.results.figures import (
    MOST_GROUPS,
    REGION_HEADS,
    Figure,
    dots,
    figure_of,
    map_of,
    reach,
)
from geobias.results.findings import Findings, Section
from geobias.results.formatting import number, p_value, words
from geobias.results.tables import metric_of, rows_of

Row: TypeAlias = Mapping[str, Any]


def figures_of(
    probe: str, measure: Measure, findings: Findings, sections: Sequence[Section]
) -> Iterator[Figure]:
    """The map first, then a figure for each grouping and one for the items."""
    if measure.second_to and any(
        metric_of(one, f"{probe}.{measure.second_to}") for one in sections
    ):
        return
    made = [_map(probe, measure, findings, sections)] if measure.on_map else []
    # Units are many: the map and the tables have them.
    for by in (*measure.all_groups, *filter(None, (measure.item,))):
        if by in measure.units:
            continue
        made.append(group_dots(probe, measure, sections, by))
    if measure.item and measure.on_map:
        made += [_item_gaps(probe, measure, sections), _heat_map(probe, measure, sections)]
    yield from (figure for figure in made if figure is not None)


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
    """What varies within a country."""
    if measure.crossed:
        return measure.counted
    return unit_words(measure.item) if measure.item else "questions"


ALL_MODELS_TITLE = "Over all models"


def figure_name(probe: str, measure: Measure, by: str, *, over_models: bool = False) -> str:
    return f"{probe}-{'all-' * over_models}{measure.name}-{by}".replace("_", "-")


def weights_of_models(measure: Measure) -> str:
    """How to read a table of all models."""
    units = " and ".join(map(unit_words, measure.units))
    return (
        f"Each model has the same weight. Intervals are over models and {units}, which are a "
        f"sample each; under three models over {units} alone. What is no mean over {units} has an "
        "interval over models alone."
    )


def group_dots(
    probe: str,
    measure: Measure,
    sections: Sequence[Section],
    by: str,
    *,
    over_models: bool = False,
) -> Figure | None:
    """The groups of a column, a dot each; of the one section over all models too."""
    table, group, units = table_name(measure, by), group_words(by), measure.counted
    title, plain = f"{measure.label} by {group}", by in (*PLACES, "language")
    weights = "." if measure.crossed else ", each with the same weight."
    note = f"Mean with its 95% interval over {units}{weights}"
    if over_models:
        table, title = f"all_{table}", f"{ALL_MODELS_TITLE}: {title[:1].lower()}{title[1:]}"
        note = f"Over {units}. {weights_of_models(measure)}"

    def said(row: Row) -> str:
        if over_models:
            return f"{row[units]:,} {units}, {row['models']:,} models"
        return f"{row[units]:,} {units}, {row['answered']:,} of {row['asked']:,} answered"

    return dots(
        sections,
        table,
        row=lambda row: row["group"] if plain else words(row["group"]),
        value="mean",
        said=said,
        axis=measure.axis or measure.label.lower(),
        domain=domain_of([rows_of(one, table, "mean") for one in sections], measure),
        reference=0 if measure.two_sided else None,
        most=MOST_GROUPS,
        data=(units, "models", "answered") if over_models else (units, "asked"),
        counted=units,
        same_order=True,
        name=figure_name(probe, measure, by, over_models=over_models),
        title=title,
        note=note,
        alt=f"A dot with its interval for each {group}.",
    )


def _item_gaps(probe: str, measure: Measure, sections: Sequence[Section]) -> Figure | None:
    contrast = measure.primary_contrast
    if contrast is None:
        return None
    return dots(
        sections,
        f"{contrast.name}_by_{measure.item}",
        row=lambda row: words(row["group"]),
        value="gap",
        axis=contrast.short,
        domain=None,
        reference=0,
        said=lambda row: f"p {p_value(row['p'])}; {row[measure.counted]:,} {measure.counted}",
        data=(measure.counted, "p"),
        same_order=True,
        counted=measure.counted,
        name=f"{probe}-{contrast.name}-{measure.item}".replace("_", "-"),
        title=f"{contrast.label}, by {measure.item}",
        note=f"With its 95% interval over {measure.counted}. Where there "
        "is no gap at all, one interval in twenty leaves out 0 all the same.",
        alt=f"A dot with its interval for each {measure.item}, with a line at 0.",
    )


def _heat_map(probe: str, measure: Measure, sections: Sequence[Section]) -> Figure | None:
    """Items down, regions across; nothing of values on both sides of 0, which shades do not
    tell apart."""
    if measure.relative or "region" not in measure.groups:
        return None

    def rows(section: Section) -> Rows:
        order = [row["group"] for row in rows_of(section, table_name(measure, measure.item))]
        cells = rows_of(section, f"{measure.name}_by_{measure.item}_and_region", "group")
        known = {row["group"]: row for row in cells}
        return [
            {
                "row": words(item),
                "column": REGION_CODES.get(region, region),
                "value": value,
                "shown": number(value).replace("0.", ".", 1),
                "said": f"{words(item)}, {region}: {number(value, 3)}",
            }
            for item in order
            for region, value in known.get(item, {}).items()
            if region != "group" and value is not None
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        end = reach(everything, "value")
        columns = list(REGION_CODES.values())
        return Heatmap(rows=shown, x_title="", columns=columns, heads=REGION_HEADS, most=end)

    return figure_of(
        sections,
        rows,
        draw,
        same_order=True,
        name=figure_name(probe, measure, f"{measure.item}-by-region"),
        title=f"{measure.label} by {measure.item} and region",
        note=f"Means over {measure.counted}. Single cells rest on few and have no interval.",
        alt=f"A table of shaded cells: {measure.item}s down, regions across, darker for more.",
    )
