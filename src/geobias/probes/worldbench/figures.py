"""Charts that only WorldBench has: ranks of groups, errors by year, and the paper's models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.probes.worldbench.scores import ERROR, GROUPINGS
from geobias.results.charts import Chart, Curves, Heatmap, Intervals, Rows
from geobias.results.figures import Figure, among_published, figure_of, reach
from geobias.results.findings import Findings, Section
from geobias.results.formatting import number
from geobias.results.tables import rows_of

MARKED_FROM = 0.9
"""A year is marked if it fits best in more than this share of resamples."""
LEAST_SPAN = 0.1
"""Minimum length of the error axis in the chart of errors by year."""


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All charts for which the sections have tables, in reading order."""
    pooled = [one for one in findings.over_models if one.probe == "worldbench"]
    possible = (
        *(_ranks(pooled, by, "models") for by in GROUPINGS),
        *(_ranks(sections, by, "indicators") for by in GROUPINGS),
        _years(sections),
        _published(sections),
    )
    return [figure for figure in possible if figure is not None]


def _ranks(sections: Sequence[Section], by: str, over: str) -> Figure | None:
    together = over == "models"
    table = f"all_ranks_{by}" if together else f"ranks_{by}"

    def rows(section: Section) -> Rows:
        return [
            {
                "row": row["group"],
                "column": rank,
                "value": share,
                "compared": row["compared"],
                "shown": f"{share:.0%}" if share else "",
                "said": f"{row['group']}: rank {rank} in {share:.0%} of {row['compared']} {over}",
            }
            for row in rows_of(section, table, "group", "compared")
            for rank, share in row.items()
            if rank.isdigit() and share is not None
        ]

    return figure_of(
        sections,
        rows,
        _draw_ranks,
        same_order=not together,
        counted="compared",
        name=f"worldbench-{'all-' if together else ''}ranks-{by}",
        title=f"{'Over all models: h' if together else 'H'}ow often each of the {GROUPINGS[by]} "
        "comes first … last",
        note=f"Share of the {over} in which all groups have answers (how many, in brackets).",
        alt=f"A table of shaded cells: groups down, ranks across, with the share of {over}.",
    )


def _draw_ranks(shown: Rows, everything: Sequence[Rows]) -> Chart:
    columns = list(dict.fromkeys(row["column"] for row in shown))
    return Heatmap(rows=shown, x_title="rank, 1 is the least error", columns=columns, most=1)


def _years(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        by_rule = {
            row["against"]: row["error_same"]
            for row in rows_of(section, "years", "against", "error_same")
        }
        levels = {rule: by_rule.get(rule) for rule in DASHED}
        return [
            {
                **levels,
                "x": int(row["against"]),
                "value": row["error_same"],
                "best": bool(row["best"]),
                "share_best": row["share_best"],
                "questions": row["questions_same"],
                "label": _fits_best(row) if row["best"] else "",
                "sure": bool(row["best"]) and (row["share_best"] or 0) > MARKED_FROM,
                "said": f"{row['against']}: error {number(row['error_same'], 3)} over "
                f"{row['questions_same']:,} questions; fits best in "
                f"{(row['share_best'] or 0):.0%} of resamples",
            }
            for row in rows_of(section, "years", "against", "error_same")
            if str(row["against"]).isdigit() and row["error_same"] is not None
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        return Curves(
            rows=shown,
            x_title="figures of the year",
            y_title="mean error",
            domain=room_for(
                [
                    value
                    for part in everything
                    for row in part
                    for value in (row["value"], *(row[rule] for rule in DASHED))
                    if value is not None
                ]
            ),
            levels={rule: shown[0][rule] for rule in DASHED if shown[0][rule] is not None},
        )

    return figure_of(
        sections,
        rows,
        draw,
        name="worldbench-years",
        title="Which year’s figures its answers fit best",
        note="Mean error when the answers are compared with the figures of each year, over the "
        "questions that have a figure in every year. The year that fits best is named. The share "
        "beside it says how often it is still the best when countries are drawn again; a ring "
        f"means over {MARKED_FROM:.0%}. Dashed: against each country’s latest figure, and against "
        "the average of the last three years. The scale does not start at 0.",
        alt="A line of mean errors over years, the year with the least error marked.",
    )


DASHED = ("latest", "average")
"""Ground truth rules that the paper's Figure 11 draws as dashed lines."""


def _fits_best(row: dict[str, Any]) -> str:
    """The year that fits best in words, with its share of resamples and the number of questions."""
    sure = "" if row["share_best"] is None else f"{row['share_best']:.0%} sure, "
    return f"{row['against']} ({sure}{row['questions_same']:,} questions)"


def room_for(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis that holds the values, at least `LEAST_SPAN` apart.

    On a shorter axis, noise would look like a trend.
    """
    low, high = min(values), max(values)
    room = max((high - low) * 0.25, (LEAST_SPAN - (high - low)) / 2)
    start = min(max(0.0, low - room), 1 - LEAST_SPAN)
    return start, min(1.0, max(high + room, start + LEAST_SPAN))


def _published(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        return [
            {
                "row": row["model"],
                "value": row["error"],
                "here": row["here"],
                "said": f"{row['model']}: {number(row['error'], 3)}",
            }
            for row in rows_of(section, "published_models", "error", "here")
            if row["error"] is not None
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        return Intervals(
            rows=shown,
            title=ERROR.axis,
            domain=(0, reach(everything, "value", least=0.3)),
            bold=[row["row"] for row in shown if row["here"]],
        )

    return among_published(
        sections,
        rows,
        draw,
        order=lambda row: row["value"],
        name="worldbench-published",
        title="Beside the twenty models of the WorldBench paper",
        note="Mean over the indicators that were asked. The paper's models were asked in 2023 and "
        "2024 about all countries; a smaller run asks about a sample.",
        alt="Models in order of their mean error; this run's model is marked.",
    )
