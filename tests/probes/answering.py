"""Answers to the asks of any plan without a run: no server, no clock, no disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from geobias import trials
from geobias.probes.plan import Plan
from geobias.probes.probe import RunRecords
from geobias.runfile import Manifest
from geobias.simulated import SimulatedModel
from geobias.trials import Ask, Reply, Trial

Answer = Callable[[Ask], Reply | str]


def drive(trial: Trial, answer: Answer) -> Any:
    """The record of a trial whose asks are answered by this function."""

    def reply(ask: Ask) -> Reply:
        said = answer(ask)
        return said if isinstance(said, Reply) else Reply(said)

    return trials.drive(trial.start(), reply)


def answered(plan: Plan, answer: Answer) -> list[Any]:
    """The records of a plan whose asks are answered by this function."""
    return [drive(trial, answer) for trial in plan.trials()]


def rows(records: list[Any]) -> list[dict[str, Any]]:
    return [msgspec.structs.asdict(record) for record in records]


def simulated_reply(model: SimulatedModel, ask: Ask) -> Reply:
    """What a simulated model answers, which waits for nothing."""
    try:
        model.answer(ask).send(None)
    except StopIteration as done:
        reply: Reply = done.value
        return reply
    raise AssertionError("a simulated model waits")


def simulated_rows(plan: Plan, model: str) -> list[dict[str, Any]]:
    """The records of a plan answered by a simulated model."""
    knows = SimulatedModel(model)
    return rows(answered(plan, lambda ask: simulated_reply(knows, ask)))


def run_of(model: str = "made", asked: str = "", **settings: Any) -> RunRecords:
    """What a run with these settings says of itself; `asked` is the model that it asked."""
    manifest = Manifest(geobias="", created="", probes={}, models={"model": asked or model})
    return RunRecords(model, manifest, settings, (), lambda name: ())
