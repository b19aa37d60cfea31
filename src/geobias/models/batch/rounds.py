"""A round at a provider: batches that an earlier session left there, and a new one for the rest.

What is paid for once is never asked again: before an ask goes into a new batch, the batches that it
is known to be in are waited for and read.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import Any, Protocol

from geobias.errors import ProviderSaysNo
from geobias.models.batch.dialects import Submission
from geobias.models.batch.exchange import CutShort, Exchange, Gone, Look
from geobias.models.batch.gathering import Waiting
from geobias.models.batch.lines import Line, request_line
from geobias.models.batch.results import Results

LOOKING = "looking"
"""The state of a batch that may be ours: its making was not confirmed, and this one fits."""
DOWNLOADS = 3
DOWNLOAD_PAUSE = 1.0
"""Seconds before a result file is fetched again, and twice that before the last time."""


class BatchRow(Protocol):
    """A row of the run file's table of batches, seen from here."""

    @property
    def tag(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def batch(self) -> str: ...
    @property
    def at(self) -> float: ...


class BatchLog(Protocol):
    """Where batches are written down; a run file, seen from here. Each call is on the disk when it
    returns."""

    def batches(self) -> Mapping[Any, list[bytes]]: ...
    def save_batch(self, batch: Any, asks: Sequence[bytes] = ()) -> None: ...
    def asks_of(self, batch: Any) -> set[bytes]: ...
    def fail_asks(self, batch: Any, asks: Sequence[bytes]) -> None: ...


class Rounds:
    """Rounds of one model. `make` makes a row of the log; `say` tells whoever watches."""

    def __init__(
        self,
        name: str,
        model: str,
        exchange: Exchange,
        log: BatchLog,
        make: Callable[..., Any],
        say: Callable[[str], None],
    ) -> None:
        self._name = name
        self._model = model
        self._exchange = exchange
        self._log = log
        self._make = make
        self._say = say
        self._tried: set[tuple[str, bytes]] = set()

    async def round(self, asks: list[Waiting]) -> list[Waiting]:
        """Answer as many of these as can be: from batches at the provider, then by new ones."""
        earlier = self._earlier(asks)
        await _together([self._pick_up(batch, some) for batch, some in earlier])
        rest = [one for one in asks if not one.came.done()]
        known = {one for _, some in earlier for one in some}
        if rest and known & set(rest):
            return await self.round(rest)  # there may be a batch before that one
        await _together([self._submit(some) for some in self._parts(rest)])
        return []

    def _earlier(self, asks: list[Waiting]) -> list[tuple[Any, list[Waiting]]]:
        """The last batch that each ask is in and that was not yet read for it since the run was
        opened."""
        by_digest = {one.digest: one for one in asks}
        found: list[tuple[Any, list[Waiting]]] = []
        for batch, digests in reversed([*self._log.batches().items()]):
            if batch.model != self._name:
                continue
            untried = [one for one in digests if (batch.tag, one) not in self._tried]
            mine = [by_digest.pop(one) for one in untried if one in by_digest]
            self._tried |= {(batch.tag, one.digest) for one in mine}
            if mine:
                found.append((batch, mine))
        return found

    def _parts(self, asks: list[Waiting]) -> Iterator[list[Waiting]]:
        """As few batches as the provider's limits allow."""
        dialect = self._exchange.dialect
        part: list[Waiting] = []
        size = 0
        for one in asks:
            length = len(one.body) + 200
            if part and (len(part) >= dialect.most_lines or size + length > dialect.most_bytes):
                yield part
                part, size = [], 0
            part.append(one)
            size += length
        if part:
            yield part

    async def _submit(self, asks: list[Waiting]) -> None:
        exchange, tag = self._exchange, os.urandom(8).hex()
        lines = [request_line(exchange.dialect, one.id, one.body) for one in asks]
        file = await exchange.upload(lines, tag)
        batch = self._make(
            tag=tag,
            model=self._name,
            file=file,
            price=exchange.dialect.discount,
            at=time.time(),
        )
        self._log.save_batch(batch, [one.digest for one in asks])
        self._tried |= {(tag, one.digest) for one in asks}
        await self._create(batch, asks, lines)

    async def _create(self, batch: BatchRow, asks: list[Waiting], lines: list[bytes]) -> None:
        try:
            id = await self._exchange.create(self._submission(batch), lines)
        except ProviderSaysNo:
            self._log.fail_asks(batch, [one.digest for one in asks])
            raise
        await self._follow(self._named(batch, id), asks)

    def _submission(self, batch: BatchRow) -> Submission:
        count = len(self._log.asks_of(batch))
        return Submission(batch.tag, self._model, batch.file, count, batch.at)

    def _named(self, batch: Any, id: str, state: str = "submitted") -> Any:
        """The batch with the provider's name for it, on the disk."""
        named = self._make(
            tag=batch.tag,
            model=batch.model,
            file=batch.file,
            batch=id,
            state=state,
            price=batch.price,
            at=batch.at,
        )
        self._log.save_batch(named)
        return named

    async def _pick_up(self, batch: Any, asks: list[Waiting]) -> None:
        """A batch of an earlier session; one without a name may have been made all the same."""
        if batch.batch and batch.state != LOOKING:
            self._say(f"picked up batch {batch.batch}: {len(asks):,} asks without a reply")
            await self._follow(batch, asks)
            return
        known = {one.batch for one in self._log.batches() if one.tag != batch.tag}
        for id in await self._exchange.find(self._submission(batch)):
            maybe = self._named(batch, id, LOOKING)
            if id not in known and await self._follow(maybe, asks, sure=False):
                return
        self._log.fail_asks(self._named(batch, "", "given up"), [one.digest for one in asks])

    async def _follow(self, batch: Any, asks: list[Waiting], *, sure: bool = True) -> bool:
        """Wait for a batch to end, and hand its results over.

        False where that it is ours was not `sure`, and its results show that it is not.
        """
        digests = [one.digest for one in asks]
        self._say(
            f"batch {batch.batch} of {len(asks):,} asks is with the provider, which may take a day;"
            " Ctrl-C leaves it there, and the same command picks it up"
        )
        try:
            look = await self._exchange.ended(batch.batch)
        except Gone:
            self._log.fail_asks(batch, digests)
            self._say(f"the provider no longer knows batch {batch.batch}; its asks go out again")
            return True
        results = Results(self._exchange.dialect, asks, self._log.asks_of(batch))
        await self._download(look, results)
        if results.strange and not sure:
            return False
        for sentence in results.complaints():
            self._say(sentence)
        bad = results.deliver()
        left = [one for one in asks if not one.came.done()]
        self._log.fail_asks(batch, [*bad, *(one.digest for one in left)])
        self._named(batch, batch.batch, "read")
        if look.refused and len(left) == len(asks):
            raise ProviderSaysNo(f"{self._name}: the provider refused the batch: {look.says}")
        expired = "expired" in look.state or "timeout" in look.state
        kind = "cancelled" if look.cancelled else "expired" if expired else ""
        for one in left if kind else ():
            one.deliver(Line(one.id, 0, b"", kind))
        return True

    async def _download(self, look: Look, results: Results) -> None:
        """Read the results. A file that is cut short is fetched again: it is paid for."""

        async def fetch() -> bool:
            results.start_again()
            try:
                async for raw in self._exchange.results(look):
                    results.take(raw)
            except (CutShort, Gone):
                return False
            return not results.broken

        for attempt in range(1, DOWNLOADS + 1):
            whole = await self._exchange.patiently(fetch)
            if whole or not results.missing:
                return
            await asyncio.sleep(attempt * DOWNLOAD_PAUSE if attempt < DOWNLOADS else 0)


async def _together(work: list[Coroutine[None, None, object]]) -> None:
    """All at once; the first failure is raised once every other one has ended or failed."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
