"""The comparison of several models: findings over all of them, and a row of intervals for each.

It opens a report of two models or more, and a site.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.verdicts import found_over_all, spread_of_words, verdict_of
from geobias.results.findings import Findings, Metric, Section
from geobias.results.verdicts import Verdict, Word, primary_of


class Spread(NamedTuple):
    """The verdict on each model in a probe, and a sentence that counts them."""

    probe: str
    words: list[Word]
    text: str


class Column(NamedTuple):
    """A probe's column: its name, the label of its numbers, and how large a gap would matter."""

    probe: str
    label: str
    large: str


class Cell(NamedTuple):
    """The verdict on a model in one probe, and its number on the column's scale if it has one."""

    verdict: Verdict
    metric: Metric | None = None
    domain: tuple[float, float] = (0, 1)


class Comparison(NamedTuple):
    """The comparison of models. `sure` lists those with a gap after adjustment for all tests."""

    over: list[Spread]
    heads: list[Column]
    rows: list[tuple[str, list[Cell]]]
    sure: list[str]


def of_model(findings: Findings, model: str) -> Findings:
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


def comparison(findings: Findings, probes: Sequence[str]) -> Comparison:
    """Compare models: a sentence for each probe, and a table of each model's primary numbers."""
    spreads = []
    for probe in probes:
        words, listed = spread_of_words(findings, probe)
        spreads.append(Spread(probe, words, f"{listed}."))
    shown = {probe: [one for one in findings.sections if one.probe == probe] for probe in probes}
    heads = {probe: _head(findings, probe, own) for probe, own in shown.items()}
    domains = {probe: _domain(own) for probe, own in shown.items()}
    return Comparison(
        [one for one in spreads if one.words],
        list(heads.values()),
        [
            (model, [_cell(findings, model, head, domains[one]) for one, head in heads.items()])
            for model in findings.models
        ],
        found_over_all(findings),
    )


def _head(findings: Findings, probe: str, sections: Sequence[Section]) -> Column:
    about = all_probes()[probe]
    label = next(filter(None, (derived.primary_label(about, one) for one in sections)), about.title)
    large = (verdict_of(findings, one).large for one in sections)
    return Column(probe, label, next(filter(None, large), ""))


def _domain(sections: Sequence[Section]) -> tuple[float, float]:
    """The range from the smallest to the largest number or bound of all models, including 0."""
    shown = [metric for one in sections if one.measurable and (metric := primary_of(one))]
    ends = [0.0, *(end for one in shown for end in (one.value, one.low, one.high) if end)]
    low, high = min(ends), max(ends)
    return (low, high) if high > low else (0.0, 1.0)


def _cell(findings: Findings, model: str, head: Column, domain: tuple[float, float]) -> Cell:
    section = findings.section(head.probe, model)
    if section is None:
        absent = "No run of this model includes this part."
        return Cell(Verdict(word="untested", label="Not asked", found="", matters=absent))
    told, metric = verdict_of(findings, section), primary_of(section)
    if not told.value:
        return Cell(told)
    if (label := derived.primary_label(all_probes()[head.probe], section)) != head.label:
        told = msgspec.structs.replace(told, aside=f"{label}; {told.aside}".removesuffix("; "))
    return Cell(told, metric, domain)
