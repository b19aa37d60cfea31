"""Collect asks until every trial waits for a reply, send them together, and deliver the results.

`BatchedModel` is a chat model that is asked in this way, at its provider (`provider`) or by files
(`files`).
"""

from __future__ import annotations

import asyncio
import os
import time
import weakref
from collections import Counter, defaultdict
from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Container,
    Hashable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial
from hashlib import blake2b
from tempfile import SpooledTemporaryFile
from typing import NamedTuple

import msgspec

from geobias.errors import CannotWrite, ProviderSaysNo, Unreachable
from geobias.http import Transient
from geobias.models.batch.lines import DISCOUNT, Dialect, Line, NotALine, result_line
from geobias.models.chat import ChatModel
from geobias.models.complaints import UnsupportedParameter
from geobias.models.model import Model
from geobias.trials import Ask, Reply

QUIET_SECONDS = 0.5
"""Seconds without a new ask after which every trial is assumed to wait."""


class Waiting(msgspec.Struct, frozen=True, eq=False):
    """An ask that waits for its round. `again` says why it is sent once more."""

    digest: bytes
    chat: ChatModel
    body: bytes
    came: asyncio.Future[Callable[[], Line]]
    again: str = ""

    def fail(self, error: BaseException) -> None:
        if not self.came.done():
            self.came.set_exception(error)

    def deliver(self, line: Callable[[], Line]) -> None:
        """Hand the trial a function that reads the result, unless the trial has stopped waiting."""
        if not self.came.done():
            self.came.set_result(line)


Round = Callable[[list[Waiting]], Awaitable[list[Waiting]]]
"""A function that answers asks and returns those that wait for the next round."""


class Gatherer:
    """Collects asks and starts `round` with all of them, one round after another.

    An ask fails if a round neither answers nor returns it. A round's error fails all later asks.
    """

    def __init__(self, round: Round, quiet: float = QUIET_SECONDS) -> None:
        self.busy: list[Callable[[], bool]] = []
        self._round = round
        self._quiet = quiet
        self._waiting: list[Waiting] = []
        self._last = 0.0
        self._work: asyncio.Task[None] | None = None
        self._over: BaseException | None = None

    async def line(self, digest: bytes, chat: ChatModel, body: bytes, again: str = "") -> Line:
        """Wait for the result of an ask, possibly for hours, and return it."""
        if self._over is not None:
            raise self._over
        came: asyncio.Future[Callable[[], Line]] = asyncio.get_running_loop().create_future()
        self._waiting.append(Waiting(digest, chat, body, came, again))
        self._last = time.monotonic()
        if self._work is None:
            self._work = asyncio.create_task(self._rounds())
        return (await came)()

    async def _rounds(self) -> None:
        while self._waiting:
            while not self._is_quiet():  # noqa: ASYNC110 - quiet is that nothing happens
                await asyncio.sleep(self._quiet / 2)
            taken = [one for one in self._waiting if not one.came.done()]
            self._waiting.clear()
            try:
                self._waiting += await self._round(taken)
            except Transient as trouble:
                self._over = Unreachable(str(trouble))
            except Exception as error:
                self._over = error
            over = self._over or Transient("missing", "the batch has no answer to this ask")
            for one in {*taken, *self._waiting} if self._over else {*taken} - {*self._waiting}:
                one.fail(over)
            if self._over is not None:
                return
            await asyncio.sleep(self._quiet)  # trials that got a reply may ask more
        self._work = None

    def _is_quiet(self) -> bool:
        quiet = time.monotonic() - self._last >= self._quiet
        return quiet and not any(busy() for busy in self.busy)

    async def close(self) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)
            self._work = None


class KeptLine(NamedTuple):
    """A line without its body, which is stored separately. `sum` is a checksum of the body."""

    line: Line
    place: int
    size: int
    sum: bytes


NAMED = 3
"""Maximum number of faults of result files to name in a message."""
IN_MEMORY_BYTES = 32 << 20


class Results:
    """Lines of result files, matched with the asks that wait for them.

    `owed` maps the tag of a batch to the asks that it has not answered yet. An answer from any
    batch counts. An error counts only if its batch still owes the ask, so each error counts once.

    Beyond IN_MEMORY_BYTES, bodies are stored in a temporary file and read when they are needed.
    """

    def __init__(self, asks: Sequence[Waiting], owed: Mapping[str, Collection[bytes]]) -> None:
        self.errors: dict[bytes, KeptLine] = {}
        self.is_ours = False  # whether any line is of one of the batches
        self._bodies = SpooledTemporaryFile(IN_MEMORY_BYTES)  # noqa: SIM115 - closed below
        weakref.finalize(self, self._bodies.close)
        self._asks = {one.digest: one for one in asks}
        self._owed = owed
        self._answers: dict[bytes, KeptLine] = {}
        self._doubled: dict[bytes, str] = {}
        self._refused: Counter[str] = Counter()
        self._named: defaultdict[str, list[str]] = defaultdict(list)

    def start_again(self) -> None:
        """Prepare to read the same files again from their beginning."""
        self._refused.clear()
        self._named.clear()

    def take(self, raw: bytes) -> None:
        try:
            line = result_line(raw)
        except NotALine as why:
            self._refuse("", str(why))
            return
        if line is None:
            return
        self.is_ours |= line.tag in self._owed
        if line.digest not in self._asks:
            if line.tag not in self._owed:
                self._refuse(", custom_id unknown", line.id)
        elif line.status == 200:
            before = self._answers.get(line.digest)
            if before is None:
                self._answers[line.digest] = self._keep(line)
            elif before.sum != _sum(line):
                self._doubled[line.digest] = line.id
        elif line.digest in self._owed.get(line.tag, ()):
            self.errors[line.digest] = self._keep(line)

    def _keep(self, line: Line) -> KeptLine:
        try:
            place = self._bodies.seek(0, os.SEEK_END)
            self._bodies.write(line.body)
        except OSError as error:
            why = f"cannot keep the results of a batch: {error.strerror}"
            raise CannotWrite(why) from None
        short = msgspec.structs.replace(line, body=b"")
        return KeptLine(short, place, len(line.body), _sum(line))

    def _whole(self, kept: KeptLine) -> Line:
        self._bodies.seek(kept.place)
        return msgspec.structs.replace(kept.line, body=self._bodies.read(kept.size))

    def _refuse(self, why: str, name: str) -> None:
        self._refused[why] += 1
        if len(names := self._named[why]) < NAMED and name[:80] not in names:
            names.append(name[:80])

    @property
    def broken(self) -> bool:
        """Whether a line of the files could not be read."""
        return "" in self._refused

    @property
    def missing(self) -> bool:
        return not self._asks.keys() <= self._answers.keys() | self.errors.keys()

    def deliver(self) -> list[bytes]:
        """Deliver the results that are certain, and return the asks that were answered.

        Answers are delivered before errors, since an error counts as a refusal only if another ask
        was answered.
        """
        answered = self._answers.keys() - self._doubled.keys()
        for digest in answered:
            self.errors.pop(digest, None)
            self._asks[digest].deliver(partial(self._whole, self._answers[digest]))
        for digest, error in self.errors.items():
            self._asks[digest].deliver(partial(self._whole, error))
        return [*answered]

    def complaints(self) -> Iterator[str]:
        """Yield sentences that name the refused lines."""
        for id in self._doubled.values():
            self._refuse(", custom_id doubled", id)
        for why, count in self._refused.items():
            lines = "1 line" if count == 1 else f"{count:,} lines"
            more = f" and {count - NAMED:,} more" if count > NAMED else ""
            yield f"{lines} refused{why}: {', '.join(self._named[why])}{more}"


def _sum(line: Line) -> bytes:
    return blake2b(line.body, digest_size=16).digest()


MOST_WAITING = 200_000
"""Maximum asks that may wait at once, since each holds a game or a question in memory."""
LIVE_TRIES = 5
"""Maximum questions of one kind to ask singly before a batch; the first answer ends these attempts.
"""


class Live:
    """Asks one question of each kind singly before a batch.

    The single call shows what the server refuses. `ask` makes the call, and `waiting` holds the
    asks that are in a batch already.
    """

    def __init__(
        self, ask: Callable[[Ask, int], Awaitable[Reply]], waiting: Container[bytes]
    ) -> None:
        self.under_way = 0
        self.digests: set[bytes] = set()
        self._ask = ask
        self._waiting = waiting
        self._turns: defaultdict[Hashable, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._tries: Counter[Hashable] = Counter()
        self._answered: set[Hashable] = set()

    def doubt(self, kind: Hashable) -> None:
        """Ask singly about this kind again, since a batch result casts doubt on it."""
        self._answered.discard(kind)
        self._tries[kind] = 0

    async def reply(self, kind: Hashable, digest: bytes, ask: Ask, thinking: int) -> Reply | None:
        """Ask singly and return the reply, if no question of this kind has been answered yet.

        None if the ask may go into a batch.
        """
        if kind in self._answered or digest in self._waiting:
            return None
        self.under_way += 1
        try:
            async with self._turns[kind]:
                if kind in self._answered or self._tries[kind] >= LIVE_TRIES:
                    return None
                self._tries[kind] += 1
                reply = await self._ask(ask, thinking)
        finally:
            self.under_way -= 1
        if reply.outcome != "still_thinking":
            self._answered.add(kind)
            self.digests.add(digest)
        return reply


class BatchedModel:
    """A chat model whose asks are sent in rounds (a `Deferred` model).

    `dialect` is None if asks are written to files, so that the price is unknown. `live` asks the
    first question of each kind singly. `closing` is called when the model is closed.
    """

    concurrency = MOST_WAITING
    adaptive = False

    def __init__(
        self,
        chat: ChatModel,
        dialect: Dialect | None,
        gatherer: Gatherer,
        *,
        live: Live | None = None,
        closing: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.name = chat.name
        self._dialect = dialect
        self._chat = chat
        self._gatherer = gatherer
        self._live = live
        self._closing = closing
        self._again: dict[bytes, str] = {}
        if live is not None:
            gatherer.busy.append(lambda: live.under_way > 0)

    @property
    def thinking(self) -> int:
        return self._chat.thinking

    @property
    def unsent_parameters(self) -> Collection[str]:
        return self._chat.unsent_parameters

    def gather_while(self, busy: Callable[[], bool]) -> None:
        self._gatherer.busy.append(busy)

    async def answer(self, ask: Ask) -> Reply:
        if ask.options and self._dialect and self._dialect.shape != "chat":
            raise self._chat.gives_no_probabilities(
                "none in batches"
            )  # refused before it is paid for
        return await self._chat.answer_by(self._in_a_round, ask)

    def times(self, digest: bytes) -> float:
        alone = self._dialect is None or (self._live and digest in self._live.digests)
        return 1.0 if alone else DISCOUNT

    async def _in_a_round(self, ask: Ask, thinking: int) -> Reply:
        digest, kind = ask.digest(self.name), self._chat.kind(ask)
        if self._live is not None:
            reply = await self._live.reply(kind, digest, ask, thinking)
            if reply is not None:
                return reply
        body, again = self._chat.body(ask, thinking), self._again.pop(digest, "")
        try:
            line = await self._gatherer.line(digest, self._chat, body, again)
            reply = self._read(ask, line)
        except UnsupportedParameter as unsupported:
            self._again[digest] = f"{unsupported.parameter!r} was refused"
            if self._live is not None:
                self._live.doubt(kind)
            raise
        except Transient as trouble:
            self._again[digest] = trouble.kind
            raise
        if reply.outcome == "still_thinking":
            self._again[digest] = "cut off while thinking"
        return reply

    def _read(self, ask: Ask, line: Line) -> Reply:
        if line.kind == "expired":
            why = f"{self.name}: the batch expired before this ask was answered"
            raise Transient("expired", why, may_be_billed=False)
        if line.kind:
            raise ProviderSaysNo(
                f"{self.name}: the batch was {line.kind} at the provider; enter the same "
                "command again to submit the remaining asks"
            )
        return self._chat.read(ask, line.status, line.body)

    async def close(self) -> None:
        await self._gatherer.close()
        await self._chat.close()
        if self._closing is not None:
            await self._closing()


def each_once(models: Mapping[str, Model], batched: Callable[[Model], Model]) -> dict[str, Model]:
    unique = {id(model): model for model in models.values()}
    made = {key: batched(model) for key, model in unique.items()}
    return {role: made[id(model)] for role, model in models.items()}
