"""The comparison of many models: findings over all of them, and a row of intervals for each.

A report of three or more models, and a site, begin with the same table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from geobias.probes.registry import all_probes
from geobias.report.page.intervals import draw_cell
from geobias.report.page.opening import matters_in_brief
from geobias.report.page.svg import inlined
from geobias.report.page.text import with_true_minuses
from geobias.report.verdicts import spread_of_words, verdict_of
from geobias.results.findings import Findings, Section
from geobias.results.formatting import counted, interval, number
from geobias.results.tables import metric_value
from geobias.results.verdicts import primary_of


def of_model(findings: Findings, model: str) -> Findings:
    """The findings of one model alone."""
    return msgspec.structs.replace(
        findings,
        models=[model],
        over_models=[],
        runs=[run for run in findings.runs if run.model == model],
        sections=[section for section in findings.sections if section.model == model],
        sentences=[one for one in findings.sentences if one.model == model],
        countries=[
            msgspec.structs.replace(
                country, measures=[one for one in country.measures if one.model == model]
            )
            for country in findings.countries
        ],
    )


def comparison(findings: Findings, probes: Sequence[str]) -> dict[str, Any]:
    """A sentence for each probe, and a table of each model's primary numbers."""
    sections = {(one.probe, one.model): one for one in findings.sections}
    domains = {
        probe: _domain([one for one in findings.sections if one.probe == probe]) for probe in probes
    }
    return {
        "over": [one for probe in probes if (one := _over(findings, probe))],
        "heads": [{"probe": probe, "label": _measured(findings, probe)} for probe in probes],
        "rows": [
            {
                "model": model,
                "cells": [
                    _cell(findings, sections.get((probe, model)), domains[probe])
                    for probe in probes
                ],
            }
            for model in findings.models
        ],
    }


def _over(findings: Findings, probe: str) -> dict[str, Any]:
    """What a probe found over several models; empty if it was asked of none that count."""
    counts, listed = spread_of_words(findings, probe)
    parts = [{"word": word, "count": count} for word, count in counts.items()]
    text = f"{listed[:1].upper()}{listed[1:]}."
    return {"probe": probe, "parts": parts, "text": text} if counts else {}


def _measured(findings: Findings, probe: str) -> str:
    """What the numbers of a column are."""
    known = (primary_of(one) for one in findings.sections if one.probe == probe)
    return next((one.label for one in known if one is not None), all_probes()[probe].title)


def _domain(sections: Sequence[Section]) -> tuple[float, float]:
    """One scale for all models, which includes 0."""
    metrics = [primary_of(one) for one in sections if one.measurable]
    ends = [
        end
        for one in metrics
        if one is not None
        for end in (one.value, one.low, one.high)
        if end is not None
    ]
    low, high = min([0.0, *ends]), max([0.0, *ends])
    return (low, high) if high > low else (0.0, 1.0)


def _cell(
    findings: Findings, section: Section | None, domain: tuple[float, float]
) -> dict[str, Any]:
    """The verdict and its number, or why there is none; `key` is the value by which rows are
    sorted.
    """
    if section is None:
        return {"key": "", "word": "untested", "label": "Not asked", "why": "", "svg": ""}
    told, metric = verdict_of(findings, section), primary_of(section)
    cell = {"key": "", "word": told.word, "label": told.label, "why": "", "svg": ""}
    if not section.measurable or metric is None or metric.value is None:
        return cell | {"why": with_true_minuses(matters_in_brief(told))}
    said = f"{metric.label}: {metric_value(metric)}, {counted(metric.n, metric.counted)}"
    drawn = draw_cell(metric.value, metric.low, metric.high, domain)
    return cell | {
        "key": f"{metric.value:.4f}",
        "svg": inlined(drawn, with_true_minuses(said)),
        "value": with_true_minuses(number(metric.value)),
        "interval": with_true_minuses(interval(metric.low, metric.high)),
        "n": counted(metric.n, metric.counted),
    }
