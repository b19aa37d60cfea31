"""Batches at a provider, kept in the run file itself: which there are, and what was asked in them.

A batch is written down before the provider is told of it, so that a run which is killed in that
very moment knows what to look for. An ask that a batch did not answer is marked as open again.
Files of earlier versions have no such tables until they are resumed.
"""

from __future__ import annotations

import msgspec

TABLES = (
    """
CREATE TABLE IF NOT EXISTS batches (
    tag    TEXT PRIMARY KEY,        -- ours, random
    model  TEXT NOT NULL,
    file   TEXT NOT NULL,           -- of requests: the provider's name for it, or our path
    batch  TEXT NOT NULL,           -- the provider's name for the batch; empty: not told yet
    state  TEXT NOT NULL,           -- creating, looking, submitted, read, given up, files
    price  REAL NOT NULL,           -- times the usual one
    at     REAL NOT NULL            -- Unix time
)
""",
    """
CREATE TABLE IF NOT EXISTS batch_asks (
    digest BLOB NOT NULL,           -- as in replies
    tag    TEXT NOT NULL,
    failed INTEGER NOT NULL,        -- 1: the batch did not answer it
    PRIMARY KEY (digest, tag)
) WITHOUT ROWID
""",
    """
CREATE TABLE IF NOT EXISTS batch_errors (
    digest BLOB NOT NULL,           -- of the ask
    line   BLOB NOT NULL,           -- a hash of the line of a result file that said so
    PRIMARY KEY (digest, line)
) WITHOUT ROWID
""",
)
HAS_TABLES = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'batch_asks'"
COLUMNS = "tag, model, file, batch, state, price, at"
SELECT = f"SELECT {COLUMNS} FROM batches ORDER BY at, tag"  # noqa: S608 - our own names
SAVE = "INSERT OR REPLACE INTO batches VALUES (?,?,?,?,?,?,?)"
SAVE_ASK = "INSERT OR IGNORE INTO batch_asks VALUES (?, ?, 0)"
FAIL_ASK = "UPDATE batch_asks SET failed = 1 WHERE digest = ? AND tag = ?"
_OPEN = "failed = 0 AND digest NOT IN (SELECT digest FROM replies)"
FAIL_ALL = f"UPDATE batch_asks SET failed = 1 WHERE {_OPEN}"  # noqa: S608 - our own words
UNANSWERED = f"SELECT tag, digest FROM batch_asks WHERE {_OPEN}"  # noqa: S608
WAITING_IN_FILES = (
    "SELECT file, count(*) FROM batch_asks JOIN batches USING (tag)"  # noqa: S608
    f" WHERE state = 'files' AND file != '' AND {_OPEN} GROUP BY file ORDER BY min(at)"
)
FAIL_IN_FILES = (
    "UPDATE batch_asks SET failed = 1"
    " WHERE digest = ? AND tag IN (SELECT tag FROM batches WHERE state = 'files')"
)
ERRORS_OF = "SELECT line FROM batch_errors WHERE digest = ?"
SAVE_ERROR = "INSERT OR IGNORE INTO batch_errors VALUES (?, ?)"
ASKS_OF = "SELECT digest FROM batch_asks WHERE tag = ?"
PRICE = (
    "(SELECT min(price) FROM batch_asks JOIN batches USING (tag)"
    " WHERE digest = r.digest AND failed = 0)"
)
"""What a row of replies (called r) cost, times the usual price; NULL where it came by no batch."""


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `batches`."""

    tag: str
    model: str
    file: str = ""
    batch: str = ""
    state: str = "creating"
    price: float = 1.0
    at: float = 0.0

    def row(self) -> tuple[object, ...]:
        return msgspec.structs.astuple(self)
