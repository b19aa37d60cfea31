"""Rows as Polars frames: their groups, the types of tables, and cached work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar
from weakref import finalize

import polars as pl
import polars.selectors as cs

from geobias.stats.estimates import Estimate

P = ParamSpec("P")
T = TypeVar("T")

Columns: TypeAlias = dict[str, type[pl.DataType]]
"""The columns of a frame: name → type."""
PLACES = ("region", "income", "continent", "north_south", "west_east")
"""Groups of countries that the atlas provides."""


def schema_of(
    text: Iterable[str], numbers: Iterable[str] = (), counts: Iterable[str] = ()
) -> Columns:
    types = ((text, pl.String), (numbers, pl.Float64), (counts, pl.Int64))
    return {name: type_ for names, type_ in types for name in names}


def table_of(rows: Iterable[Mapping[str, Any]], text: Iterable[str] = ("note",)) -> pl.DataFrame:
    """Rows as a frame, with the bounds of each estimate in columns of their own.

    Columns without any value are numeric, except those named in `text`.
    """
    cells = [
        {
            column: cell
            for name, value in row.items()
            for column, cell in (
                value.columns(name) if isinstance(value, Estimate) else {name: value}
            ).items()
        }
        for row in rows
    ]
    table = pl.DataFrame(cells, infer_schema_length=None)
    empty = table.select(cs.by_dtype(pl.Null)).columns
    return table.cast({name: pl.String if name in text else pl.Float64 for name in empty})


def once_per_frame(
    work: Callable[Concatenate[pl.DataFrame, P], T],
) -> Callable[Concatenate[pl.DataFrame, P], T]:
    """Cache the results of `work` for each frame and its plain arguments, as long as the frame
    lives.

    Many tables need the same means. The result must not hold a reference to the frame, and callers
    must change neither the frame nor the result.
    """
    kept: dict[tuple[Any, ...], T] = {}

    @wraps(work)
    def asked(frame: pl.DataFrame, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (id(frame), *args, *kwargs.items())
        if key not in kept:
            found = work(frame, *args, **kwargs)
            finalize(frame, kept.pop, key, None)
            kept[key] = found
        return kept[key]

    return asked


def parts_of(frame: pl.DataFrame, *keys: str) -> dict[tuple[Any, ...], pl.DataFrame]:
    """Split the frame by the values in the columns `keys`, in the order in which they first occur.

    `partition_by(as_dict=True)` of Polars is slower, because it looks into each part for its key.
    """
    shared = frame.select(keys).unique(maintain_order=True).iter_rows()
    return dict(zip(shared, frame.partition_by(keys, maintain_order=True), strict=True))
