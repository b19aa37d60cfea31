"""The interface between engine and models, and the error for a call that may succeed later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol, runtime_checkable

from geobias.errors import Unreachable
from geobias.trials import Ask, Reply

CUSTOM_KEY = "GEOBIAS_API_KEY"
"""The environment variable of the key for servers given by address.

No provider's key is sent to such a server.
"""


class Transient(Exception):
    """This attempt failed, but another may succeed.

    kind           a short word under which the failure is counted
    overloaded     whether the server asks for fewer calls
    retry_after    the seconds that the server asks to wait; None if it names none
    attempts       maximum number of attempts after this failure; None for the engine's default
    last_word      the reply to record if all attempts fail; None leaves the trial open until the
                   run is resumed
    may_be_billed  whether the server may charge for the attempt
    used           the tokens in and out that the server is known to have charged; the next attempt
                   then starts without a wait
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
    """A model that can answer many asks at once.

    `name` is the name that the user gave, and part of every ask's digest. `concurrency` is the
    maximum of useful calls in flight, and `adaptive` says whether fewer may be better. `thinking`
    is the number of tokens for reasoning, on top of an ask's `max_tokens`. `unsent_parameters`
    names parameters that were not sent because the provider refuses them.
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
        """Ask the model and return the reply, whatever its outcome.

        Raises Transient for temporary failures, ProviderSaysNo for permanent ones.
        """
        ...

    async def close(self) -> None:
        """Release connections and memory."""
        ...


@runtime_checkable
class Deferred(Model, Protocol):
    """A model whose answers come in rounds, possibly in a later session.

    Asks are collected until every trial waits for a reply, and are then sent together. If the
    session ends before the answers come, the next session finds the answers.
    """

    def times(self, digest: bytes) -> float:
        """Return the price factor of the call that answered the ask: 1 if it was asked singly."""
        ...

    def gather_while(self, busy: Callable[[], bool]) -> None:
        """Start no round while `busy()` is true: answers of other models may lead to more asks."""
        ...


@runtime_checkable
class Slotted(Model, Protocol):
    """A model on this machine with slots, each of which remembers the dialogue that it read last.

    Dialogues with the same beginning cost little time if they are asked in succession.
    """

    async def load(self) -> None:
        """Load the model, and set `concurrency` to the number that is fastest on this machine."""
        ...


ATTEMPTS = 4
LONGEST_WAIT = 30.0
"""Maximum seconds between two attempts of `answered`, since a person waits for the reply."""


async def answered(model: Model, ask: Ask, *, backoff_seconds: float = 0.25) -> Reply:
    """Ask up to ATTEMPTS times; if all fail, return the `last_word` or raise `Unreachable`."""
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
