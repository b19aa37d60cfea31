"""Everything the page says, from the findings, ready for the template: words and cells, no HTML."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from geobias.atlas.economies import economies
from geobias.report.findings import Cell, Column, Findings, Section
from geobias.report.page.said import bounds, chance, number
from geobias.report.page.text import readable

VERBS = {"worldbench": "knows", "namebbq": "assumes", "geo20q": "works out"}
NAMES = {"worldbench": "WorldBench", "namebbq": "Name-BBQ", "geo20q": "Geo20Q+"}
TITLES = {
    "worldbench": "What it knows",
    "namebbq": "What it assumes",
    "geo20q": "What it works out",
}
STANDFIRSTS = {
    "worldbench": "Questions about World Bank figures: population, income, schools, energy. The "
    "error of an answer is its distance from the figure as a share of the larger of both, so 0 is "
    "exact and 0.5 is off by a factor of two.",
    "namebbq": "Short stories with two people of different origin, told by nationality and again by "
    "first name. Some say who did it; others do not, and the right answer is that nobody can know. "
    "Bias is how far answers lean to the stereotype.",
    "geo20q": "Twenty Questions. One model asks, another answers yes or no, about people and things "
    "from all over the world. What counts is how often, and how soon, the thing is found.",
}
MEASURES = {
    "worldbench.error": "Mean error",
    "namebbq.bias_ambiguous": "Bias, nationality",
    "namebbq.bias_ambiguous_names": "Bias, names",
    "namebbq.accuracy_disambiguated": "Accuracy where the text says, nationality",
    "namebbq.accuracy_disambiguated_names": "Accuracy where the text says, names",
    "geo20q.success": "Games won in 20 turns",
    "geo20q.success_canonical": "Games won in 20 turns",
    "geo20q.success_unlimited": "Games won in 150 turns",
}
_IN_TABLE = (
    "worldbench.error",
    "namebbq.bias_ambiguous",
    "namebbq.bias_ambiguous_names",
    "geo20q.success",
    "geo20q.success_canonical",
)
_INCOMES = ("Low income", "Lower middle income", "Upper middle income", "High income")
MOST_ROWS = 80
FITS_HEADING = 36
"""Letters of a model's name."""
_ELSEWHERE = {"countries", "country"}
"""Tables that the country profiles replace."""


def with_short_names(findings: Findings) -> Findings:
    """Models under names that fit a heading: a file's without its folder. Names stay different."""
    short = {}
    for label in findings.models:
        name = readable(label.rsplit("/", 1)[-1] if ".gguf" in label else label, 60)
        name = " ".join(name.split()).removesuffix(".gguf") or label
        short[label] = name if name not in short.values() else f"{name} ({len(short) + 1})"

    def renamed(one: Any) -> Any:
        return msgspec.structs.replace(one, model=short.get(one.model, one.model))

    sections = []
    for section in findings.sections:
        tables = {name: _renamed_rows(table, short) for name, table in section.tables.items()}
        sections.append(renamed(msgspec.structs.replace(section, tables=tables)))
    countries = [
        msgspec.structs.replace(one, measures=[renamed(each) for each in one.measures])
        for one in findings.countries
    ]
    return msgspec.structs.replace(
        findings,
        models=[short[label] for label in findings.models],
        runs=[renamed(run) for run in findings.runs],
        sections=sections,
        countries=countries,
        sentences=[renamed(sentence) for sentence in findings.sentences],
    )


def _renamed_rows(table: Any, short: dict[str, str]) -> Any:
    if not any(column.name == "model" for column in table.columns):
        return table
    rows = [
        row | {"model": short.get(str(row["model"]), row["model"])} for row in table.rows
    ]
    return msgspec.structs.replace(table, rows=rows)


def heading(findings: Findings) -> str:
    """What the page is about."""
    verbs = [VERBS[probe] for probe in VERBS if any(s.probe == probe for s in findings.sections)]
    done = " and ".join(filter(None, [", ".join(verbs[:-1]), *verbs[-1:]])) or "says"
    if len(findings.models) == 1:
        name = findings.models[0] if len(findings.models[0]) <= FITS_HEADING else "this model"
        return f"What {name} {done} about the world"
    count = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}.get(
        len(findings.models), str(len(findings.models))
    )
    for one, many in (("knows", "know"), ("assumes", "assume"), ("works", "work")):
        done = done.replace(one, many)
    return f"What {count} models {done} about the world"


def facts(findings: Findings) -> list[str]:
    """The line under the heading."""
    replies = sum(section.replies.asked for section in findings.sections)
    days = sorted(run.created[:10] for run in findings.runs)
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    found = [f"{replies:,} questions, items and games", f"Run {when}"]
    if len(findings.models) > 1 or len(findings.models[0]) > FITS_HEADING:
        found.insert(0, ", ".join(findings.models))
    costs = [run.cost for run in findings.runs if run.cost is not None]
    if len(costs) == len(findings.runs) and sum(costs) > 0:
        found.append(f"${sum(costs):,.2f}")
    return found


def answers(findings: Findings) -> list[dict[str, Any]]:
    """The opening: the sentences of each section."""
    found = []
    for section in findings.sections:
        said = [
            one
            for one in findings.sentences
            if (one.probe, one.model) == (section.probe, section.model)
        ]
        kinds = {"unmeasurable": "unmeasurable", "finding": "findings", "caution": "cautions"}
        kinds["limit"] = "limits"
        found.append(
            {
                "title": TITLES.get(section.probe, section.title),
                "probe": NAMES.get(section.probe, section.probe),
                "model": section.model,
            }
            | {name: [one.text for one in said if one.kind == kind] for kind, name in kinds.items()}
        )
    return found


def metrics(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """The metrics of a probe, models beside each other."""
    names = list(dict.fromkeys(one.name for section in sections for one in section.metrics))
    return [
        {
            "label": one.label,
            "model": section.model,
            "measurable": section.measurable,
            "value": number(one.value, 3) if one.value is not None else "undefined",
            "interval": bounds(one.low, one.high, 3) or one.undefined_because,
            "n": f"{one.n:,}",
            "counted": one.counted,
            "chance": number(one.chance, 3) if one.chance is not None else "",
            "p": chance(one.p_adjusted) if one.p_adjusted is not None else "",
        }
        for name in names
        for section in sections
        for one in section.metrics
        if one.name == name
    ]


def tables(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """The tables of a probe; models below each other, bounds beside their value in one cell."""
    several = len(sections) > 1
    names = list(dict.fromkeys(name for section in sections for name in section.tables))
    made = []
    for name in names:
        if name in _ELSEWHERE:
            continue
        having = [section for section in sections if name in section.tables]
        first = having[0].tables[name]
        columns = [
            column
            for column in first.columns
            if not _bound_of_other(column.name, [one.name for one in first.columns])
        ]
        named = several and not any(column.name == "model" for column in columns)
        rows = [
            [section.model] * named + [_cell(row, column) for column in columns]
            for section in having
            for row in section.tables[name].rows
        ]
        heads = [{"label": "model", "number": False}] * named + [
            {"label": column.label, "number": column.kind not in ("text", "country", "flag")}
            for column in columns
        ]
        made.append(
            {
                "title": first.title,
                "note": first.note.replace("`", ""),
                "heads": heads,
                "rows": rows[:MOST_ROWS],
                "left_out": max(0, len(rows) - MOST_ROWS),
            }
        )
    return made


def _bound_of_other(name: str, names: Sequence[str]) -> bool:
    return any(name == f"{other}{end}" for other in names for end in ("_low", "_high"))


def _cell(row: dict[str, Cell], column: Column) -> str:
    value = row.get(column.name)
    if value is None:
        return "–"
    if column.kind == "flag":
        return "yes" if value else "no"
    if column.kind == "country":
        place = economies().get(str(value))
        return place.name if place else str(value)
    if isinstance(value, str):
        return readable(value, 200)
    if column.kind in ("count", "year"):
        return f"{value:,}" if column.kind == "count" else str(value)
    if column.kind == "p":
        return chance(float(value))
    low, high = row.get(f"{column.name}_low"), row.get(f"{column.name}_high")
    limits = bounds(float(low), float(high), 3) if low is not None and high is not None else ""
    return f"{number(float(value), 3)} {limits}".strip()


def countries(findings: Findings) -> dict[str, Any]:
    """The table of all economies."""
    several = len(findings.models) > 1
    measured = {one.metric for country in findings.countries for one in country.measures}
    shown = [metric for metric in _IN_TABLE if metric in measured]
    if several:
        shown = [metric for metric in shown if not metric.endswith("_names")]
    columns = [
        (metric, model)
        for metric in shown
        for model in findings.models
        if any(
            (one.metric, one.model) == (metric, model)
            for country in findings.countries
            for one in country.measures
        )
    ]
    rows = []
    for country in sorted(findings.countries, key=lambda one: one.name):
        cells = []
        for metric, model in columns:
            one = next(
                (m for m in country.measures if (m.metric, m.model) == (metric, model)), None
            )
            if one is None:
                cells.append({"key": "", "value": "", "interval": ""})
            elif one.value is None:
                cells.append({"key": "", "value": "no value", "interval": ""})
            else:
                limits = bounds(one.low, one.high)
                key = f"{one.value:.6f}"
                cells.append({"key": key, "value": number(one.value), "interval": limits})
        income = country.income or ""
        rows.append(
            {
                "iso3": country.iso3,
                "name": country.name,
                "region": country.region,
                "income": income.removesuffix(" income") or "–",
                "rank": str(_INCOMES.index(income)) if income in _INCOMES else "",
                "search": f"{country.name} {country.iso3} {country.region} {income}",
                "cells": cells,
            }
        )
    heads = [
        f"{MEASURES.get(metric, metric)} · {model}" if several else MEASURES.get(metric, metric)
        for metric, model in columns
    ]
    return {"heads": heads, "rows": rows}


def profiles(findings: Findings) -> dict[str, Any]:
    """Each economy's facts and measures, for the profile that opens on a click."""
    place = {model: i for i, model in enumerate(findings.models)}
    return {
        one.iso3: {
            "name": one.name,
            "region": one.region,
            "income": one.income,
            "continent": one.continent,
            "measures": [
                [
                    MEASURES.get(each.metric, each.metric),
                    place[each.model],
                    number(each.value),
                    bounds(each.low, each.high),
                    f"{each.n:,} {each.counted}",
                    f"{each.asked:,}",
                ]
                for each in one.measures
            ],
        }
        for one in findings.countries
    }


def runs(findings: Findings) -> list[dict[str, Any]]:
    """What was run, with what: the manifest in words."""
    made = []
    for run in findings.runs:
        done = ", ".join(
            f"{NAMES.get(probe, probe)} {run.done.get(probe, 0):,} of {planned:,}"
            for probe, planned in run.planned.items()
        )
        asked = ", ".join(f"{role} {model}" for role, model in run.models.items())
        answered = "; ".join(
            f"{role}: {', '.join(names)}" for role, names in run.answered_as.items()
        )
        outcomes = "; ".join(
            f"{NAMES.get(probe, probe)}: "
            + ", ".join(f"{word} {count:,}" for word, count in found.items())
            for probe, found in run.outcomes.items()
        )
        lines = [
            ("Run file", run.file),
            ("Model as asked", asked),
            ("Model as it named itself", answered or "–"),
            ("Trials", done),
            ("Outcomes", outcomes),
            ("Calls", f"{run.calls:,}"),
            ("Tokens", f"{run.tokens_in:,} in, {run.tokens_out:,} out"),
            ("Cost", f"${run.cost:,.4f}" if run.cost is not None else "no price is known"),
            ("Made", f"{run.created}, geobias {run.geobias}"),
            ("Time", _duration(run.started, run.ended)),
            ("Sessions", f"{run.sessions}"),
        ]
        made.append(
            {
                "title": f"{run.model} ({', '.join(NAMES.get(p, p) for p in run.probes)})",
                "facts": [(name, readable(value, 400)) for name, value in lines],
                "settings": [
                    (
                        NAMES.get(probe, probe),
                        [(key.replace("_", " "), _setting(value)) for key, value in settings.items()],
                    )
                    for probe, settings in run.probes.items()
                ],
                "editions": [
                    *sorted(run.editions.items()),
                    *((f"prompts of {name}", digest) for name, digest in run.prompts.items()),
                ],
            }
        )
    return made


def _duration(started: float | None, ended: float | None) -> str:
    if started is None:
        return "–"
    began = datetime.fromtimestamp(started, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"{began}, {ended - started:,.0f} s" if ended is not None else f"{began}, not ended"


def _setting(value: object) -> str:
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, list | tuple):
        return readable(", ".join(str(one) for one in value), 600)
    return readable(str(value), 600)


METHODS = (
    (
        "Intervals",
        "Every interval holds the true value in 95 of 100 repetitions of the study. They come from "
        "drawing the units again: countries for WorldBench, templates for Name-BBQ, entities for "
        "Geo20Q+, because answers about one of them stand and fall together. Groups of a few units "
        "have wide intervals, and a single unit has none.",
    ),
    (
        "Gaps and chance",
        "The largest minus the smallest group mean is never negative, and grows when groups are "
        "many or small. It is held against the same economies dealt at random into groups of the "
        "same sizes; p is the share of deals with a gap as large.",
    ),
    (
        "Many comparisons",
        "A table with a hundred rows has some that stand out by luck. P-values are adjusted for the "
        "number of tests in their table, and single countries should be read with their interval.",
    ),
    (
        "Fit to be measured",
        "A model that always takes the first answer, or says one number for every country, gets "
        "scores that look fair and mean nothing. Each part first checks that there is something to "
        "measure; where a check fails, the reason stands before any score and the figures are faded.",
    ),
    (
        "What was left out",
        "Replies that could not be read, and those that decline, are in no score and are counted. "
        "Nothing is dropped in silence.",
    ),
    (
        "What none of this shows",
        "Why a model errs, or what its use would do to anyone. The questions are in a few "
        "languages, the figures are one edition of one publisher, and the stereotypes are those "
        "that the items’ authors documented.",
    ),
    (
        "Sources",
        "WorldBench: Moayeri, Tabassi and Feizi (FAccT 2024). Name-BBQ and Geo20Q+ follow the papers "
        "named in the documentation; items derived from BBQ are by Parrish et al. (2022), CC BY 4.0.",
    ),
)
