"""Figures that follow from a measure: the world map, and groups as dots with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from geobias.measures.frames import PLACES
from geobias.measures.measure import Measure
from geobias.measures.words import domain_of, group_words, table_name
from geobias.results.figures import Figure, dots, map_of
from geobias.results.findings import Findings, Section
from geobias.results.formatting import words
from geobias.results.tables import metric_of, rows_of


def figures_of(
    probe: str, measure: Measure, findings: Findings, sections: Sequence[Section]
) -> Iterator[Figure]:
    """The map first, then a figure for each grouping and one for the items."""
    if measure.second_to and any(
        metric_of(one, f"{probe}.{measure.second_to}") for one in sections
    ):
        return
    made = [_map(probe, measure, findings, sections)] if measure.on_map else []
    for by in (*measure.all_groups, *filter(None, (measure.item,))):
        made.append(_dots(probe, measure, sections, by))
    yield from (figure for figure in made if figure is not None)


def _map(
    probe: str, measure: Measure, findings: Findings, sections: Sequence[Section]
) -> Figure | None:
    return map_of(
        findings,
        sections,
        f"{probe}.{measure.name}",
        ramp="two_sided" if measure.relative else "amount",
        legend=measure.axis or measure.label.lower(),
        name=f"{probe}-{measure.name}-map",
        title=f"{measure.label}, economy by economy",
        note=f"{measure.note} Intervals are over {measure.item or 'question'}s.".strip(),
        alt=f"A map of the world; each economy is shaded by its {measure.label.lower()}. The table "
        "of countries has the same numbers.",
    )


def figure_name(probe: str, measure: Measure, by: str) -> str:
    return f"{probe}-{measure.name}-{by.replace('_', '-')}"


def _dots(probe: str, measure: Measure, sections: Sequence[Section], by: str) -> Figure | None:
    table, group = table_name(measure, by), group_words(by)
    return dots(
        sections,
        table,
        row=lambda row: row["group"] if by in (*PLACES, "language") else words(row["group"]),
        value="mean",
        said=lambda row: (
            f"{row[measure.counted]:,} {measure.counted}, "
            f"{row['answered']:,} of {row['asked']:,} answered"
        ),
        axis=measure.axis or measure.label.lower(),
        domain=domain_of([rows_of(one, table, "mean") for one in sections], measure),
        reference=0 if measure.relative else None,
        data=(measure.counted, "asked"),
        counted=measure.counted,
        same_order=True,
        name=figure_name(probe, measure, by),
        title=f"{measure.label} by {group}",
        note=f"Mean over {measure.counted} (how many, in brackets), each with the same weight, "
        "with its 95% interval.",
        alt=f"A dot with its interval for each {group}.",
    )
