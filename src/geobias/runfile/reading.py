"""Read a run: its description, progress, replies and records. Never writes or locks the file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec
import polars as pl

from geobias.errors import BadRunFile
from geobias.runfile import schema
from geobias.runfile.manifest import Manifest
from geobias.runfile.schema import Batch
from geobias.runfile.verdicts import HAS_TABLE, SELECT_ALL, Verdict
from geobias.trials import Reply, StoredRecord
from geobias.trials.dialogue import DIGEST_BYTES, Message
from geobias.trials.probabilities import Alternatives
from geobias.untrusted import Undecodable, in_words, json_value

T = TypeVar("T")
MOST_TURNS = 10_000
"""Maximum turns of a dialogue. The longest game has some hundred."""


class SavedReply(msgspec.Struct, frozen=True):
    """A stored reply. `digest` is the digest of its ask, `parent` that of the previous reply.

    Tokens are None if the server did not count them.
    """

    digest: bytes
    parent: bytes | None
    opening: bytes | None
    said: str
    role: str
    sampling: str
    text: str
    reasoning: str
    outcome: str
    finish: str
    tokens_in: int | None
    tokens_out: int | None
    model: str
    seconds: float
    at: float
    places: tuple[Alternatives, ...] = ()
    """Filled only when a single reply is looked up; lists of replies omit it."""

    def as_reply(self) -> Reply:
        """Return the reply as the engine received it. Raises BadRunFile."""
        try:
            return msgspec.convert(self, Reply, from_attributes=True)
        except msgspec.ValidationError as error:
            raise BadRunFile(f"the run file is damaged: {in_words(error)}") from None

    def question(self) -> str:
        try:
            return json_value(self.said, list[Message])[-1].content
        except (Undecodable, TypeError, AttributeError, IndexError) as error:
            raise BadRunFile(f"the run file is damaged: what was asked is lost ({error})") from None


NOT_SENT = "not sent: "
"""Prefix of the key under which a session records a parameter that the provider refused."""


class Session(msgspec.Struct, frozen=True):
    """One start of a run. `ended` is None if the session is going on or was killed."""

    started: float
    ended: float | None
    counts: dict[str, int]


class Spent(msgspec.Struct, frozen=True):
    """The calls and tokens that a run, or one role in it, has used.

    `batched` is the number of calls in batches. At the usual price, the `billed` tokens cost what
    the tokens cost with batch discounts. Unless all tokens were `counted` by the server, the
    numbers are upper bounds, from the length of the asks and the tokens allowed for answers.
    """

    counted: bool
    calls: int
    batched: int
    tokens_in: int
    tokens_out: int
    billed_in: float
    billed_out: float
    seconds: float


_COLUMNS = ", ".join(
    f"iif({name} < 0, NULL, {name})" if name.startswith("tokens_") else name
    for name in SavedReply.__struct_fields__
    if name != "places"
)
_LAST_REPLIES = (
    "SELECT trial, said, text FROM records JOIN replies"  # noqa: S608
    f" ON digest = substr(records.replies, -{DIGEST_BYTES})"
)
_SELECT_MANIFEST = "SELECT value FROM manifest WHERE key='manifest'"


class RunReader:
    """A run file opened for reading, even while another process writes it."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        try:
            self._db = schema.connect(self.path, write=False)
        except BadRunFile:
            if not self._in_read_only_folder():
                raise
            # WAL needs a scratch file beside the run. If we may not write to the folder, nobody
            # else of this user writes there either.
            self._db = schema.database(self.path, "immutable=1")
            schema.check_identity(self._db, self.path)

    def _in_read_only_folder(self) -> bool:
        """Whether the file lies in a read-only folder and was closed properly.

        SQLite can then read the file without its log.
        """
        closed_well = self.path.exists() and not schema.has_log(self.path)
        return closed_well and not os.access(self.path.absolute().parent, os.W_OK)

    def __enter__(self) -> RunReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def query(self, sql: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of any SELECT over the documented schema."""
        try:
            rows = self._db.execute(sql, values)
            try:
                for row in rows:  # noqa: UP028 - "yield from" would close the cursor by itself
                    yield row
            finally:
                with suppress(sqlite3.ProgrammingError):  # the file may have been closed meanwhile
                    rows.close()
        except schema.SQLITE_ERRORS as error:
            raise schema.explain(error, self.path) from None

    def _row(self, sql: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        return next(self.query(sql, values), None)

    def decoded(self, json: str, kind: type[T]) -> T:
        """Decode a JSON document of the run file. Raises BadRunFile."""
        try:
            return json_value(json, kind)
        except (Undecodable, TypeError, AttributeError) as error:
            raise BadRunFile(f"{self.path} is damaged: {error}; {schema.INSTEAD}") from None

    def is_described(self) -> bool:
        """Whether the run has a manifest. A run that was killed at its start has none."""
        return self._row(_SELECT_MANIFEST) is not None

    def __repr__(self) -> str:
        return f"<RunReader {self.path}>"

    def manifest(self) -> Manifest:
        row = self._row(_SELECT_MANIFEST)
        if row is None:
            raise BadRunFile(
                f"{self.path} has no manifest: its run was stopped before it began; start it again"
            )
        return self.decoded(row[0], Manifest)

    def sessions(self) -> list[Session]:
        rows = self.query("SELECT started, ended, counts FROM sessions ORDER BY id")
        return [
            Session(started, ended, self.decoded(counts, dict[str, int]))
            for started, ended, counts in rows
        ]

    def not_sent(self) -> list[str]:
        """Parameters that were requested but not sent, in any session of the run."""
        names = {name for one in self.sessions() for name in one.counts if one.counts[name]}
        return sorted(one.removeprefix(NOT_SENT) for one in names if one.startswith(NOT_SENT))

    def done(self) -> dict[str, dict[str, int]]:
        """Return the number of records so far: probe → outcome → number."""
        sql = "SELECT probe, outcome, count(*) FROM records GROUP BY 1, 2 ORDER BY 1, 3 DESC"
        outcomes: dict[str, dict[str, int]] = {}
        for probe, outcome, count in self.query(sql):
            outcomes.setdefault(probe, {})[outcome] = count
        return outcomes

    def spent(self, *, attempts: bool = False) -> dict[str, Spent]:
        """Return what the run used, by role.

        With `attempts`, failed attempts that may be billed count as calls too.
        """
        rows = self.query(schema.SPENT, (int(attempts),))
        return {role: Spent(bool(counted), *used) for role, counted, *used in rows}

    def reused(self) -> dict[str, int]:
        return dict(
            self.query(
                "SELECT file, count(*) FROM batches JOIN batch_asks USING (tag)"
                " WHERE state = 'reused' GROUP BY file ORDER BY file"
            )
        )

    def waiting_in_files(self) -> dict[str, int]:
        """Return the files of asks, each with its number of asks without a reply."""
        return dict(
            self.query(
                "SELECT file, count(*) FROM batch_asks JOIN batches USING (tag)"  # noqa: S608
                f" WHERE state = 'files' AND file != '' AND {schema.UNANSWERED}"
                " GROUP BY file ORDER BY min(at)"
            )
        )

    def batches(self) -> list[Batch]:
        """Batches at providers and in files, and reused runs, oldest first."""
        return [schema.batch_of(row) for row in self.query(schema.SELECT_BATCHES)]

    def failed_attempts(self) -> dict[str, int]:
        return dict(
            self.query(
                "SELECT kind, count(*) FROM attempts GROUP BY kind ORDER BY count(*) DESC, kind"
            )
        )

    def models_answered(self) -> dict[str, list[str]]:
        """Role → the names that the models gave themselves, the most frequent first."""
        names: dict[str, list[str]] = {}
        for role, model in self.query(
            "SELECT role, model FROM replies WHERE model <> ''"
            " GROUP BY role, model ORDER BY count(*) DESC"
        ):
            names.setdefault(role, []).append(model)
        return names

    def records(self, probe: str | None = None) -> Iterator[StoredRecord]:
        """Yield the records of trials, in the order in which they finished."""
        where, values = ("WHERE probe = ?", (probe,)) if probe else ("", ())
        for (text,) in self.query(f"SELECT record FROM records {where} ORDER BY id", values):  # noqa: S608
            yield self.decoded(text, StoredRecord)

    def frame(self, probe: str | None = None, *, texts: bool = False) -> pl.DataFrame:
        """The records as a Polars frame with one column per field; absent fields are null.

        With `texts`, also the last question of each trial and the reply to it.
        """
        records = list(self.records(probe))
        if texts:
            last = {row[0]: (row[1], row[2]) for row in self.query(_LAST_REPLIES)}
            for record in records:
                said, reply = last.get(record["trial"], (None, None))
                asked = self._messages(said)[-1].content if said else None
                record |= {"question": asked, "reply": reply}
        return pl.DataFrame(records, infer_schema_length=None)

    def replies_frame(self) -> pl.DataFrame:
        """Return a frame of all replies, each with the last message before it; digests in hex."""
        rows = []
        for row in self.query(f"SELECT {_COLUMNS} FROM replies ORDER BY id"):  # noqa: S608
            reply = SavedReply(*row)
            fields = msgspec.to_builtins(reply, builtin_types=(bytes,))
            del fields["places"]
            for name in ("digest", "parent", "opening"):
                fields[name] = fields[name].hex() if fields[name] else None
            rows.append(fields | {"said": reply.question()})
        return pl.DataFrame(rows, infer_schema_length=None)

    def verdicts(self) -> list[Verdict]:
        return [Verdict(*row) for row in self.query(SELECT_ALL)] if self._row(HAS_TABLE) else []

    def verdicts_frame(self) -> pl.DataFrame:
        names = dict.fromkeys(Verdict.__struct_fields__, pl.String)
        kinds = names | {"at": pl.Float64}
        return pl.DataFrame([msgspec.to_builtins(one) for one in self.verdicts()], schema=kinds)

    def replies(
        self,
        *,
        probe: str | None = None,
        country: str | None = None,
        role: str | None = None,
        outcome: str | Sequence[str] | None = None,
        trial: str | None = None,
    ) -> Iterator[tuple[str, SavedReply]]:
        """Yield pairs of trial and reply, in the order of trials.

        A shared reply comes once for each trial, and replies of unfinished trials last, without a
        trial. `outcome` is the record's, or any of several.
        """
        outcomes = [outcome] if isinstance(outcome, str) else list(outcome or ())
        wanted = [("probe", probe), ("country", country), ("trial", trial)]
        where = [f"{column} = ?" for column, value in wanted if value]
        where += [f"outcome IN ({', '.join('?' * len(outcomes))})"] if outcomes else []
        values = (*(value for _, value in wanted if value), *outcomes)
        clause = f"WHERE {' AND '.join(where)}" if where else ""
        rows = self.query(f"SELECT trial, replies FROM records {clause} ORDER BY id", values)  # noqa: S608
        for name, digests in rows:
            for digest in split_digests(digests):
                reply = self.reply(digest)
                if reply and role in (None, reply.role):
                    yield name, reply
        if not where:
            yield from (("", reply) for reply in self.unfinished() if role in (None, reply.role))

    def unfinished(self) -> Iterator[SavedReply]:
        claimed = {
            digest
            for (digests,) in self.query("SELECT replies FROM records")
            for digest in split_digests(digests)
        }
        for row in self.query(f"SELECT {_COLUMNS} FROM replies ORDER BY id"):  # noqa: S608
            if row[0] not in claimed:
                yield SavedReply(*row)

    def reply(self, digest: bytes) -> SavedReply | None:
        row = self._row(f"SELECT {_COLUMNS} FROM replies WHERE digest = ?", (digest,))  # noqa: S608
        if row is None:
            return None
        weighed = self._row(schema.FIND_PLACES, (digest,))
        reply = SavedReply(*row)
        if weighed is None:
            return reply
        return msgspec.structs.replace(reply, places=schema.places_of(weighed[0]))

    def transcript(self, reply: SavedReply) -> list[Message]:
        """Return the whole dialogue that ends in this reply, rebuilt from the chain of parents.

        Raises BadRunFile if the chain is a circle, as in a hostile file.
        """
        newest_first: list[Message] = [Message("assistant", reply.text)]
        step: SavedReply | None = reply
        passed: set[bytes] = set()
        while step is not None:
            if step.digest in passed or len(passed) >= MOST_TURNS:
                raise BadRunFile(
                    f"{self.path} is damaged: a dialogue in it has no beginning; {schema.INSTEAD}"
                )
            passed.add(step.digest)
            said = self._messages(step.said)
            newest_first.extend(reversed(said))
            if step.opening is not None:
                sql = "SELECT messages FROM openings WHERE digest = ?"
                for (messages,) in self.query(sql, (step.opening,)):
                    newest_first.extend(reversed(self._messages(messages)))
            step = self.reply(step.parent) if step.parent is not None else None
            if step is not None and said[0].role != "assistant":  # otherwise a part was continued
                newest_first.append(Message("assistant", step.text))
        return newest_first[::-1]

    def _messages(self, json: str) -> list[Message]:
        messages = self.decoded(json, list[Message])
        if not messages:
            raise BadRunFile(f"{self.path} is damaged: what was asked is lost; {schema.INSTEAD}")
        return messages


Opening: TypeAlias = Callable[[Any], AbstractContextManager[RunReader]]


@contextmanager
def all_opened(paths: Iterable[Path | str], opening: Opening) -> Iterator[list[RunReader]]:
    with ExitStack() as stack:
        yield [stack.enter_context(opening(path)) for path in paths]


def runs_at(path: Path) -> list[Path]:
    """Return the run files in a folder, sorted by name; for any other path, the path itself.

    A run is left out if another run of the folder includes it. Adding a probe to an audit makes
    such runs: the new file has the replies of the old one. Raises BadRunFile for an empty folder.
    """
    files = schema.run_files_at(path)
    if not files:
        raise BadRunFile(f"there is no run file (*{schema.SUFFIX}) in {path}")
    if not path.is_dir():
        return files
    manifests: dict[Path, Manifest] = {}
    for file in files:
        with suppress(BadRunFile), RunReader(file) as run:  # reported where it is opened
            manifests[file] = run.manifest()
    older = {
        file
        for file, one in manifests.items()
        if any(other.includes(one) for other in manifests.values())
    }
    return [file for file in files if file not in older]


MOST_ASKS = 20_000
"""Maximum asks of one trial. A game of a thousand turns has two thousand."""


def split_digests(digests: bytes) -> list[bytes]:
    """The digests of a trial's asks, from the column `replies` of its record. Raises BadRunFile."""
    if len(digests) > MOST_ASKS * DIGEST_BYTES:
        raise BadRunFile(f"a record claims more than {MOST_ASKS:,} replies: the file is damaged")
    return [digests[i : i + DIGEST_BYTES] for i in range(0, len(digests), DIGEST_BYTES)]
