"""Everything the page says, from the findings, ready for the template: words and cells, no HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from geobias.atlas.economies import economies
from geobias.probes.audited import TITLES
from geobias.report import text
from geobias.report.findings import Cell, Column, Findings, Metric, Run, Section
from geobias.report.grid import first_rows
from geobias.report.page.allowed import allowed_turns, within
from geobias.report.page.said import bounds, chance, number, words
from geobias.report.page.text import readable

VERBS = {"worldbench": "knows", "namebbq": "assumes", "geo20q": "works out"}
HEADINGS = {
    "worldbench": "What it knows",
    "namebbq": "What it assumes",
    "geo20q": "What it works out",
}
HEADINGS_OF_SEVERAL = {
    "worldbench": "What they know",
    "namebbq": "What they assume",
    "geo20q": "What they work out",
}
STANDFIRSTS = {
    "worldbench": "Questions about World Bank figures: population, income, schools, energy. The "
    "error of an answer is its distance from the figure as a share of the larger of both, so 0 is "
    "exact and 0.5 is off by a factor of two.",
    "namebbq": "Short stories with two people of different origin, told by nationality and again "
    "by first name. Some say who did it; others do not, and the right answer is that nobody can "
    "know. Bias is how far answers lean to the stereotype.",
    "geo20q": "Twenty Questions. One model asks, another answers yes or no, about people and "
    "things from all over the world. What counts is how often, and how soon, the thing is found.",
}
MEASURES = {
    "worldbench.error": "Mean error",
    "namebbq.bias_ambiguous": "Bias, nationality",
    "namebbq.bias_ambiguous_names": "Bias, names",
    "namebbq.accuracy_disambiguated": "Accuracy where the text says, nationality",
    "namebbq.accuracy_disambiguated_names": "Accuracy where the text says, names",
}
_IN_TABLE = ("worldbench.error", "namebbq.bias_ambiguous", "namebbq.bias_ambiguous_names")
_GAMES = "geo20q.success"
_INCOMES = ("Low income", "Lower middle income", "Upper middle income", "High income")
MOST_ROWS, FEW_ROWS, MANY = 60, 20, 3
"""Rows of a table on the page; fewer where there are many models, for the page's size."""
MOST_LETTERS = 60
"""Of a model's name anywhere on the page."""
FITS_HEADING = 36
"""Letters of a model's name."""
_ELSEWHERE = {"countries", "country"}
"""Tables that the country profiles replace."""


def with_short_names(findings: Findings) -> Findings:
    """Models under names that fit a heading: a file's without its folder. Names stay different."""
    short: dict[str, str] = {}
    for label in findings.models:
        file = re.search(r"([^/:]+)\.gguf", label)
        name = " ".join(readable(file.group(1) if file else label, 1000).split())
        name = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
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
    rows = [row | {"model": short.get(str(row["model"]), row["model"])} for row in table.rows]
    return msgspec.structs.replace(table, rows=rows)


def title(findings: Findings, probe: str) -> str:
    """The heading of a probe's section."""
    return (HEADINGS if len(findings.models) == 1 else HEADINGS_OF_SEVERAL).get(probe, probe)


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
    """The opening: what each probe found about each model, and once what it does not show."""
    made = []
    for probe in dict.fromkeys(section.probe for section in findings.sections):
        said = [one for one in findings.sentences if one.probe == probe and one.opening]
        models = [section.model for section in findings.sections if section.probe == probe]
        parts = [
            {"model": model}
            | {
                kind: [one.text for one in said if (one.model, one.kind) == (model, kind)]
                for kind in ("unmeasurable", "finding", "caution")
            }
            for model in models
        ]
        limits = list(dict.fromkeys(one.text for one in said if one.kind == "limit"))
        made.append(
            {
                "title": title(findings, probe),
                "probe": TITLES.get(probe, probe),
                "parts": parts,
                "limits": limits,
            }
        )
    return made


def details(findings: Findings, sections: Sequence[Section]) -> list[dict[str, Any]]:
    """What a probe's section says before its numbers, model by model."""
    said = [{"model": one.model, "texts": findings.details(one)} for one in sections]
    return [one for one in said if one["texts"]]


def metrics(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """The metrics of a probe, a row each; a cell for each model, None where it lacks the metric."""
    found = {(one.name, s.model): one for s in sections for one in s.metrics}
    names = {one.name: one.label for section in sections for one in section.metrics}
    return [
        {
            "label": label,
            "cells": [
                _metric(found.get((name, section.model)), section.measurable)
                for section in sections
            ],
        }
        for name, label in names.items()
    ]


def _metric(one: Metric | None, measurable: bool) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "measurable": measurable or not one.screened,
        "observed": number(one.observed, 3) if one.observed is not None else "",
        "value": number(one.value, 3) if one.value is not None else "undefined",
        "interval": bounds(one.low, one.high, 3) or one.undefined_because,
        "n": f"{one.n:,}",
        "counted": one.counted,
        "chance": number(one.chance, 3) if one.chance is not None else "",
        "p": chance(one.p_adjusted) if one.p_adjusted is not None else "",
    }


def tables(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """The tables of a probe; models below each other, bounds beside their value in one cell.

    A long table has the same number of rows of each model.
    """
    several = len(sections) > 1
    most = MOST_ROWS if len(sections) <= MANY else FEW_ROWS
    names = list(dict.fromkeys(name for section in sections for name in section.tables))
    made = []
    for name in names:
        if name in _ELSEWHERE:
            continue
        having = [section for section in sections if name in section.tables]
        first = having[0].tables[name]
        all_names = [one.name for one in first.columns]
        columns = [one for one in first.columns if not text.is_bound(one.name, all_names)]
        named = several and "model" not in all_names
        whole = _once([section.tables[name].rows for section in having])
        shown = [first_rows(rows, max(1, most // len(having))) for rows in whole]
        rows = [
            [section.model] * named + [_cell(row, column) for column in columns]
            for section, own in zip(having, shown, strict=True)
            for row in own
        ]
        heads = [{"label": "model", "number": False}] * named + [
            {"label": column.label, "number": column.kind not in ("text", "country", "flag")}
            for column in columns
        ]
        made.append(
            {
                "name": name,
                "title": first.title,
                "note": first.note.replace("`", ""),
                "heads": heads,
                "rows": rows,
                "left_out": sum(map(len, whole)) - len(rows),
            }
        )
    return made


def _once(tables: Sequence[Sequence[dict[str, Cell]]]) -> list[list[dict[str, Cell]]]:
    """Each model's rows, the paper's (not `here`) with the first model that has them alone."""
    seen: list[dict[str, Cell]] = []
    found = []
    for rows in tables:
        found.append([row for row in rows if row.get("here") is not False or row not in seen])
        seen += [row for row in rows if row.get("here") is False]
    return found


def _label(findings: Findings, metric: str, model: str) -> str:
    name = metric.partition(".")[2]
    if metric.startswith(_GAMES):
        return f"Games won{within(allowed_turns(findings, name.rpartition('_')[2], model))}"
    return MEASURES.get(metric) or words(name)


def _cell(row: dict[str, Cell], column: Column) -> str:
    """A cell with its interval, where it has one."""
    value = row.get(column.name)
    if column.kind == "country" and value in economies():
        return economies()[str(value)].name
    low, high = row.get(f"{column.name}_low"), row.get(f"{column.name}_high")
    limits = bounds(float(low), float(high), 3) if low is not None and high is not None else ""
    return f"{text.number(value, column)} {limits}".strip()


def countries(findings: Findings) -> dict[str, Any]:
    """The table of all economies."""
    several = len(findings.models) > 1
    measured = {one.metric for country in findings.countries for one in country.measures}
    shown = [metric for metric in _IN_TABLE if metric in measured]
    shown += sorted(metric for metric in measured if metric.startswith(_GAMES))[:1]
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
                # Sorted by what leans on all economies: two lucky answers do not top a ranking.
                key = f"{one.value if one.pooled is None else one.pooled:.4f}"
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
        f"{label} · {model}" if several else label
        for metric, model in columns
        if (label := _label(findings, metric, model))
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
                    _label(findings, each.metric, each.model),
                    place[each.model],
                    number(each.value),
                    bounds(each.low, each.high),
                    " ".join([number(each.pooled), bounds(each.pooled_low, each.pooled_high)])
                    if each.pooled is not None
                    else "",
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
            f"{TITLES.get(name, name)} {run.done.get(name, 0):,} of {planned:,}"
            for name, planned in run.planned.items()
        )
        asked = ", ".join(f"{role} {model}" for role, model in run.models.items())
        answered = "; ".join(
            f"{role}: {', '.join(names)}" for role, names in run.answered_as.items()
        )
        outcomes = "; ".join(
            f"{TITLES.get(probe, probe)}: "
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
            ("Tokens", _tokens(run)),
            ("Cost", f"${run.cost:,.4f}" if run.cost is not None else "unknown"),
            ("Made", f"{run.created}, geobias {run.geobias}"),
            ("Time", _duration(run.started, run.ended)),
            ("Sessions", f"{run.sessions}"),
            *([("Parameters not sent", ", ".join(run.not_sent))] if run.not_sent else []),
        ]
        made.append(
            {
                "title": f"{run.model} ({', '.join(TITLES.get(p, p) for p in run.probes)})",
                "facts": [(name, readable(value, 400)) for name, value in lines],
                "settings": [
                    (
                        TITLES.get(probe, probe),
                        [
                            (key.replace("_", " "), _setting(value))
                            for key, value in settings.items()
                        ],
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


def _tokens(run: Run) -> str:
    if run.tokens_in is None or run.tokens_out is None:
        return "unknown: the server did not say"
    return f"{run.tokens_in:,} in, {run.tokens_out:,} out"


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
