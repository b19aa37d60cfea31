"""The table of all economies, and the profile that opens for each."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from itertools import groupby
from typing import Any

from geobias.atlas.economies import aliases
from geobias.probes.probe import CountryMeasure
from geobias.probes.registry import all_probes
from geobias.results.findings import Country, Findings, Measure
from geobias.results.formatting import counted, interval, number, words

NOT_ASKED, NO_VALUE = "not asked", "no value"
_INCOMES = ("Low income", "Lower middle income", "Upper middle income", "High income")


def countries(findings: Findings) -> dict[str, Any]:
    """The table: a column for each measure of each model, numbered from 0 with the economy's own.

    Columns of what cannot be measured say so, and are not to be sorted by.
    """
    several = len(findings.models) > 1
    asked = {
        (one.metric, one.model): one.probe
        for country in findings.countries
        for one in country.measures
    }
    measured = {metric for metric, _ in asked}
    shown = _in_table(measured, several=several)
    columns = [
        (metric, model) for metric in shown for model in findings.models if (metric, model) in asked
    ]
    fit = {where: _measurable(findings, asked[where], where[1]) for where in columns}
    before = 1 if several else 3
    heads = [
        {
            "measure": _label(findings, metric, model),
            "model": model,
            "column": before + i,
            "measurable": fit[metric, model],
        }
        for i, (metric, model) in enumerate(columns)
    ]
    measures = [
        {"label": label, "span": len(list(heads_of))}
        for label, heads_of in groupby(heads, key=lambda head: head["measure"])
    ]
    rows = [
        _row(country, [(_of(country, *where), fit[where]) for where in columns])
        for country in sorted(findings.countries, key=lambda one: _folded(one.name))
    ]
    return {"heads": heads, "measures": measures, "rows": rows}


def _in_table(measured: Collection[str], *, several: bool) -> list[str]:
    """The metrics that have a column in the table of countries."""
    shown = []
    for probe in all_probes().values():
        known = [one for one in probe.country_measures if one.metric in measured]
        first = next((one for one in known if one.in_table == "first"), None)
        wanted = ("always",) if several else ("always", "alone")
        shown += [one.metric for one in known if one.in_table in wanted or one is first]
    return shown


def _label(findings: Findings, metric: str, model: str) -> str:
    probe, _, name = metric.partition(".")
    one = _known_measures().get(metric)
    if one is None:
        return words(name)
    if isinstance(one.label, str):
        return one.label
    run = next(run for run in findings.runs if run.model == model and probe in run.probes)
    return one.label(run.probes[probe])


def _known_measures() -> dict[str, CountryMeasure]:
    return {one.metric: one for probe in all_probes().values() for one in probe.country_measures}


def _measurable(findings: Findings, probe: str, model: str) -> bool:
    section = findings.section(probe, model)
    return section is None or section.measurable


def _of(country: Country, metric: str, model: str) -> Measure | None:
    found = (one for one in country.measures if (one.metric, one.model) == (metric, model))
    return next(found, None)


def _folded(name: str) -> str:
    """As dictionaries order names: Côte d'Ivoire stands before Czechia."""
    plain = unicodedata.normalize("NFD", name)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def _row(country: Country, measured: list[tuple[Measure | None, bool]]) -> dict[str, Any]:
    income = country.income or ""
    known = " ".join(aliases().get(country.iso3, ()))
    return {
        "iso3": country.iso3,
        "name": country.name,
        "region": country.region,
        "income": income.removesuffix(" income") or "–",
        "rank": str(_INCOMES.index(income)) if income in _INCOMES else "",
        "search": f"{country.name} {country.iso3} {country.region} {income} {known}",
        "cells": [_cell(one, fit) for one, fit in measured],
    }


def _cell(one: Measure | None, measurable: bool) -> dict[str, Any]:
    """`key` is what rows are sorted by: what leans on all economies, so that two lucky answers do
    not top a ranking. It stands in the cell too.
    """
    cell = {"key": "", "value": "", "interval": "", "pooled": "", "measurable": measurable}
    if one is None:
        return cell | {"value": NOT_ASKED}
    if one.value is None:
        return cell | {"value": NO_VALUE}
    cell |= {"value": number(one.value), "interval": interval(one.low, one.high)}
    if not measurable:
        return cell
    if one.pooled is not None:
        cell["pooled"] = number(one.pooled)
    return cell | {"key": f"{one.value if one.pooled is None else one.pooled:.4f}"}


def profiles(findings: Findings) -> dict[str, Any]:
    """Each economy's facts and measures, for the profile that opens on a click."""
    place = {model: i for i, model in enumerate(findings.models)}
    fit = {(section.probe, section.model): section.measurable for section in findings.sections}
    return {
        one.iso3: {
            "name": one.name,
            "region": one.region,
            "income": one.income,
            "continent": one.continent,
            "measures": [
                [
                    _label(findings, each.metric, each.model),
                    place[each.model],
                    number(each.value),
                    interval(each.low, each.high),
                    " ".join([number(each.pooled), interval(each.pooled_low, each.pooled_high)])
                    if each.pooled is not None
                    else "",
                    counted(each.n, each.counted),
                    f"{each.asked:,}",
                    fit.get((each.probe, each.model), True),
                ]
                for each in one.measures
            ],
        }
        for one in findings.countries
    }
