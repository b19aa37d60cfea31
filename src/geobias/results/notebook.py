"""Rows as a notebook shows them, and as frames. Text from models and users is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Literal

from geobias.results.text import one_line

Library = Literal["polars", "pandas"]
MOST_ROWS = 60
"""Of a table in a notebook; its frame has all."""


def html_table(title: str, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a caption. `columns` are names and headings; what is undefined is a dash."""
    heads = "".join(f"<th>{_text(label)}</th>" for label in columns.values())
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(row.get(name))}</td>" for name in columns) + "</tr>"
        for row in rows[:MOST_ROWS]
    )
    more = f"<p>{len(rows) - MOST_ROWS:,} more rows</p>" if len(rows) > MOST_ROWS else ""
    return f"<table><caption>{_text(title)}</caption><tr>{heads}</tr>{body}</table>{more}"


def html_paragraphs(texts: Iterable[str]) -> str:
    return "".join(f"<p>{_text(text)}</p>" for text in texts)


def frame_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str], library: Library) -> Any:
    """The rows as a frame; a column of nothing but undefined numbers is there too."""
    data = {name: [row.get(name) for row in rows] for name in columns}
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(data)
    import polars as pl

    return pl.DataFrame(data, strict=False)


def _text(value: object) -> str:
    if value is None:
        return "–"
    return escape(f"{value:.3f}" if isinstance(value, float) else one_line(str(value)))
