"""The run file's tables, the marks that identify it, and safe ways to open it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from geobias.errors import BadRunFile, CannotWrite
from geobias.files import sync
from geobias.trials.probabilities import Alternatives
from geobias.untrusted import Undecodable, json_value

APPLICATION_ID = 0x67656F62  # "geob": tells our files from any other SQLite file
VERSION = 1
HEADER_BYTES = 100
SUFFIX = ".geobias"
LOCK_SECONDS = 10.0
"""How long to wait for another writer. An engine holds the file for the time of one commit."""
MOST_VALUE_BYTES = 64 << 20
"""Maximum size of one value in a file, several times the longest answer.

A column of a hostile file may be a formula whose result has any length.
"""
INSTEAD = "use a copy of the file, or ask again with another --out"
"""Ends the error for a damaged run file."""
SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
"""Errors of SQLite. UnicodeDecodeError occurs if a message of SQLite quotes damaged bytes."""

TABLES = """
CREATE TABLE manifest (
    key     TEXT PRIMARY KEY,
    value   TEXT NOT NULL               -- JSON
) WITHOUT ROWID;

CREATE TABLE openings (                 -- what stands before the question in a fresh dialogue
    digest   BLOB PRIMARY KEY,
    messages TEXT NOT NULL              -- JSON: [[role, content], …]
) WITHOUT ROWID;

CREATE TABLE replies (
    id         INTEGER PRIMARY KEY,
    digest     BLOB NOT NULL UNIQUE,    -- of the ask: dialogue, model, sampling
    parent     BLOB,                    -- digest of the reply this dialogue goes on from
    opening    BLOB,                    -- or, in a fresh dialogue, its opening
    said       TEXT NOT NULL,           -- JSON: the messages since then, the question last
    role       TEXT NOT NULL,           -- who was asked: model, guesser, judge …
    sampling   TEXT NOT NULL,
    text       TEXT NOT NULL,
    reasoning  TEXT NOT NULL,
    outcome    TEXT NOT NULL,           -- ok, empty, still_thinking, filtered, too_long,
                                        -- rejected, malformed
    finish     TEXT NOT NULL,
    tokens_in  INTEGER NOT NULL,        -- negative: the server did not say; at most about that many
    tokens_out INTEGER NOT NULL,        -- the same
    model      TEXT NOT NULL,           -- as it named itself
    seconds    REAL NOT NULL,
    at         REAL NOT NULL            -- Unix time
);

CREATE TABLE records (
    id      INTEGER PRIMARY KEY,
    trial   TEXT NOT NULL UNIQUE,
    probe   TEXT NOT NULL,
    country TEXT NOT NULL,              -- ISO-3, or empty
    outcome TEXT NOT NULL,
    replies BLOB NOT NULL,              -- digests of the trial's asks, 16 bytes each, in order
    record  TEXT NOT NULL               -- JSON: the whole row
);

CREATE TABLE sessions (                 -- each time the run was started or resumed
    id      INTEGER PRIMARY KEY,
    started REAL NOT NULL,
    ended   REAL,                       -- NULL: still going, or killed
    counts  TEXT NOT NULL               -- JSON: calls, retries, failures by kind
);

CREATE TABLE attempts (                 -- failed, and perhaps billed
    id         BLOB PRIMARY KEY,        -- random
    role       TEXT NOT NULL,
    kind       TEXT NOT NULL,           -- cut off, timeout, malformed, HTTP 502 …
    tokens_in  INTEGER NOT NULL,        -- as in replies
    tokens_out INTEGER NOT NULL,
    at         REAL NOT NULL            -- Unix time
);

CREATE TABLE batches (                  -- at a provider, or in files
    tag    TEXT PRIMARY KEY,            -- ours, random
    model  TEXT NOT NULL,
    file   TEXT NOT NULL,               -- of requests, as the provider calls it; our path; a run
    batch  TEXT NOT NULL,               -- the provider's name for the batch; empty: not told yet
    state  TEXT NOT NULL,               -- creating, submitted, read, given up, files;
                                        -- reused: another run, which paid
    price  REAL NOT NULL,               -- times the usual one
    at     REAL NOT NULL                -- Unix time
);

CREATE TABLE batch_asks (
    digest BLOB NOT NULL,               -- as in replies
    tag    TEXT NOT NULL,
    failed INTEGER NOT NULL,            -- 1: the batch did not answer it
    PRIMARY KEY (digest, tag)
) WITHOUT ROWID;

CREATE TABLE probabilities (            -- of options, where a run asks for them
    digest BLOB PRIMARY KEY,            -- of the ask, as in replies
    places TEXT NOT NULL                -- JSON: a list of [text, log-probability] for each token
) WITHOUT ROWID;
"""
READ_TABLES = {
    *("manifest", "openings", "replies", "records", "sessions"),
    *("attempts", "batches", "batch_asks", "probabilities"),
}
"""Tables that a readable run file must have; `verdicts` is created with the first verdict."""

PRICE = (
    "(SELECT min(price) FROM batch_asks JOIN batches USING (tag)"
    " WHERE digest = r.digest AND failed = 0)"
)
"""SQL for the price factor of a reply (the row r); NULL if the reply did not come in a batch."""
SPENT = (
    "SELECT role, min(tokens_in >= 0 AND tokens_out >= 0), sum(calls), sum(batched),"  # noqa: S608
    " sum(abs(tokens_in)), sum(abs(tokens_out)),"
    " sum(abs(tokens_in) * times), sum(abs(tokens_out) * times), sum(seconds) FROM ("
    "  SELECT 1 AS calls, role, tokens_in, tokens_out, seconds, price IS NOT NULL AS batched,"
    "  coalesce(price, 1.0) AS times"
    f"  FROM (SELECT r.*, {PRICE} AS price FROM replies AS r) WHERE times > 0"
    "  UNION ALL SELECT ?1, role, tokens_in, tokens_out, 0.0, 0, 1.0 FROM attempts"
    "  WHERE ?1 OR kind = 'out of thought'"
    " ) GROUP BY role ORDER BY role"
)
"""SQL for the fields of `Spent`, by role. Replies of other runs, which paid, have the factor 0.

With the parameter 1, failed attempts that may be billed count as calls; with 0, only reasoning
without a reply counts, which was certainly paid for.
"""
SELECT_BATCHES = "SELECT tag, model, file, batch, state, price, at FROM batches ORDER BY at, tag"
UNANSWERED = "failed = 0 AND digest NOT IN (SELECT digest FROM replies)"
"""Condition that selects the rows of batch_asks without a reply."""
FIND_PLACES = "SELECT places FROM probabilities WHERE digest = ?"


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `batches`.

    A batch is recorded before it is submitted. If the run is killed just then, the next session
    looks for the batch at the provider.
    """

    tag: str
    model: str
    file: str = ""
    batch: str = ""
    state: str = "creating"
    price: float = 1.0
    at: float = 0.0


def batch_of(row: tuple[Any, ...]) -> Batch:
    return Batch(**dict(zip(Batch.__struct_fields__, row, strict=True)))


def places_of(text: str) -> tuple[Alternatives, ...]:
    try:
        found = json_value(text, tuple[Alternatives, ...])
    except (Undecodable, TypeError, AttributeError) as error:
        raise BadRunFile(f"the run file is damaged: probabilities read {error}") from None
    return found


def run_files_at(path: Path) -> list[Path]:
    """Return the run files in a folder, sorted by name; for any other path, the path itself."""
    return sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open an existing run file. Readers and the one writer can work at once (WAL)."""
    check_header(path)
    try:
        db = database(path, "mode=rw" if write else "mode=ro")
        try:
            check_identity(db, path)
            if write:
                db.execute("PRAGMA journal_mode=WAL")
                db.execute("PRAGMA synchronous=FULL")  # group commit makes it cheap
        except BaseException:
            db.close()
            raise
    except SQLITE_ERRORS as error:
        raise explain(error, path) from None
    return db


def database(path: Path, options: str) -> sqlite3.Connection:
    """Open an existing file with SQLite, for use on any thread; `options` extend the URI."""
    db = sqlite3.connect(
        f"file:{quoted(path)}?{options}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=LOCK_SECONDS,
    )
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES)
    return db


def create(path: Path) -> None:
    """Create an empty run file atomically at `path`, which must not exist."""
    draft = path.with_name(path.name + "-new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        with closing(sqlite3.connect(draft, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous=OFF")  # the whole draft is synced before its rename
            db.executescript(
                f"BEGIN; PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={VERSION};"
                f" {TABLES} COMMIT; PRAGMA journal_mode=WAL;"
            )
        sync(draft)
        draft.rename(path)
    except (OSError, sqlite3.Error) as error:
        for end in ("", "-journal", "-wal", "-shm"):
            Path(f"{draft}{end}").unlink(missing_ok=True)
        raise CannotWrite(f"cannot create the run file {path}: {error}") from None


def check_header(path: Path) -> None:
    """Raise an error that names the fault, where SQLite would only say 'malformed'."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise BadRunFile(f"{path} is not a regular file")
        with path.open("rb") as file:
            header = file.read(HEADER_BYTES)
    except FileNotFoundError:
        raise BadRunFile(f"there is no run file {path}") from None
    except OSError as error:
        raise BadRunFile(f"cannot read {path}: {error.strerror}") from None
    if not header.startswith(b"SQLite format 3\0"):
        if b"SQLite format 3\0".startswith(header):
            raise BadRunFile(f"{path} is damaged: the file is cut short or empty; {INSTEAD}")
        raise BadRunFile(f"{path} is not a geobias run file")
    if len(header) < HEADER_BYTES:
        raise BadRunFile(f"{path} is damaged: the file is cut short; {INSTEAD}")
    if int.from_bytes(header[68:72]) != APPLICATION_ID:
        raise BadRunFile(f"{path} is an SQLite file, but not a geobias run file")
    page = int.from_bytes(header[16:18])
    page = 65536 if page == 1 else page
    # With a log beside it, a sound file may be shorter than its header says: after a full disk, or
    # while a process moves the log into it. The file has grown before the log is gone, so look for
    # the log first.
    if not has_log(path) and path.stat().st_size < page * int.from_bytes(header[28:32]):
        raise BadRunFile(f"{path} is damaged: the file is cut short; {INSTEAD}")


def has_log(path: Path) -> bool:
    """Whether SQLite's log beside the file still holds a part of the run."""
    for log in ("-wal", "-journal"):  # the second while a verdict is saved
        with suppress(OSError):  # no log, or one removed in the meantime
            if Path(f"{path}{log}").stat().st_size > 0:
                return True
    return False


def check_identity(db: sqlite3.Connection, path: Path) -> None:
    """Raise BadRunFile for a file of another program or another version."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise BadRunFile(
            f"{path} was written by another geobias (file version {version}, this one reads "
            f"{VERSION}); open it with that one"
        )
    found = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
    if missing := READ_TABLES - found:
        raise BadRunFile(f"{path} is damaged: no table {', '.join(sorted(missing))}")


def explain(error: Exception, path: Path) -> BadRunFile | CannotWrite:
    """Turn an error of SQLite into one that says what to do."""
    words = "its content makes no sense" if isinstance(error, UnicodeDecodeError) else str(error)
    if "records.trial" in words:
        return CannotWrite("two trials of this run have the same name; one of them would be lost")
    if "full" in words:
        return CannotWrite(f"the disk that holds {path} is full; free some space and resume")
    if "disk I/O" in words or "readonly" in words or "read-only" in words:
        return CannotWrite(f"cannot write {path}: {words}; check the disk and resume")
    if "locked" in words or "busy" in words:
        return CannotWrite(f"{path} is locked by another program; close it and resume")
    if "unable to open" in words:
        return BadRunFile(f"cannot open {path}: check that the folder exists and is yours to write")
    return BadRunFile(f"{path} is damaged ({' '.join(words.split())}); {INSTEAD}")


def quoted(path: Path) -> str:
    return quote(str(path.absolute()))
