"""Asks that gather until nobody has anything more to ask, and then go out together."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import msgspec

from geobias.models.batch.lines import Line
from geobias.models.chat import ChatModel
from geobias.models.model import Transient
from geobias.trials import Ask

QUIET_SECONDS = 0.5
"""Without a new ask: whoever had one has asked by now."""


class Waiting(msgspec.Struct, frozen=True, eq=False):
    """An ask that waits for its round, and the line that it is sent as."""

    digest: bytes
    chat: ChatModel
    body: bytes
    came: asyncio.Future[Line]

    @property
    def id(self) -> str:
        """The name of its line, in every batch and every file."""
        return self.digest.hex()

    def fail(self, error: BaseException) -> None:
        if not self.came.done():
            self.came.set_exception(error)

    def deliver(self, line: Line) -> bool:
        """Hand over what came back; False where somebody was faster, or has gone."""
        if self.came.done():
            return False
        self.came.set_result(line)
        return True


Round = Callable[[list[Waiting]], Awaitable[list[Waiting]]]
"""Answers asks; gives back those that are to wait for the next round."""


class Gatherer:
    """Collects asks and starts `round` with all of them, one round after another.

    Whatever a round neither answers nor gives back fails. A round that raises ends everything: its
    reason is what every further ask gets.
    """

    def __init__(self, round: Round, quiet: float = QUIET_SECONDS) -> None:
        self.busy: list[Callable[[], bool]] = []
        self._round = round
        self._quiet = quiet
        self._waiting: list[Waiting] = []
        self._last = 0.0
        self._work: asyncio.Task[None] | None = None
        self._over: BaseException | None = None

    async def line(self, digest: bytes, chat: ChatModel, ask: Ask) -> Line:
        """What comes back for an ask, after as many hours as it takes."""
        if self._over is not None:
            raise self._over
        came: asyncio.Future[Line] = asyncio.get_running_loop().create_future()
        self._waiting.append(Waiting(digest, chat, chat.body(ask), came))
        self._last = time.monotonic()
        if self._work is None:
            self._work = asyncio.create_task(self._rounds())
        return await came

    async def _rounds(self) -> None:
        while self._waiting:
            while not self._is_quiet():  # noqa: ASYNC110 - quiet is that nothing happens
                await asyncio.sleep(self._quiet / 2)
            taken = [one for one in self._waiting if not one.came.done()]
            self._waiting.clear()
            try:
                self._waiting += await self._round(taken)
            except Exception as error:
                self._over = error
            over = self._over or Transient("missing", "the batch has no answer to this ask")
            for one in {*taken, *self._waiting} if self._over else {*taken} - {*self._waiting}:
                one.fail(over)
            if self._over is not None:
                return
            await asyncio.sleep(self._quiet)  # whoever was answered asks on
        self._work = None

    def _is_quiet(self) -> bool:
        quiet = time.monotonic() - self._last >= self._quiet
        return quiet and not any(busy() for busy in self.busy)

    async def close(self) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)
            self._work = None
