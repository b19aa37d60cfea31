"""The table of all economies, and the profile that opens for each."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from itertools import groupby
from typing import Any

from geobias.atlas.economies import INCOMES, aliases
from geobias.probes.registry import all_probes
from geobias.results.findings import Country, Findings, Measure
from geobias.results.formatting import counted, interval, number, words

NOT_ASKED, NO_VALUE = "not asked", "no value"
_FACTS = ("name", "region", "income", "continent")


def country_table(findings: Findings) -> dict[str, Any]:
    """The table: a column for each measure of each model, numbered from 0 with the economy's own.

    Columns of what cannot be measured say so, and are not to be sorted by.
    """
    several = len(findings.models) > 1
    present = {
        (measure.metric, measure.model): (measure.probe, measure.model)
        for country in findings.countries
        for measure in country.measures
    }
    fit = _measurable(findings)
    columns = {
        (metric, model): fit.get(present[metric, model], True)
        for metric in _in_table({metric for metric, _ in present}, several=several)
        for model in findings.models
        if (metric, model) in present
    }
    heads = [
        {"measure": _label(findings, metric, model), "model": model}
        | {"column": i, "measurable": columns[metric, model]}
        for i, (metric, model) in enumerate(columns, start=1 if several else 3)
    ]
    measures = [
        {"label": label, "span": len(list(own))}
        for label, own in groupby(heads, key=lambda head: head["measure"])
    ]
    rows = [
        _row(country, columns)
        for country in sorted(findings.countries, key=lambda country: _folded(country.name))
    ]
    return {"heads": heads, "measures": measures, "rows": rows}


def _in_table(measured: Collection[str], *, several: bool) -> list[str]:
    """The metrics that have a column in the table of countries."""
    wanted = ("always",) if several else ("always", "alone")
    shown = []
    for probe in all_probes().values():
        known = [one for one in probe.country_measures if one.metric in measured]
        first = next((one for one in known if one.in_table == "first"), None)
        shown += [one.metric for one in known if one.in_table in wanted or one is first]
    return shown


def _label(findings: Findings, metric: str, model: str) -> str:
    probe, _, name = metric.partition(".")
    known = {
        one.metric: one.label for each in all_probes().values() for one in each.country_measures
    }
    label = known.get(metric, words(name))
    if isinstance(label, str):
        return label
    run = next(run for run in findings.runs if run.model == model and probe in run.probes)
    return label(run.probes[probe])


def _measurable(findings: Findings) -> dict[tuple[str, str], bool]:
    """Probe and model → whether it can be measured."""
    return {(section.probe, section.model): section.measurable for section in findings.sections}


def _folded(name: str) -> str:
    """As dictionaries order names: Côte d'Ivoire stands before Czechia."""
    plain = unicodedata.normalize("NFD", name)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def _row(country: Country, columns: dict[tuple[str, str], bool]) -> dict[str, Any]:
    income = country.income or ""
    known = " ".join(aliases().get(country.iso3, ()))
    measures = {(measure.metric, measure.model): measure for measure in country.measures}
    return {
        "iso3": country.iso3,
        "name": country.name,
        "region": country.region,
        "income": income.removesuffix(" income") or "–",
        "rank": str(INCOMES.index(income)) if income in INCOMES else "",
        "search": f"{country.name} {country.iso3} {country.region} {income} {known}",
        "cells": [_cell(measures.get(where), fit) for where, fit in columns.items()],
    }


def _cell(measure: Measure | None, measurable: bool) -> dict[str, Any]:
    """`key` is what rows are sorted by: what leans on all economies, so that two lucky answers do
    not top a ranking. It stands in the cell too.
    """
    cell = {"key": "", "value": "", "interval": "", "pooled": "", "measurable": measurable}
    if measure is None:
        return cell | {"value": NOT_ASKED}
    if measure.value is None:
        return cell | {"value": NO_VALUE}
    cell |= {"value": number(measure.value), "interval": interval(measure.low, measure.high)}
    if measurable:
        pooled = measure.pooled
        cell["pooled"] = "" if pooled is None else number(pooled)
        cell["key"] = f"{measure.value if pooled is None else pooled:.4f}"
    return cell


def country_profiles(findings: Findings) -> dict[str, Any]:
    """Each economy's facts and measures, for the profile that opens on a click."""
    place = {model: i for i, model in enumerate(findings.models)}
    fit = _measurable(findings)
    return {
        country.iso3: {name: getattr(country, name) for name in _FACTS}
        | {
            "measures": [
                [
                    _label(findings, measure.metric, measure.model),
                    place[measure.model],
                    number(measure.value),
                    interval(measure.low, measure.high),
                    _pooled(measure),
                    counted(measure.n, measure.counted),
                    f"{measure.asked:,}",
                    fit.get((measure.probe, measure.model), True),
                ]
                for measure in country.measures
            ],
        }
        for country in findings.countries
    }


def _pooled(measure: Measure) -> str:
    if measure.pooled is None:
        return ""
    bounds = interval(measure.pooled_low, measure.pooled_high)
    return f"{number(measure.pooled)} {bounds}"
