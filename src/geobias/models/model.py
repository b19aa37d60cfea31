"""The interface between engine and models."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Protocol, runtime_checkable

from geobias.errors import Unreachable
from geobias.http import Transient, repeated
from geobias.trials import Ask, Reply

CUSTOM_KEY = "GEOBIAS_API_KEY"
"""The environment variable of the key for servers given by address.

No provider's key is sent to such a server.
"""


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


async def answered(model: Model, ask: Ask) -> Reply:
    """Ask several times; if all fail, return the `last_word` or raise `Unreachable`."""
    try:
        return await repeated(partial(model.answer, ask))
    except Transient as trouble:
        if trouble.last_word is not None:
            return trouble.last_word
        raise Unreachable(str(trouble)) from None
