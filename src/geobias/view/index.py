"""A search index beside each run: filter columns, titles and the words of the replies (FTS5).

It lies in the user's cache, not in the run, is made from the run and grows with it; deleting it
loses nothing. The run itself is only read. An index is known by the file's path and inode, so that
another file in the same place gets another index.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import msgspec

from geobias.atlas.economies import economies, economy_name
from geobias.errors import GeobiasError
from geobias.probes import derived
from geobias.probes.registry import record_owner
from geobias.report.records import blaming
from geobias.results.descriptions import Description, ReadAs
from geobias.runfile import RunReader
from geobias.runfile.reading import split_digests
from geobias.runfile.schema import quoted
from geobias.sources.cache import cache_folder


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What the index keeps of a trial, beside the words that were said.

    Of its description (`results.descriptions`): topic, language, result, title, read, bad, correct,
    variant and the number to sort by. `shuffle` is a number that puts trials in an order without
    meaning: the order of samples.
    """

    trial: str
    probe: str
    country: str
    region: str
    income: str
    continent: str
    half: str
    topic: str
    language: str
    outcome: str
    result: str
    title: str
    read: str
    bad: int
    correct: int | None
    sorted_by: float | None
    variant: str
    shuffle: int


def described(record: Mapping[str, Any]) -> Description:
    """The record in its probe's words; a plain one where the probe is not installed."""
    probe = record_owner(str(record["probe"]))
    if probe is None:
        name = economy_name(str(record.get("country") or ""))
        return Description(
            title=name or str(record["trial"]), facts=[("Outcome", str(record["outcome"]))]
        )
    return probe.showing.describe(record)


def row(record: Mapping[str, Any]) -> Row:
    country = str(record.get("country") or "")
    economy = economies().get(country)
    about = described(record)
    described_by = ("topic", "language", "result", "title", "read", "variant")
    groups = ("region", "income", "continent", "north_south")
    place = {name: getattr(economy, name, None) or "" for name in groups}
    return Row(
        **{name: str(record[name]) for name in ("trial", "probe", "outcome")},
        country=country,
        half=place.pop("north_south"),
        **place,
        **{name: getattr(about, name) for name in described_by},
        bad=int(about.bad),
        correct=None if about.correct is None else int(about.correct),
        sorted_by=about.order,
        shuffle=shuffle(str(record["trial"])),
    )


def reading(probe: str, correct: int | None, read: str) -> tuple[str, str]:
    """What came of a trial: "right" or "wrong" in its probe's word, "" for neither; and the rest.

    Games are won or lost. Where the reading begins with that word, it is not said twice.
    """
    if correct is None:
        return "", read
    owner = record_owner(probe)
    rule = derived.comparison(owner) if owner is not None and owner.name == probe else None
    right, wrong = rule.turned if rule is not None else ("right", "wrong")
    word = right if correct else wrong
    return word, read.removeprefix(word).lstrip(", ")


def outcome_words(probe: str, outcome: str) -> str:
    """What became of a reply, in the same words for every probe."""
    owner = record_owner(probe)
    return (owner.showing.read_as if owner is not None else ReadAs()).words(outcome)


def shuffle(name: str) -> int:
    """A number of 62 bits by which names are put in an order without meaning, always the same."""
    digest = blake2b(name.encode(errors="replace"), digest_size=8, person=b"geobias-view").digest()
    return int.from_bytes(digest) >> 2


VERSION = 6
"""Of the index; another one is made where a newer geobias keeps other things."""
BATCH = 2_000
PAGE = 50
MOST_COUNTED = 10_000
"""Matches are counted up to here; a page that says "more than 10,000" says enough."""
MOST_INDEXED = 200_000
"""Characters of one reply that can be searched."""
REDONE = 64
"""Newest records that are looked at again with every update: a run may take some back."""
LOOK_AGAIN_SECONDS = 0.5
KEPT_DAYS = 30
FILTERS = (
    *("probe", "country", "region", "income", "continent", "half"),
    *("topic", "language", "outcome", "result", "variant"),
)

_COLUMNS = Row.__struct_fields__
_TABLES = f"""
CREATE TABLE trials (
    id INTEGER PRIMARY KEY,             -- of the run's record
    {", ".join(_COLUMNS)},
    digest BLOB NOT NULL                -- of the record, to notice another in its place
);
CREATE UNIQUE INDEX by_trial ON trials (trial);
CREATE INDEX by_probe ON trials (probe, outcome);
CREATE INDEX by_country ON trials (country);
CREATE INDEX by_topic ON trials (topic);
CREATE INDEX by_result ON trials (result);
CREATE INDEX by_number ON trials (sorted_by DESC, id);
CREATE INDEX by_shuffle ON trials (shuffle);
CREATE TABLE sampled (                  -- items that people can check
    sample TEXT NOT NULL,
    id INTEGER NOT NULL,                -- of the trial
    items INTEGER NOT NULL,
    PRIMARY KEY (sample, id)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE said USING fts5(
    about, words, content='', tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
"""
_UNSPACED = re.compile(r"([\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")
"""Scripts without spaces between words: each character is searched as a word."""


class TrialList(msgspec.Struct, frozen=True):
    """A page of a list. `matches` is None where there are more than `MOST_COUNTED`."""

    rows: list[tuple[int, Row]]
    matches: int | None
    more: bool


class Index:
    def __init__(self, run: Path, folder: Path | None = None) -> None:
        self.run = run
        self._folder = folder or cache_folder() / "view"
        self._lock = threading.Lock()
        self._looked = 0.0
        self._facets: tuple[int, dict[str, list[tuple[str, int]]]] = (-1, {})
        self._facets_until = 0.0
        self._seen: tuple[int, ...] = ()
        self._analysed = 0
        self.total = 0
        """Records in the run when it was last looked at."""
        self.indexed = 0
        """How many of them the index has."""
        self.fault = ""

    def path(self) -> Path:
        """Where the index of the file that is there now lies."""
        file = self.run.stat()
        identity = f"{VERSION} {self.run.resolve()} {file.st_dev} {file.st_ino}"
        name = sha256(identity.encode(errors="surrogateescape")).hexdigest()[:24]
        return self._folder / f"{name}.sqlite"

    # -- making ------------------------------------------------------------------------------------

    def refresh(self, seconds: float | None = None) -> bool:
        """Take in what the run has gained; True if nothing is left to take in.

        Stops after `seconds`. Does nothing while another thread is at it, or just was.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if time.monotonic() - self._looked < LOOK_AGAIN_SECONDS:
                return True
            state, done = state_of(self.run), True
            if state != self._seen or not self.path().exists():
                done = self._take_in(None if seconds is None else time.monotonic() + seconds)
                self._seen = state if done else ()
            if done:
                self._looked = time.monotonic()
            self.fault = ""
            return done
        except GeobiasError as error:
            self.fault = str(error)
        except (sqlite3.Error, OSError) as error:
            self.fault = f"the search index cannot be written: {error}"
        except Exception as error:  # what nobody foresaw in one run stops no other run's index
            self.fault = f"the search index cannot be made: {type(error).__name__}: {error}"
        finally:
            self._lock.release()
        return True

    def _take_in(self, until: float | None) -> bool:
        self._folder.mkdir(parents=True, exist_ok=True)
        if not self.path().exists():
            self.indexed = 0
        with closing(self._writing()) as db, RunReader(self.run) as reader, blaming(reader):
            if self._is_stale(db, reader):
                db.executescript(
                    "BEGIN; DROP TABLE trials; DROP TABLE sampled; DROP TABLE said;"
                    + _TABLES
                    + "COMMIT;"
                )
            self.total = next(reader.query("SELECT count(*) FROM records"))[0]
            done = False
            while not done and (until is None or time.monotonic() < until):
                done = not self._one_batch(db, reader)
            self.indexed = db.execute("SELECT count(*) FROM trials").fetchone()[0]
            if done and self.indexed > 2 * self._analysed:
                db.execute("ANALYZE")  # so that the rarest of several filters is used first
                self._analysed = self.indexed
                self._facets_until = 0.0  # those of half an index lack filters
            return done

    def _writing(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path(), isolation_level=None, timeout=30)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=OFF")  # what is lost is made again
        db.execute("BEGIN IMMEDIATE")
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'trials'").fetchone():
            for statement in _TABLES.split(";\n"):
                db.execute(statement)
        db.execute("COMMIT")
        return db

    def _is_stale(self, db: sqlite3.Connection, reader: RunReader) -> bool:
        """Whether the run took back records that the index has, or has others in their place."""
        last = db.execute("SELECT max(id) FROM trials").fetchone()[0]
        if last is None:
            return False
        [kept] = db.execute("SELECT count(*) FROM trials").fetchone()
        [there] = next(reader.query("SELECT count(*) FROM records WHERE id <= ?", (last,)))
        if kept != there:
            return True
        newest = "SELECT id, record FROM records WHERE id <= ? ORDER BY id DESC LIMIT ?"
        texts = dict(reader.query(newest, (last, REDONE)))
        known = db.execute(
            "SELECT id, digest FROM trials ORDER BY id DESC LIMIT ?", (REDONE,)
        ).fetchall()
        return any(_digest(texts.get(id_, "")) != digest for id_, digest in known)

    def _one_batch(self, db: sqlite3.Connection, reader: RunReader) -> int:
        """Up to `BATCH` records more, in one transaction; another process may be at it too.

        Where it fails, the connection is closed, which rolls it back.
        """
        db.execute("BEGIN IMMEDIATE")
        last = db.execute("SELECT coalesce(max(id), 0) FROM trials").fetchone()[0]
        sql = "SELECT id, record, replies FROM records WHERE id > ? ORDER BY id LIMIT ?"
        lines, words, sampled = [], [], []
        for id_, text, digests in reader.query(sql, (last, BATCH)):
            record = reader.decoded(text, dict[str, Any])
            made = row(record)
            lines.append((id_, *msgspec.structs.astuple(made), _digest(text)))
            sampled += [(name, id_, items) for name, items in _samples_of(record)]
            words.append((id_, spaced(made.title), _words(reader, digests)))
        places = ",".join("?" * (len(_COLUMNS) + 2))
        db.executemany(f"INSERT INTO trials VALUES ({places})", lines)  # noqa: S608
        db.executemany("INSERT INTO sampled VALUES (?, ?, ?)", sampled)
        db.executemany("INSERT INTO said (rowid, about, words) VALUES (?, ?, ?)", words)
        db.execute("COMMIT")
        return len(lines)

    # -- asking ------------------------------------------------------------------------------------

    def rows(
        self, sql: str, values: Sequence[Any] = (), beside: Index | None = None
    ) -> list[tuple[Any, ...]]:
        """Any SELECT over the index, and over another one as `beside`; nothing before it is made.

        Both are opened for reading alone.
        """
        try:
            with closing(sqlite3.connect(self._address(), uri=True, timeout=30)) as db:
                if beside is not None:
                    db.execute("ATTACH ? AS beside", (beside._address(),))
                return db.execute(sql, tuple(values)).fetchall()
        except sqlite3.OperationalError as error:
            made = self.indexed and (beside is None or beside.indexed)
            unmade = "unable to open" in str(error) and not made
            if unmade or "no such table" in str(error):
                return []
            raise

    def _address(self) -> str:
        return f"file:{quoted(self.path())}?mode=ro"

    def facets(self) -> Mapping[str, list[tuple[str, int]]]:
        """Filter → its values with their counts, most frequent first."""
        count, began = self.indexed, time.monotonic()
        if not self._facets[1] or (self._facets[0] != count and began > self._facets_until):
            made = {
                name: self.rows(
                    f"SELECT {name}, count(*) FROM trials WHERE {name} <> ''"  # noqa: S608
                    " GROUP BY 1 ORDER BY 2 DESC, 1"
                )
                for name in FILTERS
            }
            self._facets = (count, made)
            # While a run grows they would never be up to date; now and then is enough.
            self._facets_until = time.monotonic() + 20 * (time.monotonic() - began)
        return self._facets[1]

    def find(
        self,
        filters: Mapping[str, str],
        search: str = "",
        *,
        after: str = "",
        before: str = "",
        by_number: bool = False,
    ) -> TrialList:
        """A page of trials. `after` and `before` are the `mark` of the row to go on from."""
        where, values = _where(filters, search)
        # CROSS: matches first, then their rows; the other way round every row is looked up.
        came_from = "trials t" if not search else "said CROSS JOIN trials t ON t.id = said.rowid"
        if by_number:
            where.append("t.sorted_by IS NOT NULL")
        counted_in = "said" if where == ["said MATCH ?"] else came_from
        counted = f"SELECT count(*) FROM (SELECT 1 FROM {counted_in}{conditions(where)} LIMIT ?)"  # noqa: S608
        matches = self.number(counted, [*values, MOST_COUNTED + 1])
        backwards = bool(before)
        # By the matches' own number FTS5 delivers them in order, and stops at the limit.
        number = "said.rowid" if search and not by_number else "t.id"
        step = beyond(before or after, number, backwards=backwards, by_number=by_number)
        where, values = [*where, *step[0]], [*values, *step[1]]
        down, up = ("ASC", "DESC") if backwards else ("DESC", "ASC")
        order = f"t.sorted_by {down}, t.id {up}" if by_number else f"{number} {up}"
        names = ", ".join(f"t.{name}" for name in _COLUMNS)
        listed = self.rows(
            f"SELECT t.id, {names} FROM {came_from}{conditions(where)} ORDER BY {order} LIMIT ?",  # noqa: S608
            [*values, PAGE + 1],
        )
        more, listed = len(listed) > PAGE, listed[:PAGE]
        if backwards:
            listed.reverse()
        rows = [(id_, Row(**dict(zip(_COLUMNS, rest, strict=True)))) for id_, *rest in listed]
        return TrialList(rows, matches if matches <= MOST_COUNTED else None, more)

    def number(self, sql: str, values: Sequence[Any] = ()) -> int:
        """The one number that a SELECT gives; 0 where it gives none."""
        rows = self.rows(sql, values)
        return int(rows[0][0]) if rows else 0

    def neighbours(self, trial: str) -> tuple[str, str]:
        """The trials before and after one in the order of the run; "" at the ends."""
        here = self.number("SELECT id FROM trials WHERE trial = ?", (trial,))
        sql = "SELECT trial FROM trials WHERE id {} ? ORDER BY id {} LIMIT 1"
        before = self.rows(sql.format("<", "DESC"), (here,))
        after = self.rows(sql.format(">", "ASC"), (here,)) if here else []
        return (before[0][0] if before else ""), (after[0][0] if after else "")

    def has_numbers(self) -> bool:
        return bool(self.number("SELECT 1 FROM trials WHERE sorted_by IS NOT NULL LIMIT 1"))

    def has(self, trial: str) -> bool:
        return bool(self.number("SELECT 1 FROM trials WHERE trial = ?", (trial,)))


def mark(id_: int, row: Row, *, by_number: bool) -> str:
    return f"{row.sorted_by!r}:{id_}" if by_number else str(id_)


def beyond(
    mark: str, number: str, *, backwards: bool, by_number: bool
) -> tuple[list[str], list[Any]]:
    """Keyset pagination: what lies beyond the mark. A mark that makes no sense is no mark."""
    error, _, id_ = mark.rpartition(":")
    if not id_.isdecimal() or len(id_) > 18:
        return [], []
    if not by_number:
        return [f"{number} {'<' if backwards else '>'} ?"], [int(id_)]
    try:
        far = float(error)
    except ValueError:
        return [], []
    past, further = (">", "<") if backwards else ("<", ">")
    sql = f"(t.sorted_by {past} ? OR (t.sorted_by = ? AND t.id {further} ?))"
    return [sql], [far, far, int(id_)]


def _where(filters: Mapping[str, str], search: str) -> tuple[list[str], list[Any]]:
    where = [f"t.{name} = ?" for name in FILTERS if filters.get(name)]
    values: list[Any] = [filters[name] for name in FILTERS if filters.get(name)]
    if search:
        where.insert(0, "said MATCH ?")
        values.insert(0, search_query(search))
    return where, values


def conditions(where: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(where)}" if where else ""


def search_query(search: str) -> str:
    """What a person types as a query of FTS5, in which nothing can be a command.

    All words must occur; words in quotes stand together; a word that ends in * may go on.
    """
    parts = []
    for phrase, word in re.findall(r'"([^"]*)"|(\S+)', search[:400]):
        open_ended = word.endswith("*")
        text = spaced(phrase or word.rstrip("*")).replace('"', " ").replace("\0", " ").strip()
        if any(c.isalnum() for c in text):
            parts.append(f'"{text}"{"*" if open_ended else ""}')
    return " AND ".join(parts) or '"\u0001"'


def spaced(text: str) -> str:
    """Characters of scripts that write without spaces, each a word of its own."""
    return _UNSPACED.sub(r" \1 ", text)


def _samples_of(record: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Samples that a record has items of, and how many."""
    probe = record_owner(str(record["probe"]))
    for sample in probe.showing.samples if probe else ():
        if items := int(sample.items(record)):
            yield sample.name, items


def _words(reader: RunReader, digests: bytes) -> str:
    sql = "SELECT text, reasoning FROM replies WHERE digest = ?"
    texts = []
    for digest in split_digests(digests):
        for text, reasoning in reader.query(sql, (digest,)):
            texts += [text[:MOST_INDEXED], *([reasoning[:MOST_INDEXED]] if reasoning else [])]
    return spaced("\n".join(texts))


def _digest(text: str) -> bytes:
    return sha256(text.encode(errors="replace")).digest()[:8]


def state_of(run: Path) -> tuple[int, ...]:
    """Changes whenever the run file or its log does."""
    stats = [path.stat() for path in (run, Path(f"{run}-wal")) if path.exists()]
    return tuple(number for one in stats for number in (one.st_mtime_ns, one.st_size, one.st_ino))


def prune() -> None:
    oldest = time.time() - KEPT_DAYS * 86_400
    for path in (cache_folder() / "view").glob("*.sqlite*"):
        with suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()
