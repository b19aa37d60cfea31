"""Tables of the findings as rows of text, for every format that has rows of text.

A number and its bounds share a cell; what is undefined is a dash. Text from elsewhere is on one
line: a format has only its own marks left to escape.

Each model's headline numbers in one table, and what is missing of them: for the page's opening,
and for papers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from geobias.probes import derived
from geobias.probes.probe import Headline
from geobias.probes.registry import all_probes
from geobias.results.findings import Cell, Column, Findings, Metric, Run, Section, Table
from geobias.results.formatting import NOTHING, interval, is_bound, number, one_line, p_value
from geobias.results.tables import cell, cell_with_interval, metric_of, missing_line


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

    def without_empty_columns(self) -> Grid:
        """Without columns that say nothing in any row."""
        return self.only_columns(
            i
            for i in range(len(self.headings))
            if not self.rows or any(row[i] not in ("", NOTHING) for row in self.rows)
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
        kind = "turns" if metric.unit == "turns" else "value"  # turns have one decimal
        bounds = {kind: metric.value, f"{kind}_low": metric.low, f"{kind}_high": metric.high}
        value = cell_with_interval(bounds, Column(name=kind, label="", kind="number"))
        if metric.undefined_because:
            value = f"undefined: {metric.undefined_because}"
        numbers = [cell(metric.chance, _NUMBER)]
        p = [p_value(metric.p), p_value(metric.p_adjusted)]
        counted = f"{metric.n:,} {metric.counted}"
        label = f"{metric.label} (primary)" if metric.primary else metric.label
        beside = "; ".join(filter(None, (missing_line(metric, 3), metric.caution)))
        rows.append([label, metric.name, value, counted, *numbers, *p, beside])
    headings = ["measure", "name", "value [95% interval]", "n", "chance"]
    numeric = [False] * 2 + [True] * 5 + [False]
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


NOT_RUN, NOT_MEASURABLE, UNDEFINED = "not run", "not measurable", "undefined"


def headline_grid(findings: Findings) -> Grid:
    """A row for each model, a column for each headline number with its interval. A star stands
    where the run is not complete or answers are missing; what has no number has words."""
    columns = _headline_columns(findings)
    heads = [f"{all_probes()[probe].title}: {one.label}" for probe, one in columns]
    rows = [
        [model, *(_headline_cell(findings.section(probe, model), one)[0] for probe, one in columns)]
        for model in findings.models
    ]
    return Grid(["Model", *heads], [False] + [True] * len(heads), rows)


def headline_notes(findings: Findings) -> list[str]:
    """How to read the table: what its numbers mean, what a star stands for, why one is missing."""
    notes = ["95% intervals in brackets"]
    for probe, one in _headline_columns(findings):
        column = f"{all_probes()[probe].title}, {one.label}"
        notes.append(f"{column}: {one.hint}")
        said: dict[str, list[str]] = {}
        for model in findings.models:
            if note := _headline_cell(findings.section(probe, model), one)[1]:
                said.setdefault(note, []).append(model)
        notes += [f"{column}: {note} ({', '.join(models)})" for note, models in said.items()]
    return [f"{note}." for note in notes]


def _headline_columns(findings: Findings) -> list[tuple[str, Headline]]:
    probes = dict.fromkeys(section.probe for section in findings.sections)
    return [(probe, one) for probe in probes for one in derived.headlines(all_probes()[probe])]


def _headline_cell(section: Section | None, headline: Headline) -> tuple[str, str]:
    """A number with its interval, or words so that nothing reads as a 0; and a note on it."""
    metric = headline_metric(section, headline)
    words, why = without_number(section, metric)
    if words or section is None or metric is None:
        return words, f"{words}, because {why}" if why else ""
    asked, planned = section.replies.asked, section.replies.planned
    unfinished = f"{100 * asked // planned}% asked" if asked < planned else ""
    note = "; ".join(filter(None, (unfinished, missing_line(metric))))
    text = f"{number(metric.value)}{'*' * bool(note)} {interval(metric.low, metric.high)}"
    return text.strip(), f"* {note}" if note else ""


def without_number(section: Section | None, metric: Metric | None) -> tuple[str, str]:
    """Words in the place of a metric's number, and the reason; both empty where it has one."""
    if section is None or metric is None:
        return NOT_RUN, ""
    if metric.screened and not section.measurable:
        return NOT_MEASURABLE, "; ".join(section.why_not)
    return ("", "") if metric.value is not None else (UNDEFINED, metric.undefined_because)


def headline_metric(section: Section | None, headline: Headline) -> Metric | None:
    """The first of the headline's metrics that the run has."""
    if section is None:
        return None
    return next(filter(None, (metric_of(section, name) for name in headline.metrics)), None)
