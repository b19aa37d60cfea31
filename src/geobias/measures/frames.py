"""Rows as Polars frames: their groups, the types of tables, and cached work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import finalize

import polars as pl

P = ParamSpec("P")
T = TypeVar("T")

PLACES = ("region", "income", "continent", "north_south", "west_east")
"""Groups of countries that the atlas provides."""


def schema_of(
    text: Iterable[str] = (), numbers: Iterable[str] = (), counts: Iterable[str] = ()
) -> dict[str, Any]:
    """Columns of a table → their types: text first, then real numbers, then whole ones."""
    types = ((text, pl.String), (numbers, pl.Float64), (counts, pl.Int64))
    return {name: type_ for names, type_ in types for name in names}


def once_per_frame(
    work: Callable[Concatenate[pl.DataFrame, P], T],
) -> Callable[Concatenate[pl.DataFrame, P], T]:
    """Cache the results of a function of a frame and plain values for the life of the frame.

    Many tables ask for the same means. The result must not hold the frame itself, and nobody may
    change the frame or the result.
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
    """The frame's parts by the values that their rows share, in the order of their first rows.

    Polars' own dictionary of parts looks into each part for its key, which is slow for many parts.
    """
    shared = frame.select(keys).unique(maintain_order=True).iter_rows()
    return dict(zip(shared, frame.partition_by(keys, maintain_order=True), strict=True))
