"""Counts how often a corpus names each entity: its files, their texts, processes, and the result.

The counts of each finished file are kept in a folder beside the result, so that the same command
does not read the file again. Their name is a digest of the names that were searched for and of the
file's path, size and time.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import msgspec
import polars as pl

from geobias.atlas.entities import Entity
from geobias.corpus.matching import Matcher, Names, Tally, names_of
from geobias.errors import BadRequest, MissingPart, Stopped
from geobias.files import check_folder, draft_of, write_whole
from geobias.process import usable_cores
from geobias.untrusted import Undecodable, json_value

READS = ".txt, .jsonl (.json, .ndjson), both also .gz or .zst, and .parquet"
_READ = re.compile(r"\.(txt|(jsonl|json|ndjson))(\.gz|\.zst)?$|\.parquet$", re.IGNORECASE)
SMALL = 32 << 20
"""A corpus of fewer bytes is counted without worker processes, which take long to start."""
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
COLUMNS = ("id", "name", "type", "category", "country")

Progress: TypeAlias = Callable[[int, int], None]
"""Called after each file with the bytes done and the bytes of the whole corpus."""


class Unreadable(Exception):
    """A file is not what its name says, or is incomplete."""


# Files and their texts ----------------------------------------------------------------------------


def corpus_files(paths: Sequence[Path]) -> list[Path]:
    """Every file of the corpus once, the biggest first. Hidden files and folders are skipped."""
    corpus: dict[Path, int] = {}
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if _READ.search(file.name) and not hidden and file.is_file():
                corpus[file.resolve()] = file.stat().st_size
            elif file == path:
                why = "is not a corpus" if path.exists() else "does not exist"
                raise BadRequest(f"{path} {why}: {READS} are read.")
    if not corpus:
        raise BadRequest(f"There is no corpus in {', '.join(map(str, paths))}: {READS} are read.")
    return sorted(corpus, key=lambda file: (-corpus[file], file))


def blocks(path: Path, field: str, tally: Tally) -> Iterator[bytes]:
    """Yield the text of a file, a document in each line, about a megabyte at a time.

    `tally` records what was read and what could not be. Line breaks inside a document of JSON lines
    or Parquet become spaces, so a name across a line break counts.
    """
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
    """Yield the unpacked bytes of a file to the end of its last frame."""
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
    text = msgspec.field(name=field, default=None)
    decoder: Any = msgspec.json.Decoder(msgspec.defstruct("Line", [("text", Any, text)]))
    broken = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
    try:
        return _as_lines([one.text for one in decoder.decode_lines(lines)], tally)
    except broken:
        texts = []
    for line in filter(bytes.strip, lines.split(b"\n")):
        try:
            texts.append(decoder.decode(line).text)
        except broken:
            tally.broken += 1
    return _as_lines(texts, tally)


def _as_lines(texts: Sequence[object], tally: Tally) -> bytes:
    there = [text.replace("\n", " ") for text in texts if isinstance(text, str)]
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


# Counting -----------------------------------------------------------------------------------------


def tally_file(file: Path, field: str, matcher: Matcher) -> Tally:
    tally = Tally()
    for text in blocks(file, field, tally):
        matcher.scan(text, tally)
    return tally


Job: TypeAlias = tuple[Path, Path]
"""A file, and where its counts are kept."""
Work: TypeAlias = Callable[[Job], str]
_matcher: list[Matcher] = []


def _begin(names: Names) -> None:
    os.environ["POLARS_MAX_THREADS"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a worker without a traceback
    _matcher[:] = [Matcher(names)]


def _count_file(field: str, job: Job) -> str:
    """Write the counts of a file. Return why it cannot be read, or ""."""
    file, kept = job
    try:
        tally = tally_file(file, field, _matcher[0])
    except Unreadable as error:
        return str(error)
    write_whole(kept, msgspec.json.encode(tally))
    return ""


def count(
    paths: Sequence[Path],
    table: Mapping[str, Entity],
    out: Path,
    *,
    field: str = "text",
    workers: int | None = None,
    progress: Progress = lambda here, size: None,
) -> tuple[pl.DataFrame, Tally, Mapping[Path, str]]:
    """Return the counts (also written to `out`), what was read, and why files were left out.

    A file that cannot be read to its end is left out whole.
    """
    if out.suffix.lower() not in (".parquet", ".csv"):
        raise BadRequest(f"{out} cannot be written: its name must end in .parquet or .csv.")
    check_folder(out)
    names, files = names_of(table), corpus_files(paths)
    sought = sha256(msgspec.json.encode([names, field])).hexdigest()
    parts = {file: out.with_name(f"{out.name}.parts") / _part(file, sought) for file in files}
    todo = [job for job in parts.items() if not job[1].exists()]
    size, left = (sum(file.stat().st_size for file in own) for own in (files, dict(todo)))
    number = min(workers or usable_cores(), len(todo))
    small = number < 2 or (workers is None and left < SMALL)
    counted = _here if small else partial(_in_processes, number)
    unread = {}
    for (file, _), why in zip(todo, counted(names, partial(_count_file, field), todo), strict=True):
        left -= file.stat().st_size
        progress(size - left, size)
        if why:
            unread[file] = why
    total = Tally()
    for file in files:
        if file not in unread:
            total.add(_read_part(parts[file]))
    if not total.documents and total.without:
        raise BadRequest(f"No document has text under the field {field!r}: name it with --field.")
    frame = pl.DataFrame(
        [
            {name: getattr(entity, name) for name in COLUMNS}
            | {"count": total.count.get(place, 0), "documents": total.named_in.get(place, 0)}
            | {"shared": total.shared.get(place, 0)}
            for place, entity in enumerate(table.values())
        ]
    )
    with draft_of(out) as draft:
        (frame.write_csv if out.suffix.lower() == ".csv" else frame.write_parquet)(draft)
    return frame, total, unread


def _part(file: Path, sought: str) -> str:
    status = file.stat()
    told = f"{sought} {file} {status.st_size} {status.st_mtime_ns}"
    return f"{sha256(told.encode(errors='replace')).hexdigest()[:32]}.json"


def _read_part(part: Path) -> Tally:
    try:
        return json_value(part.read_bytes(), Tally)
    except Undecodable as error:
        raise BadRequest(f"{part} is damaged ({error}): delete it and count again.") from None


def _here(names: Names, work: Work, jobs: Sequence[Job]) -> Iterator[str]:
    if jobs:
        _matcher[:] = [Matcher(names)]
    yield from map(work, jobs)


def _in_processes(number: int, names: Names, work: Work, jobs: Sequence[Job]) -> Iterator[str]:
    # Spawned, since a fork would copy locks that threads hold.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(number, context, _begin, (names,))
    try:
        yield from pool.map(work, jobs)
    except BrokenProcessPool:
        raise Stopped(
            "A worker process died, possibly out of memory: enter the same command to resume; "
            "fewer --workers need less memory."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def read_counts(path: Path) -> Mapping[str, int | None]:
    """Read how often each entity is named from a table with the columns `id` and `count`."""
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
