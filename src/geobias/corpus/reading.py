"""Corpus files as blocks of text in which every line is a document.

A block is about a megabyte, so that memory stays flat however big a file is. Line breaks inside a
document of JSONL or Parquet become spaces, so that a name that goes over a line break counts there.
In a text file the line is the document, and a name goes over no line break.

Which files are the corpus, and how they are dealt out as work.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import msgspec
import numpy as np
import polars as pl

from geobias.corpus.spellings import Tally
from geobias.errors import BadRequest, MissingPart

FileKind = Literal["text", "jsonl", "parquet"]
Packing = Literal["", "gz", "zst"]

_KINDS: dict[str, FileKind] = {
    ".txt": "text",
    ".jsonl": "jsonl",
    ".json": "jsonl",  # Dolma's files: JSON lines under another name
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_PACKINGS: dict[str, Packing] = {".gz": "gz", ".zst": "zst"}
READS = ".txt, .jsonl (.json, .ndjson), both also .gz or .zst, and .parquet"

PIECE = 256 << 20
"""Bytes of a plain file that are one piece of work. Part of the journal: see there."""
_EDGE = 1 << 16
"""Bytes at both ends of a file that are hashed to know it again."""


class CorpusFile(msgspec.Struct, frozen=True):
    """A file of the corpus as it was when it was looked at."""

    path: str
    kind: FileKind
    packing: Packing
    size: int
    mtime_ns: int
    edges: str
    """Hash of the first and last 64 KiB."""


class Job(msgspec.Struct, frozen=True):
    """A piece of work: a file, or of a plain file the lines that begin between two bytes."""

    source: CorpusFile
    start: int
    end: int


def kind_of(path: Path) -> tuple[FileKind, Packing] | None:
    """What a file's name says about it; None for a file that is no corpus."""
    packing = _PACKINGS.get(path.suffix.lower(), "")
    kind = _KINDS.get((Path(path.stem) if packing else path).suffix.lower())
    if kind is None or (kind == "parquet" and packing):
        return None
    return kind, packing


def corpus_files(paths: Sequence[Path]) -> tuple[list[CorpusFile], int]:
    """Every file of the corpus once, in order, and how many in its folders are something else.

    Folders are walked; in them, hidden files and those of other kinds are passed over (the hidden
    ones silently). A file that is named must be one that can be read.
    """
    corpus: dict[str, CorpusFile] = {}
    others = 0
    for path in paths:
        for file in _walked(path) if path.is_dir() else [path]:
            if (kind := kind_of(file)) is not None:
                source = _corpus_file(file, *kind)
                corpus.setdefault(source.path, source)
            elif file is path:
                raise BadRequest(f"{path} is no corpus that can be read: there are {READS}.")
            else:
                others += 1
    if not corpus:
        raise BadRequest(f"There is no corpus in {', '.join(map(str, paths))}: {READS} are read.")
    return list(corpus.values()), others


def _walked(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield Path(where, name)


def _corpus_file(path: Path, kind: FileKind, packing: Packing) -> CorpusFile:
    try:
        whole = path.resolve()
        status = whole.stat()
        with whole.open("rb") as file:
            edges = hashlib.sha256(file.read(_EDGE))
            file.seek(max(0, status.st_size - _EDGE))
            edges.update(file.read(_EDGE))
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror or error}.") from None
    digest = edges.hexdigest()[:16]
    return CorpusFile(str(whole), kind, packing, status.st_size, status.st_mtime_ns, digest)


def jobs_of(sources: Iterable[CorpusFile]) -> list[Job]:
    """The work: plain files in pieces, packed ones and Parquet whole, the biggest first.

    The biggest first, so that no core is left alone with a big file in the end.
    """
    jobs = []
    for source in sources:
        plain = source.kind != "parquet" and not source.packing
        step = PIECE if plain else max(1, source.size)
        jobs += [
            Job(source, start, min(start + step, source.size))
            for start in range(0, max(1, source.size), step)
        ]
    return sorted(jobs, key=lambda job: job.start - job.end)


BLOCK = 1 << 20
"""Small enough to stay in a core's cache between reading, counting lines and looking for names."""
MOST_LINE = 64 << 20
"""A longer line is read in pieces, which are broken where they are JSON."""
SLICE = 32 << 20
"""Bytes of a Parquet file, about, that are unpacked together: a hundred megabytes of text. Polars
unpacks a group of rows as a whole for every slice of it, so that smaller ones would cost time."""
ROWS = 4096
"""Of these that are looked at together."""
_LARGEST_WINDOW = 1 << 31
"""What `zstd --long=31` needs."""

Progress = Callable[[int], None]
"""Called with bytes of the file (as it lies on disk) that have been read since the last call."""


class Unreadable(Exception):
    """A file that is not what its name says, or ends in the middle; the text says which."""


def blocks(job: Job, field: str, tally: Tally, progress: Progress | None = None) -> Iterator[bytes]:
    """The text of a job, and in the tally what was read and what could not be."""
    reported = 0

    def tell(place: int) -> None:
        nonlocal reported
        if progress and place > reported:
            progress(place - reported)
            reported = place

    read = _parquet if job.source.kind == "parquet" else _lines
    try:
        for text in read(job, field, tally, tell):
            tally.bytes += len(text)
            yield text
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Unreadable(f"is no whole .gz file: {error}") from None
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None
    tell(job.end - job.start)


def _lines(job: Job, field: str, tally: Tally, tell: Progress) -> Iterator[bytes]:
    source, texts = job.source, _Texts(field)
    with Path(source.path).open("rb") as raw:
        stream: BinaryIO = raw
        if source.packing == "gz":
            stream = cast(BinaryIO, gzip.GzipFile(fileobj=raw))
        elif source.packing == "zst":
            stream = cast(BinaryIO, io.BufferedReader(_Zstd(raw), BLOCK))
        whole = source.packing or (job.start, job.end) == (0, source.size)
        for lines in whole_lines(stream) if whole else lines_between(raw, job.start, job.end):
            if source.kind == "text":
                tally.documents += _count_lines(lines)
                yield lines
            else:
                yield texts.read(lines, tally)
            tell(raw.tell() - job.start)


def _count_lines(lines: bytes) -> int:
    """How many there are; numpy counts their ends three times as fast as `bytes.count`."""
    ends = np.count_nonzero(np.frombuffer(lines, np.uint8) == 0x0A)
    return int(ends) + (not lines.endswith(b"\n"))


def lines_between(raw: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    """As `whole_lines`, of the lines that begin at `start` or later and before `end`."""
    if start:
        raw.seek(start - 1)
        while (passed := raw.readline(BLOCK)) and not passed.endswith(b"\n"):
            pass
    if (left := end - raw.tell()) > 0:
        yield from whole_lines(raw, left)


def whole_lines(stream: BinaryIO, most: int | None = None) -> Iterator[bytes]:
    """Whole lines, about `BLOCK` bytes at a time; with `most`, those that begin before that many
    bytes. A line over `MOST_LINE` comes in pieces."""
    left = most
    while block := stream.read(BLOCK if left is None else min(BLOCK, left)):
        if not block.endswith(b"\n"):
            block += stream.readline(MOST_LINE)
        yield block
        if left is not None and (left := left - len(block)) <= 0:
            return


class _Zstd(io.RawIOBase):
    """Unpacks a .zst file, to the end of its last frame.

    The library's own stream ends quietly in the middle of a frame that was cut off, and a count
    must not. A piece of `_PACKED` bytes unpacks to 256 MiB at most, whatever it is.
    """

    _PACKED = 8 << 10

    def __init__(self, raw: BinaryIO) -> None:
        try:
            import zstandard
        except ImportError:
            raise MissingPart(
                "reading .zst needs the library zstandard: pip install 'geobias[count]'"
            ) from None
        self._library: Any = zstandard
        self._raw = raw
        self._frame: Any = None
        self._ready = memoryview(b"")
        self._packed = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            self._packed = self._packed or self._raw.read(self._PACKED)
            if not self._packed:
                if self._frame is not None:
                    raise Unreadable("is no whole .zst file: it ends in the middle")
                return 0
            self._ready = memoryview(self._unpack())
        number = min(len(buffer), len(self._ready))
        buffer[:number] = self._ready[:number]
        self._ready = self._ready[number:]
        return number

    def _unpack(self) -> bytes:
        if self._frame is None:
            unpack = self._library.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
            self._frame = unpack.decompressobj()
        try:
            unpacked: bytes = self._frame.decompress(self._packed)
        except self._library.ZstdError as error:
            raise Unreadable(f"is no whole .zst file: {error}") from None
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return unpacked


class _Texts:
    """Reads the field of JSON lines."""

    def __init__(self, field: str) -> None:
        self._field = field
        line = msgspec.defstruct(
            "Line", [("text", str | None, msgspec.field(name=field, default=None))]
        )
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(line)

    def read(self, lines: bytes, tally: Tally) -> bytes:
        """The texts as lines of UTF-8."""
        try:
            texts = [line.text for line in self._decoder.decode_lines(lines)]
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            texts = [self._one(line, tally) for line in lines.split(b"\n") if line.strip()]
        return as_lines(texts, tally)

    def _one(self, line: bytes, tally: Tally) -> str | None:
        """One line's text; `json` knows what `msgspec` does not take, such as lone surrogates."""
        try:
            text: object = self._decoder.decode(line).text
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            try:
                read = json.loads(line)
            except (ValueError, RecursionError):
                tally.broken += 1
                tally.without -= 1  # `as_lines` will count it there
                return None
            text = read.get(self._field) if isinstance(read, dict) else None
        return text if isinstance(text, str) else None


def as_lines(texts: list[str | None], tally: Tally) -> bytes:
    there = [text.replace("\n", " ") for text in texts if text is not None]
    tally.documents += len(there)
    tally.without += len(texts) - len(there)
    return "\n".join(there).encode("utf-8", "replace")


def _parquet(job: Job, field: str, tally: Tally, tell: Progress) -> Iterator[bytes]:
    """A column of a Parquet file, some thousand rows at a time."""
    source = job.source
    try:
        frame = pl.scan_parquet(source.path, glob=False)
        kind = frame.collect_schema().get(field)
        rows = frame.select(pl.len()).collect().item()
        if kind != pl.String:
            tally.without += rows
            return
        step = max(ROWS, rows * SLICE // max(1, source.size))
        for start in range(0, rows, step):
            piece = frame.select(field).slice(start, step).collect()
            for batch in piece.iter_slices(ROWS):
                yield as_lines(batch[field].to_list(), tally)
            tell(source.size * min(rows, start + step) // rows)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise Unreadable(f"is no whole Parquet file: {words[0]}") from None
