"""Frames as tables of the findings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from geobias.results.findings import Cell, Column, Kind, Section, Table
from geobias.results.formatting import YEARS, is_p_value
from geobias.stats.pooling import holm

if TYPE_CHECKING:
    import polars as pl

_SHARES = ("parsed", "abstained", "unparsed", "other", "answered", "share", "right", "share_best")


def table_from(
    frame: pl.DataFrame, title: str, note: str = "", units: Mapping[str, str] | None = None
) -> Table:
    """A frame as a table; `units` says what the numbers of a column are, bounds included."""
    said = units or {}
    columns = [
        Column(
            name=name,
            label=name.replace("_", " "),
            kind=_kind(name, frame.schema[name]),
            unit=said.get(name, said.get(_stem(name), "")),
        )
        for name in frame.columns
    ]
    rows = [
        {name: finite(value) for name, value in row.items()} for row in frame.iter_rows(named=True)
    ]
    return Table(title=title, note=note, columns=columns, rows=rows)


def with_adjusted(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """The frame with p-values adjusted for the number of rows (Holm) beside these columns."""
    import polars as pl

    for name in columns:
        beside = pl.Series(f"{name}_adjusted", holm(frame[name].to_list()), pl.Float64)
        frame = frame.insert_column(frame.get_column_index(name) + 1, beside)
    return frame


def finite(value: Any) -> Cell:
    """A value that JSON has: what is not finite is undefined."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value  # type: ignore[no-any-return]


def rows_of(section: Section, name: str, *columns: str) -> list[dict[str, Any]]:
    """The rows of a section's table; none where the section lacks it, or it lacks the columns."""
    found = section.tables.get(name)
    if found is None or not set(columns) <= {column.name for column in found.columns}:
        return []
    return [dict(row) for row in found.rows]


def _kind(name: str, dtype: pl.DataType) -> Kind:
    import polars as pl

    if dtype == pl.Boolean:
        return "flag"
    if dtype in (pl.String, pl.Null):
        return "country" if name == "country" else "text"
    if dtype.is_integer():
        return "year" if name in YEARS else "count"
    if is_p_value(name):
        return "p"
    return "share" if _stem(name) in _SHARES else "number"


def _stem(name: str) -> str:
    return name.removesuffix("_low").removesuffix("_high")
