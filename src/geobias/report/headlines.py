"""Each model's headline numbers in one table, and what is missing of them: for the page's opening,
for papers and for model cards."""

from __future__ import annotations

from typing import Any

from geobias.probes.probe import Headline
from geobias.probes.registry import all_probes
from geobias.report.grid import Grid
from geobias.report.verdicts import as_it_counts
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import interval, number
from geobias.results.metrics import metric_of, missing_line

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
        for one in all_probes()[probe].headlines
        if not one.optional or any(_metric(section, one) for section in sections)
    ]


def headline_grid(findings: Findings) -> Grid:
    """The same as text: a row for each model, a column for each headline number.

    A number has its interval beside it, and a star where the run is not complete or answers are
    missing; what has no number has words.
    """
    titles = {probe: all_probes()[probe].title for probe in _probes(findings)}
    table = headline_table(findings, titles)
    heads = [f"{head['group']}: {head['label']}" for head in table["heads"]]
    rows = [[row["model"], *map(_as_text, row["cells"])] for row in table["rows"]]
    return Grid(["Model", *heads], [False] + [True] * len(heads), rows)


def headline_notes(findings: Findings) -> list[str]:
    """How to read the table: what each column's numbers mean, what a star stands for, and why there
    is no number, with the models that this is so of."""
    titles = {probe: all_probes()[probe].title for probe in _probes(findings)}
    table = headline_table(findings, titles)
    hints = [f"{head['group']}, {head['label']}: {head['hint']}" for head in table["heads"]]
    starred: dict[str, list[str]] = {}
    without: dict[str, list[str]] = {}
    for row in table["rows"]:
        for head, cell in zip(table["heads"], row["cells"], strict=True):
            column = f"{head['group']}, {head['label']}"
            if cell["why"]:
                said = f"{column}: {cell['words']}, because {cell['why']}"
                without.setdefault(said, []).append(row["model"])
            elif why := _reservations(cell):
                starred.setdefault(f"{column}: {why}", []).append(row["model"])
    notes = ["95% intervals in brackets", "; ".join(hints)]
    notes += [f"* {'; '.join(_with_models(starred))}"] if starred else []
    return [f"{note}." for note in (*notes, *_with_models(without))]


def _with_models(said: dict[str, list[str]]) -> list[str]:
    return [f"{text} ({', '.join(models)})" for text, models in said.items()]


def _probes(findings: Findings) -> list[str]:
    return list(dict.fromkeys(section.probe for section in findings.sections))


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
    metric = _metric(section, headline) if section else None
    cell: dict[str, Any] = {"label": headline.label, "link": "", "words": "", "why": ""}
    if section is None or metric is None:
        return cell | {"words": NOT_RUN}
    cell["link"] = probe
    if metric.screened and not section.measurable:
        return cell | {"words": NOT_MEASURABLE, "why": "; ".join(section.why_not)}
    if metric.value is None:
        return cell | {"words": UNDEFINED, "why": metric.undefined_because}
    verdict = headline.verdict(as_it_counts(findings, section, metric))
    return cell | {
        "value": number(metric.value),
        "interval": interval(metric.low, metric.high),
        "verdict": {"words": verdict[0], "sure": verdict[1]} if verdict else None,
        "missing": missing_line(metric),
        "unfinished": _unfinished(findings, section, headline),
    }


def headline_metrics(section: Section) -> list[Metric]:
    """The metrics of a section that stand in the table."""
    found = (_metric(section, one) for one in all_probes()[section.probe].headlines)
    return [metric for metric in found if metric is not None]


def _metric(section: Section, headline: Headline) -> Metric | None:
    """The first of the headline's metrics that the run has."""
    return next(filter(None, (metric_of(section, name) for name in headline.metrics)), None)


def _unfinished(findings: Findings, section: Section, headline: Headline) -> str:
    """The share that was asked, where a run is not complete; never rounded up to all of it."""
    done, planned = section.replies.asked, section.replies.planned
    if headline.done:
        run = next(run for run in findings.runs if run.id == section.run)
        done, planned = run.done.get(headline.done, 0), run.planned.get(headline.done, 0)
    return "" if done >= planned else f"{100 * done // planned}% asked"
