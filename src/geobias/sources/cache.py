"""Pulled content on disk, with its origin, so that nothing is asked for twice.

The folder is $GEOBIAS_CACHE, or `geobias` in $XDG_CACHE_HOME, or ~/.cache/geobias. In it,
`index.json` lists the contents; each is a file that carries the beginning of its hash in its name.
A new content is written first, then the index points to it, then the old one is removed: whenever
the power fails, the index points to something whole.

`CachedAnswers` are many small answers of one service in one file. Each is asked for once: a pull
that is stopped goes on with what is missing.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec

from geobias.errors import BadRequest, CannotWrite
from geobias.files import write_whole
from geobias.sources.download import gather_or_cancel

T = TypeVar("T")
State = Literal["ok", "changed", "missing"]


class CacheEntry(msgspec.Struct, frozen=True):
    """One content of the cache."""

    name: str
    """What it is, e.g. "worldbank-SP.POP.TOTL"."""
    file: str
    source: str
    """The address it came from. The same thing from another address is another thing."""
    fetched_at: str
    """UTC, e.g. 2026-03-01T12:00:00+00:00."""
    edition: str
    """The publisher's date of it; empty where the publisher gives none."""
    sha256: str
    bytes: int


class BadCache(BadRequest):
    """The cache's index cannot be read."""


def cache_folder() -> Path:
    """Where the cache is, whether or not there is one yet.

    A relative $XDG_CACHE_HOME is ignored, as its specification asks.
    """
    if own := os.environ.get("GEOBIAS_CACHE", "").strip():
        return Path(own).expanduser()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path("~/.cache").expanduser()) / "geobias"


class Cache:
    """The cache in one folder, which is made when the first content is kept."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = cache_folder() if folder is None else folder
        self._index = self.folder / "index.json"

    def entries(self) -> Mapping[str, CacheEntry]:
        """Everything in the cache by name, in the order of the names; empty without a cache."""
        try:
            listed = msgspec.json.decode(self._index.read_bytes(), type=list[CacheEntry])
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise BadCache(f"Cannot read {self._index}: {error.strerror or error}.") from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise BadCache(
                f"{self._index} is damaged: delete the folder {self.folder} and pull again."
            ) from None
        return {entry.name: entry for entry in sorted(listed, key=lambda entry: entry.name)}

    def find(
        self, name: str, *, source: str | None = None, sha256: str | None = None
    ) -> CacheEntry | None:
        """The entry from this address and with this hash; None if its file is not as it was."""
        entry = self.entries().get(name)
        if entry is None or source not in (None, entry.source):
            return None
        fits = sha256 in (None, entry.sha256) and self._state(entry) == "ok"
        return entry if fits else None

    def read(self, name: str, kind: type[T], *, source: str) -> tuple[CacheEntry, T] | None:
        """The entry and its JSON; None for what another version of geobias kept in other shape."""
        if (entry := self.find(name, source=source)) is None:
            return None
        try:
            return entry, msgspec.json.decode(self.path(entry).read_bytes(), type=kind)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def path(self, entry: CacheEntry) -> Path:
        return self.folder / entry.file

    def keep(
        self,
        name: str,
        content: bytes,
        *,
        source: str,
        edition: str = "",
        suffix: str = ".json",
    ) -> CacheEntry:
        """Keep a content in place of what has this name."""
        sha256 = hashlib.sha256(content).hexdigest()
        entry = CacheEntry(
            name=name,
            file=f"{name}-{sha256[:12]}{suffix}",
            source=source,
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            edition=edition,
            sha256=sha256,
            bytes=len(content),
        )
        with self._writing():
            entries = dict(self.entries())
            before = entries.get(name, entry)
            write_whole(self.path(entry), content)
            entries[name] = entry
            ordered = msgspec.json.encode([entries[one] for one in sorted(entries)])
            write_whole(self._index, msgspec.json.format(ordered, indent=2) + b"\n")
            if before.file != entry.file:
                self.path(before).unlink(missing_ok=True)
        return entry

    def verify(self) -> dict[str, State]:
        """Compare every file with its stored hash."""
        return {name: self._state(entry) for name, entry in self.entries().items()}

    def _state(self, entry: CacheEntry) -> State:
        try:
            with self.path(entry).open("rb") as file:
                same = hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
            return "ok" if same else "changed"
        except OSError:
            return "missing"

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Keep other processes from changing the index meanwhile; the kernel ends a dead lock."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
            finally:
                os.close(lock)
        except (OSError, CannotWrite) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            words = getattr(cause, "strerror", None) or error
            raise CannotWrite(
                f"Cannot write to the cache in {self.folder} ({words}): "
                "set GEOBIAS_CACHE to a folder that can be written."
            ) from None


Start = Callable[[int, int], None]
"""Called once with how many answers are wanted and how many of them are here."""
Progress = Callable[[int], None]
"""Called with how many more are here."""

SAVE_EVERY = 100
"""Answers that come between two writings to the disk: what a power cut may cost."""


class CachedAnswers(Generic[T]):
    """Answers by question, of one service and edition; with `refresh` the cache is not read.

    `entry` is where they stand in the cache.
    """

    def __init__(
        self,
        cache: Cache,
        name: str,
        kind: type[T],
        *,
        source: str,
        edition: str = "",
        refresh: bool = False,
    ) -> None:
        self._cache = cache
        self._name = name
        self._source = source
        self._edition = edition
        self._unsaved = 0
        self.entry: CacheEntry | None = None
        self.known: dict[str, T] = {}
        stored = dict[str, kind]  # type: ignore[valid-type]
        if not refresh and (kept := cache.read(name, stored, source=source)) is not None:
            self.entry, self.known = kept

    def _save(self) -> None:
        if self._unsaved:
            content = msgspec.json.encode(dict(sorted(self.known.items())))
            edition = self._edition or datetime.now(UTC).date().isoformat()
            self.entry = self._cache.keep(self._name, content, source=self._source, edition=edition)
            self._unsaved = 0

    async def complete(
        self,
        wanted: Sequence[str],
        ask: Callable[[list[str]], Awaitable[dict[str, T]]],
        *,
        batch_size: int = 1,
        concurrency: int = 1,
        start: Start | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Ask for what is missing, so many in one request and so many requests at once.

        Whatever fails, the answers that came before are kept.
        """
        every = dict.fromkeys(wanted)
        missing = [question for question in every if question not in self.known]
        if start:
            start(len(every), len(every) - len(missing))
        batches = iter([missing[at : at + batch_size] for at in range(0, len(missing), batch_size)])

        async def work() -> None:
            for batch in batches:
                self.known |= await ask(batch)
                self._unsaved += len(batch)
                if self._unsaved >= SAVE_EVERY:
                    self._save()
                if progress:
                    progress(len(batch))

        try:
            await gather_or_cancel(work() for _ in range(concurrency))
        finally:
            self._save()
