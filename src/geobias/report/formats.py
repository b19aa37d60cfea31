"""The report's formats that are text; the page is a module of its own."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from geobias.report.latex import latex
from geobias.report.markdown import markdown
from geobias.report.tidy import tidy_csv
from geobias.results.findings import SCHEMA, Findings


def as_json(document: object) -> str:
    """The findings as they are: a document of the schema below."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


FORMATS: dict[str, Callable[[Findings], str]] = {
    "md": markdown,
    "json": as_json,
    "csv": tidy_csv,
    "latex": latex,
}
"""Format → what makes it."""
SUFFIXES = {".html": "html", ".md": "md", ".json": "json", ".csv": "csv", ".tex": "latex"}
"""How a file's name ends → its format."""


def json_schema() -> str:
    about = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"geobias report, version {SCHEMA}",
    }
    return as_json(about | msgspec.json.schema(Findings))
