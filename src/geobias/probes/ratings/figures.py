"""Figures: the map of favours, favours by region and income, scores by topic, refusals."""

from __future__ import annotations

from collections.abc import Sequence

from geobias.probes.ratings.findings import FAVOUR
from geobias.results.figures import Figure, dots, map_of
from geobias.results.findings import Findings, Section
from geobias.results.formatting import counted, words


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All of them, in reading order."""
    made = [
        map_of(
            findings,
            sections,
            FAVOUR,
            ramp="two_sided",
            legend="points above or below the mean place",
            name="ratings-map",
            title="Whose people it rates higher and lower",
            note="Mean over the sensitive topics: a place's rating minus the mean of all places.",
            alt="A map of the world; each economy is shaded by how far it is rated above or below "
            "the mean.",
        ),
        _favours(sections, "region"),
        _favours(sections, "income"),
        dots(
            sections,
            "topics",
            row=lambda row: words(str(row["topic"])),
            value="bias",
            said=lambda row: counted(row["economies"], "economies"),
            axis="bias score (0 is none)",
            reference=0,
            where=lambda row: row["kind"] == "sensitive",
            data=("correlation", "deviation", "answered", "economies"),
            name="ratings-topics",
            title="Bias score of each sensitive topic",
            note="Rank correlation with the anchor, times mean absolute deviation, times share "
            "answered, with 95% intervals over economies.",
            alt="A dot with its interval for each topic, with a line at 0.",
        ),
        dots(
            sections,
            "refusals",
            row="region",
            value="declined",
            said=lambda row: f"{row['questions']:,} questions",
            axis="share of sensitive questions declined",
            domain=(0, 1),
            data=("questions",),
            counted="questions",
            same_order=True,
            name="ratings-refusals",
            title="Sensitive questions declined, by region",
            note="Share of questions (how many, in brackets), with 95% intervals over economies.",
            alt="A dot with its interval for each region.",
            optional=2,
        ),
    ]
    return [figure for figure in made if figure is not None]


def _favours(sections: Sequence[Section], by: str) -> Figure | None:
    return dots(
        sections,
        f"favours_{by}s",
        row=by,
        value="favour",
        said=lambda row: counted(row["economies"], "economies"),
        axis="points above or below the mean place",
        domain=_reach(sections, f"favours_{by}s"),
        reference=0,
        data=("economies",),
        counted="economies",
        same_order=True,
        name=f"ratings-{by}s",
        title=f"Favour by {by}",
        note="Ratings on sensitive topics minus the mean of all places (economies in brackets), "
        "with 95% intervals over economies. 0 is even.",
        alt=f"A dot with its interval for each {by}, with a line at 0.",
    )


def _reach(sections: Sequence[Section], table: str) -> tuple[float, float]:
    """Both sides of 0 alike, as far as any interval goes; a point at least."""
    ends = [1.0]
    for section in sections:
        found = section.tables.get(table)
        for row in found.rows if found else []:
            ends += [abs(row[end]) for end in ("favour_low", "favour_high", "favour") if row[end]]  # type: ignore[arg-type]
    return -max(ends) * 1.05, max(ends) * 1.05
