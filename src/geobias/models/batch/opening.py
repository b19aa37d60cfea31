"""From models that are asked one by one to models that are asked in batches."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from geobias.errors import BadRequest
from geobias.models.batch.dialects import DIALECTS, dialect_of, discount_of
from geobias.models.batch.exchange import Exchange
from geobias.models.batch.files import Folder
from geobias.models.batch.gathering import QUIET_SECONDS, Gatherer
from geobias.models.batch.model import BatchedModel
from geobias.models.batch.rounds import BatchLog, Rounds
from geobias.models.chat import ChatModel
from geobias.models.model import Model
from geobias.redaction import of_environment

POLL_SECONDS = 15.0


def at_providers(
    models: Mapping[str, Model],
    log: BatchLog,
    make: Callable[..., Any],
    *,
    poll: float | None,
    say: Callable[[str], None],
) -> dict[str, Model]:
    """Each model in batches at its provider; one that has no batch endpoint as it is."""
    seconds = POLL_SECONDS if poll is None else poll

    def batched(model: Model) -> Model:
        dialect = dialect_of(model.name)
        if dialect is None or not isinstance(model, ChatModel):
            return model
        exchange = Exchange(model, dialect, seconds)
        rounds = Rounds(
            model.name, model.model, exchange, log, make, lambda words: say(model.redact(words))
        )
        gatherer = Gatherer(rounds.round, min(QUIET_SECONDS, seconds))
        return BatchedModel(model, dialect, gatherer, exchange.close)

    return _each_once(models, batched)


def by_files(
    models: Mapping[str, Model],
    folder: Path,
    log: Any,
    make: Callable[..., Any],
    *,
    writing: bool,
    say: Callable[[str], None],
) -> tuple[dict[str, Model], Folder]:
    """Each model in files of one folder."""

    def took(name: str, digests: list[bytes]) -> None:
        row = make(
            tag=os.urandom(8).hex(),
            model=name,
            state="files",
            price=discount_of(name),
            at=time.time(),
        )
        log.save_batch(row, digests)

    redact = of_environment()
    files = Folder(folder, writing=writing, took=took, say=lambda words: say(redact(words)))
    gatherer = Gatherer(files.round, 0.1)

    def batched(model: Model) -> Model:
        if not isinstance(model, ChatModel) or model.layout is not None:
            raise BadRequest(f"{model.name} cannot be asked by files")
        files.dialects[model.name] = dialect_of(model.name) or DIALECTS["openai"]
        return BatchedModel(model, files.dialects[model.name], gatherer)

    return _each_once(models, batched), files


def _each_once(models: Mapping[str, Model], batched: Callable[[Model], Model]) -> dict[str, Model]:
    unique = {id(model): model for model in models.values()}
    made = {key: batched(model) for key, model in unique.items()}
    return {role: made[id(model)] for role, model in models.items()}
