"""Write a run: replies and records are stored by group commit.

The engine hands rows over and continues. The rows handed over since the last commit are committed
in one transaction. `find` sees a row at once. After `kill -9`, at most the replies of the last two
`COMMIT_SECONDS` are lost and asked again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec
from msgspec.structs import astuple

from geobias.errors import BadRequest, BadRunFile, CannotWrite
from geobias.redaction import of_environment
from geobias.runfile import schema
from geobias.runfile.lock import WriterLock
from geobias.runfile.manifest import Manifest
from geobias.runfile.reading import NOT_SENT, RunReader, Spent
from geobias.runfile.schema import UNANSWERED, Batch
from geobias.trials import Ask, Dialogue, Record, Reply, StoredRecord

COMMIT_SECONDS = 0.05
MOST_UNWRITTEN, MOST_UNWRITTEN_BYTES = 20_000, 64 << 20
"""Maximum rows, and bytes of replies, that wait for the disk before the engine waits too."""

_Values: TypeAlias = tuple[Any, ...]
_json = msgspec.json.Encoder().encode

_INSERT_OPENING = "INSERT OR IGNORE INTO openings VALUES (?, ?)"
_INSERT_REPLY = "INSERT OR IGNORE INTO replies VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_INSERT_RECORD = "INSERT INTO records VALUES (NULL,?,?,?,?,?,?)"
_INSERT_PLACES = "INSERT OR IGNORE INTO probabilities VALUES (?, ?)"
_INSERT_ATTEMPT = "INSERT OR IGNORE INTO attempts VALUES (?,?,?,?,?,?)"
_INSERT_BATCH_ASK = "INSERT OR IGNORE INTO batch_asks VALUES (?, ?, 0)"
_STATEMENTS = (
    *(_INSERT_OPENING, _INSERT_PLACES, _INSERT_REPLY, _INSERT_BATCH_ASK, _INSERT_RECORD),
    _INSERT_ATTEMPT,
)
"""The statements of a transaction, in the order of their execution."""
_FAIL_ASK = "UPDATE batch_asks SET failed = 1 WHERE digest = ? AND tag = ?"


def parts_of(path: Path) -> Path:
    """Return the folder where the workers of a cluster store their parts of this run."""
    return path.with_name(path.name + "-parts")


class RunWriter:
    """The only writer of a run file: begin with `RunWriter.open`, and end with `close`.

    `was_answered` says whether the file had replies when it was opened.
    """

    def __init__(self, path: Path, lock: WriterLock) -> None:
        self.path = path
        self.failure: CannotWrite | None = None
        self._lock = lock
        self._db = schema.connect(path, write=True)
        self._reader = RunReader(path)
        self._rows: list[tuple[str, _Values]] = []
        self._unwritten: dict[bytes, Reply] = {}
        self._bytes_in = self._bytes_out = 0  # of replies: handed over, and committed
        # Nearly every ask is new, and a query takes as long as storing the reply.
        self._seen = {digest for (digest,) in self._reader.query("SELECT digest FROM replies")}
        self.was_answered = bool(self._seen)
        self._resumed = any(self._reader.query("SELECT 1 FROM records LIMIT 1"))
        self._known_openings: set[bytes] = set()
        self._turn = threading.Lock()
        self._inserted = 0
        self._due = 0.0
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._absorbed: dict[str, int] = {}
        self._sources: set[str] = set()
        self._session = 0
        self._thread = threading.Thread(target=self._commit_on, name="run-file", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, path: Path, manifest: Manifest) -> RunWriter:
        """Create a run at `path`, or resume it. Raises BadRunFile if another run is there."""
        described = _json(manifest).decode()
        if of_environment()(described) != described:
            raise BadRequest(
                "the settings of this run contain a key, and the run file would store it; remove "
                "the key"
            )
        if path.is_dir():
            raise BadRunFile(f"{path} is a folder; --out names the run file itself")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWrite(
                f"cannot write in {path.parent} ({error.strerror}); choose another --out"
            ) from None
        lock = WriterLock(path)
        try:
            if not path.exists():
                schema.create(path)
            writer = cls(path, lock)
            try:
                writer._begin(manifest)
            except BaseException:
                writer._abandon()
                raise
        except BaseException:
            lock.release()
            raise
        return writer

    def _begin(self, manifest: Manifest) -> None:
        """Begin a session of a new run, or of the run that the file holds, in one transaction.

        The transaction is opened before anything is read. A refused run must leave no log
        behind, and SQLite removes the log only if the connection that closes has written.
        """
        self._execute("BEGIN IMMEDIATE")
        if self._reader.is_described():  # otherwise new, or killed before it had a manifest
            saved = self._reader.manifest()
            saved.refuse_another(manifest, self.path)
            manifest = msgspec.structs.replace(saved, prices=manifest.prices)
        text = _json(manifest).decode()
        self._execute("INSERT OR REPLACE INTO manifest VALUES ('manifest', ?)", (text,))
        started = self._execute(
            "INSERT INTO sessions (started, counts) VALUES (?, '{}')", (time.time(),)
        )
        self._session = cast(int, started.lastrowid)
        self._execute("COMMIT")

    # -- what the engine calls, on its own thread -------------------------------------------------

    def find(self, digest: bytes) -> Reply | None:
        if digest not in self._seen:
            return None
        if (reply := self._unwritten.get(digest)) is not None:
            return reply
        saved = self._reader.reply(digest)
        return saved.as_reply() if saved else None

    def is_done(self, trial: str) -> bool:
        """Whether the trial already had its record when the file was opened."""
        if not self._resumed:
            return False
        return any(self._reader.query("SELECT 1 FROM records WHERE trial = ?", (trial,)))

    def last_counts(self) -> dict[str, int]:
        """Return the counts that the previous session stored at its end; empty if it was killed."""
        ended = [one.counts for one in self._reader.sessions() if one.ended is not None]
        return ended[-1] if ended else {}

    def spent(self) -> dict[str, Spent]:
        """Return what all sessions used, by role, with failed attempts that may be billed."""
        return self._reader.spent(attempts=True)

    def save_attempt(
        self,
        role: str,
        kind: str,
        most: tuple[int, int],
        used: tuple[int | None, int | None] = (None, None),
    ) -> None:
        """Record a failed attempt that may be billed, with its tokens or their upper bound."""
        tokens = [-top if told is None else told for told, top in zip(used, most, strict=True)]
        self._add(_INSERT_ATTEMPT, (os.urandom(12), role, kind, *tokens, time.time()))

    def save_reply(self, ask: Ask, reply: Reply, thinking: int = 0) -> None:
        """Store a reply once, with its link to the previous reply.

        Tokens that the server did not count are stored as an upper bound, with `thinking`.
        """
        most = ask.most_tokens(thinking)
        parent, opening, messages_since = _since_last_reply(ask.dialogue)
        if opening is not None and opening.digest not in self._known_openings:
            messages = _json([(node.role, node.content) for node in opening]).decode()
            self._rows.append((_INSERT_OPENING, (opening.digest, messages)))
            self._known_openings.add(opening.digest)
        self._seen.add(reply.digest)
        self._unwritten[reply.digest] = reply
        self._bytes_in += len(reply.text) + len(reply.reasoning)
        if reply.places:
            self._rows.append((_INSERT_PLACES, (reply.digest, _json(reply.places).decode())))
        self._add(
            _INSERT_REPLY,
            (
                reply.digest,
                parent,
                None if opening is None else opening.digest,
                messages_since,
                ask.role,
                ask.sampling(),
                reply.text,
                reply.reasoning,
                reply.outcome,
                reply.finish,
                -most[0] if reply.tokens_in is None else reply.tokens_in,
                -most[1] if reply.tokens_out is None else reply.tokens_out,
                reply.model,
                reply.seconds,
                time.time(),
            ),
        )

    def save_reused(self, ask: Ask, reply: Reply, source: Batch) -> None:
        if source.tag not in self._sources:
            self._sources.add(source.tag)
            self.save_batch(source)
        self.save_reply(ask, reply)
        self._add(_INSERT_BATCH_ASK, (reply.digest, source.tag))

    def save_record(self, record: Record, digests: list[bytes]) -> None:
        self.save_row(msgspec.structs.asdict(record), digests)

    def save_row(self, row: StoredRecord, digests: Sequence[bytes] = ()) -> None:
        """Store a trial's record as another file holds it."""
        columns = (row["trial"], row["probe"], row["country"], row["outcome"])
        self._add(_INSERT_RECORD, (*columns, b"".join(digests), _json(row).decode()))

    # -- batches: each of these is on the disk when it returns -------------------------------------

    def batches(self) -> dict[Batch, list[bytes]]:
        """Return batches and files of asks, oldest first, each with its asks without a reply."""
        found = self._reader.batches()
        asks: dict[str, list[bytes]] = {one.tag: [] for one in found}
        for tag, digest in self._reader.query(
            f"SELECT tag, digest FROM batch_asks WHERE {UNANSWERED}"  # noqa: S608 - our own words
        ):
            if tag in asks and digest not in self._unwritten:
                asks[tag].append(digest)
        return {one: asks[one.tag] for one in found}

    def save_batch(self, batch: Batch, asks: Sequence[bytes] = ()) -> None:
        """Store a batch or its new state, and add asks to it."""
        with self._turn:
            self._in_transaction(
                ("INSERT OR REPLACE INTO batches VALUES (?,?,?,?,?,?,?)", [astuple(batch)]),
                (_INSERT_BATCH_ASK, [(digest, batch.tag) for digest in asks]),
            )

    def asks_of(self, batch: Batch) -> set[bytes]:
        """Return the digests of all asks of a batch, answered or not."""
        sql = "SELECT digest FROM batch_asks WHERE tag = ?"
        return {digest for (digest,) in self._reader.query(sql, (batch.tag,))}

    def fail_asks(self, batch: Batch, asks: Sequence[bytes]) -> None:
        """Record that a batch did not answer these asks, so that they can be asked again."""
        if not asks:
            return
        with self._turn:
            self._in_transaction((_FAIL_ASK, [(digest, batch.tag) for digest in asks]))

    def give_up_batches(self) -> None:
        """Record that no batch will answer its open asks, so that they can be asked again."""
        with self._turn:
            self._execute(f"UPDATE batch_asks SET failed = 1 WHERE {UNANSWERED}")  # noqa: S608

    def _in_transaction(self, *statements: tuple[str, list[_Values]]) -> None:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for statement, rows in statements:
                self._db.executemany(statement, rows)
            self._db.execute("COMMIT")
        except schema.SQLITE_ERRORS as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise schema.explain(error, self.path) from None

    def forget(self, digests: Iterable[bytes], *before: tuple[str, list[_Values]]) -> None:
        """Remove replies and their records in one transaction, which starts with `before`."""
        gone = [(digest,) for digest in digests]
        with self._turn:
            self._in_transaction(
                *_by_statement(self._rows),
                *before,
                ("DELETE FROM replies WHERE digest = ?", gone),
                ("DELETE FROM probabilities WHERE digest = ?", gone),
                ("DELETE FROM records WHERE instr(replies, ?) > 0", gone),
            )
            self._written(len(self._rows))

    def ask_again(self, outcome: str) -> None:
        """Remove replies with this outcome and their records. Their cost stays counted."""
        found = self._reader.query("SELECT digest FROM replies WHERE outcome = ?", (outcome,))
        counted = (
            "INSERT INTO attempts SELECT randomblob(12), role, 'out of thought', tokens_in,"
            " tokens_out, at FROM replies WHERE outcome = ?"
        )
        self.forget([digest for (digest,) in found], (counted, [(outcome,)]))

    def absorb(self, part: Path) -> None:
        """Copy everything from another file of the same run, which stays unchanged.

        This is one transaction, so a part is copied whole or not at all, and repeating it changes
        nothing. If two parts hold the same reply or trial, one is kept. Parameters that the part's
        sessions did not send are recorded here too.
        """
        with RunReader(part) as reader:
            self._absorbed |= {f"{NOT_SENT}{name}": 1 for name in reader.not_sent()}
        with self._turn:
            self._execute("ATTACH ? AS part", (str(part),))
            try:
                self._execute("BEGIN IMMEDIATE")
                for table in ("openings", "replies", "records", "attempts", "probabilities"):
                    columns = [row[1] for row in self._execute(f"PRAGMA table_info({table})")]
                    kept = ", ".join(
                        name for name in columns if name != "id" or table == "attempts"
                    )
                    self._execute(
                        f"INSERT OR IGNORE INTO {table} ({kept})"  # noqa: S608 - our own names
                        f" SELECT {kept} FROM part.{table}"
                    )
                self._execute("COMMIT")
                self._seen.update(
                    digest for (digest,) in self._execute("SELECT digest FROM part.replies")
                )
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                self._execute("DETACH part")

    def absorb_parts(self) -> None:
        """Copy the parts that a run on a cluster left, and remove them.

        An unreadable part (for example from a full disk) is renamed to `.damaged`.
        """
        folder = parts_of(self.path)
        if not folder.is_dir():
            return
        for part in sorted(folder.glob(f"*{schema.SUFFIX}")):
            try:
                self.absorb(part)
            except BadRunFile:
                part.rename(part.with_suffix(".damaged"))
        if not list(folder.glob("*.damaged")):
            shutil.rmtree(folder)
        self._resumed = True

    def _execute(self, sql: str, values: _Values = ()) -> sqlite3.Cursor:
        """Run a statement at once, not as part of a group commit."""
        try:
            return self._db.execute(sql, values)
        except schema.SQLITE_ERRORS as error:
            raise schema.explain(error, self.path) from None

    def _add(self, statement: str, row: _Values) -> None:
        self._rows.append((statement, row))
        if not self._wake.is_set():
            self._wake.set()
        waiting = self._bytes_in - self._bytes_out
        stalled = len(self._rows) > MOST_UNWRITTEN or waiting > MOST_UNWRITTEN_BYTES
        if time.monotonic() >= self._due and self.failure is None and self._turn.acquire(stalled):
            self._insert()

    # -- group commit -----------------------------------------------------------------------------
    #
    # Rows are inserted on the engine's thread and committed on a thread of their own. Inserting
    # is quick, but releases the interpreter's lock for every row: beside a busy event loop
    # it would be slow. Committing is one call that waits for the disk: on the event loop it
    # would hold up everything. `_turn` is held from the first insert to the end of the commit.

    def _insert(self) -> None:
        """Insert the gathered rows. This begins a turn, which continues until the commit."""
        rows = self._rows[:]
        self._due = time.monotonic() + COMMIT_SECONDS
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for statement, batch in _by_statement(rows):
                self._db.executemany(statement, batch)
        except Exception as error:  # the turn must end after any error
            self._give_up(error)
        else:
            self._inserted = len(rows)
            self._wake.set()

    def _commit(self) -> None:
        """Commit the last insert, which ends the writer's turn."""
        try:
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._give_up(error)
            return
        self._written(self._inserted)
        self._inserted = 0
        self._turn.release()

    def _written(self, count: int) -> None:
        """Drop the oldest rows, which are in the file now."""
        for statement, row in self._rows[:count]:
            if statement is _INSERT_REPLY:
                self._unwritten.pop(row[0], None)
                self._bytes_out += len(row[6]) + len(row[7])
        del self._rows[:count]

    def _give_up(self, error: Exception) -> None:
        """End a failed turn: the engine sees `failure`, and unwritten rows stay for `close`."""
        self.failure = self._cannot_write(error)
        self._inserted = 0
        if self._db.in_transaction:
            with suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
        self._turn.release()

    def _commit_on(self) -> None:
        """Commit on a thread until the file is closed. Insert rows if the engine is idle."""
        while not self._closing.is_set():
            self._wake.wait()
            self._wake.clear()
            if not self._inserted:
                self._closing.wait(COMMIT_SECONDS)
                if self._rows and self.failure is None and self._turn.acquire(blocking=False):
                    self._insert()
            if self._inserted:
                self._commit()
            if self._rows and self.failure is None:
                self._wake.set()  # rows that came during the turn, perhaps the last

    def _cannot_write(self, error: Exception) -> CannotWrite:
        if not isinstance(error, sqlite3.Error):
            return CannotWrite(f"cannot write {self.path}: {error}")
        reason = schema.explain(error, self.path)
        return reason if isinstance(reason, CannotWrite) else CannotWrite(str(reason))

    # -- the end ----------------------------------------------------------------------------------

    def close(self, counts: dict[str, int] | None = None) -> None:
        """Write the remaining rows, record the session's counts, and release the lock.

        After a failure this is the last attempt, in one transaction and with the reserved disk
        space. `failure` then says how many replies are lost, if any.
        """
        self._stop_thread()
        if self._inserted:
            self._commit()
        self._write_rest()
        try:
            self._db.execute(
                "UPDATE sessions SET ended = ?, counts = ? WHERE id = ?",
                (time.time(), _json((counts or {}) | self._absorbed).decode(), self._session),
            )
            self._reader.close()
            if self.failure is None:
                # One plain file, to be copied and read from anywhere; not while others read it.
                with suppress(sqlite3.OperationalError):
                    self._db.execute("PRAGMA busy_timeout=0")
                    # Another run that reuses replies keeps the file open; a copy is whole still.
                    self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                    self._db.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.Error as error:
            self.failure = self.failure or self._cannot_write(error)
        finally:
            self._reader.close()
            self._db.close()
            self._lock.release()

    def _write_rest(self) -> None:
        failed_before = self.failure
        if failed_before:
            # The reserve is for replies only, not for moving the log into the file.
            self._db.execute("PRAGMA wal_autocheckpoint=0")
            self._lock.give_reserve()
        if self._rows and self._turn.acquire():
            self._insert()
            if self._inserted:
                self._commit()
        if lost := sum(statement is _INSERT_REPLY for statement, _ in self._rows):
            self.failure = CannotWrite(
                f"{self.failure} ({lost} replies could not be kept and will be asked again)"
            )
        else:
            self.failure = failed_before

    def _stop_thread(self) -> None:
        self._closing.set()
        self._wake.set()
        self._thread.join()

    def _abandon(self) -> None:
        """Close the file unchanged, because it holds another run."""
        self._stop_thread()
        self._reader.close()
        with suppress(sqlite3.Error):
            self._db.rollback()
            self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()


def rewrite(path: Path, manifest: Manifest, rows: Iterable[tuple[StoredRecord, bytes]]) -> None:
    """Replace the manifest and these records, each with the digests of its replies.

    This is one transaction: if the file cannot be written, it stays as it was.
    """
    lock = WriterLock(path)
    try:
        with closing(sqlite3.connect(path)) as file, file:
            for row, digests in rows:
                changed = (row["country"], row["outcome"], digests, _json(row).decode())
                file.execute(
                    "UPDATE records SET country = ?, outcome = ?, replies = ?, record = ?"
                    " WHERE trial = ?",
                    (*changed, row["trial"]),
                )
            text = _json(manifest).decode()
            file.execute("UPDATE manifest SET value = ? WHERE key = 'manifest'", (text,))
    except sqlite3.DatabaseError as error:
        kind = BadRunFile if "malformed" in str(error) else CannotWrite
        raise kind(f"cannot write the records of {path}: {error}") from None
    finally:
        lock.release()


def _by_statement(rows: list[tuple[str, _Values]]) -> Iterator[tuple[str, list[_Values]]]:
    for statement in _STATEMENTS:
        if batch := [values for kind, values in rows if kind is statement]:
            yield statement, batch


def _since_last_reply(dialogue: Dialogue) -> tuple[bytes | None, Dialogue | None, str]:
    """Return what a question continues: a reply's digest, or else the dialogue before its first
    question; and the messages since then as JSON.

    If only a part of that reply was continued, the part comes first among the messages.
    """
    messages: list[tuple[str, str]] = []
    node = dialogue
    while node.parent is not None and not node.answers:
        messages.append((node.role, node.content))
        node = node.parent
    if not node.answers and len(messages) > 1:
        return None, dialogue.parent, _json(messages[:1]).decode()
    if node.cut:
        messages.append((node.role, node.content))
    messages.reverse()
    return node.answers or None, None, _json(messages).decode()
