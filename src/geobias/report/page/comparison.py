"""Many models: what was found over all of them, and a row of drawn intervals for each.

The same table opens a report of three models or more and a site.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from geobias.probes.probe import Headline
from geobias.report.grids import NOT_MEASURABLE, headline_metric, headlines_of, without_number
from geobias.report.page.glance import draw_interval
from geobias.report.page.svg import inlined
from geobias.report.page.text import with_true_minuses
from geobias.report.verdicts import over_models, spread_of_words, verdict_of
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import counted, interval, number
from geobias.results.tables import metric_value
from geobias.results.verdicts import LABELS, is_significant, word_of

Column = tuple[str, Headline]


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
    """A sentence for each probe, and the table."""
    findings = over_models(findings)
    return {
        "over": [one for probe in probes if (one := _over(findings, probe))],
        **_table(findings, _columns(findings, probes)),
    }


def _over(findings: Findings, probe: str) -> dict[str, Any]:
    """How many models a probe has what to say of; nothing where it was asked of none that count."""
    counts, listed = spread_of_words(findings, probe)
    parts = [{"word": word, "count": count} for word, count in counts.items()]
    text = f"{listed[:1].upper()}{listed[1:]}."
    return {"probe": probe, "parts": parts, "text": text} if counts else {}


def _columns(findings: Findings, probes: Sequence[str]) -> list[Column]:
    """The headlines that say whether groups differ: what models are compared by."""
    tested = Headline._field_defaults["verdict"]
    return [
        (probe, one)
        for probe in probes
        for one in headlines_of(findings, probe)
        if one.verdict is not tested
    ]


def _table(findings: Findings, columns: Sequence[Column]) -> dict[str, Any]:
    found = {
        column: [_metric(findings, model, *column) for model in findings.models]
        for column in columns
    }
    empty = [
        column
        for column, own in found.items()
        if all(metric is None or metric.value is None for _, metric in own)
    ]
    columns = [column for column in columns if column not in empty]
    domains = {column: _domain([one for _, one in own]) for column, own in found.items()}
    return {
        "empty": [{"probe": probe, "label": one.label} for probe, one in empty],
        "heads": [{"probe": probe, "label": one.label, "hint": one.hint} for probe, one in columns],
        "rows": [
            {
                "model": model,
                "cells": _reasons_once(
                    findings,
                    [(column, *found[column][i]) for column in columns],
                    [_cell(*found[column][i], domains[column]) for column in columns],
                ),
            }
            for i, model in enumerate(findings.models)
        ],
    }


def _reasons_once(
    findings: Findings,
    found: Sequence[tuple[Column, Section | None, Metric | None]],
    cells: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """A row in which a probe that cannot be measured says why, once, over all its columns.

    The cells that this covers stay, hidden: rows are sorted by the place of a cell."""
    places: dict[str, list[int]] = {}
    for i, ((probe, _), section, _) in enumerate(found):
        if section is not None and cells[i]["words"] == NOT_MEASURABLE:
            places.setdefault(probe, []).append(i)
    shown = [cell | {"span": 1} for cell in cells]
    for first, *others in places.values():
        section = found[first][1]
        assert section is not None
        shown[first] |= {"span": 1 + len(others), "says": verdict_of(findings, section).matters}
        for i in others:
            shown[i]["span"] = 0
    return shown


def _metric(
    findings: Findings, model: str, probe: str, headline: Headline
) -> tuple[Section | None, Metric | None]:
    section = findings.section(probe, model)
    return section, headline_metric(section, headline)


def _domain(metrics: Sequence[Metric | None]) -> tuple[float, float]:
    """One scale for all models: whatever they reach, and 0."""
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
    section: Section | None, metric: Metric | None, domain: tuple[float, float]
) -> dict[str, Any]:
    """Words instead of a number where there is none; `key` is what rows are sorted by."""
    words, why = without_number(section, metric)
    cell = {"key": "", "words": words, "why": why, "says": ""}
    if words or metric is None:
        return cell
    said = with_true_minuses(
        f"{metric.label}: {metric_value(metric)}, {counted(metric.n, metric.counted)}"
    )
    return cell | {
        "key": f"{metric.value:.4f}",
        "svg": inlined(draw_interval(metric.value, metric.low, metric.high, domain), said),
        "value": with_true_minuses(number(metric.value)),
        "interval": with_true_minuses(interval(metric.low, metric.high)),
        "n": f"{metric.n:,}",
        "counted": metric.counted,
        "word": _word(metric),
        "label": _LABELS.get(_word(metric), _word(metric)),
        "said": said,
    }


_LABELS: dict[str, str] = {str(word): label for word, label in LABELS.items()}


def _word(metric: Metric) -> str:
    """What a cell says of its test: the verdict's word of a primary metric, else whether it is
    significant."""
    if metric.primary:
        return word_of(metric)
    if metric.p is None:
        return "no test"
    return "differs" if is_significant(metric) else "open"
