"""The probes as tasks of Inspect AI: `inspect eval geobias/worldbench --model …`.

One sample is one trial. The solver drives the trial's generator with Inspect's models, so
providers, caching, batches, limits, retries and `inspect view` are Inspect's. The scorer reads the
trial's record, and the metrics are those of `geobias report`. Roles such as a judge are Inspect's
model roles: `--model-role judge=openai/gpt-4o`.

`geobias/…` is also a provider, so that Inspect can evaluate geobias' own models
(`geobias/sim/biased`, `geobias/embedded`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.scorer import NOANSWER, Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from geobias.integrations.inspect_logs import REPLIES, digest_in_epoch, in_epoch, metrics_of
from geobias.models.catalogue import find_model
from geobias.models.complaints import TOO_MANY_TOKENS, UnsupportedParameter
from geobias.models.inspected import config_of, messages_of, reply_of
from geobias.models.model import Transient
from geobias.models.thinking import Thinking
from geobias.probes import derived
from geobias.probes.registry import find_probe, plan_of, probe_names, record_owner
from geobias.trials import Ask, Dialogue, Reply, StoredRecord, StoredSettings, Trial
from geobias.trials.dialogue import Role

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
        solver=drive(trials, plan.settings.get("repeats", 1)),
        scorer=record_score(),
        metrics=[scored(), findings(probe, settings)],
        version=1,
        metadata={"geobias": {"probe": probe, "settings": settings}},
    )


@solver
def drive(trials: dict[str, Trial], repeats: int = 1) -> Solver:
    """Return a solver that drives each sample's trial to its record.

    `repeats` is how often the plan asks each question. Equal greedy asks are made once an epoch, so
    games that begin alike share calls, as in geobias' own engine.
    """
    asked = Asked()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        steps = in_epoch(trials[str(state.sample_id)], state.epoch, repeats).start()
        replies: list[Reply] = []
        try:
            ask = next(steps)
            while True:
                if ask.optional:  # Inspect would ask the tested model in place of a missing role
                    ask = steps.send(Reply("", "unasked"))
                    continue
                model = get_model(role=ask.role) if ask.role != "model" else get_model()
                reply, output = await asked.answer(model, ask, state.epoch)
                replies.append(reply)
                _show(state, ask, output)
                ask = steps.send(reply)
        except StopIteration as end:
            state.store.set(RECORD, msgspec.to_builtins(end.value))
        finally:
            steps.close()
            state.store.set(REPLIES, [_kept(reply) for reply in replies])
        return state

    return solve


Answer = tuple[Reply, ModelOutput]


class Asked:
    """Asks Inspect's models. Equal greedy asks are made once.

    Reasoning models get extra tokens, unless the user set a limit (`--max-tokens`).
    """

    def __init__(self) -> None:
        self._calls: dict[bytes, asyncio.Task[Answer]] = {}
        self._thinking: dict[str, Thinking] = {}

    async def answer(self, model: Model, ask: Ask, epoch: int) -> Answer:
        digest = digest_in_epoch(ask, _name(model), epoch)
        if ask.temperature > 0:
            return await self._call(model, ask, digest)

        def forget_failed(done: asyncio.Task[Answer]) -> None:
            # A failed call is not a reply, so the next trial that needs it asks again.
            if done.cancelled() or done.exception() is not None:
                self._calls.pop(digest, None)

        if digest not in self._calls:
            call = asyncio.ensure_future(self._call(model, ask, digest))
            self._calls[digest] = call
            call.add_done_callback(forget_failed)
        return await asyncio.shield(self._calls[digest])

    async def _call(self, model: Model, ask: Ask, digest: bytes) -> Answer:
        config = config_of(ask)
        if isinstance(model.api, OwnModels):
            config.extra_body = {"draw": ask.draw, "about": msgspec.to_builtins(ask.about)}
        output = ModelOutput()

        async def post(thinking: int | None) -> Reply:
            nonlocal output
            config.max_tokens = None if thinking is None else ask.max_tokens + thinking
            began = time.monotonic()
            try:
                output = await model.generate(messages_of(ask.dialogue), config=config)
            except Exception as error:  # each provider has errors of its own
                if thinking and TOO_MANY_TOKENS.search(str(error)):
                    raise UnsupportedParameter("thinking") from None
                raise
            return reply_of(output, time.monotonic() - began, digest, ask.options)

        if _users_limit(model, ask) is not None:
            return await post(None), output
        thinking = self._thinking.setdefault(_name(model), Thinking())
        while True:
            with suppress(Transient):  # it was cut off while thinking, and may now think longer
                return await thinking.answered(post, _name(model)), output


def _users_limit(model: Model, ask: Ask) -> int | None:
    """The user's limit in Inspect on the tokens of one call."""
    own = model.config.max_tokens
    if ask.role == "model" and own is None:
        return active_generate_config().max_tokens
    return own


def _name(model: Model) -> str:
    """The model's name as in geobias' own commands."""
    return str(model).removeprefix("geobias/")


def _show(state: TaskState, ask: Ask, output: ModelOutput) -> None:
    """Store the messages that `inspect view` shows: the longest dialogue (the guesser's)."""
    if ask.dialogue.length + 1 >= len(state.messages):
        answer = output.message if output.choices else ChatMessageAssistant(content="")
        state.messages = [*messages_of(ask.dialogue), answer]
        state.output = output


def _kept(reply: Reply) -> dict[str, object]:
    return msgspec.to_builtins(reply) | {"digest": reply.digest.hex()}  # type: ignore[no-any-return]


def number_of(record: StoredRecord) -> float | None:
    """Return the number that the probe gives a record as its score, or None."""
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


class OwnModels(ModelAPI):
    """geobias' own models as an Inspect provider: `geobias/sim/biased`, `geobias/embedded`."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        **_: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, config=config or GenerateConfig())
        self._own = find_model(model_name)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        more = config.extra_body or {}
        reply = await self._own.answer(
            Ask(
                dialogue=_dialogue(input),
                temperature=config.temperature or 0.0,
                max_tokens=config.max_tokens or 64,
                stop=tuple(config.stop_seqs or ()),
                seed=config.seed,
                draw=more.get("draw", ""),
                about=more.get("about"),
            )
        )
        output = ModelOutput.from_content(self.model_name, reply.text)
        if reply.tokens_in is not None and reply.tokens_out is not None:
            output.usage = ModelUsage(
                input_tokens=reply.tokens_in,
                output_tokens=reply.tokens_out,
                total_tokens=reply.tokens_in + reply.tokens_out,
            )
        return output

    def max_connections(self) -> int:
        return self._own.concurrency

    async def aclose(self) -> None:
        await self._own.close()


@modelapi(name="geobias")
def own_models() -> type[ModelAPI]:
    return OwnModels


def _dialogue(messages: Sequence[ChatMessage]) -> Dialogue:
    dialogue = Dialogue()
    for message in messages:
        dialogue = dialogue.append(cast(Role, message.role), message.text)
    return dialogue


def _registered(name: str) -> Callable[..., Task]:
    def probe(**options: Any) -> Task:
        return probe_task(name, options)

    probe.__name__ = probe.__qualname__ = name
    probe.__doc__ = f"The probe {name}: -T takes the options of `geobias run {name}`."
    made: Callable[..., Task] = task(probe)
    return made


globals().update({name: _registered(name) for name in probe_names()})
"""Every installed probe becomes a task with the name of the probe."""
