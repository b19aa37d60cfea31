"""Many small answers of one service, kept together in the cache while they come.

Each is asked for once: a pull that is stopped goes on with what is missing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Generic, TypeVar

import msgspec

from geobias.sources.cache import Cache, CacheEntry
from geobias.sources.download import gather_or_cancel

T = TypeVar("T")
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
