"""The table a page opens with: each model's headline numbers, and what is missing of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.probes.probe import Headline
from geobias.probes.registry import all_probes
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import interval, number
from geobias.results.metrics import metric_of

NOT_RUN, NOT_MEASURABLE, UNDEFINED = "not run", "not measurable", "undefined"


def summary(findings: Findings, titles: dict[str, str]) -> dict[str, Any]:
    """Heads, grouped by probe, and a row for each model. `titles` are those of the sections."""
    columns = [(probe, one) for probe in titles for one in all_probes()[probe].headlines]
    groups = [
        {"probe": probe, "title": title, "span": sum(whose == probe for whose, _ in columns)}
        for probe, title in titles.items()
    ]
    rows = [
        {"model": model, "cells": [_cell(findings, model, *column) for column in columns]}
        for model in findings.models
    ]
    heads = [
        {
            "label": one.label,
            "hint": one.hint,
            "group": titles[probe],
            "first": i == 0 or columns[i - 1][0] != probe,
        }
        for i, (probe, one) in enumerate(columns)
    ]
    return {"groups": groups, "heads": heads, "rows": rows}


def _cell(findings: Findings, model: str, probe: str, wanted: Headline) -> dict[str, Any]:
    """Words instead of a number where there is none, so that nothing reads as a 0."""
    section = findings.section(probe, model)
    one = None if section is None else _first(section, wanted.metrics)
    cell: dict[str, Any] = {"label": wanted.label, "link": "", "words": "", "why": ""}
    if section is None or one is None:
        return cell | {"words": NOT_RUN}
    cell["link"] = probe
    if one.screened and not section.measurable:
        return cell | {"words": NOT_MEASURABLE, "why": "; ".join(section.why_not)}
    if one.value is None:
        return cell | {"words": UNDEFINED, "why": one.undefined_because}
    verdict = wanted.verdict(one)
    return cell | {
        "value": number(one.value),
        "interval": interval(one.low, one.high),
        "verdict": {"words": verdict[0], "sure": verdict[1]} if verdict else None,
        "unfinished": _unfinished(findings, section, wanted),
    }


def _first(section: Section, names: Sequence[str]) -> Metric | None:
    return next((one for name in names if (one := metric_of(section, name)) is not None), None)


def _unfinished(findings: Findings, section: Section, wanted: Headline) -> str:
    """The share that was asked, where a run is not complete; never rounded up to all of it."""
    done, planned = section.replies.asked, section.replies.planned
    if wanted.done:
        run = next(run for run in findings.runs if run.id == section.run)
        done, planned = run.done.get(wanted.done, 0), run.planned.get(wanted.done, 0)
    if done >= planned:
        return ""
    return f"{100 * done // planned}% asked"
