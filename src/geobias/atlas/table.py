"""CSV files, read record by record, with errors that name the file and the line.

Only the standard library's `csv` is used, since importing a frame library would slow down every
`geobias --help`.

A run's manifest holds the digest of every shipped table it used. Figures change between two
editions of an indicator (by 23% on average for maternal mortality, 2023 to 2026), so runs are
compared only if their tables are the same bytes.

`editions.csv`, beside this module, holds the edition and digest of each table as published. A
changed or damaged table is therefore detected.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO, TypeVar

import msgspec

from geobias.errors import AtlasError, BadRequest
from geobias.files import write_whole
from geobias.untrusted import in_words

Row = TypeVar("Row", bound=msgspec.Struct)

SHIPPED = Path(__file__).parent / "tables"
PROBES = Path(__file__).parent.parent / "probes"
MOST_LINE = 1 << 20
MOST_LETTERS = 4 << 30
"""Maximum size of a table. The largest known, of 2.3 million people, has a third of that."""


class TableError(AtlasError):
    """A file is not the table it should be; the message is one sentence that the user can act on.

    `line` counts from 1 as an editor does; it is None if the fault concerns the whole file.
    """

    def __init__(self, path: Path, line: int | None, fault: str) -> None:
        where = f"{path}, line {line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {fault}" + ("" if fault.endswith("?") else "."))
        self.path = path
        self.line = line


def shipped_table(name: str) -> Path:
    """The path of a table in the atlas, or in the folder of the probe that uses it."""
    path = SHIPPED / name
    return path if path.exists() else next(PROBES.glob(f"*/tables/{name}"), path)


def read_records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield each CSV record of a UTF-8 file with the number of the line it ends on.

    An empty line is an empty list, since it has a meaning in some publishers' files.
    """
    line = 0
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(bounded(file), strict=True)
            for record in reader:
                line = reader.line_num
                yield line, record
    except OSError as error:
        raise TableError(path, None, f"cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TableError(path, None, f"is not UTF-8 text (byte {error.start})") from error
    except csv.Error as error:
        raise TableError(path, line + 1, f"is not CSV: {error}") from error


def bounded(file: TextIO) -> Iterator[str]:
    """Yield the lines of a file, up to a size, since a small packed file can unpack to any size."""
    size = 0
    while line := file.readline(MOST_LINE + 1):
        size += len(line)
        if len(line) > MOST_LINE:
            raise csv.Error(f"a line has more than {MOST_LINE:,} letters")
        if size > MOST_LETTERS:
            raise csv.Error(f"it has more than {MOST_LETTERS >> 30} billion letters")
        yield line


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row of a table with its line number. The header must begin with `columns`.

    A row that is longer or shorter than the header is refused, since a missing comma shifts every
    later value.
    """
    records = read_records(path)
    line, header = next(records, (1, []))
    if header[: len(columns)] != list(columns):
        raise TableError(path, line, f"the header should begin with {','.join(columns)}")
    if len(set(header)) != len(header):
        raise TableError(path, line, "a column name occurs twice in the header")
    for line, record in records:
        if not record:
            continue
        if len(record) != len(header):
            raise TableError(path, line, f"has {len(record)} values for {len(header)} columns")
        yield line, dict(zip(header, record, strict=True))


def read_structs(
    path: Path, kind: type[Row], nullable: Sequence[str] = ()
) -> Iterator[tuple[int, Row]]:
    """Yield each row of a table as a struct, whose fields are the columns, with its line number.

    An empty cell of a `nullable` column is None. Columns with a default come last and may be
    missing.
    """
    fields = kind.__struct_fields__
    needed = fields[: len(fields) - len(kind.__struct_defaults__)]
    for line, row in read_rows(path, needed):
        cells = {
            name: row[name] or (None if name in nullable else "") for name in fields if name in row
        }
        try:
            record = msgspec.convert(cells, kind, strict=False)
        except msgspec.ValidationError as error:
            raise TableError(path, line, in_words(error)) from error
        yield line, record


def finite_number(path: Path, line: int, cell: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise TableError(path, line, f"{cell!r} is not a number")
    return number


def write_rows(path: Path, rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file, the header first; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    write_whole(path, text.getvalue().encode(), BadRequest)


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(*tables: str) -> dict[str, str]:
    return {table: sha256_of(shipped_table(table))[:16] for table in tables}


class PublishedEdition(msgspec.Struct, frozen=True):
    table: str
    edition: str
    """In the publisher's words: a date or a fiscal year; two dates if a table has two sources."""
    sha256: str


def published_editions() -> tuple[PublishedEdition, ...]:
    path = Path(__file__).with_name("editions.csv")
    return tuple(edition for _, edition in read_structs(path, PublishedEdition))
