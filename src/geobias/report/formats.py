"""The report's formats that are text; the page is a module of its own."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from geobias.report.every_eval_ever import every_eval_ever
from geobias.report.junit import junit_report
from geobias.report.latex import latex, latex_summary
from geobias.report.markdown import markdown, markdown_summary
from geobias.report.model_card import model_card
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
