"""What the engine needs of a model, and the error of a call that may succeed later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol, runtime_checkable

from geobias.errors import Unreachable
from geobias.trials import Ask, Reply

CUSTOM_KEY = "GEOBIAS_API_KEY"
"""Sent only to servers given by address. No provider's key is sent there."""


class Transient(Exception):
    """This attempt failed, but another may not. `kind` is a short word for the counts shown later.

    `overloaded`: the server asks for fewer calls. `retry_after`: seconds that the server asks to
    wait, if any. `attempts`: how often this kind of failure is worth trying in all (the engine's
    own patience if None). `last_word`: a reply to record if asking again does not help; without one
    the trial stays open and is tried again when the run is resumed. `may_be_billed`: whether the
    server may have made and counted an answer all the same. `used`: tokens in and out, if it did
    and they are known; there is then nothing to wait for.
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
    """Something that answers many asks at once.

    `name` is the model as asked for and part of every ask's digest. `concurrency` is the maximum of
    useful calls in flight, and `adaptive` says whether fewer may be better. `thinking` is how many
    tokens it may spend on reasoning, on top of an ask's `max_tokens`. `unsent_parameters` names
    parameters that the provider does not accept and that were not sent.
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

        Raises Transient for temporary failures, ProviderSaysNo for permanent ones.
        """
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...


@runtime_checkable
class Deferred(Model, Protocol):
    """A model whose answers come in rounds, possibly in a later session.

    Asks gather until no trial has anything more to ask, and go out together. If the session ends
    meanwhile, nothing is lost: the next one finds the answers.
    """

    def times(self, digest: bytes) -> float:
        """The price factor of the call that answered this ask; some calls are made singly."""
        ...

    def gather_while(self, busy: Callable[[], bool]) -> None:
        """Start no round while `busy` says that answers of other models may bring further asks."""
        ...


@runtime_checkable
class Slotted(Model, Protocol):
    """A model on this machine with slots that each remember the dialogue they read last.

    Dialogues with the same beginning are cheap if asked one after another.
    """

    async def load(self) -> None:
        """Get ready to answer. Afterwards `concurrency` is the fastest on this machine."""
        ...


ATTEMPTS = 4
LONGEST_WAIT = 30.0
"""Seconds; a person is waiting."""


async def answered(model: Model, ask: Ask, *, backoff_seconds: float = 0.25) -> Reply:
    """The model's reply; if no attempt succeeds, its last word, or else `Unreachable`."""
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
