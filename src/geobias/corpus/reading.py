"""Corpus files as blocks of text in which every line is a document.

A block is a buffer and how much of it is filled; the buffer is used again for the next, so memory
stays flat however big a file is. Line breaks inside a document of JSONL or Parquet become spaces,
so that a name that goes over a line break counts there. In a text file the line is the document,
and a name goes over no line break.

Which files are the corpus, and how they are dealt out as work.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, Literal, Protocol

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
"""A longer line of a text file is read in pieces, cut behind a full stop or else at a space; a
longer line of JSON counts as broken."""
SLICE = 32 << 20
"""Bytes of a Parquet file, about, that are unpacked together: a hundred megabytes of text. Polars
unpacks a group of rows as a whole for every slice of it, so that smaller ones would cost time."""
ROWS = 4096
"""Of these that are looked at together."""
_LARGEST_WINDOW = 1 << 31
"""What `zstd --long=31` needs."""

Block = tuple["bytes | bytearray", int]
Progress = Callable[[int], None]
"""Called with bytes of the file (as it lies on disk) that have been read since the last call."""


class Unreadable(Exception):
    """A file that is not what its name says, or ends in the middle; the text says which."""


class _Stream(Protocol):
    def readinto(self, buffer: Any, /) -> int | None: ...


def blocks(job: Job, field: str, tally: Tally, progress: Progress | None = None) -> Iterator[Block]:
    """The text of a job, and in the tally what was read and what could not be."""
    reported = 0

    def tell(place: int) -> None:
        nonlocal reported
        if progress and place > reported:
            progress(place - reported)
            reported = place

    try:
        if job.source.kind == "parquet":
            texts = _parquet(job.source, field, tally, tell)
        else:
            texts = _lines(job, field, tally, tell)
        for text, length in texts:
            tally.bytes += length
            yield text, length
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise Unreadable(f"is no whole .gz file: {error}") from None
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None
    tell(job.end - job.start)


def _lines(job: Job, field: str, tally: Tally, tell: Progress) -> Iterator[Block]:
    source = job.source
    texts = _Texts(field)
    with Path(source.path).open("rb", buffering=0) as raw, _unpacked(raw, source) as stream:
        cut = source.kind == "text"
        if source.packing:
            buffers = whole_lines(stream, cut=cut)
        else:
            buffers = lines_between(raw, job.start, job.end, cut=cut)
        for text, length, whole in buffers:
            if source.kind == "text":
                tally.documents += line_ends(text, length) + (text[length - 1] != 0x0A)
                yield text, length
            elif whole:
                lines = texts.read(memoryview(text)[:length], tally)
                yield lines, len(lines)
            else:
                tally.broken += 1
            tell(raw.tell() - job.start)


def line_ends(text: bytearray, length: int) -> int:
    """How many there are; numpy counts them three times as fast as `bytearray.count`."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8, length) == 0x0A))


@contextmanager
def _unpacked(raw: FileIO, source: CorpusFile) -> Iterator[_Stream]:
    if source.packing == "gz":
        with gzip.GzipFile(fileobj=raw) as stream:
            yield stream
    elif source.packing == "zst":
        yield _Zstd(raw)
    else:
        yield raw


def lines_between(
    raw: FileIO, start: int, end: int, *, cut: bool = True
) -> Iterator[tuple[bytearray, int, bool]]:
    """As `whole_lines`, of the lines that begin at `start` or later and before `end`."""
    raw.seek(max(0, start - 1))
    if start:
        while (piece := raw.read(1 << 16)) and (line_end := piece.find(b"\n")) < 0:
            pass
        if not piece:
            return
        start = raw.seek(raw.tell() - len(piece) + line_end + 1)
    if start < end:
        yield from whole_lines(raw, end - start, cut=cut)


def whole_lines(
    stream: _Stream, most: int | None = None, *, cut: bool = True
) -> Iterator[tuple[bytearray, int, bool]]:
    """Buffers filled with whole lines, how far, and True.

    With `most`, only lines that begin before that many bytes. A line over `MOST_LINE` comes in
    pieces where it may be `cut`; else it is left out, and a False stands for it.
    """
    buffer = bytearray(BLOCK)
    filled = passed = 0
    while True:
        more = _fill(stream, buffer, filled)
        filled += more
        ends = not more
        if most is not None and passed + filled >= most:
            # The last line that begins before `most` is the one that holds the byte before it.
            last = buffer.find(b"\n", max(0, most - 1 - passed), filled)
            if last >= 0:
                filled, ends = last + 1, True
        length = filled if ends else buffer.rfind(b"\n", 0, filled) + 1
        if not length and filled == len(buffer):
            if len(buffer) < MOST_LINE:
                buffer += bytes(len(buffer))
                continue
            if not cut:
                yield buffer, 0, False
                filled, dropped = _drop_line(stream, buffer)
                passed += len(buffer) + dropped
                if not filled or (most is not None and passed >= most):
                    return
                continue
            length = _cut(buffer, filled)
        if length:
            yield buffer, length, True
            buffer[: filled - length] = buffer[length:filled]
            passed, filled = passed + length, filled - length
        if ends:
            return


def _fill(stream: _Stream, buffer: bytearray, filled: int) -> int:
    with memoryview(buffer) as view:
        return stream.readinto(view[filled:]) or 0


def _drop_line(stream: _Stream, buffer: bytearray) -> tuple[int, int]:
    """Read on to the end of a line; how much of the next ones is in the buffer, how much is gone.

    Nothing in the buffer means that the stream has ended.
    """
    dropped = 0
    while more := _fill(stream, buffer, 0):
        begin = buffer.find(b"\n", 0, more) + 1
        if begin and begin < more:
            buffer[: more - begin] = buffer[begin:more]
            return more - begin, dropped + begin
        dropped += more
        if begin:
            return _fill(stream, buffer, 0), dropped
    return 0, dropped


def _cut(buffer: bytearray, filled: int) -> int:
    """Where to cut a line that is too long: behind a full stop, at a space, or anywhere."""
    half = filled // 2
    for sign in (b". ", b" "):
        if (place := buffer.rfind(sign, half, filled)) >= 0:
            return place + len(sign)
    return filled


class _Zstd:
    """Unpacks a .zst file, to the end of its last frame.

    The library's own stream ends quietly in the middle of a frame that was cut off, and a count
    must not. A piece of `_PACKED` bytes unpacks to 256 MiB at most, whatever it is.
    """

    _PACKED = 8 << 10

    def __init__(self, raw: FileIO) -> None:
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

    def readinto(self, buffer: memoryview) -> int:
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

    def read(self, lines: memoryview, tally: Tally) -> bytes:
        """The texts as lines of UTF-8."""
        try:
            texts = [line.text for line in self._decoder.decode_lines(lines)]
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            texts = [self._one(line, tally) for line in bytes(lines).split(b"\n") if line.strip()]
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


def _parquet(source: CorpusFile, field: str, tally: Tally, tell: Progress) -> Iterator[Block]:
    """A column of a Parquet file, some thousand rows at a time."""
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
                text = as_lines(batch[field].to_list(), tally)
                yield text, len(text)
            tell(source.size * min(rows, start + step) // rows)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise Unreadable(f"is no whole Parquet file: {words[0]}") from None
