"""Functions that make tables from frames, and adjust and format the metrics of sections."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import polars as pl

from geobias.results.findings import Cell, Column, Kind, Metric, Section, Table
from geobias.results.formatting import (
    NOTHING,
    YEARS,
    counted,
    estimate,
    is_p_value,
    number,
    one_line,
    p_value,
    percents,
)
from geobias.stats.estimates import Estimate
from geobias.stats.pooling import holm


def adjusted(metrics: Sequence[Metric]) -> list[Metric]:
    """Return the metrics with the p-values of secondary metrics adjusted for their number (Holm).

    Primary metrics are adjusted over all probes of an audit (`adjusted_over_audit`).
    """
    secondary = [None if one.primary else one.p for one in metrics]
    return [
        one if one.primary else msgspec.structs.replace(one, p_adjusted=p)
        for one, p in zip(metrics, holm(secondary), strict=True)
    ]


def adjusted_over_audit(sections: Sequence[Section]) -> list[Section]:
    """Return the sections with primary p-values adjusted over all sections (Holm).

    So at most one audit in twenty of a fair model has a false finding. A section that cannot be
    measured has no test, so its primary number has no p-value.
    """
    tests = [
        (section, metric)
        for section in sections
        for metric in section.metrics
        if metric.primary and section.measurable
    ]
    untested = dict.fromkeys(("p", "p_missing", "p_checks"))
    found = {
        (id(section), metric.name): msgspec.structs.replace(metric, **untested)
        for section in sections
        for metric in section.metrics
        if metric.primary and not section.measurable
    }
    names = ("p", "p_missing", "p_checks")
    families = [holm([_larger(one, name) for _, one in tests]) for name in names]
    for (section, metric), *adjusted_p in zip(tests, *families, strict=True):
        told = {
            f"{name}_adjusted": p
            for name, p in zip(names, adjusted_p, strict=True)
            if getattr(metric, name) is not None
        }
        found[id(section), metric.name] = msgspec.structs.replace(metric, **told)
    return [
        msgspec.structs.replace(
            section, metrics=[found.get((id(section), one.name), one) for one in section.metrics]
        )
        for section in sections
    ]


def _larger(metric: Metric, name: str) -> float | None:
    """Return the larger of a metric's `p` and the p-value in its field `name`; None without `p`."""
    if metric.p is None:
        return None
    other = getattr(metric, name)
    return metric.p if other is None else max(metric.p, other)


def metric_of(section: Section, name: str) -> Metric | None:
    return next((one for one in section.metrics if one.name == name), None)


class GroupRow(NamedTuple):
    """A row of a table with a number for each group: a region, a country, an item.

    `found` has the number with its interval and n, and `cells` the whole row.
    """

    group: str
    found: Estimate
    cells: Mapping[str, Cell]


def metric_from(found: Estimate, **facts: Any) -> Metric:
    """Return a metric with the value, interval and n of an estimate. `facts` has the other fields.

    An undefined metric gets the reason of the estimate, unless `facts` has another reason.
    """
    reason = {} if found.value is not None else {"undefined_because": found.reason or ""}
    estimated = {"value": found.value, "low": found.low, "high": found.high, "n": found.n}
    return Metric(**estimated | reason | {"caution": found.caution} | facts)


def missing_line(metric: Metric, digits: int = 2) -> str:
    if not metric.missing or metric.lowest is None or metric.highest is None:
        return ""
    ends = f"{number(metric.lowest, digits)} to {number(metric.highest, digits)}"
    return f"{ends} with the {counted(metric.missing, 'missing answers')}"


_TENTHS = re.compile(r"turns?(?!_p)|entered_turn|outside|asked_per")
"""Pattern of columns of turns and questions, which are shown with one decimal."""


def metric_value(metric: Metric, digits: int = 2) -> str:
    return estimate(metric.value, metric.low, metric.high, digits)


def metric_percents(metric: Metric) -> str:
    return percents(metric.value, metric.low, metric.high)


def cell(value: Cell, column: Column) -> str:
    """Return a cell as text, on one line, with as many digits as a reader needs."""
    if value is None or isinstance(value, bool):
        return NOTHING if value is None else ("yes" if value else "")
    if isinstance(value, str) or column.kind == "year":
        return one_line(str(value))
    if isinstance(value, int):
        return f"{value:,}"
    if column.kind == "p":
        return p_value(value)
    return f"{value:,.1f}" if _TENTHS.match(column.name) else _decimals(value)


def cell_with_interval(row: Mapping[str, Cell], column: Column) -> str:
    """Return the cell of a row, with its bounds if the row has both: "0.251 [0.213, 0.289]"."""
    text = cell(row[column.name], column)
    low, high = row.get(f"{column.name}_low"), row.get(f"{column.name}_high")
    if low is None or high is None:
        return text
    return f"{text} [{cell(low, column)}, {cell(high, column)}]"


def _decimals(value: float) -> str:
    """Return a number with three decimals, or with six digits if it is large.

    Digits before the decimal point are never cut.
    """
    if abs(value) < 10:
        return number(value, 3)
    return f"{value:,.0f}" if 100_000 <= abs(value) < 1e15 else f"{value:,.6g}"


def table_from(
    frame: pl.DataFrame, title: str, note: str = "", units: Mapping[str, str] | None = None
) -> Table:
    """Return a frame as a table. `units` has the unit of each column, bounds included."""
    said = units or {}
    columns = [
        Column(
            name=name,
            label=name.replace("_", " "),
            kind=_kind(name, frame.schema[name]),
            unit=said.get(name.removesuffix("_low").removesuffix("_high"), ""),
        )
        for name in frame.columns
    ]
    rows = [
        {name: finite(value) for name, value in row.items()} for row in frame.iter_rows(named=True)
    ]
    return Table(title=title, note=note, columns=columns, rows=rows)


def with_adjusted(frame: pl.DataFrame, *columns: str) -> pl.DataFrame:
    """Return the frame with Holm's adjusted p-values beside each of `columns`.

    A frame without any column stays as it is.
    """
    for name in columns if frame.width else ():
        beside = pl.Series(f"{name}_adjusted", holm(frame[name].to_list()), pl.Float64)
        frame = frame.insert_column(frame.get_column_index(name) + 1, beside)
    return frame


def finite(value: Any) -> Cell:
    """Return the value, or None if it is not finite, since JSON cannot hold such a number."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value  # type: ignore[no-any-return]


def rows_of(
    section: Section, name: str, value: str, counted: str, group: str = "group"
) -> list[GroupRow]:
    """Return the rows of a section's table, or [] if the table or its column `value` is missing.

    The bounds of `value`, if any, are in the columns beside it. `counted` is the column of n.
    """
    table = section.tables.get(name)
    if table is None or value not in {column.name for column in table.columns}:
        return []
    rows = []
    for cells in table.rows:
        names = (value, f"{value}_low", f"{value}_high", counted)
        mean, low, high, n = (as_number(cells.get(one)) for one in names)
        rows.append(GroupRow(str(cells[group]), Estimate(mean, low, high, int(n or 0)), cells))
    return rows


def as_number(value: Cell) -> float | None:
    return value if isinstance(value, int | float) else None


def _kind(name: str, dtype: pl.DataType) -> Kind:
    if dtype == pl.Boolean:
        return "flag"
    if dtype in (pl.String, pl.Null):
        return "country" if name == "country" else "text"
    if dtype.is_integer():
        return "year" if name in YEARS else "count"
    return "p" if is_p_value(name) else "number"
