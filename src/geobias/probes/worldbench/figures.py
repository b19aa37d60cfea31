"""The figures of WorldBench: what a model knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.atlas.economies import REGION_CODES
from geobias.probes.worldbench.overall import (
    ERROR_AXIS,
    GROUPS,
    draw_ranks,
    overall_figures,
    rank_cells,
)
from geobias.results.charts import (
    Chart,
    Curves,
    Heatmap,
    Ladder,
    Rows,
)
from geobias.results.figures import (
    REGION_HEADS,
    Figure,
    among_published,
    dots,
    figure_of,
    map_of,
    reach,
)
from geobias.results.findings import Findings, Section
from geobias.results.formatting import number, p_value, words
from geobias.results.tables import rows_of

MARKED_FROM = 0.9
"""Share of resamples in which a year must fit best to be marked."""
LEAST_SPAN = 0.1
"""Of the scale of errors over years."""


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All that the sections' tables allow, in the order in which they are read."""
    possible = (
        _map(findings, sections),
        *(_groups(sections, plural) for plural in GROUPS),
        _indicators(sections),
        _indicators_by_region(sections),
        _trends_by_indicator(sections),
        *(_ranks(sections, plural) for plural in GROUPS),
        _years(sections),
        _published(sections),
    )
    own = [figure for figure in possible if figure is not None]
    pooled = [one for one in findings.over_models if one.probe == "worldbench"]
    return overall_figures(pooled[0]) + own if pooled else own


def _map(findings: Findings, sections: Sequence[Section]) -> Figure | None:
    return map_of(
        findings,
        sections,
        "worldbench.error",
        name="worldbench-map",
        title="How far off its figures are, economy by economy",
        note="Mean error of the answers about each economy. It allows for indicators that have no "
        "figure for the economy. Intervals are over indicators.",
        alt="World map in an equal-area projection, each economy shaded by the mean error of the "
        "model's answers. The table of countries has the same numbers.",
        legend=ERROR_AXIS,
    )


def _groups(sections: Sequence[Section], plural: str) -> Figure | None:
    return dots(
        sections,
        plural,
        row="group",
        **_MEAN_ERROR,
        said=lambda row: f"{row['countries']:,} economies, {_answered(row)}",
        name=f"worldbench-{plural}",
        title=f"Error by {GROUPS[plural]}",
        note="Mean over economies (how many, in brackets), each with the same weight, and its 95% "
        "interval over economies. Groups of a few economies have wide intervals.",
        alt=f"A dot with its interval for each {GROUPS[plural]}.",
    )


def _indicators(sections: Sequence[Section]) -> Figure | None:
    return dots(
        sections,
        "indicators",
        row=lambda row: words(row["group"]),
        **_MEAN_ERROR,
        said=_answered,
        name="worldbench-indicators",
        title="Error by indicator",
        note="Mean over economies (how many, in brackets) and its 95% interval.",
        alt="A dot with its interval for each indicator, in the same order in every panel.",
    )


_MEAN_ERROR: dict[str, Any] = {
    "value": "mean",
    "axis": ERROR_AXIS,
    "data": ("countries", "asked"),
    "same_order": True,
    "counted": "countries",
}


def _answered(row: dict[str, Any]) -> str:
    return f"{row['questions']:,} of {row['asked']:,} answered"


def _indicators_by_region(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        indicators = rows_of(section, "indicators", "group", "mean", "questions")
        order = {row["group"]: i for i, row in enumerate(indicators)}
        cells = sorted(
            rows_of(section, "indicators_by_region", "region", "mean"),
            key=lambda row: (order.get(row["indicator"], 99), row["region"]),
        )
        return [
            {
                "row": words(row["indicator"]),
                "column": REGION_CODES.get(row["region"], row["region"]),
                "value": row["mean"],
                "countries": row["countries"],
                "shown": number(row["mean"]).removeprefix("0"),
                "said": f"{words(row['indicator'])}, {row['region']}: {number(row['mean'], 3)}, "
                f"{row['countries']:,} economies",
            }
            for row in cells
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
        name="worldbench-indicators-by-region",
        optional=20,
        title="Error by indicator and region",
        note="Mean error over economies. Single cells rest on few economies and have no interval "
        "here.",
        alt="A table of shaded cells: indicators down, regions across, darker for larger errors.",
    )


def _trends_by_indicator(sections: Sequence[Section]) -> Figure | None:
    return dots(
        sections,
        "disparity_incomes",
        row=lambda row: "All questions" if row["indicator"] == "all" else words(row["indicator"]),
        value="trend",
        axis="error, poor minus rich countries",
        reference=0,
        said=lambda row: f"p {p_value(row['trend_p'])}; {row['countries']:,} economies",
        data=("countries", "trend_p"),
        same_order=True,
        counted="countries",
        name="worldbench-trend-indicators",
        optional=110,
        title="Gap between poor and rich countries, by indicator",
        note="Dot: poor minus rich by the trend over income groups, with its 95% interval over "
        "economies (how many, in brackets). Of eleven indicators without a gap, one interval in "
        "twenty leaves out 0 all the same.",
        alt="A dot with its interval for each indicator, with a line at 0.",
    )


def _ranks(sections: Sequence[Section], plural: str) -> Figure | None:
    return figure_of(
        sections,
        lambda section: rank_cells(section, f"ranks_{plural}", _rank_in_words),
        draw_ranks,
        same_order=True,
        counted="compared",
        name=f"worldbench-ranks-{plural}",
        optional=30 if plural == "regions" else 100,
        title=f"How often each {GROUPS[plural]} comes first … last",
        note="Share of the indicators in which all groups have answers (how many, in brackets).",
        alt="A table of shaded cells: groups down, ranks across, with the share of indicators.",
    )


def _rank_in_words(row: dict[str, Any], rank: str, share: float) -> str:
    return f"{row['group']}: rank {rank} in {share:.0%} of {row['compared']} indicators"


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
        "beside it says how often it is still the best when economies are drawn again; a ring "
        f"means over {MARKED_FROM:.0%}. Dashed: against each economy’s latest figure, and against "
        "the average of the last three years. The scale does not start at 0.",
        alt="A line of mean errors over years, the year with the least error marked.",
    )


DASHED = ("latest", "average")
"""The rules that are dashed lines in the paper's Figure 11."""


def _fits_best(row: dict[str, Any]) -> str:
    """The year that fits best, how sure that is, and what it rests on."""
    sure = "" if row["share_best"] is None else f"{row['share_best']:.0%} sure, "
    return f"{row['against']} ({sure}{row['questions_same']:,} questions)"


def room_for(values: Sequence[float]) -> tuple[float, float]:
    """A scale that holds the values and is never so narrow that noise looks like a trend."""
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
        return Ladder(
            rows=shown, title=ERROR_AXIS, domain=(0, reach(everything, "value", least=0.3))
        )

    return among_published(
        sections,
        rows,
        draw,
        order=lambda row: row["value"],
        name="worldbench-published",
        title="Beside the twenty models of the WorldBench paper",
        note="Mean over the indicators that were asked. The paper's models were asked in 2023 and "
        "2024 about all economies; a smaller run asks about a sample.",
        alt="Models in order of their mean error; this run's model is marked.",
    )
