"""A count from beginning to end: what is left to do, who does it, and what comes of it.

Finished pieces of a count, kept beside its result so that no piece is counted twice.

A line of JSON each, written when the piece is done; the first line says what is being counted and
how. A piece is known again by its file's path, size, time of change and the hash of its two ends.
The last line of a count that was killed may be cut off: it is dropped.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import msgspec

from geobias.atlas.entities import Entity
from geobias.corpus.matching import Matcher
from geobias.corpus.reading import Job, Progress, Unreadable, blocks, corpus_files, jobs_of
from geobias.corpus.results import CorpusCounts, check_ending, write_table
from geobias.corpus.spellings import Names, Part, Tally, names_of, total
from geobias.errors import BadRequest, CannotWrite, Interrupted, Stopped
from geobias.files import check_folder
from geobias.process import hearing_stop, usable_cores


class JournalHeading(msgspec.Struct, frozen=True):
    """What a journal is of; `names` is the digest of everything looked for, with the rules."""

    names: str
    field: str


class FinishedJob(msgspec.Struct, frozen=True):
    job: Job
    part: Part


class Journal:
    """The journal of one count, open for writing and closed to other processes."""

    def __init__(self, path: Path, heading: JournalHeading) -> None:
        self.path = path
        self.done: dict[Job, Part] = {}
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise CannotWrite(
                f"Cannot write {path} ({error.strerror}): choose another --out."
            ) from None
        try:
            self._open(heading)
        except BaseException:
            os.close(self._file)
            raise

    def _open(self, heading: JournalHeading) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadRequest(
                f"{self.path} is in use: another count is writing to the same --out."
            ) from None
        first, end, rest = self.path.read_bytes().partition(b"\n")
        if not end:
            os.ftruncate(self._file, 0)
            self._write(msgspec.json.encode(heading))
            return
        try:
            known = msgspec.json.decode(first, type=JournalHeading)
        except msgspec.DecodeError:
            raise BadRequest(
                f"{self.path} is no journal of a count: choose another --out."
            ) from None
        if known != heading:
            raise BadRequest(
                f"{self.path} is of another count (other names, rules or field): "
                "begin anew with --again, or choose another --out."
            )
        whole = len(first) + 1
        for line in rest.splitlines(keepends=True):
            try:
                finished = msgspec.json.decode(line, type=FinishedJob)
            except msgspec.DecodeError:
                break
            if not line.endswith(b"\n"):
                break
            self.done[finished.job] = finished.part
            whole += len(line)
        os.ftruncate(self._file, whole)
        os.lseek(self._file, whole, os.SEEK_SET)

    def keep(self, job: Job, part: Part) -> None:
        self._write(msgspec.json.encode(FinishedJob(job, part)))
        self.done[job] = part

    def _write(self, line: bytes) -> None:
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError as error:
            raise CannotWrite(f"Cannot write {self.path}: {error.strerror}.") from None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


SMALL = 32 << 20
"""A corpus of fewer bytes is counted by this process: others take longer to start."""
REFRESH_SECONDS = 0.2
BIG_PAGES = "glibc.malloc.hugetlb=1"
"""Asks the C library for big memory pages, where the kernel leaves that to programs. The automaton
is hundreds of megabytes that are jumped about in: a tenth of the time goes into finding pages."""

Done = tuple[Job, "Part | str"]
"""A job with its counts, or with why its file cannot be read."""


class Engine(Protocol):
    """Who does the jobs: yields each when it is done. Raises `Stopped` when it cannot go on."""

    def __call__(
        self, jobs: Sequence[Job], names: Names, field: str, progress: Progress
    ) -> Iterator[Done]: ...


def count(
    paths: Sequence[Path],
    table: Mapping[str, Entity],
    out: Path,
    *,
    field: str = "text",
    languages: Sequence[str] | None = None,
    engine: Engine | None = None,
    again: bool = False,
    start: Callable[[int, int], None] | None = None,
    progress: Progress | None = None,
    table_digest: str = "",
) -> CorpusCounts:
    """Count the entities of a table in a corpus, and write the counts to `out`.

    What an earlier count of the same names has finished is not read again, unless `again`.
    `start` is called once with the bytes of the corpus and how many of them are done already.
    A file that cannot be read to its end is left out as a whole and named in the result.
    """
    check_ending(out)
    check_folder(out)
    names = names_of(table, languages)
    if not names.patterns:
        raise BadRequest("There is nothing to count: the table has no names in these languages.")
    sources, others = corpus_files(paths)
    jobs = jobs_of(sources)
    path = out.with_name(out.name + ".journal")
    if again:
        path.unlink(missing_ok=True)
    with Journal(path, JournalHeading(names.digest, field)) as journal:
        todo = [job for job in jobs if job not in journal.done]
        if start:
            size = sum(source.size for source in sources)
            start(size, size - sum(job.end - job.start for job in todo))
        unread: dict[str, str] = {}
        for job, part in (engine or local_engine())(
            todo, names, field, progress or (lambda _: None)
        ):
            if isinstance(part, str):
                unread[job.source.path] = part
            else:
                journal.keep(job, part)
        whole = total(journal.done[job] for job in jobs if job.source.path not in unread)
    if not whole.documents and whole.without:
        raise BadRequest(f"No document has text under the field {field!r}: name it with --field.")
    counts = CorpusCounts(
        table=table,
        names=names,
        total=whole,
        files=[source for source in sources if source.path not in unread],
        unread=unread,
        others=others,
        field=field,
        table_digest=table_digest,
    )
    write_table(counts.frame(), counts.note(), out)
    return counts


def do_job(
    job: Job, matcher: Matcher, field: str, progress: Progress, stop: Callable[[], bool]
) -> Part | str:
    """Count one piece. Raises `Interrupted` between two blocks when told to stop."""
    tally = Tally(matcher.names)
    try:
        for text in blocks(job, field, tally, progress):
            matcher.scan(text, tally)
            if stop():
                raise Interrupted("stopped as you asked: the same command goes on from here")
    except Unreadable as error:
        return str(error)
    return tally.part()


def local_engine(workers: int | None = None) -> Engine:
    """This machine: a process for each core, or this process alone for a small corpus."""

    def engine(jobs: Sequence[Job], names: Names, field: str, progress: Progress) -> Iterator[Done]:
        number = min(workers or usable_cores(), len(jobs))
        small = workers is None and sum(job.end - job.start for job in jobs) < SMALL
        if number > 1 and not small:
            yield from _processes(jobs, names, field, progress, number)
        elif jobs:
            matcher = Matcher(names)
            with hearing_stop() as stop:
                for job in jobs:
                    yield job, do_job(job, matcher, field, progress, stop.is_set)

    return engine


_count_job: list[Callable[[Job], Part | str]] = []
"""In a worker process, how it does its jobs."""


def _begin(names: Names, field: str, read: Any, stop: Any) -> None:
    """Start a worker process. Ctrl-C is for the first process, which then tells the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["POLARS_MAX_THREADS"] = "1"

    def progress(number: int) -> None:
        with read.get_lock():
            read.value += number

    matcher = Matcher(names)
    _count_job.append(lambda job: do_job(job, matcher, field, progress, stop.is_set))


def _work(job: Job) -> Part | str:
    (count_job,) = _count_job
    return count_job(job)


def _processes(
    jobs: Sequence[Job], names: Names, field: str, progress: Progress, number: int
) -> Iterator[Done]:
    # Started afresh: a fork would carry threads' locks over.
    context = multiprocessing.get_context("spawn")
    read, stop = context.Value("q", 0), context.Event()
    reported = 0
    with (
        _environment("GLIBC_TUNABLES", BIG_PAGES),
        ProcessPoolExecutor(number, context, _begin, (names, field, read, stop)) as pool,
        hearing_stop() as asked,
    ):
        futures: dict[Future[Part | str], Job] = {pool.submit(_work, job): job for job in jobs}
        try:
            while futures:
                ready, _ = wait(futures, REFRESH_SECONDS, FIRST_COMPLETED)
                progress(read.value - reported)
                reported = read.value
                for future in ready:
                    yield futures.pop(future), future.result()
                if asked.is_set():
                    raise Interrupted("stopped as you asked: the same command goes on from here")
        except BrokenProcessPool:
            raise Stopped(
                "A process that was counting is gone, for want of memory perhaps: the same command "
                "goes on from here; fewer --workers need less."
            ) from None
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    """Processes that are started meanwhile have this variable, unless the user has set it."""
    if name in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
