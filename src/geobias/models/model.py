"""What the engine needs of a model, and the one way in which a call may fail for now."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol, runtime_checkable

from geobias.errors import Unreachable
from geobias.trials import Ask, Reply

CUSTOM_KEY = "GEOBIAS_API_KEY"
"""Sent to servers given by address, and to them alone: no provider's key goes to a stranger."""


class Transient(Exception):
    """This attempt failed, another may not. `kind` is a short word for the counts shown later.

    `overloaded`: the server asks for fewer calls. `retry_after`: seconds it wants to be left
    alone, where it says so. `attempts`: how often this kind of failure is worth trying in all
    (the engine's own patience if None). `last_word`: a reply to record if asking again does not
    help either; without one the trial stays open and is tried again when the run is resumed.
    `may_be_billed`: whether the server may have made an answer all the same, and count it.
    `used`: tokens in and out, where it did and they are known; then there is nothing to wait for.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        overloaded: bool = False,
        retry_after: float | None = None,
        attempts: int | None = None,
        last_word: Reply | None = None,
        may_be_billed: bool = True,
        used: tuple[int | None, int | None] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.overloaded = overloaded
        self.retry_after = retry_after
        self.attempts = attempts
        self.last_word = last_word
        self.may_be_billed = may_be_billed
        self.used = used


class Model(Protocol):
    """Something that answers one ask at a time, many at once.

    `name` is the model as asked for and part of every ask's digest. `concurrency` is the most
    calls worth having in flight, and `adaptive` says whether fewer may be better. `thinking` is
    how many tokens it may spend on reasoning, on top of an ask's `max_tokens` for the answer.
    `unsent_parameters` names parameters the provider does not take, which were therefore not sent.
    """

    @property
    def name(self) -> str: ...
    @property
    def concurrency(self) -> int: ...
    @property
    def adaptive(self) -> bool: ...
    @property
    def thinking(self) -> int: ...
    @property
    def unsent_parameters(self) -> Collection[str]: ...

    async def answer(self, ask: Ask) -> Reply:
        """The reply, whatever its outcome.

        Raises Transient for what may pass, ProviderSaysNo for what will not.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...


@runtime_checkable
class Deferred(Model, Protocol):
    """A model whose answers come in rounds, much later, and whoever is next may take them.

    Asks gather until nobody has anything more to ask, and go out together. A session that ends
    meanwhile loses nothing: the next one finds the answers where they are.
    """

    def times(self, digest: bytes) -> float:
        """What the call that answered this ask cost, times the usual price: some are made alone."""
        ...

    def gather_while(self, busy: Callable[[], bool]) -> None:
        """Ask nobody while `busy` says that answers of other models may bring further asks."""
        ...


@runtime_checkable
class Slotted(Model, Protocol):
    """A model on this machine, in slots that each remember the dialogue they read last.

    Dialogues that begin alike are cheap for it when asked one after another.
    """

    async def load(self) -> None:
        """Get ready to answer. From then on `concurrency` is what was found to be fastest here."""
        ...


ATTEMPTS = 4
LONGEST_WAIT = 30.0
"""Seconds: somebody sits and waits."""


async def answered(model: Model, ask: Ask, *, backoff_seconds: float = 0.25) -> Reply:
    """The model's reply. Where no attempt brings one, its last word, or else `Unreachable`."""
    attempt = 1
    while True:
        try:
            return await model.answer(ask)
        except Transient as trouble:
            if attempt >= min(ATTEMPTS, trouble.attempts or ATTEMPTS):
                if trouble.last_word is not None:
                    return trouble.last_word
                raise Unreachable(str(trouble)) from None
            if trouble.used is None:
                pause = trouble.retry_after or backoff_seconds * 2**attempt
                await asyncio.sleep(min(LONGEST_WAIT, pause))
                attempt += 1
