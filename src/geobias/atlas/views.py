"""Page views of entities as a table of their own, and how entities get them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from geobias.atlas.entities import Entity
from geobias.atlas.table import TableError, read_rows
from geobias.errors import BadRequest
from geobias.files import write_whole

COLUMNS = ("id", "title", "views", "edition", "note")


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
    """Write the table; where there is no figure, the cell is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(["" if cell is None else cell for cell in msgspec.structs.astuple(row)])
    write_whole(path, text.getvalue().encode(), BadRequest)


def read_views(path: Path) -> Mapping[str, Views]:
    """The table by id. A figure that is none, or an id that stands twice, is a `TableError`."""
    found: dict[str, Views] = {}
    for line, row in read_rows(path, COLUMNS):
        views = row["views"]
        if views and not (views.isascii() and views.isdigit()):
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
    found = {}
    for id_, entity in table.items():
        row = views.get(id_)
        found[id_] = (
            entity
            if row is None
            else msgspec.structs.replace(
                entity,
                views=None if row.views is None else float(row.views),
                views_edition="" if row.views is None else row.edition,
            )
        )
    return found
