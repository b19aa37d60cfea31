"""Models under names that fit a heading, a column and a panel."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import msgspec

from geobias.results.findings import Findings, Section, Table
from geobias.results.text import one_line

MOST_LETTERS = 60
"""Of a model's name anywhere on a page or in a table."""
_PLACE = re.compile(r"[/:\\]")
_FILE = re.compile(r"(.+?)\.gguf(?:#\w+)?")
"""Of the last part of a path alone: searched for from every letter, long names take minutes."""
_ADDRESS = re.compile(r"(?:completions:)?https?://\S*/([^/\s]+)/?")
_RUN = re.compile(r" \((?:[^()]+\.geobias|run \d+)\)$")
"""What a second run of the same model adds to its name."""


def with_short_names(findings: Findings) -> Findings:
    """The findings with models named by the last part of an address, or by a file's name.

    Where two models would get one name, they keep their whole ones; where those are cut to the
    same letters, they are numbered. Names stay different in any case.
    """
    short = short_names(findings.models)

    def renamed(struct: Any, **changes: Any) -> Any:
        name = short.get(struct.model, struct.model)
        return msgspec.structs.replace(struct, model=name, **changes)

    def renamed_rows(table: Table) -> Table:
        if not any(column.name == "model" for column in table.columns):
            return table
        rows = [row | {"model": short.get(str(row["model"]), row["model"])} for row in table.rows]
        return msgspec.structs.replace(table, rows=rows)

    def renamed_section(one: Section) -> Any:
        return renamed(
            one, tables={name: renamed_rows(table) for name, table in one.tables.items()}
        )

    return msgspec.structs.replace(
        findings,
        models=[short[label] for label in findings.models],
        runs=[renamed(run) for run in findings.runs],
        sections=list(map(renamed_section, findings.sections)),
        over_models=list(map(renamed_section, findings.over_models)),
        countries=[
            msgspec.structs.replace(one, measures=[renamed(measure) for measure in one.measures])
            for one in findings.countries
        ],
        sentences=[renamed(sentence) for sentence in findings.sentences],
    )


def short_names(labels: list[str]) -> dict[str, str]:
    wanted = {label: _last_part(label) for label in labels}
    counts = Counter(wanted.values())
    names: dict[str, str] = {}
    for label in labels:
        name = one_line(wanted[label] if counts[wanted[label]] == 1 else label)
        name = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
        names[label] = name if name not in names.values() else f"{name} ({len(names) + 1})"
    return names


def short_name(label: str) -> str:
    """One model's name by itself."""
    return short_names([label])[label]


def _last_part(label: str) -> str:
    run = _RUN.search(label)
    name, ending = (label[: run.start()], run[0]) if run else (label, "")
    if file := _FILE.match(_PLACE.split(name)[-1]):
        return file[1] + ending
    address = _ADDRESS.fullmatch(name)
    return (address[1] if address else name) + ending
