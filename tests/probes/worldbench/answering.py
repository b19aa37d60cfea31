"""Answers to WorldBench's questions without a model, a clock or a disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.measures.estimates import contrasted
from geobias.measures.measure import Contrasted
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.probe import RunRecords
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.probe import WorldBench
from geobias.probes.worldbench.scores import ERROR, frame_of
from geobias.probes.worldbench.trials import WorldBenchRecord
from geobias.results.findings import ProbeFindings
from geobias.simulated import SimulatedModel
from geobias.trials import Ask, Reply


def answered(plan: Plan, answer: Callable[[Ask], str]) -> list[WorldBenchRecord]:
    """The records of a plan whose asks are answered by this function."""

    async def reply(ask: Ask) -> Reply:
        return Reply(answer(ask))

    return asyncio.run(_driven(plan, reply))


def simulated(plan: Plan, model: str) -> pl.DataFrame:
    """The frame of a plan answered by a simulated model."""
    records = asyncio.run(_driven(plan, SimulatedModel(model).answer))
    return frame_of(map(msgspec.structs.asdict, records), model)


async def _driven(plan: Plan, answer: Callable[[Ask], Awaitable[Reply]]) -> list[WorldBenchRecord]:
    """In one loop: to enter it for each question takes longer than the answer."""
    return [await _drive(trial.start, answer) for trial in plan.trials()]


async def _drive(
    start: Callable[[], Any], answer: Callable[[Ask], Awaitable[Reply]]
) -> WorldBenchRecord:
    steps = start()
    ask = next(steps)
    while True:
        reply = await answer(ask)
        try:
            ask = steps.send(reply)
        except StopIteration as done:
            record: WorldBenchRecord = done.value
            return record


def row(country: str = "KEN", **fields: Any) -> dict[str, Any]:
    """A record of one parsed answer about Kenya, but for what is said otherwise."""
    place = economies()[country]
    usual = {
        "trial": f"t/{country}",
        "indicator": "population",
        "country": country,
        "region": place.region,
        "income": place.income,
        "wording": 0,
        "repeat": 0,
        "outcome": "parsed",
        "truth": 1.0,
        "value": 1.0,
        "error": 0.0,
    }
    return usual | fields


def silent(country: str = "KEN", outcome: str = "abstained", **fields: Any) -> dict[str, Any]:
    """A record without an answer."""
    return row(country, outcome=outcome, value=None, error=None, **fields)


def found_in(frame: pl.DataFrame) -> ProbeFindings:
    """What the end of a run of these answers, and no other, shows."""
    probe = WorldBench()
    answers = FigureAnswers(model="made", frame=frame, records=run_of("made"), figures=None)
    return derived.findings_of(probe, derived.with_outcome_columns(probe, answers), brief=True)


def run_of(model: str, asked: str = "", **settings: Any) -> RunRecords:
    """What a run with these settings says of itself; `asked` is the model that it asked."""
    return RunRecords(model, {"model": asked or model}, settings, {}, {}, (), lambda name: ())


def trend_of(frame: pl.DataFrame) -> Contrasted:
    """The primary number of these answers."""
    return contrasted(frame, ERROR, ERROR.contrasts[0])
