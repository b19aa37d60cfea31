"""An index in memory of a run's trials, for lists, filters and searches.

The run is only read. Its index is made when the viewer starts, grows with the run, and ends with
the viewer.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from geobias.atlas.economies import economies, economy_name
from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.errors import GeobiasError
from geobias.probes.questions import outcome_words
from geobias.probes.registry import record_owner, record_titles
from geobias.report.records import blaming
from geobias.results.descriptions import Description
from geobias.runfile import RunReader
from geobias.runfile.reading import split_digests
from geobias.trials import StoredRecord

BATCH = 1_000
PAGE = 50
MOST_PAGES = 1_000_000
MOST_INDEXED = 200_000
"""Maximum characters of one reply that can be searched."""
COMPARED = 64
"""How many of the newest records are compared, to notice a run that was read again."""
FILTERS = (
    *("probe", "country", "region", "income", "continent", "half"),
    *("topic", "language", "outcome", "result", "variant"),
)
_UNSPACED = re.compile(r"([\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")
"""Scripts without spaces between words, in which each character is searched as a word."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A trial in a list, in words: columns of its record, its country's groups, its description.

    `shuffle` is the trial's place in samples, a hash of its name.
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
    sorted_by: float | None
    variant: str
    shuffle: int


_COLUMNS = Row.__struct_fields__
_TABLES = f"""
DROP TABLE IF EXISTS trials; DROP TABLE IF EXISTS sampled; DROP TABLE IF EXISTS said;
CREATE TABLE trials (id INTEGER PRIMARY KEY, {", ".join(_COLUMNS)});  -- id: the record's
CREATE UNIQUE INDEX by_trial ON trials (trial);
CREATE INDEX by_country ON trials (country);
CREATE INDEX by_topic ON trials (topic);
CREATE INDEX by_number ON trials (sorted_by DESC, id);
CREATE INDEX by_shuffle ON trials (shuffle);
CREATE TABLE sampled (sample, id INTEGER, PRIMARY KEY (sample, id)) WITHOUT ROWID;
CREATE VIRTUAL TABLE said USING fts5(
    about, words, content='', tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
"""


def described(record: StoredRecord) -> Description:
    """Describe a record in the words of its probe, or plainly if the probe is not installed."""
    probe = record_owner(str(record["probe"]))
    if probe is None:
        name = economy_name(str(record.get("country") or ""))
        return Description(
            title=name or str(record["trial"]), facts=[("Outcome", str(record["outcome"]))]
        )
    return probe.showing.describe(record)


def row(record: StoredRecord) -> Row:
    trial, probe, country = (str(record.get(name) or "") for name in ("trial", "probe", "country"))
    economy, about = economies().get(country), described(record)
    groups = ("region", "income", "continent", "north_south")
    place = {name: getattr(economy, name, None) or "" for name in groups}
    return Row(
        trial=trial,
        probe=record_titles().get(probe, probe),
        country=economy_name(country),
        half=place.pop("north_south"),
        **place,
        topic=_plain(about.topic),
        language=LANGUAGE_NAMES.get(about.language, about.language),
        outcome=outcome_words(str(record["outcome"])),
        result=about.result,
        title=about.title,
        read=about.read,
        bad=int(about.bad),
        sorted_by=about.order,
        variant=_plain(about.variant),
        shuffle=shuffle(trial),
    )


def _plain(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def shuffle(name: str) -> int:
    """A 62-bit hash of a name. It orders trials as if at random, but always in the same way."""
    digest = blake2b(name.encode(errors="replace"), digest_size=8, person=b"geobias-view").digest()
    return int.from_bytes(digest) >> 2


class Index:
    """The index of a run, with `indexed` of `total` records. `fault` says why indexing stopped."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self.total = self.indexed = 0
        self.fault = ""
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._asking, self._growing = threading.Lock(), threading.Lock()
        self._seen: tuple[int, ...] = ()
        self._known: tuple[int, ...] = ()
        self._facets: dict[str, dict[str, list[tuple[str, int]]]] = {}
        self._db.executescript(_TABLES)

    def refresh(self, seconds: float | None = None) -> bool:
        """Index the run's new records, and return whether none is left.

        Stops after `seconds`. Does nothing while another thread refreshes the index.
        """
        if not self._growing.acquire(blocking=False):
            return False
        try:
            state = state_of(self.run)
            done = state == self._seen or self._take_in(seconds)
            self._seen = state if done else ()
            self.fault = ""
            return done
        except Exception as error:  # a fault of one run stops no other run's index
            known = isinstance(error, GeobiasError)
            words = f"the search index cannot be made: {type(error).__name__}: {error}"
            self.fault = str(error) if known else words
            return True
        finally:
            self._growing.release()

    def _take_in(self, seconds: float | None) -> bool:
        until = None if seconds is None else time.monotonic() + seconds
        with RunReader(self.run) as reader, blaming(reader):
            if self._known and self._known != self._fingerprint(reader):
                with self._asking:
                    self._db.executescript(_TABLES)
                self.indexed = 0
            self.total = next(reader.query("SELECT count(*) FROM records"))[0]
            more = True
            while more and (until is None or time.monotonic() < until):
                more = self._one_batch(reader)
            self._known = self._fingerprint(reader)
            return not more

    def _fingerprint(self, reader: RunReader) -> tuple[int, ...]:
        """A value that changes if an indexed record is deleted or replaced."""
        last = self.number("SELECT max(id) FROM trials")
        [kept] = next(reader.query("SELECT count(*) FROM records WHERE id <= ?", (last,)))
        newest = "SELECT record FROM records WHERE id <= ? ORDER BY id DESC LIMIT ?"
        texts = tuple(reader.query(newest, (last, COMPARED)))
        return kept, hash(texts), self.run.stat().st_ino

    def _one_batch(self, reader: RunReader) -> bool:
        """Index up to `BATCH` records, and return whether there were any."""
        last = self.number("SELECT max(id) FROM trials")
        sql = "SELECT id, record, replies FROM records WHERE id > ? ORDER BY id LIMIT ?"
        lines, words, sampled = [], [], []
        for id_, text, digests in reader.query(sql, (last, BATCH)):
            record = reader.decoded(text, StoredRecord)
            made = row(record)
            lines.append((id_, *msgspec.structs.astuple(made)))
            sampled += [(name, id_) for name in _samples_of(record)]
            words.append((id_, spaced(made.title), _words(reader, digests)))
        places = ",".join("?" * (len(_COLUMNS) + 1))
        with self._asking:
            self._db.execute("BEGIN")
            self._db.executemany(f"INSERT INTO trials VALUES ({places})", lines)  # noqa: S608
            self._db.executemany("INSERT INTO sampled VALUES (?, ?)", sampled)
            self._db.executemany("INSERT INTO said (rowid, about, words) VALUES (?, ?, ?)", words)
            self._db.execute("COMMIT")
        self.indexed += len(lines)
        self._facets = {}
        return bool(lines)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._asking:
            return self._db.execute(sql, tuple(values)).fetchall()

    def number(self, sql: str, values: Sequence[Any] = ()) -> int:
        """The number in the first row and column of a SELECT, or 0."""
        rows = self.rows(sql, values)
        return int(rows[0][0] or 0) if rows else 0

    def facets(self, probe: str = "") -> Mapping[str, list[tuple[str, int]]]:
        """Filter → its values and their counts, most frequent first.

        Counts the trials of `probe`, or of all probes. The filter "probe" always has every probe.
        """
        if probe not in self._facets:
            sql = "SELECT {0}, count(*) FROM trials WHERE {0} <> '' AND ? IN ('', probe)"
            more = " GROUP BY 1 ORDER BY 2 DESC, 1"
            self._facets[probe] = {
                name: self.rows(sql.format(name) + more, ["" if name == "probe" else probe])
                for name in FILTERS
            }
        return self._facets[probe]

    def find(
        self, filters: Mapping[str, str], search: str = "", *, page: int = 1, largest: bool = False
    ) -> tuple[list[Row], int]:
        """A page of the trials that match, and how many match.

        Trials come in the order of the run or, if `largest`, with the largest number first.
        """
        chosen = {name: filters[name] for name in FILTERS if filters.get(name)}
        where, values = [f"t.{name} = ?" for name in chosen], [*chosen.values()]
        # CROSS: matches first, then their rows. The other way round visits every row.
        where_from, order = "trials t", "t.id"
        if search:
            where_from, order = "said CROSS JOIN trials t ON t.id = said.rowid", "said.rowid"
            where, values = ["said MATCH ?", *where], [search_query(search), *values]
        if largest:
            where, order = [*where, "t.sorted_by IS NOT NULL"], "t.sorted_by DESC, t.id"
        found = f"FROM {where_from} WHERE {' AND '.join(where) or 'true'}"
        names = ", ".join(f"t.{name}" for name in _COLUMNS)
        listed = self.rows(
            f"SELECT {names} {found} ORDER BY {order} LIMIT ? OFFSET ?",
            [*values, PAGE, PAGE * (page - 1)],
        )
        rows = [Row(**dict(zip(_COLUMNS, one, strict=True))) for one in listed]
        return rows, self.number(f"SELECT count(*) {found}", values)

    def neighbours(self, trial: str) -> tuple[str, str]:
        """The trials before and after `trial` in the order of the run. "" at the ends."""
        here = self.number("SELECT id FROM trials WHERE trial = ?", (trial,))
        sql = "SELECT trial FROM trials WHERE id {} ? ORDER BY id {} LIMIT 1"
        before = self.rows(sql.format("<", "DESC"), (here,))
        after = self.rows(sql.format(">", "ASC"), (here,)) if here else []
        return (before[0][0] if before else ""), (after[0][0] if after else "")

    def has_numbers(self) -> bool:
        return bool(self.number("SELECT 1 FROM trials WHERE sorted_by IS NOT NULL LIMIT 1"))


def search_query(search: str) -> str:
    """Turn the typed words into a query of FTS5, without its commands.

    All words must occur. Words in quotes must be adjacent. A word that ends in * matches
    beginnings.
    """
    parts = []
    for phrase, word in re.findall(r'"([^"]*)"|(\S+)', search[:400]):
        open_ended = word.endswith("*")
        text = spaced(phrase or word.rstrip("*")).replace('"', " ").replace("\0", " ").strip()
        if any(c.isalnum() for c in text):
            parts.append(f'"{text}"{"*" if open_ended else ""}')
    return " AND ".join(parts) or '"\u0001"'


def spaced(text: str) -> str:
    """Put spaces around each character of scripts that have none between words."""
    return _UNSPACED.sub(r" \1 ", text)


def _samples_of(record: StoredRecord) -> list[str]:
    probe = record_owner(str(record["probe"]))
    samples = probe.showing.samples if probe else ()
    return [sample.name for sample in samples if sample.includes(record)]


def _words(reader: RunReader, digests: bytes) -> str:
    sql = "SELECT text, reasoning FROM replies WHERE digest = ?"
    texts = [
        text[:MOST_INDEXED]
        for digest in split_digests(digests)
        for texts in reader.query(sql, (digest,))
        for text in texts
    ]
    return spaced("\n".join(texts))


def state_of(run: Path) -> tuple[int, ...]:
    """A value that changes whenever the run file or its log does."""
    stats = [path.stat() for path in (run, Path(f"{run}-wal")) if path.exists()]
    return tuple(number for one in stats for number in (one.st_mtime_ns, one.st_size, one.st_ino))
