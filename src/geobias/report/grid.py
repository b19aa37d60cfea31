"""Tables of the findings as rows of text, for every format that has rows of text.

A number and its bounds share a cell; what is undefined is a dash. Text from elsewhere is on one
line: a format has only its own marks left to escape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from geobias.results.findings import Cell, Column, Findings, Metric, Section, Table
from geobias.results.formatting import NOTHING, cell, cell_with_interval, is_bound, p_value
from geobias.results.metrics import missing_line
from geobias.results.text import one_line


class Grid(NamedTuple):
    """A heading for each column, whether it holds numbers, and the rows as text."""

    headings: list[str]
    numeric: list[bool]
    rows: list[list[str]]
    more_rows: int = 0
    """Beyond those that were asked for."""

    def only_columns(self, kept: Iterable[int]) -> Grid:
        kept = list(kept)
        return Grid(
            [self.headings[i] for i in kept],
            [self.numeric[i] for i in kept],
            [[row[i] for i in kept] for row in self.rows],
            self.more_rows,
        )

    def without_empty_columns(self, *, keep_first: bool = False) -> Grid:
        """Without columns that say nothing in any row."""
        return self.only_columns(
            i
            for i in range(len(self.headings))
            if (keep_first and i == 0)
            or not self.rows
            or any(row[i] not in ("", NOTHING) for row in self.rows)
        )


def shown_columns(table: Table) -> list[Column]:
    """All but the bounds, which stand in the cell of their value."""
    names = [column.name for column in table.columns]
    return [column for column in table.columns if not is_bound(column.name, names)]


def is_numeric(column: Column) -> bool:
    return column.kind not in ("text", "country", "flag")


def grid(table: Table, most: int | None = None) -> Grid:
    """The table as text, at most so many rows of it."""
    columns = shown_columns(table)
    rows = table.rows if most is None else first_rows(table.rows, most)
    return Grid(
        [one_line(column.label) for column in columns],
        [is_numeric(column) for column in columns],
        [[cell_with_interval(row, column) for column in columns] for row in rows],
        len(table.rows) - len(rows),
    )


def first_rows(rows: Sequence[dict[str, Cell]], most: int) -> list[dict[str, Cell]]:
    """At most so many rows. Where not all of them fit, a run's own (`here`) stand before those of
    the paper that they are set beside.
    """
    if len(rows) <= most:
        return list(rows)
    return sorted(rows, key=lambda row: row.get("here") is not True)[:most]


_NUMBER = Column(name="", label="", kind="number")


def metrics_grid(metrics: Sequence[Metric]) -> Grid:
    rows = []
    for metric in metrics:
        bounds = {"": metric.value, "_low": metric.low, "_high": metric.high}
        value = cell_with_interval(bounds, _NUMBER)
        if metric.undefined_because:
            value = f"undefined: {metric.undefined_because}"
        numbers = [cell(metric.observed, _NUMBER), cell(metric.chance, _NUMBER)]
        p = [p_value(metric.p), p_value(metric.p_adjusted)]
        counted = f"{metric.n:,} {metric.counted}"
        label = f"{metric.label} (primary)" if metric.primary else metric.label
        beside = "; ".join(filter(None, (missing_line(metric, 3), metric.caution)))
        rows.append([label, metric.name, value, counted, *numbers, *p, beside])
    headings = ["measure", "name", "value [95% interval]", "n", "observed", "chance"]
    numeric = [False] * 2 + [True] * 6 + [False]
    return Grid([*headings, "p", "p adjusted", "beside it"], numeric, rows)


def screens_grid(section: Section) -> Grid:
    rows = [
        [
            screen.name,
            "passed" if screen.ok else "failed",
            cell(screen.value, _NUMBER),
            cell(screen.threshold, _NUMBER),
            f"{screen.n:,}",
            one_line(screen.says),
        ]
        for screen in section.screens
    ]
    headings = ["screen", "", "value", "threshold", "n", "what was seen"]
    return Grid(headings, [False, False, True, True, True, False], rows)


def runs_grid(findings: Findings) -> Grid:
    rows = []
    for run in findings.runs:
        answered = sorted({name for names in run.answered_as.values() for name in names})
        done = ", ".join(f"{name} {run.done.get(name, 0):,} of {planned:,}"
                         for name, planned in run.planned.items())  # fmt: skip
        tokens = ["unknown" if n is None else f"{n:,}" for n in (run.tokens_in, run.tokens_out)]
        cost = "unknown" if run.cost is None else f"${run.cost:.4f}"
        texts = [run.id, run.file, run.model, ", ".join(answered), done]
        texts += [f"{run.calls:,}", *tokens, cost, run.created, run.geobias]
        rows.append([one_line(text) for text in texts])
    headings = ["run", "file", "model", "answered as", "done", "calls", "tokens in", "tokens out"]
    numeric = [False] * 5 + [True] * 4 + [False] * 2
    return Grid([*headings, "cost", "made", "geobias"], numeric, rows)
