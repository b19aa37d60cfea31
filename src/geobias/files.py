"""Write files atomically: either the whole file is written, or the old one stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from geobias.errors import BadRequest, CannotWrite, GeobiasError


@contextmanager
def draft_of(out: Path, refusal: type[GeobiasError] = CannotWrite) -> Iterator[Path]:
    """Yield a draft's path; at the end the draft replaces `out`. If writing fails, `out` stays.

    The draft lies in the same folder and is renamed only when it is on the disk, so neither a full
    disk nor a power cut leaves half a file. If `out` is not a regular file (a pipe, a device), it
    is written directly. If the file cannot be written, the error `refusal` is raised.
    """
    draft = out if _is_special(out) else out.with_name(f"{out.name}.{os.getpid()}.part")
    try:
        if not out.parent.exists():
            out.parent.mkdir(parents=True, exist_ok=True)
        if draft != out:
            _made_anew(draft)
        yield draft
        if draft != out:
            sync(draft)
            draft.replace(out)
    except OSError as error:
        raise refusal(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        if draft != out:
            with suppress(OSError):
                draft.unlink()


def check_folder(out: Path) -> None:
    """Raise an error if the folder of `out` does not exist, before any work is done."""
    if not out.name or not out.parent.is_dir():
        raise BadRequest(f"{out} cannot be written: there is no folder {out.parent}.")


def write_whole(out: Path, content: bytes, refusal: type[GeobiasError] = CannotWrite) -> None:
    """Write the whole content to a file atomically, as `draft_of` does."""
    with draft_of(out, refusal) as draft:
        draft.write_bytes(content)


def _made_anew(draft: Path) -> None:
    """Create an empty file, never following a link.

    In a folder where others may write, somebody who guesses the draft's name could put a link
    there, so that the content would be written elsewhere.
    """
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))


def sync(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _is_special(out: Path) -> bool:
    try:
        return out.exists() and not out.is_file()
    except OSError:
        return False
