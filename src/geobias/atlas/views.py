"""Page views of entities as a table of their own, and how entities get them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from geobias.atlas.entities import Entity
from geobias.atlas.table import TableError, read_rows, write_rows


class Views(msgspec.Struct, frozen=True):
    """How often an entity's article was read; `views` is None where there is no figure.

    `note` says why not. `edition` is whose figure it is and of what time.
    """

    id: str
    title: str
    views: int | None
    edition: str
    note: str = ""


def write_views(rows: Iterable[Views], path: Path) -> None:
    write_rows(path, [Views.__struct_fields__, *map(msgspec.structs.astuple, rows)])


def read_views(path: Path) -> Mapping[str, Views]:
    """The table by id. A figure that is none, or an id that stands twice, is a `TableError`."""
    found: dict[str, Views] = {}
    for line, row in read_rows(path, Views.__struct_fields__):
        views = row["views"]
        if views and not re.fullmatch(r"\d{1,18}", views, re.ASCII):
            raise TableError(path, line, f"{views!r} is no number of views")
        if not row["id"] or row["id"] in found:
            raise TableError(path, line, f"the id {row['id']!r} is empty or stands twice")
        found[row["id"]] = Views(
            row["id"], row["title"], int(views) if views else None, row["edition"], row["note"]
        )
    return found


def with_views(table: Mapping[str, Entity], views: Mapping[str, Views]) -> dict[str, Entity]:
    """The entities with `views` of this table; those it does not have stay as they are.

    One that it has without a figure loses the figure it had: it would be of another edition.
    """
    found = dict(table)
    for id_ in table.keys() & views.keys():
        row = views[id_]
        found[id_] = msgspec.structs.replace(
            table[id_],
            views=None if row.views is None else float(row.views),
            views_edition="" if row.views is None else row.edition,
        )
    return found
