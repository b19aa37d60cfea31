"""CSV files, read record by record, with errors that name the file and the line.

Only the standard library's `csv`: a frame library would cost every `geobias --help` the time of
its import.

A run's manifest has every shipped table it was made with, with its digest. Between two editions of
the same indicator the figures move (by 0.23 on average for maternal mortality, 2023 to 2026), so
runs compare only where their tables are the same bytes.

`editions.csv`, beside this module, says which edition each table is of and what its digest was
when it was published: a table that has been edited since, by hand or by a bad disk, shows.
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
"""Of a table. The largest that is known, of 2.3 million people, has a third of that."""


class TableError(AtlasError):
    """A file that is not the table it should be; the message is one sentence a person can act on.

    `line` counts from 1 as an editor does; it is None where the fault is the file as a whole.
    """

    def __init__(self, path: Path, line: int | None, fault: str) -> None:
        where = f"{path}, line {line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {fault}.")
        self.path = path
        self.line = line


def shipped_table(name: str) -> Path:
    """A table of the atlas, or of the probe that alone uses it."""
    path = SHIPPED / name
    return path if path.exists() else next(PROBES.glob(f"*/tables/{name}"), path)


def read_records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Each CSV record of a UTF-8 file with the number of the line it ends on.

    A byte-order mark is dropped. An empty line is an empty list: some publishers' blank lines mean
    something. Quotes that never close, and text that is not UTF-8, are a `TableError`.
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
    """The lines of a file. One that nobody wrote by hand, and more of them than any table has, are
    a `csv.Error`: a small packed file can unpack to anything."""
    size = 0
    while line := file.readline(MOST_LINE + 1):
        size += len(line)
        if len(line) > MOST_LINE:
            raise csv.Error(f"a line has more than {MOST_LINE:,} letters")
        if size > MOST_LETTERS:
            raise csv.Error(f"it has more than {MOST_LETTERS >> 30} billion letters")
        yield line


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row of a table as a dictionary, with its line number.

    The header must begin with `columns` in that order; further columns are read too. A row of
    another length than the header is an error, since a missing comma shifts every later value;
    empty lines are passed over.
    """
    records = read_records(path)
    line, header = next(records, (1, []))
    if header[: len(columns)] != list(columns):
        raise TableError(path, line, f"the header should begin with {','.join(columns)}")
    if len(set(header)) != len(header):
        raise TableError(path, line, "a column name stands in the header twice")
    for line, record in records:
        if not record:
            continue
        if len(record) != len(header):
            raise TableError(path, line, f"has {len(record)} values for {len(header)} columns")
        yield line, dict(zip(header, record, strict=True))


def read_structs(
    path: Path, kind: type[Row], nullable: Sequence[str] = ()
) -> Iterator[tuple[int, Row]]:
    """Each row of a table whose columns are the fields of `kind`, with its line number.

    An empty cell of a `nullable` column is None. Fields with a default come last, and their columns
    may be missing.
    """
    fields = kind.__struct_fields__
    needed = fields[: len(fields) - len(kind.__struct_defaults__)]
    for line, row in read_rows(path, needed):
        cells = {
            name: row[name] or (None if name in nullable else "") for name in fields if name in row
        }
        try:
            record = msgspec.convert(cells, kind)
        except msgspec.ValidationError as error:
            raise TableError(path, line, in_words(error)) from error
        yield line, record


def finite_number(path: Path, line: int, cell: str) -> float:
    """The number in a cell; text, "nan" and "inf" are a `TableError`."""
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
    """In the publisher's words: a date, a fiscal year; two dates where a table has two sources."""
    sha256: str


def published_editions() -> tuple[PublishedEdition, ...]:
    """What every shipped table should be, in the order of their names."""
    path = Path(__file__).with_name("editions.csv")
    return tuple(edition for _, edition in read_structs(path, PublishedEdition))
