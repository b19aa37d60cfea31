"""Many small answers of one service, kept together in the cache while they come.

Each is asked for once: a pull that is stopped goes on with what is missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Generic, TypeVar

import msgspec

from geobias.sources.cache import Cache, Entry

T = TypeVar("T")
Start = Callable[[int, int], None]
"""Called once with how many answers are wanted and how many of them are here."""
Progress = Callable[[int], None]
"""Called with how many more are here."""

KEEP_EVERY = 100
"""Answers that come between two writings to the disk: what a power cut may cost."""


class Answers(Generic[T]):
    """Answers by what was asked, of one service and edition."""

    def __init__(
        self, cache: Cache, name: str, kind: type[T], *, source: str, edition: str = ""
    ) -> None:
        self._cache = cache
        self._name = name
        self._source = source
        self._edition = edition
        self._type = dict[str, kind]  # type: ignore[valid-type]
        self._new = 0
        self.entry: Entry | None = None
        self.known: dict[str, T] = {}

    def load(self) -> None:
        """What is in the cache from this service; nothing if it is of another kind."""
        kept = self._cache.get(self._name, source=self._source)
        if kept is None:
            return
        try:
            self.known = msgspec.json.decode(kept[1], type=self._type)
        except (msgspec.DecodeError, UnicodeDecodeError):  # kept by another version of geobias
            return
        self.entry = kept[0]

    def put(self, found: dict[str, T]) -> None:
        """More answers."""
        self.known |= found
        self._new += len(found)
        if self._new >= KEEP_EVERY:
            self.keep()

    def keep(self) -> None:
        """Write what is new to the cache."""
        if self._new:
            content = msgspec.json.encode(dict(sorted(self.known.items())))
            edition = self._edition or datetime.now(UTC).date().isoformat()
            self.entry = self._cache.keep(self._name, content, source=self._source, edition=edition)
            self._new = 0

    async def complete(
        self,
        wanted: Sequence[str],
        ask: Callable[[list[str]], Awaitable[dict[str, T]]],
        *,
        at_a_time: int = 1,
        at_once: int = 4,
        start: Start | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Ask for what is missing, so many in one request and so many requests at once.

        Whatever fails, the answers that came before are kept.
        """
        missing = [one for one in dict.fromkeys(wanted) if one not in self.known]
        if start:
            start(len(set(wanted)), len(set(wanted)) - len(missing))
        waiting = iter([missing[at : at + at_a_time] for at in range(0, len(missing), at_a_time)])

        async def work() -> None:
            for batch in waiting:
                found = await ask(batch)
                self.put(found)
                if progress:
                    progress(len(batch))

        tasks = [asyncio.create_task(work()) for _ in range(at_once)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.keep()
