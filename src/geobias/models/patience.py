"""One call outside of a run, made again where that may help. Runs have the engine for it."""

from __future__ import annotations

import asyncio

from geobias.errors import Unreachable
from geobias.models.model import Model, Transient
from geobias.trials import Ask, Reply

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
            pause = trouble.retry_after or backoff_seconds * 2**attempt
            await asyncio.sleep(min(LONGEST_WAIT, pause))
            attempt += 1
