"""Counting a corpus: the list of files, the worker processes, and the result.

A journal beside the result lists finished files, one JSON line each, so that none is counted twice.
Its first line says what is counted. A file is recognised by its path, size and modification time.
If a killed count left its last line incomplete, that line is dropped.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import polars as pl

from geobias.atlas.entities import Entity
from geobias.corpus.matching import Matcher
from geobias.corpus.reading import CorpusFile, Tally, Unreadable, blocks, corpus_files
from geobias.corpus.results import COLUMNS, CountNote, check_ending, write_counts
from geobias.corpus.spellings import COMMON_NOUNS, RULES, Names, names_of
from geobias.errors import BadRequest, CannotWrite, Interrupted, Stopped
from geobias.files import check_folder
from geobias.process import hearing_stop, usable_cores
from geobias.untrusted import Undecodable, json_value

SMALL = 32 << 20
"""A corpus of fewer bytes is counted without worker processes, which take long to start."""
REFRESH_SECONDS = 0.2
STOPPED = "stopped as you asked: the same command resumes"

Progress: TypeAlias = Callable[[int, int], None]
"""Called after each file with the bytes done and the bytes of the whole corpus."""
Done: TypeAlias = tuple[CorpusFile, Tally | str]
"""A file with its counts, or with the reason why it cannot be read."""


class JournalHeading(msgspec.Struct, frozen=True):
    """The first line of a journal, which identifies the count. `names` is the digest of all names
    and rules.
    """

    names: str
    field: str


class FinishedFile(msgspec.Struct, frozen=True):
    file: CorpusFile
    tally: Tally


class Journal:
    def __init__(self, path: Path, heading: JournalHeading) -> None:
        self.path = path
        self.done: dict[CorpusFile, Tally] = {}
        if not path.exists():
            self._write(msgspec.json.encode(heading), "xb")
            return
        first, *lines = path.read_bytes().splitlines(keepends=True) or [b""]
        try:
            known = msgspec.json.decode(first, type=JournalHeading)
        except msgspec.DecodeError:
            raise BadRequest(
                f"{path} is not the journal of a count: choose another --out."
            ) from None
        if known != heading:
            raise BadRequest(
                f"{path} belongs to another count (other names, rules or field): "
                "start over with --again, or choose another --out."
            )
        whole = len(first)
        for number, line in enumerate(lines, start=2):
            if not line.endswith(b"\n"):
                break
            try:
                finished = json_value(line, FinishedFile)
            except Undecodable as error:
                raise BadRequest(
                    f"{path} is damaged (line {number}: {error}): start over with --again."
                ) from None
            self.done[finished.file] = finished.tally
            whole += len(line)
        os.truncate(path, whole)

    def keep(self, file: CorpusFile, tally: Tally) -> None:
        self._write(msgspec.json.encode(FinishedFile(file, tally)), "ab")
        self.done[file] = tally

    def _write(self, line: bytes, mode: str) -> None:
        try:
            with self.path.open(mode) as file:
                file.write(line + b"\n")
        except OSError as error:
            raise CannotWrite(f"Cannot write {self.path}: {error.strerror}.") from None


def count(
    paths: Sequence[Path],
    table: Mapping[str, Entity],
    out: Path,
    *,
    field: str = "text",
    languages: Sequence[str] | None = None,
    workers: int | None = None,
    again: bool = False,
    progress: Progress | None = None,
    table_digest: str = "",
) -> tuple[pl.DataFrame, CountNote]:
    """Count the entities of a table in a corpus and return the counts with a note on how they were
    made.

    Counts and note are also written to `out`. Files that an earlier count of the same names has
    finished are read again only if `again` is true. If a file cannot be read to its end, the whole
    file is left out, and the note says why (`unread`).
    """
    check_ending(out)
    check_folder(out)
    names = names_of(table, languages)
    if not names.patterns:
        raise BadRequest("There is nothing to count: the table has no names in these languages.")
    files, others = corpus_files(paths)
    path = out.with_name(out.name + ".journal")
    if again:
        path.unlink(missing_ok=True)
    journal = Journal(path, JournalHeading(names.digest, field))
    todo = [file for file in files if file not in journal.done]
    size = sum(file.size for file in files)
    here = size - sum(file.size for file in todo)
    unread: dict[str, str] = {}
    for file, tally in _counted(todo, names, field, workers):
        if isinstance(tally, str):
            unread[file.path] = tally
        else:
            journal.keep(file, tally)
        here += file.size
        if progress:
            progress(here, size)
    files = [file for file in files if file.path not in unread]
    total = Tally()
    for file in files:
        total.add(journal.done[file])
    if not total.documents and total.without:
        raise BadRequest(f"No document has text under the field {field!r}: name it with --field.")
    note = CountNote(
        entities=len(names.entities),
        spellings=len(names.spellings),
        table_sha256=table_digest,
        names_digest=names.digest,
        rules={"version": RULES, "common_nouns": sorted(COMMON_NOUNS)},
        field=field,
        documents=total.documents,
        bytes=total.bytes,
        broken_lines=total.broken,
        without_text=total.without,
        files=files,
        unread=unread,
        other_files=others,
    )
    frame = _frame(table, names, total)
    write_counts(frame, note, out)
    return frame, note


def _frame(table: Mapping[str, Entity], names: Names, total: Tally) -> pl.DataFrame:
    """Make a row for each entity with its counts.

    `count` is the number of times that the entity is named, and `documents` the number of documents
    that name it. `shared` is the part of `count` from spellings that also name another entity. A
    further column has the count by spelling. Counts are None, not 0, if the entity has no name in
    the languages.
    """
    spelled: dict[int, dict[str, int]] = {}
    for place, name in enumerate(names.spellings):
        spelled.setdefault(name.entity, {})[name.text] = total.counts.get(place, 0)
    rows = []
    for place, entity in enumerate(table.values()):
        found: list[Any] = [None, None, None, ""]
        if own := spelled.get(place):
            seen = (total.documents_with.get(place, 0), total.shared.get(place, 0))
            found = [sum(own.values()), *seen, "|".join(f"{text}={n}" for text, n in own.items())]
        rows.append([getattr(entity, column) for column in COLUMNS[:5]] + found)
    text, numbers = (*COLUMNS[:5], COLUMNS[-1]), COLUMNS[5:8]
    types = dict.fromkeys(text, pl.String) | dict.fromkeys(numbers, pl.Int64)
    return pl.DataFrame(rows, {name: types[name] for name in COLUMNS}, orient="row")


def tally_file(
    file: CorpusFile, matcher: Matcher, field: str, stop: Callable[[], bool]
) -> Tally | str:
    """Count one file. Raises `Interrupted` between two blocks when told to stop."""
    tally = Tally()
    try:
        for text in blocks(Path(file.path), field, tally):
            matcher.scan(text, tally)
            if stop():
                raise Interrupted(STOPPED)
    except Unreadable as error:
        return str(error)
    return tally


def _counted(
    files: Sequence[CorpusFile], names: Names, field: str, workers: int | None
) -> Iterator[Done]:
    """Count the files, in a process for each core, or in this process if the corpus is small."""
    number = min(workers or usable_cores(), len(files))
    small = workers is None and sum(file.size for file in files) < SMALL
    if number > 1 and not small:
        yield from _processes(files, names, field, number)
    elif files:
        matcher = Matcher(names)
        with hearing_stop() as stop:
            for file in files:
                yield file, tally_file(file, matcher, field, stop.is_set)


_worker: list[Callable[[CorpusFile], Tally | str]] = []
"""The function that counts a file, set in each worker process."""


def _begin(names: Names, field: str, stop: Any) -> None:
    """Start a worker process. It ignores Ctrl-C; the main process tells it to stop."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["POLARS_MAX_THREADS"] = "1"
    matcher = Matcher(names)
    _worker.append(lambda file: tally_file(file, matcher, field, stop.is_set))


def _work(file: CorpusFile) -> Tally | str:
    (tallied,) = _worker
    return tallied(file)


def _processes(
    files: Sequence[CorpusFile], names: Names, field: str, number: int
) -> Iterator[Done]:
    # Spawned, since a fork would copy locks that threads hold.
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    with (
        ProcessPoolExecutor(number, context, _begin, (names, field, stop)) as pool,
        hearing_stop() as asked,
    ):
        futures: dict[Future[Tally | str], CorpusFile] = {
            pool.submit(_work, file): file for file in files
        }
        try:
            while futures:
                for future in wait(futures, REFRESH_SECONDS, FIRST_COMPLETED).done:
                    yield futures.pop(future), future.result()
                if asked.is_set():
                    raise Interrupted(STOPPED)
        except BrokenProcessPool:
            raise Stopped(
                "A worker process died, possibly out of memory: enter the same command to resume; "
                "fewer --workers need less memory."
            ) from None
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
