"""Counts as a table: written beside a note of how they came about, and read again.

The table is a Parquet file with a row for each entity; the note, a JSON file with ".json" added to
its name, has files, bytes, rules and digests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.atlas.entities import Entity
from geobias.corpus.files import Source
from geobias.corpus.spellings import COMMON_NOUNS, RULES, Names
from geobias.corpus.tally import Part
from geobias.errors import BadRequest
from geobias.files import draft_of, write_whole

if TYPE_CHECKING:
    import polars as pl

COLUMNS = ("id", "name", "type", "category", "country", "count", "documents", "shared", "spellings")


class Counts(msgspec.Struct, frozen=True):
    """What a count found, and of what."""

    table: Mapping[str, Entity]
    names: Names
    total: Part
    files: Sequence[Source]
    unread: Mapping[str, str]
    """Files that could not be read to their end, and why; nothing of them is counted."""
    others: int
    """Files in the folders that are no corpus."""
    field: str
    table_digest: str = ""

    def frame(self) -> pl.DataFrame:
        """A row for each entity.

        `count` is how often it is named, `documents` in how many documents, `shared` how many of
        `count` are of forms that another entity has too, `spellings` the count by spelling.
        """
        import polars as pl

        by_entity: list[list[dict[str, Any]]] = [[] for _ in self.names.entities]
        for place, spelling in enumerate(self.names.spellings):
            row = {"spelling": spelling.text, "count": self.total.counts.get(place, 0)}
            by_entity[spelling.entity].append(row)
        rows = []
        for place, entity in enumerate(self.table.values()):
            spelled = by_entity[place]
            known = bool(spelled)  # without a name in these languages there is nothing to count
            rows.append(
                {
                    "id": entity.id,
                    "name": entity.name,
                    "type": entity.type,
                    "category": entity.category,
                    "country": entity.country,
                    "count": sum(row["count"] for row in spelled) if known else None,
                    "documents": self.total.documents_with.get(place, 0) if known else None,
                    "shared": self.total.shared.get(place, 0) if known else None,
                    "spellings": spelled,
                }
            )
        return pl.DataFrame(rows, schema=_schema())

    def note(self) -> dict[str, Any]:
        """How the counts came about."""
        return {
            "entities": len(self.names.entities),
            "spellings": len(self.names.spellings),
            "table_sha256": self.table_digest,
            "names_digest": self.names.digest,
            "rules": {"version": RULES, "common_nouns": sorted(COMMON_NOUNS)},
            "field": self.field,
            "documents": self.total.documents,
            "bytes": self.total.bytes,
            "broken_lines": self.total.broken,
            "without_text": self.total.without,
            "files": [msgspec.to_builtins(source) for source in self.files],
            "unread": dict(self.unread),
            "other_files": self.others,
        }


def _schema() -> dict[str, Any]:
    import polars as pl

    spelled = pl.List(pl.Struct({"spelling": pl.String, "count": pl.Int64}))
    words = dict.fromkeys(COLUMNS[:5], pl.String)
    return words | dict.fromkeys(COLUMNS[5:8], pl.Int64) | {"spellings": spelled}


def write_counts(counts: Counts, out: Path) -> None:
    """Write table and note, each whole or not at all."""
    write_table(counts.frame(), counts.note(), out)


def write_table(frame: pl.DataFrame, note: Mapping[str, Any], out: Path) -> None:
    """A table of counts and its note, from wherever they were counted."""
    with draft_of(out) as draft:
        frame.write_parquet(draft)
    write_whole(note_path(out), msgspec.json.format(msgspec.json.encode(note), indent=2) + b"\n")


def note_path(out: Path) -> Path:
    """Where the note of a table is."""
    return out.with_name(out.name + ".json")


def read_counts(path: Path) -> Mapping[str, int | None]:
    """How often each entity is named, by id; None where there was nothing to count.

    Of any Parquet or CSV file with the columns `id` and `count`.
    """
    import polars as pl

    try:
        read = pl.read_csv if path.suffix.lower() == ".csv" else pl.read_parquet
        frame = read(path, columns=["id", "count"])
        numbers = frame["count"].cast(pl.Int64).to_list()
        ids = frame["id"].cast(pl.String).to_list()
    except (pl.exceptions.PolarsError, OSError) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise BadRequest(f"{path} is no table of counts: {words[0]}.") from None
    if len(set(ids)) != len(ids) or any(one is None for one in ids):
        raise BadRequest(f"{path} is no table of counts: an id is missing or stands there twice.")
    return dict(zip(ids, numbers, strict=True))


def with_frequency(
    table: Mapping[str, Entity], counts: Mapping[str, int | None]
) -> dict[str, Entity]:
    """The entities with `frequency` from a count; None for those that were not counted."""
    return {
        id_: msgspec.structs.replace(entity, frequency=_number(counts.get(id_)))
        for id_, entity in table.items()
    }


def _number(count: int | None) -> float | None:
    return None if count is None else float(count)
