"""The report's text formats. The page has a package of its own."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import polars as pl

from geobias.report.documents import latex, markdown
from geobias.results.findings import SCHEMA, Findings

_FORMULA = r"^\s*[=+\-@|%＝＋－＠｜％﹢﹣﹦﹫﹪]|^[\t\r]"
"""Pattern of text that a spreadsheet takes for a formula; some programs accept full-width signs."""
_SIGNED_NUMBER = r"^\s*[+\-]?[\d.,]*\d\s*%?\s*$"
"""Pattern of text that is a number, although it begins like a formula."""
_CONTROLS = r"[\p{Cc}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}&&[^\t\r\n]]"
"""Characters that begin escape sequences or reverse the order of a line."""


def csv_of(frame: pl.DataFrame) -> str:
    """The frame as CSV that a spreadsheet can open safely.

    Text that a spreadsheet would read as a formula gets an apostrophe, and control characters are
    removed.
    """
    texts = pl.col(pl.String).str.replace_all(_CONTROLS, "\ufffd")
    formula = texts.str.contains(_FORMULA) & ~texts.str.contains(_SIGNED_NUMBER)
    safe = pl.when(formula).then("'" + texts).otherwise(texts).name.keep()
    return frame.with_columns(safe).write_csv()


def as_csv(findings: Findings) -> str:
    """A row for each metric, and for each measure of a country. An undefined number is empty."""
    sections = [*findings.sections, *findings.over_models]
    metrics = msgspec.structs.replace(findings, sections=sections).frame()
    of_countries = [
        {"name": measure.metric, "country": country.iso3} | msgspec.structs.asdict(measure)
        for country in findings.countries
        for measure in country.measures
    ]
    countries = pl.DataFrame(of_countries, infer_schema_length=None).drop("metric", strict=False)
    return csv_of(pl.concat([metrics, countries], how="diagonal_relaxed"))


def as_json(document: object) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


FORMATS: dict[str, Callable[[Findings], str]] = {
    "md": markdown,
    "json": as_json,
    "csv": as_csv,
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
