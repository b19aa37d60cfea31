"""Write and read the table of counts, with a note on how the counts were made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import polars as pl

from geobias.corpus.reading import CorpusFile
from geobias.errors import BadRequest
from geobias.files import draft_of, write_whole

COLUMNS = ("id", "name", "type", "category", "country", "count", "documents", "shared", "spellings")


class CountNote(msgspec.Struct, frozen=True, kw_only=True):
    """How a table of counts was made.

    entities, spellings      number of entities, and of the spellings that were searched for
    table_sha256             digest of the table of entities
    names_digest, rules      the names and the rules of matching; a count can be resumed if they
                             are unchanged
    field                    the field of documents that holds the text
    documents, bytes         documents with text, and the length of the texts
    broken_lines             lines that are not JSON
    without_text             documents without text under `field`
    unread                   why a file was left out, by its path
    other_files              number of files in other formats
    """

    entities: int
    spellings: int
    table_sha256: str
    names_digest: str
    rules: dict[str, object]
    field: str
    documents: int
    bytes: int
    broken_lines: int
    without_text: int
    files: list[CorpusFile]
    unread: dict[str, str]
    other_files: int


def check_ending(out: Path) -> None:
    """Refuse a file name whose ending is not a table format, before anything is counted."""
    if out.suffix.lower() not in (".parquet", ".csv"):
        raise BadRequest(f"{out} cannot be written: its name must end in .parquet or .csv.")


def write_counts(frame: pl.DataFrame, note: CountNote, out: Path) -> None:
    """Write the table as Parquet or CSV, by its name's ending, and the note as JSON beside it."""
    with draft_of(out) as draft:
        if out.suffix.lower() == ".parquet":
            frame.write_parquet(draft)
        else:
            frame.write_csv(draft)
    note_path = out.with_name(out.name + ".json")
    write_whole(note_path, msgspec.json.format(msgspec.json.encode(note), indent=2) + b"\n")


def read_counts(path: Path) -> Mapping[str, int | None]:
    """Read how often each entity is named, by id. None if the entity has no name to count.

    Reads any Parquet or CSV file with the columns `id` and `count`.
    """
    try:
        read = pl.read_csv if path.suffix.lower() == ".csv" else pl.read_parquet
        frame = read(path, columns=["id", "count"])
        numbers = frame["count"].cast(pl.Int64).to_list()
        ids = frame["id"].cast(pl.String).to_list()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise BadRequest(f"{path} is not a table of counts: {words[0]}.") from None
    if len(set(ids)) != len(ids) or any(one is None for one in ids):
        raise BadRequest(f"{path} is not a table of counts: an id is missing or occurs twice.")
    return dict(zip(ids, numbers, strict=True))
