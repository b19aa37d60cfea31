"""Frames as tables of the findings, and the metrics of a section together."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import polars as pl

from geobias.results.findings import Cell, Column, CountryNumber, Kind, Metric, Section, Table
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
    """The metrics with the p-values of secondary ones adjusted for their number (Holm).

    Primary ones are adjusted over all probes of an audit (`adjusted_over_audit`).
    """
    secondary = [None if one.primary else one.p for one in metrics]
    return [
        one if one.primary else msgspec.structs.replace(one, p_adjusted=p)
        for one, p in zip(metrics, holm(secondary), strict=True)
    ]


def adjusted_over_audit(sections: Sequence[Section]) -> list[Section]:
    """The sections with their primary p-values adjusted over all of them (Holm).

    A fair model thus gets a false finding anywhere in its audit at most one time in twenty. A
    section that cannot be measured has no test, so that its primary number has no p-value.
    """
    tests = [
        (section, metric)
        for section in sections
        for metric in section.metrics
        if metric.primary and section.measurable
    ]
    untested = dict.fromkeys(("p", "p_missing", "p_clustered"))
    found = {
        (id(section), metric.name): msgspec.structs.replace(metric, **untested)
        for section in sections
        for metric in section.metrics
        if metric.primary and not section.measurable
    }
    names = ("p", "p_missing", "p_clustered")
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
    """A p-value of a metric, but at least that of its own test."""
    if metric.p is None:
        return None
    other = getattr(metric, name)
    return metric.p if other is None else max(metric.p, other)


def metric_of(section: Section, name: str) -> Metric | None:
    """A section's metric by name, or None."""
    return next((one for one in section.metrics if one.name == name), None)


def bounded(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The value and interval in a row's column, as arguments of a metric."""
    return {
        "value": row.get(name),
        "low": row.get(f"{name}_low"),
        "high": row.get(f"{name}_high"),
    }


def metric_from(found: Estimate, **facts: Any) -> Metric:
    """A metric with the value, interval and n of an estimate; `facts` are its other fields.

    If it is undefined, it takes the estimate's reason, unless the facts give another.
    """
    reason = {} if found.value is not None else {"undefined_because": found.reason or ""}
    return Metric(**_estimated(found) | reason | {"caution": found.caution} | facts)


def _estimated(found: Estimate) -> dict[str, Any]:
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def missing_line(metric: Metric, digits: int = 2) -> str:
    """How far the number could move with the missing answers; "" if none are missing."""
    if not metric.missing or metric.lowest is None or metric.highest is None:
        return ""
    ends = f"{number(metric.lowest, digits)} to {number(metric.highest, digits)}"
    return f"{ends} with the missing {counted(metric.missing, 'answers')}"


_TENTHS = re.compile(r"turns?(?!_p)|entered_turn|outside|asked_per|median_turns")
"""Columns of turns and questions, which need no more than one decimal."""


def metric_value(metric: Metric, digits: int = 2) -> str:
    return estimate(metric.value, metric.low, metric.high, digits)


def metric_percents(metric: Metric) -> str:
    return percents(metric.value, metric.low, metric.high)


def measure_value(one: CountryNumber) -> str:
    """The text of a country's mark on a map."""
    if one.value is None:
        return f"no value ({one.asked:,} asked)"
    return f"{estimate(one.value, one.low, one.high)}, {counted(one.n, one.counted)}"


def cell(value: Cell, column: Column) -> str:
    """A cell with as many digits as a person needs; text on one line."""
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
    """The cell of a row with its bounds, if the row has both: "0.251 [0.213, 0.289]"."""
    text = cell(row[column.name], column)
    low, high = row.get(f"{column.name}_low"), row.get(f"{column.name}_high")
    if low is None or high is None:
        return text
    return f"{text} [{cell(low, column)}, {cell(high, column)}]"


def _decimals(value: float) -> str:
    """Three decimals of a small number, six digits of a large one, or all before its point."""
    if abs(value) < 10:
        return number(value, 3)
    return f"{value:,.0f}" if 100_000 <= abs(value) < 1e15 else f"{value:,.6g}"


_SHARES = ("parsed", "abstained", "unparsed", "other", "answered", "share", "right", "share_best")


def table_from(
    frame: pl.DataFrame, title: str, note: str = "", units: Mapping[str, str] | None = None
) -> Table:
    """A frame as a table; `units` gives the unit of each column, bounds included."""
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
    for name in columns:
        beside = pl.Series(f"{name}_adjusted", holm(frame[name].to_list()), pl.Float64)
        frame = frame.insert_column(frame.get_column_index(name) + 1, beside)
    return frame


def finite(value: Any) -> Cell:
    """The value, or None if it is not finite, which JSON cannot hold."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value  # type: ignore[no-any-return]


def rows_of(section: Section, name: str, *columns: str) -> list[dict[str, Any]]:
    """The rows of a section's table; empty if the table or one of the columns is missing."""
    found = section.tables.get(name)
    if found is None or not set(columns) <= {column.name for column in found.columns}:
        return []
    return [dict(row) for row in found.rows]


def _kind(name: str, dtype: pl.DataType) -> Kind:
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
