"""A model that is asked in batches: at its provider, or by files that travel."""

from __future__ import annotations

from collections.abc import Callable, Collection

from geobias.errors import ProviderSaysNo
from geobias.models.batch.dialects import Dialect
from geobias.models.batch.gathering import Gatherer
from geobias.models.chat import ChatModel
from geobias.models.model import Transient
from geobias.trials import Ask, Reply

MOST_WAITING = 200_000
"""Asks that may wait at once: each is a game or a question that is held in memory."""


class BatchedModel:
    """A chat model whose asks go out in rounds. A `Deferred` model.

    `closing` is what to let go of besides.
    """

    concurrency = MOST_WAITING
    adaptive = False

    def __init__(
        self,
        chat: ChatModel,
        dialect: Dialect,
        gatherer: Gatherer,
        closing: Callable[[], object] | None = None,
    ) -> None:
        self.name = chat.name
        self.discount = dialect.discount
        self.dialect = dialect
        self._chat = chat
        self._gatherer = gatherer
        self._closing = closing

    @property
    def thinking(self) -> int:
        return self._chat.thinking

    @property
    def unsent_parameters(self) -> Collection[str]:
        return self._chat.unsent_parameters

    def gather_while(self, busy: Callable[[], bool]) -> None:
        self._gatherer.busy.append(busy)

    async def answer(self, ask: Ask) -> Reply:
        if ask.options and self.dialect.shape != "chat":  # found out later, it is a batch paid for
            raise self._chat.gives_no_probabilities("none in batches")
        return await self._chat.answer_by(self._in_a_round, ask)

    async def _in_a_round(self, ask: Ask) -> Reply:
        thinking = self._chat.thinking
        line = await self._gatherer.line(ask.digest(self.name), self._chat, ask)
        if line.kind == "expired":
            why = f"{self.name}: the batch expired before this ask had its turn"
            raise Transient("expired", why, may_be_billed=False)
        if line.kind:
            raise ProviderSaysNo(
                f"{self.name}: the batch was {line.kind} at the provider; the same command again "
                "submits what it left open"
            )
        try:
            return self._chat.read(ask, line.status, line.body, thinking)
        except Transient as trouble:
            if line.known:
                trouble.may_be_billed = False
            raise

    async def close(self) -> None:
        await self._gatherer.close()
        await self._chat.close()
        if self._closing is not None:
            closed = self._closing()
            if hasattr(closed, "__await__"):
                await closed
