"""Puts other records into a run file: those that its stored replies are read as now."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from geobias.errors import BadRunFile, CannotWrite
from geobias.runfile.lock import WriterLock
from geobias.runfile.manifest import Manifest

_encode = msgspec.json.Encoder().encode


def rewrite(
    path: Path, manifest: Manifest, rows: Iterable[tuple[Mapping[str, Any], bytes]]
) -> None:
    """Replace the manifest and these records, each with the digests of its replies, in one
    transaction: a file that cannot be written to stays as it was."""
    lock = WriterLock(path)
    try:
        with closing(sqlite3.connect(path)) as file, file:
            for row, digests in rows:
                file.execute(
                    "UPDATE records SET country = ?, outcome = ?, replies = ?, record = ? "
                    "WHERE trial = ?",
                    (
                        row["country"],
                        row["outcome"],
                        digests,
                        _encode(row).decode(),
                        row["trial"],
                    ),
                )
            text = _encode(manifest).decode()
            file.execute("UPDATE manifest SET value = ? WHERE key = 'manifest'", (text,))
    except sqlite3.DatabaseError as error:
        kind = BadRunFile if "malformed" in str(error) else CannotWrite
        raise kind(f"cannot write the records of {path}: {error}") from None
    finally:
        lock.release()
