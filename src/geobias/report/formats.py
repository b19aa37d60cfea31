"""The findings as one tidy CSV: a row for every number, with where it belongs.

kind        "metric", "screen", "check" (by people), "cell" (of a table) or "country"
model       the column of the report; `probe` and `run` what it comes from
table, row  of a cell: the table's name and the row's number from 1; `key` is what the row is about
name        of the metric, screen or column; `value` the number or text; `low`, `high` its interval
n           what it rests on, where the metric says so; `unit`, `p`, `p_adjusted`, `note`

JUnit's XML, which build servers show as a list of tests.

The report's formats that are text; the page is a module of its own.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

import msgspec

from geobias.report.documents import latex, latex_summary, markdown, markdown_summary
from geobias.report.grids import shown_columns
from geobias.report.publishing import every_eval_ever, model_card
from geobias.results.findings import SCHEMA, Cell, Findings, Metric, Section, Table, because
from geobias.results.formatting import is_bound, one_line
from geobias.results.tables import metric_value

COLUMNS = (
    *("kind", "model", "probe", "run", "table", "row", "key", "name"),
    *("value", "low", "high", "n", "unit", "p", "p_adjusted", "note"),
)
_ESTIMATE = ("value", "low", "high", "n")
_TESTED = (*_ESTIMATE, "p", "p_adjusted")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%")


def without_formula(value: Cell) -> Cell:
    """Text that no spreadsheet takes for a formula: where it begins like one, it gets a quote.

    On one line and without spaces before it, which some programs pass over. Numbers stay numbers.
    """
    if not isinstance(value, str):
        return value
    text = one_line(value)
    begins = unicodedata.normalize("NFKC", text[:1])  # some programs take "＝" for "="
    return f"'{text}" if begins.startswith(_FORMULA) else text


def tidy_csv(findings: Findings) -> str:
    """The whole of the findings' numbers; an undefined one is empty."""
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


class Case(NamedTuple):
    """One test: its name, the model it is about, how it ended and what is said of it."""

    name: str
    model: str
    outcome: Literal["passed", "skipped", "failed"]
    says: str


def junit_document(name: str, cases: Sequence[Case]) -> bytes:
    failed = sum(case.outcome == "failed" for case in cases)
    skipped = sum(case.outcome == "skipped" for case in cases)
    about = {"name": name, "tests": str(len(cases)), "failures": str(failed)}
    suites = Element("testsuites", about)
    suite = SubElement(suites, "testsuite", about | {"errors": "0", "skipped": str(skipped)})
    for case in cases:
        title, model, says = map(one_line, (case.name, case.model, case.says))
        test = SubElement(suite, "testcase", name=title, classname=model)
        if case.outcome == "failed":
            SubElement(test, "failure", message=says).text = says
        elif case.outcome == "skipped":
            SubElement(test, "skipped", message=says)
        else:
            SubElement(test, "system-out").text = says
    xml: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return xml


def junit_report(findings: Findings) -> str:
    """A test for each screen, for completeness, and for each metric.

    A number alone is neither good nor bad: a metric passes where it was measured, and is skipped
    with the reason where it was not. Limits on metrics are for `geobias gate --junit`.
    """
    cases = [case for section in findings.sections for case in _cases(section)]
    return junit_document("geobias report", cases).decode() + "\n"


def _cases(section: Section) -> Iterator[Case]:
    replies, model = section.replies, section.model
    asked = f"{replies.asked:,} of {replies.planned:,} planned were asked"
    yield Case(
        f"{section.probe}: complete", model, "failed" if replies.missing else "passed", asked
    )
    for screen in section.screens:
        outcome: Literal["passed", "failed"] = "passed" if screen.ok else "failed"
        yield Case(f"{section.probe}: {screen.name}", model, outcome, screen.says)
    for check in section.checks:
        yield Case(f"{section.probe}: checked by people", model, "passed", check.text)
    for metric in section.metrics:
        yield _metric_case(metric, section)


def _metric_case(metric: Metric, section: Section) -> Case:
    if metric.screened and not section.measurable:
        return Case(metric.name, section.model, "skipped", because(section.why_not))
    if metric.value is None:
        return Case(metric.name, section.model, "skipped", metric.undefined_because or "undefined")
    says = f"{metric.label}: {metric_value(metric, 3)}, n = {metric.n:,} {metric.counted}"
    return Case(metric.name, section.model, "passed", says)


def as_json(document: object) -> str:
    """The findings as they are: a document of the schema below."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


FORMATS: dict[str, Callable[[Findings], str]] = {
    "md": markdown,
    "json": as_json,
    "csv": tidy_csv,
    "latex": latex,
    "every-eval-ever": every_eval_ever,
    "model-card": model_card,
    "junit": junit_report,
}
"""Format → what makes it."""
TABLES: dict[tuple[str, str], Callable[[Findings], str]] = {
    ("summary", "md"): markdown_summary,
    ("summary", "latex"): latex_summary,
}
"""One table alone, by its name and format."""
SUFFIXES = {".html": "html", ".md": "md", ".json": "json", ".csv": "csv", ".tex": "latex"}
"""How a file's name ends → its format."""


def json_schema() -> str:
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"geobias report, version {SCHEMA}",
    }
    return as_json(about | msgspec.json.schema(Findings))
