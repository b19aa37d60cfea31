"""Attempts that failed and may be billed all the same, kept in the run file itself.

An answer that was cut off, came too late or made no sense was made by the server, which may count
it. Budgets hold for all sessions of a run together, so these are written down like replies. Files
of earlier versions have no such table until they are resumed; readers that do not know it open the
file as before.
"""

from __future__ import annotations

TABLE = """
CREATE TABLE IF NOT EXISTS attempts (   -- failed, and perhaps billed
    id         BLOB PRIMARY KEY,        -- random
    role       TEXT NOT NULL,
    kind       TEXT NOT NULL,           -- cut off, timeout, malformed, HTTP 502 …
    tokens_in  INTEGER NOT NULL,        -- at most about so many
    tokens_out INTEGER NOT NULL,
    at         REAL NOT NULL            -- Unix time
)
"""
INSERT = "INSERT OR IGNORE INTO attempts VALUES (?,?,?,?,?,?)"
HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'attempts'"
HAS_TABLE_IN_PART = "SELECT 1 FROM part.sqlite_master WHERE type='table' AND name='attempts'"
SPENT = (
    "SELECT role, count(*), sum(tokens_in), sum(tokens_out), sum(tokens_in + tokens_out > 0)"
    " FROM attempts GROUP BY role"
)
"""As the replies' own: role, calls, tokens in and out at most, how many of them are unknown."""
BY_KIND = "SELECT kind, count(*) FROM attempts GROUP BY kind ORDER BY count(*) DESC, kind"
