"""Which files are the corpus, and how they are dealt out as work."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from geobias.errors import BadRequest

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
