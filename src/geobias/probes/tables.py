"""Records as frames, and tables of them by name: `geobias PROBE TABLE RUN…`.

A table may be several frames with titles. Every table accepts several runs: `each_model` makes a
table of each model's answers and stacks them, with a column for the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.trials import Record

_AT_ONCE = 1_000


def fields_of_record(kind: type[Record]) -> dict[str, Any]:
    """The columns of a record's fields, without the probe's name, with suitable types."""
    fits = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
    columns = {}
    for name, hint in get_type_hints(kind).items():
        kinds = [one for one in (*get_args(hint), hint) if one in fits]
        columns[name] = fits[kinds[0]] if kinds else pl.String
    del columns["probe"]
    return columns


def frame_from(
    records: Iterable[Mapping[str, Any]],
    fields: Mapping[str, Any],
    model: str = "",
    groups: Sequence[str] = (),
) -> pl.DataFrame:
    """A row for each record: `model`, its fields (name → type), and `groups` of its country.

    Missing fields are null, and so are groups (region, income, continent …) of an unknown country.
    A record that names its own model keeps it.
    """
    columns: dict[str, list[Any]] = {name: [] for name in ("model", *fields, *groups)}
    rows = iter(records)
    # Column by column, which is faster, and in parts, since there may be many records.
    while part := [*islice(rows, _AT_ONCE)]:
        columns["model"] += [record.get("model", model) for record in part]
        for name in fields:
            columns[name] += [record.get(name) for record in part]
        if groups:
            places = [economies().get(record.get("country") or "") for record in part]
            for name in groups:
                columns[name] += [getattr(place, name, None) for place in places]
    return pl.DataFrame(columns, schema={name: fields.get(name, pl.String) for name in columns})


Frames: TypeAlias = Mapping[str, pl.DataFrame]

A = TypeVar("A")


class NoOptions(msgspec.Struct, frozen=True):
    """A table without options."""


class TableSpec(msgspec.Struct, Generic[A], frozen=True, kw_only=True):
    """A table of a probe.

    help      a sentence, and below it examples and explanations; the first line appears in lists
    make      the frames, by their titles, from the answers of every run and the table's options
    Options   what can be chosen, declared as settings are (`probes.settings`)
    notes     sentences printed beside the table, on standard error: what it leaves out
    limit     the option that says how many rows people see; programs get all
    people    the frames for people, if programs get more
    pooled    the table over all models together (`probes.pooling`), by the tables' titles; the
              report of several models includes it
    records   which of the probe's `further_records` it needs; a run of these alone suffices
    """

    help: str
    make: Callable[[Sequence[A], Any], Frames]
    Options: type[msgspec.Struct] = NoOptions
    notes: Callable[[Sequence[A], Any], list[str]] = lambda answers, options: []
    limit: str = ""
    people: Callable[[Frames], Frames] = lambda frames: frames
    pooled: Callable[[Any, Any], Frames] | None = None
    records: str = ""


def each_model(make: Callable[[A, Any], Frames]) -> Callable[[Sequence[A], Any], Frames]:
    """A table made for each model; of several models, with a column that names the model."""

    def together(answers: Sequence[A], options: Any) -> Frames:
        if len(answers) == 1:
            return make(answers[0], options)
        parts: dict[str, list[pl.DataFrame]] = {}
        for one in answers:
            model = one.model  # type: ignore[attr-defined]
            for title, table in make(one, options).items():
                named = table.select(pl.lit(model).alias("model"), pl.exclude("model"))
                parts.setdefault(title, []).append(named)
        return {title: pl.concat(found, how="diagonal") for title, found in parts.items()}

    return together
