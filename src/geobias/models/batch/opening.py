"""From models that are asked one by one to models that are asked in batches."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
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
FILES_QUIET_SECONDS = 0.1
"""Of batches in files, where no provider is asked: how long no further call may come until a round
is closed."""


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


class _AsksInFiles:
    """The run file as the `FileLog` of a folder: a row for each file of requests."""

    def __init__(self, log: Any, make: Callable[..., Any]) -> None:
        self._log, self._make = log, make

    def _open(self) -> dict[Any, list[bytes]]:
        return {one: asks for one, asks in self._log.batches().items() if one.state == "files"}

    def handed_out(self) -> dict[bytes, str]:
        return {ask: one.file for one, asks in self._open().items() if one.file for ask in asks}

    def hand_out(self, model: str, file: Path, asks: Sequence[bytes]) -> None:
        self._save(model, asks, str(file).encode(errors="replace").decode())

    def take(self, model: str, asks: Sequence[bytes]) -> None:
        """What was handed out has its row, with its price, already."""
        known = self.handed_out()
        if new := [ask for ask in asks if ask not in known]:
            self._save(model, new)

    def fail(self, errors: Mapping[bytes, Collection[bytes]]) -> set[bytes]:
        found: set[bytes] = self._log.fail_in_files(errors) if errors else set()
        return found

    def _save(self, model: str, asks: Sequence[bytes], file: str = "") -> None:
        row = self._make(
            tag=os.urandom(8).hex(),
            model=model,
            file=file,
            state="files",
            price=discount_of(model),
            at=time.time(),
        )
        self._log.save_batch(row, asks)


def by_files(
    models: Mapping[str, Model],
    folder: Path,
    log: Any,
    make: Callable[..., Any],
    *,
    writing: bool,
    again: bool,
    say: Callable[[str], None],
) -> tuple[dict[str, Model], Folder]:
    """Each model in files of one folder."""
    redact = of_environment()
    files = Folder(
        folder,
        writing=writing,
        again=again,
        log=_AsksInFiles(log, make),
        say=lambda words: say(redact(words)),
    )
    gatherer = Gatherer(files.round, FILES_QUIET_SECONDS)

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
