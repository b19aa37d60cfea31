"""The report's text formats. The page has a package of its own.

The tidy CSV has a row for every number, with where it belongs:

kind        "metric", "screen", "check" (by people), "cell" (of a table) or "country"
model       the column of the report; `probe` and `run` are its source
table, row  of a cell: the table's name and the row's number from 1; `key` is what the row is about
name        of the metric, screen or column; `value` the number or text; `low`, `high` its interval
n           the number of units, if the metric has one; `unit`, `p`, `p_adjusted`, `note`
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from geobias.report.documents import latex, markdown
from geobias.report.grids import shown_columns
from geobias.results.findings import SCHEMA, Cell, Findings, Section, Table
from geobias.results.formatting import FORMULA, SIGNED_NUMBER, is_bound, one_line

COLUMNS = (
    *("kind", "model", "probe", "run", "table", "row", "key", "name"),
    *("value", "low", "high", "n", "unit", "p", "p_adjusted", "note"),
)
_ESTIMATE = ("value", "low", "high", "n")
_TESTED = (*_ESTIMATE, "p", "p_adjusted")


def without_formula(value: Cell) -> Cell:
    """Return a text on one line, with a quote before it if a spreadsheet would read a formula."""
    if not isinstance(value, str):
        return value
    text = one_line(value)
    formula = re.match(FORMULA, text) and not re.match(SIGNED_NUMBER, text)
    return f"'{text}" if formula else text


def tidy_csv(findings: Findings) -> str:
    """All numbers of the findings as CSV. An undefined number is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for section in (*findings.sections, *findings.over_models):
        where = _fields(section, "model", "probe", "run")
        for row in _section_rows(section):
            writer.writerow(_written(where | row))
    for country in findings.countries:
        for measure in country.measures:
            row = {"kind": "country", "key": country.iso3, "name": measure.metric}
            writer.writerow(_written(row | _fields(measure, "model", "probe", *_TESTED)))
    return out.getvalue()


def _written(row: dict[str, Any]) -> dict[str, Cell]:
    return {
        name: str(value).lower() if isinstance(value, bool) else without_formula(value)
        for name, value in row.items()
    }


def _fields(struct: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in names}


def _section_rows(section: Section) -> Iterator[dict[str, Any]]:
    for screen in section.screens:
        state = {"unit": "passed" if screen.ok else "failed", "note": screen.says}
        yield {"kind": "screen"} | _fields(screen, "name", "value", "n") | state
    for check in section.checks:
        yield {"kind": "check"} | _fields(check, "name", *_ESTIMATE) | {"note": check.text}
    for metric in section.metrics:
        note = {"note": metric.undefined_because or "; ".join(section.why_not)}
        yield {"kind": "metric"} | _fields(metric, "name", "unit", *_TESTED) | note
    for name, table in section.tables.items():
        for row in _cells(table):
            yield {"kind": "cell", "table": name} | row


def _cells(table: Table) -> Iterator[dict[str, Any]]:
    names = [column.name for column in table.columns]
    columns = shown_columns(table)
    for number, row in enumerate(table.rows, start=1):
        for column in columns:
            has_bounds = is_bound(f"{column.name}_low", names)
            yield {
                "row": number,
                "key": row[names[0]],
                "name": column.name,
                "value": row[column.name],
                "low": row[f"{column.name}_low"] if has_bounds else None,
                "high": row[f"{column.name}_high"] if has_bounds else None,
                "unit": column.unit,
            }


def as_json(document: object) -> str:
    """The findings as a JSON document of the schema below."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


FORMATS: dict[str, Callable[[Findings], str]] = {
    "md": markdown,
    "json": as_json,
    "csv": tidy_csv,
    "latex": latex,
}
"""Format → what makes it."""
SUFFIXES = {".html": "html", ".md": "md", ".json": "json", ".csv": "csv", ".tex": "latex"}
"""Ending of a file name → format."""


def json_schema() -> str:
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"geobias report, version {SCHEMA}",
    }
    return as_json(about | msgspec.json.schema(Findings))
