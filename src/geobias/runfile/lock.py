"""The writer's lock on a run file, and disk space reserved for the last replies.

The lock is a file beside the run file, held with flock(2), which the kernel releases however the
process ends. SQLite's own locks are not suitable, since readers must be able to read a run that is
going on.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from pathlib import Path

from geobias.errors import BadRunFile, CannotWrite

LOOK_SECONDS = 0.2
"""How long a writer tries to take the lock, since `is_written` holds it for a moment."""
RESERVE_BYTES = 8 << 20
"""Disk space for the calls in flight when the disk fills: a thousand replies in one transaction.
They need more than their text, since SQLite writes a page of 4 KiB for every place that it changes.
"""


class WriterLock:
    """The lock that the only writer of a run file holds from opening to closing."""

    def __init__(self, run: Path) -> None:
        self.path = run.with_name(run.name + "-lock")
        give_up = time.monotonic() + LOOK_SECONDS
        while True:
            try:
                self._fd = _opened(self.path)
            except OSError as error:
                raise CannotWrite(
                    f"cannot write beside {run} ({error.strerror}); choose another --out"
                ) from None
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(self._fd)
                if time.monotonic() < give_up:
                    time.sleep(0.01)
                    continue
                raise BadRunFile(
                    f"another geobias is writing {run}; wait for it, or choose another --out"
                ) from None
            if self._is_current():
                break
            os.close(self._fd)  # removed by its holder between our open and our lock
        try:
            _fill(self._fd)
        except OSError:  # no room for the reserve; writing the run will report it
            self.give_reserve()

    def _is_current(self) -> bool:
        try:
            return os.fstat(self._fd).st_ino == self.path.stat().st_ino
        except FileNotFoundError:
            return False

    def give_reserve(self) -> None:
        os.ftruncate(self._fd, 0)

    def release(self) -> None:
        """Release the lock. Call it only after the run file is closed."""
        self.path.unlink(missing_ok=True)
        os.close(self._fd)


def _fill(fd: int) -> None:
    """Reserve the disk space: at once if the file system can, else by writing it."""
    try:
        os.posix_fallocate(fd, 0, RESERVE_BYTES)
    except (AttributeError, OSError):  # missing on macOS and some file systems
        os.pwrite(fd, bytes(RESERVE_BYTES), 0)


def _opened(path: Path) -> int:
    """Open or create the lock file, refusing links.

    In a folder where others may write, somebody may have made the lock's name a link to one of the
    user's files. The reserve would overwrite that file.
    """
    refused = OSError(errno.ELOOP, f"{path.name} is not a regular file; remove it")
    if path.is_symlink():
        raise refused
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(fd)
        raise refused
    return fd


def is_written(run: Path) -> bool:
    """Whether an engine is writing the run file now."""
    try:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        fd = os.open(run.with_name(run.name + "-lock"), flags)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False
