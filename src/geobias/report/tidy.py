"""The findings as one tidy CSV: a row for every number, with where it belongs.

kind        "metric", "screen", "check" (by people), "cell" (of a table) or "country"
model       the column of the report; `probe` and `run` what it comes from
table, row  of a cell: the table's name and the row's number from 1; `key` is what the row is about
name        of the metric, screen or column; `value` the number or text; `low`, `high` its interval
n           what it rests on, where the metric says so; `unit`, `p`, `p_adjusted`, `note`
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from geobias.results.findings import Cell, Findings, Section, Table
from geobias.results.formatting import is_bound
from geobias.results.text import one_line

COLUMNS = (
    *("kind", "model", "probe", "run", "table", "row", "key", "name"),
    *("value", "low", "high", "n", "unit", "p", "p_adjusted", "note"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%")


def safe(value: Cell) -> Cell:
    """Text that no spreadsheet takes for a formula: where it begins like one, it gets a quote.

    On one line and without spaces before it, which some programs pass over. Numbers stay numbers.
    """
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def tidy_csv(findings: Findings) -> str:
    """The whole of the findings' numbers; an undefined one is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for section in findings.sections:
        for row in _section(section):
            writer.writerow({name: _said(value) for name, value in row.items()})
    for country in findings.countries:
        for one in country.measures:
            row = {"kind": "country", "key": country.iso3, "name": one.metric}
            row |= {name: getattr(one, name) for name in _MEASURED}
            writer.writerow({name: _said(value) for name, value in row.items()})
    return out.getvalue()


_MEASURED = ("model", "probe", "value", "low", "high", "n", "p", "p_adjusted")


def _said(value: Cell) -> Cell:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else safe(value)


def _section(section: Section) -> Iterator[dict[str, Any]]:
    where = {"model": section.model, "probe": section.probe, "run": section.run}
    for screen in section.screens:
        facts = {"name": screen.name, "value": screen.value, "n": screen.n, "note": screen.says}
        yield where | facts | {"kind": "screen", "unit": "passed" if screen.ok else "failed"}
    for check in section.checks:
        found = {n: getattr(check, n) for n in ("name", "value", "low", "high", "n")}
        yield where | {"kind": "check"} | found | {"note": check.text}
    for metric in section.metrics:
        names = ("name", "value", "low", "high", "n", "unit", "p", "p_adjusted")
        note = {"note": metric.undefined_because or "; ".join(section.why_not)}
        yield where | {"kind": "metric"} | {n: getattr(metric, n) for n in names} | note
    for name, table in section.tables.items():
        for row in _cells(table):
            yield where | {"kind": "cell", "table": name} | row


def _cells(table: Table) -> Iterator[dict[str, Any]]:
    first = table.columns[0].name if table.columns else ""
    names = [one.name for one in table.columns]
    shown = [one for one in table.columns if not is_bound(one.name, names)]
    for number, row in enumerate(table.rows, start=1):
        for column in shown:
            has_bounds = is_bound(f"{column.name}_low", names)
            yield {
                "row": number,
                "key": row[first],
                "name": column.name,
                "value": row[column.name],
                "low": row[f"{column.name}_low"] if has_bounds else None,
                "high": row[f"{column.name}_high"] if has_bounds else None,
                "unit": column.unit,
            }
