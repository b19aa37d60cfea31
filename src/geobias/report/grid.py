"""Tables of the findings as rows of text, for every format that has rows of text.

A number and its bounds share a cell; what is undefined is a dash.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from geobias.results.findings import Cell, Column, Findings, Metric, Section, Table
from geobias.results.formatting import cell, cell_with_interval, is_bound, p_value
from geobias.results.text import one_line


class Grid(NamedTuple):
    """A heading for each column, whether it holds numbers, and the rows as text."""

    headings: list[str]
    numeric: list[bool]
    rows: list[list[str]]
    left_out: int = 0
    """Rows beyond those that were asked for."""


def grid(table: Table, most: int | None = None) -> Grid:
    """The table as text, at most so many rows of it."""
    names = [one.name for one in table.columns]
    shown = [one for one in table.columns if not is_bound(one.name, names)]
    rows = table.rows if most is None else first_rows(table.rows, most)
    return Grid(
        [one_line(column.label) for column in shown],
        [column.kind not in ("text", "country", "flag") for column in shown],
        [[cell_with_interval(row, column) for column in shown] for row in rows],
        len(table.rows) - len(rows),
    )


def first_rows(rows: Sequence[dict[str, Cell]], most: int) -> list[dict[str, Cell]]:
    """At most so many rows. Where not all of them fit, a run's own (`here`) stand before those of
    the paper that they are set beside.
    """
    if len(rows) <= most:
        return list(rows)
    return sorted(rows, key=lambda row: row.get("here") is not True)[:most]


def _known(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,}"


_NUMBER = Column(name="", label="", kind="number")


def metrics_grid(metrics: Sequence[Metric]) -> Grid:
    """The metrics of a section: value with interval, n, chance, p-values, what it is."""
    rows = []
    for one in metrics:
        value = cell_with_interval({"": one.value, "_low": one.low, "_high": one.high}, _NUMBER)
        p = [p_value(p) for p in (one.p, one.p_adjusted)]
        observed = cell(one.observed, _NUMBER)
        counted = f"{one.n:,} {one.counted}"
        chance = cell(one.chance, _NUMBER)
        if one.undefined_because:
            value = f"undefined: {one.undefined_because}"
        rows.append([one.label, one.name, value, counted, observed, chance, *p])
    headings = ["measure", "name", "value [95% interval]", "n", "observed", "chance"]
    return Grid(
        [*headings, "p", "p adjusted"], [False, False, True, True, True, True, True, True], rows
    )


def screens_grid(section: Section) -> Grid:
    """The screens of a section."""
    rows = [
        [
            one.name,
            "passed" if one.ok else "failed",
            cell(one.value, _NUMBER),
            cell(one.threshold, _NUMBER),
            f"{one.n:,}",
            one_line(one.says),
        ]
        for one in section.screens
    ]
    headings = ["screen", "", "value", "threshold", "n", "what was seen"]
    return Grid(headings, [False, False, True, True, True, False], rows)


def runs_grid(findings: Findings) -> Grid:
    """The runs: file, model as asked and as answered, what was done, what it cost, when."""
    rows = []
    for run in findings.runs:
        answered = sorted({name for names in run.answered_as.values() for name in names})
        done = ", ".join(f"{name} {run.done.get(name, 0):,} of {planned:,}"
                         for name, planned in run.planned.items())  # fmt: skip
        cost = "unknown" if run.cost is None else f"${run.cost:.4f}"
        words = [run.id, run.file, run.model, ", ".join(answered), done]
        rows.append(
            [one_line(word) for word in words]
            + [f"{run.calls:,}", _known(run.tokens_in), _known(run.tokens_out), cost]
            + [one_line(run.created), one_line(run.geobias)]
        )
    headings = ["run", "file", "model", "answered as", "done", "calls", "tokens in", "tokens out"]
    numeric = [False] * 5 + [True] * 4 + [False] * 2
    return Grid([*headings, "cost", "made", "geobias"], numeric, rows)
