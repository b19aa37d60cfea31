"""Trials and runs that the engine's tests share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from geobias.engine import Budget, Counts, Runner
from geobias.models import Model
from geobias.runfile import Manifest, RunReader, RunWriter
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, Trial

MANIFEST = Manifest(geobias="0", created="now", probes={"test": {}}, models={"model": "m"})


def question(name: str, text: str, **ask: object) -> Trial:
    """A trial of one question, whose record says what came back."""
    return Trial(name, partial(_question, name, text, ask))


def _question(name: str, text: str, ask: Mapping[str, object]) -> Steps:
    reply = yield Ask(dialogue=Dialogue().user(text), **ask)  # type: ignore[arg-type]
    return Record(trial=name, probe="test", outcome=reply.outcome)


def game(name: str, turns: int, first: str, **ask: object) -> Trial:
    """A trial of several turns."""
    return Trial(name, partial(_game, name, turns, first, ask))


def _game(name: str, turns: int, first: str, ask: Mapping[str, object]) -> Steps:
    dialogue = Dialogue().user(first)
    for turn in range(turns):
        reply = yield Ask(dialogue=dialogue, **ask)  # type: ignore[arg-type]
        dialogue = dialogue.reply(reply).user(f"turn {turn}")
    return Record(trial=name, probe="test", outcome="read")


class CountingModel:
    """A model in this process that counts, and may wait for leave to answer."""

    name = "m"
    adaptive = False
    thinking = 0
    unsent_parameters = ()

    def __init__(self, concurrency: int = 8) -> None:
        self.concurrency = concurrency
        self.calls = 0
        self.in_flight = 0
        self.most_in_flight = 0

    async def answer(self, ask: Ask) -> Reply:
        self.calls += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0.001)
        self.in_flight -= 1
        return Reply(f"answer to {ask.dialogue.content}", tokens_in=10, tokens_out=5)

    async def close(self) -> None:
        pass


def run(
    trials: Iterable[Trial],
    model: Model | Mapping[str, Model],
    path: Path,
    *,
    budget: Budget | None = None,
    concurrency: int | None = None,
) -> Counts:
    """Run trials into a file; raises what the runner raises, after closing the file."""

    async def work() -> Counts:
        models = model if isinstance(model, Mapping) else {"model": model}
        file = RunWriter.open(path, MANIFEST)
        counts = Counts()
        try:
            runner = Runner(
                models, file, budget=budget, concurrency=concurrency, backoff_seconds=0.0002
            )
            await runner.run(trials, counts)
        finally:
            for one in models.values():
                await one.close()
            file.close()
        return counts

    return asyncio.run(work())


def outcomes(path: Path) -> dict[str, str]:
    """Trial → outcome, for all records of a run."""
    with RunReader(path) as reader:
        return {row["trial"]: row["outcome"] for row in reader.records()}
