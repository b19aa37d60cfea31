"""Tables of the findings as rows of text, for every format that has rows of text.

A number and its bounds share a cell; what is undefined is a dash. Text from elsewhere is on one
line: a format has only its own marks left to escape.

Each model's headline numbers in one table, and what is missing of them: for the page's opening,
for papers and for model cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from geobias.probes import derived
from geobias.probes.probe import Headline
from geobias.probes.registry import all_probes
from geobias.results.findings import Cell, Column, Findings, Metric, Section, Table
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


NOT_RUN, NOT_MEASURABLE, UNDEFINED = "not run", "not measurable", "undefined"


def headline_table(findings: Findings, titles: dict[str, str]) -> dict[str, Any]:
    """Heads, grouped by probe, and a row for each model. `titles` are those of the sections."""
    groups, heads, columns = [], [], []
    for probe, title in titles.items():
        headlines = headlines_of(findings, probe)
        groups.append({"probe": probe, "title": title, "span": len(headlines)})
        heads += [
            {"label": one.label, "hint": one.hint, "group": title, "first": i == 0}
            for i, one in enumerate(headlines)
        ]
        columns += [(probe, one) for one in headlines]
    rows = [
        {"model": model, "cells": [_cell(findings, model, *column) for column in columns]}
        for model in findings.models
    ]
    return {"groups": groups, "heads": heads, "rows": rows}


def headlines_of(findings: Findings, probe: str) -> list[Headline]:
    """A probe's columns: its headlines, less those that are optional and that no run has."""
    sections = [section for section in findings.sections if section.probe == probe]
    return [
        one
        for one in derived.headlines(all_probes()[probe])
        if not one.optional or any(headline_metric(section, one) for section in sections)
    ]


def headline_grid(findings: Findings) -> Grid:
    """The same as text: a row for each model, a column for each headline number.

    A number has its interval beside it, and a star where the run is not complete or answers are
    missing; what has no number has words.
    """
    table = headline_table(findings, _titles(findings))
    heads = [f"{head['group']}: {head['label']}" for head in table["heads"]]
    rows = [[row["model"], *map(_as_text, row["cells"])] for row in table["rows"]]
    return Grid(["Model", *heads], [False] + [True] * len(heads), rows)


def headline_notes(findings: Findings) -> list[str]:
    """How to read the table: what each column's numbers mean, what a star stands for, and why there
    is no number, with the models that this is so of."""
    table = headline_table(findings, _titles(findings))
    hints = [f"{head['group']}, {head['label']}: {head['hint']}" for head in table["heads"]]
    starred: dict[str, list[str]] = {}
    without: dict[str, list[str]] = {}
    for row in table["rows"]:
        for head, shown in zip(table["heads"], row["cells"], strict=True):
            column = f"{head['group']}, {head['label']}"
            if shown["why"]:
                said = f"{column}: {shown['words']}, because {shown['why']}"
                without.setdefault(said, []).append(row["model"])
            elif why := _reservations(shown):
                starred.setdefault(f"{column}: {why}", []).append(row["model"])
    notes = ["95% intervals in brackets", "; ".join(hints)]
    notes += [f"* {'; '.join(_with_models(starred))}"] if starred else []
    return [f"{note}." for note in (*notes, *_with_models(without))]


def _with_models(said: dict[str, list[str]]) -> list[str]:
    return [f"{text} ({', '.join(models)})" for text, models in said.items()]


def _titles(findings: Findings) -> dict[str, str]:
    return {section.probe: all_probes()[section.probe].title for section in findings.sections}


def _reservations(cell: dict[str, Any]) -> str:
    return "; ".join(filter(None, (cell.get("unfinished"), cell.get("missing"))))


def _as_text(cell: dict[str, Any]) -> str:
    if cell["words"]:
        return str(cell["words"])
    star = "*" if _reservations(cell) else ""
    return f"{cell['value']}{star} {cell['interval']}".strip()


def _cell(findings: Findings, model: str, probe: str, headline: Headline) -> dict[str, Any]:
    """Words instead of a number where there is none, so that nothing reads as a 0."""
    section = findings.section(probe, model)
    metric = headline_metric(section, headline)
    words, why = without_number(section, metric)
    link = "" if words == NOT_RUN else probe
    cell: dict[str, Any] = {"label": headline.label, "link": link, "words": words, "why": why}
    if words or section is None or metric is None:
        return cell
    return cell | {
        "value": number(metric.value),
        "interval": interval(metric.low, metric.high),
        "verdict": headline.verdict(metric),
        "missing": missing_line(metric),
        "unfinished": _unfinished(findings, section, headline),
    }


def without_number(section: Section | None, metric: Metric | None) -> tuple[str, str]:
    """Words in the place of a metric's number, and the reason; both empty where it has one."""
    if section is None or metric is None:
        return NOT_RUN, ""
    if metric.screened and not section.measurable:
        return NOT_MEASURABLE, "; ".join(section.why_not)
    return ("", "") if metric.value is not None else (UNDEFINED, metric.undefined_because)


def headline_metrics(section: Section) -> list[Metric]:
    """The metrics of a section that stand in the table."""
    found = (
        headline_metric(section, one) for one in derived.headlines(all_probes()[section.probe])
    )
    return [metric for metric in found if metric is not None]


def headline_metric(section: Section | None, headline: Headline) -> Metric | None:
    """The first of the headline's metrics that the run has."""
    if section is None:
        return None
    return next(filter(None, (metric_of(section, name) for name in headline.metrics)), None)


def _unfinished(findings: Findings, section: Section, headline: Headline) -> str:
    """The share that was asked, where a run is not complete; never rounded up to all of it."""
    done, planned = section.replies.asked, section.replies.planned
    if headline.done:
        run = next(run for run in findings.runs if run.id == section.run)
        done, planned = run.done.get(headline.done, 0), run.planned.get(headline.done, 0)
    return "" if done >= planned else f"{100 * done // planned}% asked"
