"""The figures of what several models have in common: the paper's 1, 5, 7 to 9 and 12 to 15."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.atlas.economies import REGION_CODES
from geobias.probes.worldbench.conditions import ALL_MODELS
from geobias.results.charts import Chart, Heatmap, MapLegend, Rows, Spot, WorldMap
from geobias.results.figures import (
    REGION_HEADS,
    Figure,
    Panel,
    dots,
    even_classes,
    figure_of,
    reach,
)
from geobias.results.findings import Section
from geobias.results.formatting import estimate, number, words
from geobias.results.tables import rows_of

ERROR = "mean error, 0 exact to 1 wholly wrong"
GROUPS = {"regions": "region", "incomes": "income group"}
_CROSSED = "Each model has the same weight; 95% intervals are over models and economies."


def overall_figures(pooled: Section) -> list[Figure]:
    """All that the pooled section's tables allow, in the order in which they are read."""
    possible = (
        _map(pooled),
        *(_groups(pooled, plural, value) for plural in GROUPS for value in ("mean", "median")),
        _indicators(pooled),
        _matrix(pooled, "all_matrix_indicators", "Error by model and indicator", 60),
        _matrix(pooled, "all_matrix_regions", "Error by model and region", 50),
        *(
            _matrix(
                pooled,
                f"all_matrix_disparity_{plural}",
                f"Disparity over {GROUPS[plural]}s by model and indicator",
                40,
            )
            for plural in GROUPS
        ),
        *(_ranks(pooled, plural) for plural in GROUPS),
    )
    return [figure for figure in possible if figure is not None]


def _map(pooled: Section) -> Figure | None:
    rows = [row for row in rows_of(pooled, "all_countries", "plain") if row["plain"] is not None]
    if not rows:
        return None
    limits = even_classes(row["plain"] for row in rows)
    spots = {
        row["country"]: Spot(
            row["plain"],
            f"{row['name']}: {number(row['plain'], 3)} over {row['models']} models and "
            f"{row['indicators']} indicators",
        )
        for row in rows
    }
    columns = ("country", "name", "region", "income", "plain", "models", "indicators")
    return Figure(
        name="worldbench-all-map",
        title="Over all models: how far off figures are, economy by economy",
        note="Mean of all errors as they are, over models and indicators, of the questions that "
        "all models were asked. An economy is marked as not asked where one of them was not.",
        alt="World map in an equal-area projection, each economy shaded by the mean error of all "
        "models. The table of countries has the same numbers.",
        panels=[Panel(WorldMap(spots=spots, limits=limits))],
        data=[{name: row[name] for name in columns} for row in rows],
        wide=True,
        legend=MapLegend(limits=limits, ramp="amount", words=ERROR),
    )


def _groups(pooled: Section, plural: str, value: str) -> Figure | None:
    return dots(
        [pooled],
        f"all_{plural}",
        row="group",
        value=value,
        axis=ERROR if value == "mean" else "median error over all models",
        data=("countries", "models", "questions"),
        counted="countries",
        said=lambda row: f"{row['countries']:,} economies, {row['models']:,} models",
        name=f"worldbench-all-{plural}" + ("" if value == "mean" else "-median"),
        title=f"Over all models: {value} error by {GROUPS[plural]}",
        note=f"In brackets: economies. {_CROSSED}",
        alt=f"A dot with its interval for each {GROUPS[plural]}, the largest error first.",
    )


def _indicators(pooled: Section) -> Figure | None:
    return dots(
        [pooled],
        "all_indicators",
        row=lambda row: words(row["group"]),
        value="mean",
        axis=ERROR,
        data=("countries", "models", "questions"),
        counted="countries",
        said=lambda row: f"{row['countries']:,} economies, {row['models']:,} models",
        name="worldbench-all-indicators",
        title="Over all models: error by indicator",
        note=f"In brackets: economies. {_CROSSED}",
        alt="A dot with its interval for each indicator, from the largest error to the least.",
    )


def _matrix(pooled: Section, table: str, title: str, optional: int) -> Figure | None:
    found = rows_of(pooled, table, "model")
    columns = [name for name in (found[0] if found else {}) if name != "model"]
    if not columns:
        return None
    rows: Rows = [
        {
            "row": row["model"],
            "column": column,
            "value": row[column],
            "shown": number(row[column]).removeprefix("0"),
            "said": f"{row['model']}, {words(column)}: {number(row[column], 3)}",
        }
        for row in found
        for column in columns
        if row[column] is not None
    ]
    most = reach([rows], "value")
    parts = [columns[i : i + COLUMNS] for i in range(0, len(columns), COLUMNS)]
    panels = [
        Panel(
            Heatmap(
                rows=[row for row in rows if row["column"] in part],
                x_title="",
                columns=part,
                heads={name: _head(name) for name in part},
                most=most,
                bold=[ALL_MODELS],
            )
        )
        for part in parts
    ]
    return Figure(
        name=table.replace("_", "-").replace("all-", "worldbench-all-", 1),
        optional=optional,
        title=title,
        note="Models and columns from the least to the largest; the last row is over all models. "
        "Intervals are in the tables.",
        alt="Tables of shaded cells: models down, darker for larger numbers.",
        panels=panels,
        data=[{name: row[name] for name in ("row", "column", "value")} for row in rows],
    )


COLUMNS = 6
"""Of a panel: more would leave no room for their heads."""


def _head(column: str) -> str:
    """A column's name in a few short lines."""
    code = REGION_CODES.get(column)
    if code is not None:
        return REGION_HEADS[code]
    lines = []
    for word in words(column).split()[:4]:
        lines.append(word if len(word) <= LETTERS else f"{word[: LETTERS - 1]}.")
    return "\n".join(lines)


LETTERS = 6
"""Of a line of a head."""


def _ranks(pooled: Section, plural: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        return [
            {
                "row": row["group"],
                "column": rank,
                "value": share,
                "compared": row["compared"],
                "shown": f"{share:.0%}" if share else "",
                "said": _said(row, rank, share),
            }
            for row in rows_of(section, f"all_ranks_{plural}", "group", "compared")
            for rank, share in row.items()
            if rank.isdigit() and share is not None
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        columns = list(dict.fromkeys(row["column"] for row in shown))
        return Heatmap(rows=shown, x_title="rank, 1 is the least error", columns=columns, most=1)

    return figure_of(
        [pooled],
        rows,
        draw,
        counted="compared",
        name=f"worldbench-all-ranks-{plural}",
        optional=30,
        title=f"In how many models each {GROUPS[plural]} comes first … last",
        note="Share of the models in which all groups have answers (how many, in brackets).",
        alt="A table of shaded cells: groups down, ranks across, with the share of models.",
    )


def _said(row: dict[str, Any], rank: str, share: float) -> str:
    mean = estimate(row["rank"], row["rank_low"], row["rank_high"], 1)
    return (
        f"{row['group']}: rank {rank} in {share:.0%} of {row['compared']} models; mean rank {mean}"
    )
