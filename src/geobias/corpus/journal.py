"""Finished pieces of a count, kept beside its result so that no piece is counted twice.

A line of JSON each, written when the piece is done; the first line says what is being counted and
how. A piece is known again by its file's path, size, time of change and the hash of its two ends.
The last line of a count that was killed may be cut off: it is dropped.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import msgspec

from geobias.corpus.files import Job
from geobias.corpus.tally import Part
from geobias.errors import BadRequest, CannotWrite


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
