"""Downloaded content on disk with its origin, so that nothing is downloaded twice.

The folder is $GEOBIAS_CACHE, or `geobias` in $XDG_CACHE_HOME, or ~/.cache/geobias. Each content is
a file with an entry beside it (`NAME.entry.json`), which is written last. If the content does not
match its entry, it is incomplete or was changed since, and is downloaded again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from geobias.errors import CannotWrite
from geobias.files import write_whole

T = TypeVar("T")
State = Literal["ok", "changed", "missing"]
ENTRY = ".entry.json"


class CacheEntry(msgspec.Struct, frozen=True):
    """One file in the cache, with its origin."""

    name: str
    """The name of the content, e.g. "worldbank-SP.POP.TOTL"."""
    file: str
    source: str
    """The address it came from. Content from another address has an entry of its own."""
    fetched_at: str
    """UTC, e.g. 2026-03-01T12:00:00+00:00."""
    edition: str
    """The publisher's date; empty if the publisher gives none."""
    sha256: str
    bytes: int


def cache_folder() -> Path:
    """The cache's folder, which may not exist yet.

    A relative $XDG_CACHE_HOME is ignored, as its specification asks.
    """
    if own := os.environ.get("GEOBIAS_CACHE", "").strip():
        return Path(own).expanduser()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path("~/.cache").expanduser()) / "geobias"


class Cache:
    """The cache in one folder, which is created when the first content is stored."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = cache_folder() if folder is None else folder

    def entries(self) -> Mapping[str, CacheEntry]:
        """All entries by name, in alphabetical order, without unreadable ones."""
        found = {}
        for path in sorted(self.folder.glob(f"*{ENTRY}")):
            try:
                entry = msgspec.json.decode(path.read_bytes(), type=CacheEntry)
            except (OSError, msgspec.DecodeError, UnicodeDecodeError):
                continue
            if entry.name + ENTRY == path.name and Path(entry.file).name == entry.file:
                found[entry.name] = entry
        return found

    def find(
        self, name: str, *, source: str | None = None, sha256: str | None = None
    ) -> CacheEntry | None:
        """The entry `name` if it has this `source` and `sha256` and its file is intact, or None."""
        entry = self.entries().get(name)
        if entry is None or source not in (None, entry.source):
            return None
        return entry if sha256 in (None, entry.sha256) and self.state(entry) == "ok" else None

    def read(self, name: str, kind: type[T], *, source: str) -> tuple[CacheEntry, T] | None:
        """The entry and its decoded JSON; None if another version of geobias stored it in another
        shape.
        """
        if (entry := self.find(name, source=source)) is None:
            return None
        try:
            return entry, msgspec.json.decode(self.path(entry).read_bytes(), type=kind)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def path(self, entry: CacheEntry) -> Path:
        return self.folder / entry.file

    def keep(
        self, name: str, content: bytes, *, source: str, edition: str = "", suffix: str = ".json"
    ) -> CacheEntry:
        """Store a content, and replace an earlier content of the same name."""
        entry = CacheEntry(
            name=name,
            file=f"{name}{suffix}",
            source=source,
            fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
            edition=edition,
            sha256=hashlib.sha256(content).hexdigest(),
            bytes=len(content),
        )
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.path(entry), content)
            write_whole(self.folder / f"{name}{ENTRY}", msgspec.json.encode(entry))
        except (OSError, CannotWrite) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            raise CannotWrite(
                f"Cannot write to the cache in {self.folder} "
                f"({getattr(cause, 'strerror', None) or error}): "
                "set GEOBIAS_CACHE to a folder that can be written."
            ) from None
        return entry

    def state(self, entry: CacheEntry) -> State:
        """Compare the file of an entry with its hash."""
        try:
            with self.path(entry).open("rb") as file:
                same = hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256
            return "ok" if same else "changed"
        except OSError:
            return "missing"
