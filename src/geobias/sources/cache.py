"""What was pulled, kept on disk with where it came from, so that the next table asks nobody.

The folder is $GEOBIAS_CACHE, or `geobias` in $XDG_CACHE_HOME, or ~/.cache/geobias. In it,
`index.json` lists what there is; each content is a file of its own that carries the beginning of
its hash in its name. A new content is written first, then the index points to it, then the old one
is removed: whenever the power fails, the index points to something whole.

Many small answers of one service, kept together in the cache while they come.

Each is asked for once: a pull that is stopped goes on with what is missing.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec

from geobias.errors import BadRequest, CannotWrite
from geobias.files import write_whole
from geobias.sources.download import gather_or_cancel

T = TypeVar("T")


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


State = Literal["ok", "changed", "missing"]


class CheckedEntry(msgspec.Struct, frozen=True):
    entry: CacheEntry
    state: State


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
    """The cache in one folder, which comes into being with the first thing kept."""

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

    def get(self, name: str, *, source: str) -> tuple[CacheEntry, bytes] | None:
        """What is kept under this name from this address; None if it is not there as it was."""
        entry = self.entries().get(name)
        if entry is None or entry.source != source:
            return None
        try:
            content = (self.folder / entry.file).read_bytes()
        except OSError:
            return None
        return (entry, content) if hashlib.sha256(content).hexdigest() == entry.sha256 else None

    def read(self, name: str, kind: type[T], *, source: str) -> tuple[CacheEntry, T] | None:
        """As `get`, decoded; None for what another version of geobias kept in another shape."""
        if (kept := self.get(name, source=source)) is None:
            return None
        try:
            return kept[0], msgspec.json.decode(kept[1], type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None

    def path(self, name: str, *, sha256: str) -> Path | None:
        """Where the content of this name and hash is kept, from any address; None if it is not."""
        entry = self.entries().get(name)
        if entry is None or entry.sha256 != sha256 or self._state(entry) != "ok":
            return None
        return self.folder / entry.file

    def keep(
        self, name: str, content: bytes, *, source: str, edition: str, suffix: str = ".json"
    ) -> CacheEntry:
        """Keep this content under this name, in place of what was there."""
        sha256 = hashlib.sha256(content).hexdigest()
        entry = _new_entry(name, sha256, len(content), source, edition, suffix)
        return self._store(entry, lambda path: write_whole(path, content))

    def keep_file(
        self, name: str, file: Path, *, source: str, edition: str, suffix: str
    ) -> CacheEntry:
        """Keep a whole file that lies in the cache's folder already, under another name."""
        size = file.stat().st_size
        entry = _new_entry(name, _sha256(file), size, source, edition, suffix)
        return self._store(entry, file.replace)

    def partial_path(self, name: str) -> Path:
        """Where a big file lies while it comes, in the cache's folder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._cannot_write(error) from None
        return self.folder / f"{name}.part"

    def _store(self, entry: CacheEntry, put: Callable[[Path], object]) -> CacheEntry:
        try:
            with self._locked():
                entries = dict(self.entries())
                before = entries.get(entry.name)
                put(self.folder / entry.file)
                entries[entry.name] = entry
                ordered = msgspec.json.encode([entries[name] for name in sorted(entries)])
                write_whole(self._index, msgspec.json.format(ordered, indent=2) + b"\n")
                if before is not None and before.file != entry.file:
                    with suppress(OSError):
                        (self.folder / before.file).unlink()
        except (OSError, CannotWrite) as error:
            raise self._cannot_write(error) from None
        return entry

    def _cannot_write(self, error: OSError | CannotWrite) -> CannotWrite:
        cause = error if isinstance(error, OSError) else error.__cause__
        words = getattr(cause, "strerror", None) or error
        return CannotWrite(
            f"Cannot write to the cache in {self.folder} ({words}): "
            "set GEOBIAS_CACHE to a folder that can be written."
        )

    def verify(self) -> list[CheckedEntry]:
        """Hold every file against the hash it was kept with."""
        return [CheckedEntry(entry, self._state(entry)) for entry in self.entries().values()]

    def _state(self, entry: CacheEntry) -> State:
        try:
            found = _sha256(self.folder / entry.file)
        except OSError:
            return "missing"
        return "ok" if found == entry.sha256 else "changed"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes from changing the index meanwhile; the kernel ends a dead lock."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _sha256(path: Path) -> str:
    """Of a file that may be too big for memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _new_entry(
    name: str, sha256: str, size: int, source: str, edition: str, suffix: str
) -> CacheEntry:
    return CacheEntry(
        name=name,
        file=f"{name}-{sha256[:12]}{suffix}",
        source=source,
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        edition=edition,
        sha256=sha256,
        bytes=size,
    )


Start = Callable[[int, int], None]
"""Called once with how many answers are wanted and how many of them are here."""
Progress = Callable[[int], None]
"""Called with how many more are here."""

SAVE_EVERY = 100
"""Answers that come between two writings to the disk: what a power cut may cost."""


class CachedAnswers(Generic[T]):
    """Answers by what was asked, of one service and edition; with `refresh` the cache is not read.

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

    def add(self, found: dict[str, T]) -> None:
        self.known |= found
        self._unsaved += len(found)
        if self._unsaved >= SAVE_EVERY:
            self.save()

    def save(self) -> None:
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
        missing = [one for one in every if one not in self.known]
        if start:
            start(len(every), len(every) - len(missing))
        batches = iter([missing[at : at + batch_size] for at in range(0, len(missing), batch_size)])

        async def work() -> None:
            for batch in batches:
                self.add(await ask(batch))
                if progress:
                    progress(len(batch))

        try:
            await gather_or_cancel(work() for _ in range(concurrency))
        finally:
            self.save()
