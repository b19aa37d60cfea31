"""Records as frames, and tables of them by name: `geobias table RUN… TABLE`.

A table may consist of several frames with titles. Every table accepts several runs: `each_model`
makes a table of each model's answers and stacks these tables, with a column for the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.measures.frames import PLACES, Columns
from geobias.probes.questions import OUTCOMES
from geobias.probes.settings import Setting
from geobias.results.findings import Table
from geobias.trials import Record, StoredRecord

_AT_ONCE = 1_000


def column_types(kind: type) -> Columns:
    fits: dict[object, type[pl.DataType]] = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
    columns: Columns = {}
    for name, hint in get_type_hints(kind).items():
        kinds = [one for one in (*get_args(hint), hint) if one in fits]
        columns[name] = fits[kinds[0]] if kinds else pl.String
    return columns


def frame_from(
    records: Iterable[StoredRecord], kind: type[Record], model: str, groups: Sequence[str] = PLACES
) -> pl.DataFrame:
    """Make a frame with a row for each record of this kind.

    Its columns are `model`, the fields of the records except the probe's name, and those `groups`
    of the record's country (region, income, continent …) that are not among the fields. Missing
    fields and groups of an unknown country are null. A record that names a model keeps that name.
    """
    fields = column_types(kind)
    del fields["probe"]
    groups = [name for name in groups if name not in fields]
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
    """The options of a table, or of reading a run, that has none."""


class TableSpec(msgspec.Struct, Generic[A], frozen=True, kw_only=True):
    """A table of a probe.

    help      a sentence, followed by examples and explanations; lists show the first line
    make      makes the frames by title, from the answers of every run and the table's options
    Options   the table's options, declared like settings (`probes.settings`)
    notes     makes sentences on what the table leaves out, printed on standard error
    people    shortens the frames for people, if programs get more
    pooled    makes the frames by title over all models together (`probes.pooling`), which the
              report of several models includes
    title     the title of the table in the report; "" if the report leaves it out
    note      how to read the table, below it in the report
    units     the units of its columns
    reported  makes the tables of the report by name, if they are not those of `make`
    """

    help: str
    make: Callable[[Sequence[A], Any], Frames]
    Options: type[msgspec.Struct] = NoOptions
    notes: Callable[[Sequence[A], Any], list[str]] = lambda answers, options: []
    people: Callable[[Frames], Frames] = lambda frames: frames
    pooled: Callable[[Any, Any], Frames] | None = None
    title: str = ""
    note: str = ""
    units: Mapping[str, str] = {}
    reported: Callable[[A], Mapping[str, Table]] | None = None


def each_model(make: Callable[[A, Any], Frames]) -> Callable[[Sequence[A], Any], Frames]:
    """Stack the tables of all models, with a column that names the model if there are several."""

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


# How replies were read ----------------------------------------------------------------------------

COUNTS = ("read", "restated", "by_reader", "declined", "unread", "cut", "no_text")


class ReadingsOption(msgspec.Struct, frozen=True):
    by: Annotated[
        Literal["all", "income", "region", "north_south"], Setting("What to group by.")
    ] = "income"


def readings(frame: pl.DataFrame, by: str) -> pl.DataFrame:
    """Count the replies of each group by how they were read.

    If more replies are read for one group than for another, a gap between the groups may come from
    that.
    """
    group = pl.lit("all")
    if by != "all":
        places = {iso3: getattr(one, by) for iso3, one in economies().items()}
        named = pl.col("country").replace_strict(places, default=None, return_dtype=pl.String)
        group = named.fill_null("(none)")
    became = pl.col("outcome").replace_strict(OUTCOMES, default="no_text")
    again = {"restated": "restated", "reader": "by_reader"}
    read = pl.col("read_by").replace_strict(again, default="read")
    how = pl.when(became == "read").then(read).otherwise(became)
    return (
        frame.with_columns(group=group, how=how)
        .group_by("group")
        .agg(
            replies=pl.len(),
            **{name: (pl.col("how") == name).sum() for name in COUNTS},
            contradicts=pl.col("contradicts").fill_null(value=False).sum(),
        )
        .sort("group")
    )


READINGS: TableSpec[Any] = TableSpec(
    help="""How replies were read, by group.

    \b
    geobias table RUN readings
    geobias table RUN readings --by north_south

    read          by rules alone
    restated      by rules, after the same model was asked for the answer alone
    by_reader     by rules, from what another model pointed to
    contradicts   restated answers that the first reply did not name
    """,
    make=each_model(lambda one, options: {"readings": readings(one.frame, options.by)}),
    Options=ReadingsOption,
)
