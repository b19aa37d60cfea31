"""Tables of the findings as rows of text, shared by all text formats.

A number and its bounds share a cell, and an undefined number is a dash. Text from models and files
is put on one line, so a format needs to escape only its own markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.verdicts import in_a_line
from geobias.results.findings import Column, Findings, Metric, Run, Section, Table
from geobias.results.formatting import (
    NOTHING,
    counted,
    in_natural_order,
    is_bound,
    one_line,
    p_value,
)
from geobias.results.tables import cell, cell_with_interval, missing_line


class Grid(NamedTuple):
    """A table as text: for each column its heading and whether it holds numbers, and the rows."""

    headings: list[str]
    numeric: list[bool]
    rows: list[list[str]]

    def only_columns(self, kept: Iterable[int]) -> Grid:
        kept = list(kept)
        return Grid(
            [self.headings[i] for i in kept],
            [self.numeric[i] for i in kept],
            [[row[i] for i in kept] for row in self.rows],
        )

    def without_empty_columns(self) -> Grid:
        """The grid without columns that are empty in all rows."""
        return self.only_columns(
            i
            for i in range(len(self.headings))
            if not self.rows or any(row[i] not in ("", NOTHING) for row in self.rows)
        )


def shown_columns(table: Table) -> list[Column]:
    """All columns except bounds, which are shown in the cell of their value."""
    names = [column.name for column in table.columns]
    return [column for column in table.columns if not is_bound(column.name, names)]


def is_numeric(column: Column) -> bool:
    return column.kind not in ("text", "country", "flag")


def grid(table: Table) -> Grid:
    columns = shown_columns(table)
    rows = in_natural_order(table.rows, itemgetter(table.columns[0].name))
    return Grid(
        [one_line(column.label) for column in columns],
        [is_numeric(column) for column in columns],
        [[cell_with_interval(row, column) for column in columns] for row in rows],
    )


_NUMBER = Column(name="", label="", kind="number")


def metrics_grid(metrics: Sequence[Metric]) -> Grid:
    rows = []
    for metric in metrics:
        kind = "turns" if metric.unit == "turns" else "value"  # turns have one decimal
        bounds = {kind: metric.value, f"{kind}_low": metric.low, f"{kind}_high": metric.high}
        value = cell_with_interval(bounds, Column(name=kind, label="", kind="number"))
        if metric.undefined_because:
            value = f"undefined: {metric.undefined_because}"
        numbers = [cell(metric.chance, _NUMBER)]
        p = [p_value(metric.p), p_value(metric.p_adjusted)]
        label = f"{metric.label} (primary)" if metric.primary else metric.label
        beside = "; ".join(filter(None, (missing_line(metric, 3), metric.caution)))
        rows.append([label, value, counted(metric.n, metric.counted), *numbers, *p, beside])
    headings = ["measure", "value [95% interval]", "n", "chance"]
    numeric = [False] + [True] * 5 + [False]
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


def runs_grid(runs: Sequence[Run]) -> Grid:
    rows = []
    for run in runs:
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


def summary_grid(findings: Findings) -> Grid:
    """A row for each model and a column for each probe, with the verdict in each cell.

    A star marks what is not complete.
    """
    probes = list(dict.fromkeys(section.probe for section in findings.sections))
    heads: dict[str, str] = {}
    for section in findings.sections:
        probe = all_probes()[section.probe]
        label = derived.primary_label(probe, section)
        heads.setdefault(section.probe, ": ".join(filter(None, (probe.title, label))))
    rows = [
        [model, *(_summary_cell(findings, findings.section(probe, model)) for probe in probes)]
        for model in findings.models
    ]
    return Grid(["Model", *heads.values()], [False] + [True] * len(probes), rows)


def _summary_cell(findings: Findings, section: Section | None) -> str:
    if section is None:
        return "Not asked: no run of this model includes this part"
    return in_a_line(findings, section, "*" if section.replies.missing else "")
