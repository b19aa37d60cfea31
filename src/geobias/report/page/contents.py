"""Everything the page says, from the findings, ready for the template: words and cells, no HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from geobias.atlas.economies import economies
from geobias.probes.registry import all_probes, record_titles
from geobias.report.grid import first_rows
from geobias.report.page.editions import editions
from geobias.report.page.text import readable
from geobias.results.findings import Cell, Column, Findings, Metric, Run, Section
from geobias.results.formatting import (
    NOTHING,
    cell_with_interval,
    column_head,
    counted,
    duration,
    interval,
    is_bound,
    note_in_words,
    number,
    p_value,
    singular,
    with_true_minus,
    words,
)
from geobias.results.text import one_line

MOST_ROWS, FEW_ROWS, MANY = 60, 20, 3
"""Rows of a table on the page; fewer where there are many models, for the page's size."""
FITS_HEADING = 36
"""Letters of a model's name."""
_ELSEWHERE = {"countries", "country"}
"""Tables that the country profiles replace."""


def title(findings: Findings, probe: str) -> str:
    """The heading of a probe's section."""
    known = all_probes()[probe]
    several = len(findings.models) > 1
    return f"What they {known.verb_of_several}" if several else f"What it {known.verb}"


def heading(findings: Findings) -> str:
    """What the page is about."""
    several = len(findings.models) > 1
    held = {section.probe for section in findings.sections}
    verbs = [
        probe.verb_of_several if several else probe.verb
        for name, probe in all_probes().items()
        if name in held
    ]
    done = " and ".join(filter(None, [", ".join(verbs[:-1]), *verbs[-1:]]))
    if not several:
        name = findings.models[0] if len(findings.models[0]) <= FITS_HEADING else "this model"
        return f"What {name} {done} about the world"
    count = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}.get(
        len(findings.models), str(len(findings.models))
    )
    return f"What {count} models {done} about the world"


def facts(findings: Findings) -> list[str]:
    """The line under the heading."""
    days = sorted(run.created[:10] for run in findings.runs)
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    found = [", ".join(_done(findings)), f"Run {when}"]
    if len(findings.models) > 1 or len(findings.models[0]) > FITS_HEADING:
        found.insert(0, ", ".join(findings.models))
    costs = [run.cost for run in findings.runs if run.cost is not None]
    if len(costs) == len(findings.runs) and sum(costs) > 0:
        found.append(f"${sum(costs):,.2f}")
    return found


def _done(findings: Findings) -> list[str]:
    """What was asked in each probe, over all models: "150 of 491 questions", "120 items"."""
    found = []
    for probe in dict.fromkeys(section.probe for section in findings.sections):
        counts = [one.replies for one in findings.sections if one.probe == probe]
        asked = sum(one.asked for one in counts)
        found.append(_of_planned(probe, asked, asked + sum(one.missing for one in counts)))
    return found


def _of_planned(probe: str, asked: int, planned: int) -> str:
    unit = all_probes()[probe].counted
    return f"{asked:,} of {planned:,} {unit}" if asked < planned else counted(asked, unit)


def unfinished(findings: Findings) -> list[str]:
    """What is still to be asked, for a banner above all results."""
    several = len(findings.models) > 1
    return [
        (f"{one.model}, {all_probes()[one.probe].title}: " if several else "")
        + _of_planned(one.probe, one.replies.asked, one.replies.asked + one.replies.missing)
        for one in findings.sections
        if one.replies.missing
    ]


def answers(findings: Findings) -> list[dict[str, Any]]:
    """The opening: what each probe found about each model, and what it does not show.

    What is said of all models stands once; what is said of some stands with each of them.
    """
    made = []
    for probe in dict.fromkeys(section.probe for section in findings.sections):
        spoken = [one for one in findings.sentences if one.probe == probe and one.opening]
        models = [section.model for section in findings.sections if section.probe == probe]
        parts = [
            {"model": model}
            | {
                kind: [
                    with_true_minus(one.text)
                    for one in spoken
                    if (one.model, one.kind) == (model, kind)
                ]
                for kind in ("unmeasurable", "finding", "caution", "limit")
            }
            for model in models
        ]
        limits = _shared([part["limit"] for part in parts if part["limit"]], len(models))
        for part in parts:
            part["limit"] = [one for one in part["limit"] if one not in limits]
        made.append(
            {
                "title": title(findings, probe),
                "probe": all_probes()[probe].title,
                "parts": parts,
                "limits": limits,
            }
        )
    return made


def _shared(limits: Sequence[Any], models: int) -> list[str]:
    """Limits of every model that has any; those of the one model out of several are its own."""
    if not limits or (len(limits) == 1 and models > 1):
        return []
    return [one for one in dict.fromkeys(limits[0]) if all(one in other for other in limits)]


def details(findings: Findings, sections: Sequence[Section]) -> list[dict[str, Any]]:
    """What a probe's section says before its numbers, model by model."""
    spoken = [
        {"model": one.model, "texts": [with_true_minus(text) for text in findings.details(one)]}
        for one in sections
    ]
    return [one for one in spoken if one["texts"]]


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
    digits = 1 if one.unit == "turns" else 3
    return {
        "measurable": measurable or not one.screened,
        "observed": number(one.observed, digits) if one.observed is not None else "",
        "value": number(one.value, digits) if one.value is not None else "undefined",
        "interval": interval(one.low, one.high, digits) or one.undefined_because,
        "n": f"{one.n:,}",
        "counted": one.counted if one.n != 1 else singular(one.counted),
        "chance": number(one.chance, digits) if one.chance is not None else "",
        "p": p_value(one.p_adjusted) if one.p_adjusted is not None else "",
    }


def tables(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """The tables of a probe; models below each other, bounds beside their value in one cell.

    A long table has the same number of rows of each model.
    """
    several = len(sections) > 1
    own = all_probes()[sections[0].probe].column_heads
    most = MOST_ROWS if len(sections) <= MANY else FEW_ROWS
    names = list(dict.fromkeys(name for section in sections for name in section.tables))
    made = []
    for name in names:
        if name in _ELSEWHERE:
            continue
        having = [section for section in sections if name in section.tables]
        first = having[0].tables[name]
        all_names = [one.name for one in first.columns]
        columns = [one for one in first.columns if not is_bound(one.name, all_names)]
        named = several and "model" not in all_names
        whole = _once([section.tables[name].rows for section in having])
        shown = [first_rows(rows, max(1, most // len(having))) for rows in whole]
        rows = [
            [section.model] * named + [_cell(row, column) for column in columns]
            for section, own in zip(having, shown, strict=True)
            for row in own
        ]
        heads = [{"label": "Model", "number": False}] * named + [
            {
                "label": column_head(column.name, own) if _plain(column) else column.label,
                "number": column.kind not in ("text", "country", "flag"),
            }
            for column in columns
        ]
        heads, rows = _without_empty(heads, rows)
        made.append(
            {
                "name": name,
                "title": first.title,
                "note": note_in_words(first.note, own),
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


def _plain(column: Column) -> bool:
    """Whether the label is the column's name, and not words that somebody chose."""
    return column.label == column.name.replace("_", " ")


def _without_empty(heads: list[Any], rows: list[list[str]]) -> tuple[list[Any], list[list[str]]]:
    """A table without the columns that say nothing in any row."""
    kept = [
        i
        for i in range(len(heads))
        if i == 0 or not rows or any(row[i] not in ("", NOTHING) for row in rows)
    ]
    return [heads[i] for i in kept], [[row[i] for i in kept] for row in rows]


_ID = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_IS_WORDS = re.compile(r"[a-z][a-z0-9]{2,}(_[a-z0-9]+)*")
"""Ids that people read as words; codes of languages are shorter."""
_AS_GIVEN = {"model", "template", "name", "units", "note", "undefined"}
"""Columns of text that is no id of ours."""


def _cell(row: dict[str, Cell], column: Column) -> str:
    """A cell with its interval, where it has one; ids as words."""
    value = row.get(column.name)
    if column.kind == "country" and value in economies():
        return economies()[str(value)].name
    if isinstance(value, str):
        known = column.name not in _AS_GIVEN and _ID.fullmatch(value)
        return words(value) if known else one_line(value)
    return with_true_minus(cell_with_interval(row, column))


def runs(findings: Findings) -> list[dict[str, Any]]:
    """What was run, with what: the manifest in words."""
    made, titles = [], record_titles()
    for run in findings.runs:
        done = ", ".join(
            f"{titles.get(name, name)} {run.done.get(name, 0):,} of {planned:,}"
            for name, planned in run.planned.items()
        )
        asked = ", ".join(f"{role} {model}" for role, model in run.models.items())
        answered = "; ".join(
            f"{role}: {', '.join(names)}" for role, names in run.answered_as.items()
        )
        outcomes = "; ".join(
            f"{titles.get(probe, probe)}: "
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
                "title": f"{run.model} ({', '.join(titles.get(p, p) for p in run.probes)})",
                "facts": [(name, readable(value, 400)) for name, value in lines],
                "settings": [
                    (
                        titles.get(probe, probe),
                        [(words(key), _setting(value)) for key, value in settings.items()],
                    )
                    for probe, settings in run.probes.items()
                ],
                "editions": editions(run),
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
    return f"{began}, {duration(ended - started)}" if ended is not None else f"{began}, not ended"


def _setting(value: object) -> str:
    if value is None or value in ("", [], {}):
        return "–"
    if isinstance(value, list | tuple):
        said = [str(one) for one in value]
        return readable(
            ", ".join(words(one) if _IS_WORDS.fullmatch(one) else one for one in said), 600
        )
    return readable(str(value), 600)
