"""Reviewers' verdicts on a run's readings, stored in the run file itself.

Each verdict is written in a short transaction, even while an engine writes the file: the engine's
lock protects replies and records, which a verdict never changes. A verdict is identified by
(reviewer, sample, item), and a later verdict replaces an earlier one.

The first verdict creates the table, so older readers can still open the file.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import msgspec

from geobias.runfile import schema

TABLE = """
CREATE TABLE IF NOT EXISTS verdicts (   -- what people said about readings; made with the first
    id       INTEGER PRIMARY KEY,
    reviewer TEXT NOT NULL,
    sample   TEXT NOT NULL,             -- worldbench.parsed, geo20q.ending …
    item     TEXT NOT NULL,             -- a trial
    verdict  TEXT NOT NULL,             -- right, wrong, none …
    value    TEXT NOT NULL,             -- what would have been right, as typed
    reading  TEXT NOT NULL,             -- what was shown to the reviewer as read
    version  INTEGER NOT NULL,          -- always 1
    at       REAL NOT NULL,             -- Unix time
    UNIQUE (reviewer, sample, item)
)
"""
_COLUMNS = "reviewer, sample, item, verdict, value, reading, at"
SELECT_ALL = f"SELECT {_COLUMNS} FROM verdicts WHERE verdict <> '' ORDER BY at, id"  # noqa: S608
HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'verdicts'"


class Verdict(msgspec.Struct, frozen=True):
    """One reviewer's verdict on one item of a sample."""

    reviewer: str
    sample: str
    item: str
    verdict: str
    value: str = ""
    reading: str = ""
    at: float = 0.0


def save_verdict(path: Path, verdict: Verdict) -> None:
    """Store a verdict in place of the reviewer's earlier one on the item."""
    schema.check_header(path)
    values = msgspec.structs.astuple(msgspec.structs.replace(verdict, at=time.time()))
    try:
        with closing(schema.database(path, "mode=rw")) as db:
            # Only the engine moves its log into the file.
            db.execute("PRAGMA wal_autocheckpoint=0")
            schema.check_identity(db, path)
            db.execute("BEGIN IMMEDIATE")  # closing the connection rolls back what fails
            db.execute(TABLE)
            db.execute(
                f"INSERT OR REPLACE INTO verdicts ({_COLUMNS}, version) VALUES (?,?,?,?,?,?,?,1)",  # noqa: S608
                values,
            )
            db.execute("COMMIT")
    except schema.SQLITE_ERRORS as error:
        raise schema.explain(error, path) from None
