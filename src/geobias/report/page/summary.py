"""The table a page opens with: each model's headline numbers, and what is missing of them."""

from __future__ import annotations

from typing import Any

from geobias.probes.probe import Headline
from geobias.probes.registry import all_probes
from geobias.results.findings import Findings, Section
from geobias.results.formatting import interval, number
from geobias.results.metrics import metric_of, missing_line

NOT_RUN, NOT_MEASURABLE, UNDEFINED = "not run", "not measurable", "undefined"


def headline_table(findings: Findings, titles: dict[str, str]) -> dict[str, Any]:
    """Heads, grouped by probe, and a row for each model. `titles` are those of the sections."""
    groups, heads, columns = [], [], []
    for probe, title in titles.items():
        headlines = all_probes()[probe].headlines
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


def _cell(findings: Findings, model: str, probe: str, headline: Headline) -> dict[str, Any]:
    """Words instead of a number where there is none, so that nothing reads as a 0."""
    section = findings.section(probe, model)
    metrics = (metric_of(section, name) for name in headline.metrics) if section else ()
    metric = next(filter(None, metrics), None)
    cell: dict[str, Any] = {"label": headline.label, "link": "", "words": "", "why": ""}
    if section is None or metric is None:
        return cell | {"words": NOT_RUN}
    cell["link"] = probe
    if metric.screened and not section.measurable:
        return cell | {"words": NOT_MEASURABLE, "why": "; ".join(section.why_not)}
    if metric.value is None:
        return cell | {"words": UNDEFINED, "why": metric.undefined_because}
    verdict = headline.verdict(metric)
    return cell | {
        "value": number(metric.value),
        "interval": interval(metric.low, metric.high),
        "verdict": {"words": verdict[0], "sure": verdict[1]} if verdict else None,
        "missing": missing_line(metric),
        "unfinished": _unfinished(findings, section, headline),
    }


def _unfinished(findings: Findings, section: Section, headline: Headline) -> str:
    """The share that was asked, where a run is not complete; never rounded up to all of it."""
    done, planned = section.replies.asked, section.replies.planned
    if headline.done:
        run = next(run for run in findings.runs if run.id == section.run)
        done, planned = run.done.get(headline.done, 0), run.planned.get(headline.done, 0)
    return "" if done >= planned else f"{100 * done // planned}% asked"
