"""Counts as a table: written beside a note of how they came about, and read again.

The table has a row for each entity, as Parquet or CSV by the ending of its name; the note, a JSON
file with ".json" added to that name, has files, bytes, rules and digests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from geobias.atlas.entities import Entity
from geobias.corpus.reading import CorpusFile
from geobias.corpus.spellings import COMMON_NOUNS, RULES, Names, Part
from geobias.errors import BadRequest
from geobias.files import draft_of, write_whole

COLUMNS = ("id", "name", "type", "category", "country", "count", "documents", "shared", "spellings")


class CorpusCounts(msgspec.Struct, frozen=True):
    table: Mapping[str, Entity]
    names: Names
    total: Part
    files: Sequence[CorpusFile]
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
        by_entity: list[list[dict[str, Any]]] = [[] for _ in self.names.entities]
        for place, name in enumerate(self.names.spellings):
            counted = {"spelling": name.text, "count": self.total.counts.get(place, 0)}
            by_entity[name.entity].append(counted)
        rows = []
        for place, (entity, spelled) in enumerate(zip(self.table.values(), by_entity, strict=True)):
            known = bool(spelled)  # without a name in these languages there is nothing to count
            row = {column: getattr(entity, column) for column in COLUMNS[:5]}
            row["count"] = sum(one["count"] for one in spelled) if known else None
            row["documents"] = self.total.documents_with.get(place, 0) if known else None
            row["shared"] = self.total.shared.get(place, 0) if known else None
            rows.append(row | {"spellings": spelled})
        spelling = pl.Struct({"spelling": pl.String, "count": pl.Int64})
        schema: dict[str, Any] = dict.fromkeys(COLUMNS[:5], pl.String)
        schema |= dict.fromkeys(COLUMNS[5:8], pl.Int64) | {"spellings": pl.List(spelling)}
        return pl.DataFrame(rows, schema=schema)

    def note(self) -> dict[str, Any]:
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


def check_ending(out: Path) -> None:
    """Refuse a name whose ending says no kind of table; before anything is counted."""
    if out.suffix.lower() not in (".parquet", ".csv"):
        raise BadRequest(f"{out} cannot be written: its name must end in .parquet or .csv.")


def write_table(frame: pl.DataFrame, note: Mapping[str, Any], out: Path) -> None:
    """A table of counts and its note, from wherever they were counted; each whole or not at all.

    A cell of a CSV file holds no list: there the spellings of an entity are "Eiffel Tower=12|…".
    """
    check_ending(out)
    with draft_of(out) as draft:
        if out.suffix.lower() == ".parquet":
            frame.write_parquet(draft)
        else:
            spelled = pl.element().struct
            one = pl.concat_str(spelled.field("spelling"), spelled.field("count"), separator="=")
            frame.with_columns(pl.col("spellings").list.eval(one).list.join("|")).write_csv(draft)
    note_path = out.with_name(out.name + ".json")
    write_whole(note_path, msgspec.json.format(msgspec.json.encode(note), indent=2) + b"\n")


def read_counts(path: Path) -> Mapping[str, int | None]:
    """How often each entity is named, by id; None where there was nothing to count.

    Of any Parquet or CSV file with the columns `id` and `count`.
    """
    try:
        read = pl.read_csv if path.suffix.lower() == ".csv" else pl.read_parquet
        frame = read(path, columns=["id", "count"])
        numbers = frame["count"].cast(pl.Int64).to_list()
        ids = frame["id"].cast(pl.String).to_list()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise BadRequest(f"{path} is no table of counts: {words[0]}.") from None
    if len(set(ids)) != len(ids) or any(one is None for one in ids):
        raise BadRequest(f"{path} is no table of counts: an id is missing or stands there twice.")
    return dict(zip(ids, numbers, strict=True))


def with_frequency(
    table: Mapping[str, Entity], counts: Mapping[str, int | None]
) -> dict[str, Entity]:
    """The entities with `frequency` from a count; None for those that were not counted."""
    frequencies = {id_: None if count is None else float(count) for id_, count in counts.items()}
    return {
        id_: msgspec.structs.replace(entity, frequency=frequencies.get(id_))
        for id_, entity in table.items()
    }
