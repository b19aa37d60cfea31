"""Corpus files as blocks of text in which every line is a document.

A block is about a megabyte, so memory does not grow with the file. Line breaks inside a document of
JSON lines or Parquet become spaces, so a name across a line break counts. In a text file each line
is a document, so such a name does not count.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import polars as pl

from geobias.errors import BadRequest, MissingPart

READS = ".txt, .jsonl (.json, .ndjson), both also .gz or .zst, and .parquet"
_READ = re.compile(r"\.(txt|(jsonl|json|ndjson))(\.gz|\.zst)?$|\.parquet$", re.IGNORECASE)
BLOCK = 1 << 20
"""Size of a block, which fits in a core's cache between reading and searching."""
MOST_LINE = 64 << 20
"""Maximum size of a line. A longer line is split, and in JSON lines its pieces count as broken."""
SLICE = 32 << 20
"""Approximate bytes of a Parquet file that are unpacked together, about 100 MB of text. Polars
unpacks a whole row group for every slice of it, so smaller slices would cost time.
"""
_PACKED = 8 << 10
"""Packed bytes that are unpacked at once, to at most 256 MiB."""


class CorpusFile(msgspec.Struct, frozen=True):
    """A file of the corpus as it was when the count listed it."""

    path: str
    size: int
    mtime_ns: int


class Tally(msgspec.Struct, kw_only=True):
    """The counts of a part of the corpus. Names that do not occur are left out.

    documents       number of documents with text
    bytes           size of these documents
    broken          number of lines that are not JSON
    without         number of documents without text in the field
    counts          spelling → number of occurrences
    documents_with  entity → number of documents that name it
    shared          entity → number of occurrences in forms that another entity has too
    """

    documents: int = 0
    bytes: int = 0
    broken: int = 0
    without: int = 0
    counts: dict[int, int] = {}
    documents_with: dict[int, int] = {}
    shared: dict[int, int] = {}

    def add(self, other: Tally) -> None:
        for name in self.__struct_fields__:
            own, more = getattr(self, name), getattr(other, name)
            if isinstance(own, int):
                setattr(self, name, own + more)
                continue
            for place, number in more.items():
                own[place] = own.get(place, 0) + number


class Unreadable(Exception):
    """A file is not what its name says, or is incomplete; the message says which."""


def corpus_files(paths: Sequence[Path]) -> tuple[list[CorpusFile], int]:
    """Every file of the corpus once, the biggest first, and the number of other files in its
    folders.

    Hidden files and folders are skipped. A file that the user named must be readable.
    """
    corpus: dict[str, CorpusFile] = {}
    others = 0
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if hidden or file.is_dir():
                continue
            if _READ.search(file.name):
                source = _corpus_file(file)
                corpus.setdefault(source.path, source)
            elif file == path:
                raise BadRequest(f"{path} is not a corpus: {READS} are read.")
            else:
                others += 1
    if not corpus:
        raise BadRequest(f"There is no corpus in {', '.join(map(str, paths))}: {READS} are read.")
    return sorted(corpus.values(), key=lambda one: -one.size), others


def _corpus_file(path: Path) -> CorpusFile:
    try:
        status = path.stat()
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror or error}.") from None
    return CorpusFile(str(path.resolve()), status.st_size, status.st_mtime_ns)


def blocks(path: Path, field: str, tally: Tally) -> Iterator[bytes]:
    """Yield the text of a file. `tally` records what was read and what could not be."""
    kind = _READ.search(path.name)
    assert kind is not None
    try:
        if kind[1] is None:
            yield from _parquet(path, field, tally)
            return
        with path.open("rb") as raw:
            for lines in whole_lines(_unpacked(raw, (kind[3] or "").lower())):
                if kind[2]:
                    yield _json_texts(lines, field, tally)
                else:
                    tally.documents += lines.count(b"\n") + (not lines.endswith(b"\n"))
                    tally.bytes += len(lines)
                    yield lines
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None


def _unpacked(raw: BinaryIO, packing: str) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file to the end of its last frame.

    Raises `Unreadable` if the file was cut off.
    """
    if not packing:
        yield from iter(lambda: raw.read(BLOCK), b"")
        return
    new, broken = _decompressor(packing)
    frame = None
    try:
        while packed := raw.read(_PACKED):
            while packed:
                frame = frame or new()
                yield frame.decompress(packed)
                packed = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    except broken as error:
        raise Unreadable(f"is not a whole {packing} file: {error}") from None
    if frame is not None:
        raise Unreadable(f"is not a whole {packing} file: it ends in the middle")


def _decompressor(packing: str) -> tuple[Callable[[], Any], type[Exception]]:
    """A function that makes a decompressor for one frame, and the error that it raises."""
    if packing == ".gz":
        return partial(zlib.decompressobj, wbits=31), zlib.error
    try:
        import zstandard
    except ImportError:
        raise MissingPart(
            "reading .zst needs the library zstandard: pip install 'geobias[count]'"
        ) from None
    unpack = zstandard.ZstdDecompressor(max_window_size=1 << 31)  # as `zstd --long=31` needs
    return unpack.decompressobj, zstandard.ZstdError


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield whole lines, about `BLOCK` bytes at a time. A line over `MOST_LINE` is split."""
    rest = b""
    for piece in pieces:
        rest += piece
        if len(rest) >= BLOCK:
            lines, end, left = rest.rpartition(b"\n")
            if lines or len(rest) > MOST_LINE:
                yield lines + end or left
                rest = left if lines or end else b""
    if rest:
        yield rest


def _json_texts(lines: bytes, field: str, tally: Tally) -> bytes:
    """The field's text of each JSON line, as lines of UTF-8."""
    line = msgspec.defstruct(
        "Line", [("text", str | None, msgspec.field(name=field, default=None))]
    )
    try:
        every: list[Any] = msgspec.json.Decoder(line).decode_lines(lines)
        return _as_lines([one.text for one in every], tally)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        texts = []
    for one in filter(bytes.strip, lines.split(b"\n")):
        # `json` accepts what msgspec refuses, such as lone surrogates.
        try:
            found = json.loads(one)
        except (ValueError, RecursionError):
            tally.broken += 1
            continue
        text = found.get(field) if isinstance(found, dict) else None
        texts.append(text if isinstance(text, str) else None)
    return _as_lines(texts, tally)


def _as_lines(texts: Sequence[str | None], tally: Tally) -> bytes:
    there = [text.replace("\n", " ") for text in texts if text is not None]
    tally.documents += len(there)
    tally.without += len(texts) - len(there)
    text = "\n".join(there).encode("utf-8", "replace")
    tally.bytes += len(text)
    return text


def _parquet(path: Path, field: str, tally: Tally) -> Iterator[bytes]:
    """Yield a column of a Parquet file, some thousand rows at a time."""
    try:
        frame = pl.scan_parquet(path, glob=False)
        rows = frame.select(pl.len()).collect().item()
        if frame.collect_schema().get(field) != pl.String:
            tally.without += rows
            return
        step = max(4096, rows * SLICE // max(1, path.stat().st_size))
        for start in range(0, rows, step):
            piece = frame.select(field).slice(start, step).collect()
            for batch in piece.iter_slices(4096):
                yield _as_lines(batch[field].to_list(), tally)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        raise Unreadable(f"is not a whole Parquet file: {words[0]}") from None
