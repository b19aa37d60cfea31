"""Files that commands write: whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from geobias.errors import BadRequest

if TYPE_CHECKING:
    import polars as pl

FRAMES = (".parquet", ".csv", ".jsonl")
"""What the name of a file of rows ends in."""


@contextmanager
def draft_of(out: Path) -> Iterator[Path]:
    """Where to write what then takes the name `out`, so that a full disk leaves no half of it.

    What is no plain file (a pipe, a device) is written as it is. Where nothing can be written, a
    `BadRequest` says so.
    """
    draft = out if _is_special(out) else out.with_name(f"{out.name}.{os.getpid()}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        yield draft
        if draft != out:
            draft.replace(out)
    except OSError as error:
        raise BadRequest(f"cannot write {out}: {error.strerror or error}") from None
    finally:
        if draft != out:
            with suppress(OSError):
                draft.unlink()


def _is_special(out: Path) -> bool:
    try:
        return out.exists() and not out.is_file()
    except OSError:
        return False


def write_bytes(content: bytes, out: Path) -> None:
    """Bytes to a file."""
    with draft_of(out) as draft:
        draft.write_bytes(content)


def write_frame(frame: pl.DataFrame, out: Path) -> None:
    """Rows to a file, in the format that its name asks for."""
    import polars as pl

    if out.suffix not in FRAMES:
        raise BadRequest(f"--to {out}: the name must end in .parquet, .csv or .jsonl")
    with draft_of(out) as draft:
        try:
            if out.suffix == ".parquet":
                frame.write_parquet(draft)
            elif out.suffix == ".csv":
                frame.write_csv(draft)
            else:
                frame.write_ndjson(draft)
        except pl.exceptions.PolarsError as error:  # what polars makes of some failures to write
            why = "see whether the disk has room for it"
            raise BadRequest(f"cannot write {out}: {why} ({error})") from None
