"""One writer per run file, and a little disk space kept back for the last replies.

The lock is a file beside the run file, held with flock(2): the kernel lets go of it however the
process ends. SQLite's own locks are not used for this, since readers must be able to look at a
run that is still going.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from pathlib import Path

from geobias.errors import BadRunFile, CannotWrite

LOCKS_HELD = Path("/proc/locks")
QUIET_SECONDS = 600.0
"""A model that takes longer for an answer is taken for gone."""
RESERVE_BYTES = 8 << 20
"""Room for what is in flight when the disk fills: a thousand replies in one transaction, which
take more than their text, since SQLite writes a page of 4 KiB for every place it touches."""


class WriterLock:
    """Held from opening to closing; released by the kernel if the process dies."""

    def __init__(self, run: Path) -> None:
        self.path = run.with_name(run.name + "-lock")
        while True:
            try:
                self._fd = _opened(self.path)
            except OSError as error:
                raise CannotWrite(f"cannot write beside {run}: {error.strerror}") from None
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(self._fd)
                raise BadRunFile(
                    f"another geobias is writing {run}; wait for it, or choose another --out"
                ) from None
            if self._is_current():
                break
            os.close(self._fd)  # a former holder removed it between our open and our lock
        try:
            _fill(self._fd)
        except OSError:  # no room for the reserve: the run file will say so soon enough
            self.give_reserve()

    def _is_current(self) -> bool:
        try:
            return os.fstat(self._fd).st_ino == self.path.stat().st_ino
        except FileNotFoundError:
            return False

    def give_reserve(self) -> None:
        os.ftruncate(self._fd, 0)

    def release(self) -> None:
        """Let go. Only after the run file itself is closed."""
        self.path.unlink(missing_ok=True)
        os.close(self._fd)


def _fill(fd: int) -> None:
    """Take the reserve from the disk: at once where the file system can, else by writing it."""
    try:
        os.posix_fallocate(fd, 0, RESERVE_BYTES)
    except (AttributeError, OSError):  # macOS has none, and not every file system can
        os.pwrite(fd, bytes(RESERVE_BYTES), 0)


def _opened(path: Path) -> int:
    """The lock file, there or made. Where others may write, its name may be a link of theirs to a
    file of ours, or a second name of it: the reserve would be written over it."""
    refused = OSError(errno.ELOOP, f"{path.name} is no plain file; remove it")
    if path.is_symlink():
        raise refused
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(fd)
        raise refused
    return fd


def is_written(run: Path) -> bool:
    """Whether an engine has the run file open for writing just now, without taking the lock.

    Taking it, even for an instant, would refuse an engine that starts in that instant. Linux lists
    the locks that are held; elsewhere, and where the list is hidden, a lock file beside a run that
    was written to in the last minutes has to do.
    """
    try:
        lock = run.with_name(run.name + "-lock").stat()
    except OSError:
        return False
    try:
        held = LOCKS_HELD.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        touched = [path.stat().st_mtime for path in (run, Path(f"{run}-wal")) if path.exists()]
        return time.time() - max(touched, default=0.0) < QUIET_SECONDS
    major, minor = os.major(lock.st_dev), os.minor(lock.st_dev)
    # Layered file systems have no device of their own, and the list may name the one below.
    device = f"{major:02x}:{minor:02x}" if major else ""
    mark = f"{device}:{lock.st_ino} "
    return any("FLOCK" in line and mark in line for line in held.splitlines())
