"""The probes as tasks of Inspect AI: `inspect eval geobias/worldbench --model …`.

One sample is one trial. The solver drives the trial's generator with Inspect's models, so
providers, caching, batches, limits, retries and `inspect view` are Inspect's. The scorer reads the
trial's record, and the metrics are those of `geobias report`. Roles such as a judge are Inspect's
model roles: `--model-role judge=openai/gpt-4o`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.scorer import NOANSWER, Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from msgspec.structs import replace

from geobias.errors import BadRequest
from geobias.http import Transient
from geobias.integrations.inspect_logs import NO_EPOCHS, REPLIES, metrics_of
from geobias.models.inspected import InspectedModel, messages_of
from geobias.probes import derived
from geobias.probes.registry import find_probe, plan_of, probe_names, record_owner
from geobias.trials import Ask, Reply, StoredRecord, StoredSettings, Trial

RECORD = "geobias_record"
"""Key of the trial's record in a sample's store."""


def probe_task(probe: str, options: StoredSettings) -> Task:
    """Return a probe as a task. `options` are those of `geobias run PROBE`, by Python names."""
    plan = plan_of(find_probe(probe), options)
    trials = {trial.name: trial for trial in plan.trials()}
    samples = [
        Sample(input=messages_of(ask.dialogue), id=name)
        for name, trial in trials.items()
        if (ask := trial.first_ask()) is not None
    ]
    settings = msgspec.to_builtins(plan.settings)
    return Task(
        dataset=MemoryDataset(samples, name=f"geobias/{probe}"),
        solver=drive(trials),
        scorer=record_score(),
        metrics=[scored(), findings(probe, settings)],
        version=1,
        metadata={"geobias": {"probe": probe, "settings": settings}},
    )


@solver
def drive(trials: dict[str, Trial]) -> Solver:
    asked = Asked()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.epoch > 1:
            raise BadRequest(NO_EPOCHS)
        steps = trials[str(state.sample_id)].start()
        replies: list[Reply] = []
        try:
            ask = next(steps)
            while True:
                if ask.optional:  # Inspect would ask the tested model in place of a missing role
                    ask = steps.send(Reply("", "unasked"))
                    continue
                model = get_model(role=ask.role) if ask.role != "model" else get_model()
                reply = await asked.answer(model, ask)
                replies.append(reply)
                _show(state, ask, reply)
                ask = steps.send(reply)
        except StopIteration as end:
            state.store.set(RECORD, msgspec.to_builtins(end.value))
        finally:
            steps.close()
            state.store.set(REPLIES, [_kept(reply) for reply in replies])
        return state

    return solve


class Asked:
    """Asks Inspect's models. Equal greedy asks are made once, so games that begin alike share
    calls, as in geobias' own engine.

    Reasoning models get extra tokens, unless the user set a limit (`--max-tokens`).
    """

    def __init__(self) -> None:
        self._calls: dict[bytes, asyncio.Task[Reply]] = {}
        self._models: dict[Model, InspectedModel] = {}

    async def answer(self, model: Model, ask: Ask) -> Reply:
        digest = ask.digest(str(model))
        if ask.temperature > 0:
            return await self._call(model, ask, digest)

        def forget_failed(done: asyncio.Task[Reply]) -> None:
            # A failed call is not a reply, so the next trial that needs it asks again.
            if done.cancelled() or done.exception() is not None:
                self._calls.pop(digest, None)

        if digest not in self._calls:
            call = asyncio.ensure_future(self._call(model, ask, digest))
            self._calls[digest] = call
            call.add_done_callback(forget_failed)
        return await asyncio.shield(self._calls[digest])

    async def _call(self, model: Model, ask: Ask, digest: bytes) -> Reply:
        if model not in self._models:
            self._models[model] = InspectedModel(str(model), inside=model)
        asked = self._models[model]
        if _users_limit(model, ask) is not None:
            return replace(await asked.post(ask, None), digest=digest)
        while True:
            with suppress(Transient):  # it was cut off while thinking, and may now think longer
                return replace(await asked.answer(ask), digest=digest)


def _users_limit(model: Model, ask: Ask) -> int | None:
    own = model.config.max_tokens
    if ask.role == "model" and own is None:
        return active_generate_config().max_tokens
    return own


def _show(state: TaskState, ask: Ask, reply: Reply) -> None:
    """Store the messages that `inspect view` shows: the longest dialogue (the guesser's)."""
    if ask.dialogue.length + 1 >= len(state.messages):
        state.messages = messages_of(ask.dialogue.reply(reply))
        state.output = ModelOutput.from_content(reply.model, reply.text)


def _kept(reply: Reply) -> dict[str, object]:
    return msgspec.to_builtins(reply) | {"digest": reply.digest.hex()}  # type: ignore[no-any-return]


def number_of(record: StoredRecord) -> float | None:
    probe = record_owner(record["probe"])
    return None if probe is None else derived.number(probe, record)


def _records(scores: list[SampleScore]) -> list[StoredRecord]:
    metadata = (one.score.metadata or {} for one in scores)
    return [kept[RECORD] for kept in metadata if RECORD in kept]


@metric
def findings(probe: str, settings: StoredSettings) -> Metric:
    """The metrics of `geobias report`, by name; `metrics_of` says which are left out."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        return metrics_of(probe, settings, _records(scores))

    return compute


@metric
def scored() -> Metric:

    def compute(scores: list[SampleScore]) -> float:
        numbers = [number_of(record) for record in _records(scores)]
        return sum(number is not None for number in numbers) / max(1, len(scores))

    return compute


@scorer(metrics=[scored()])
def record_score() -> Scorer:
    """Return a scorer that turns a trial's record into a score, with the record as metadata.

    A record without a score gets NOANSWER. Inspect would leave NaN out of every metric, so that
    shares would have a wrong denominator.
    """

    async def score(state: TaskState, target: Target) -> Score:
        record = state.store.get(RECORD)
        if record is None:
            return Score(value=NOANSWER, explanation="the trial did not finish")
        number = number_of(record)
        probe = record_owner(record["probe"])
        read = probe.showing.describe(record).read if probe else ""
        return Score(
            value=NOANSWER if number is None else number,
            answer=read,
            explanation=f"{record['outcome']}; {record['country']}",
            metadata={RECORD: record},
        )

    return score


def _registered(name: str) -> Callable[..., Task]:
    def probe(**options: Any) -> Task:
        return probe_task(name, options)

    probe.__name__ = probe.__qualname__ = name
    probe.__doc__ = f"The probe {name}: -T takes the options of `geobias run {name}`."
    made: Callable[..., Task] = task(probe)
    return made


globals().update({name: _registered(name) for name in probe_names()})
"""Every installed probe becomes a task with the name of the probe."""
