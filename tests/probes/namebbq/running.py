"""Answers to Name-BBQ's items without a clock or a disk, and records of answers never given."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import msgspec
import polars as pl

from geobias.probes.namebbq.questions import NameBBQRecord
from geobias.probes.namebbq.scores import frame_of
from geobias.probes.plan import Plan
from geobias.simulated import SimulatedModel
from geobias.trials import Ask, Reply, Trial


def answered(plan: Plan, answer: Callable[[Ask], str]) -> list[NameBBQRecord]:
    """The records of a plan whose asks are answered by this function."""
    return [drive(trial, lambda ask: Reply(answer(ask))) for trial in plan.trials()]


def simulated(plan: Plan, model: str) -> pl.DataFrame:
    """The frame of a plan answered by a simulated model."""
    records = asyncio.run(_simulated(plan, SimulatedModel(model)))
    return frame_of(map(msgspec.structs.asdict, records), model)


async def _simulated(plan: Plan, model: SimulatedModel) -> list[NameBBQRecord]:
    """In one loop: to enter it for each question takes longer than the answer."""
    records = []
    for trial in plan.trials():
        ask = next(trial.start())
        reply = await model.answer(ask)
        records.append(drive(trial, lambda _, reply=reply: reply))  # type: ignore[misc]
    return records


def drive(trial: Trial, answer: Callable[[Ask], Reply]) -> NameBBQRecord:
    steps = trial.start()
    ask = next(steps)
    try:
        steps.send(answer(ask))
        steps.send(Reply("…"))  # asked again, it says nothing that can be read
    except StopIteration as done:
        record: NameBBQRecord = done.value
        return record
    raise AssertionError("an item is one question")


def find(found: pl.DataFrame, metric: str, context: str, dataset: str | None) -> dict[str, Any]:
    """The row of a table of scores."""
    row = found.filter(
        pl.col("metric") == metric,
        pl.col("context") == context,
        pl.col("dataset").eq_missing(pl.lit(dataset)),
    )
    return row.row(0, named=True)


def options(ask: Ask) -> dict[str, str]:
    """Letter → answer, as the page shows them."""
    return dict(re.findall(r"^\(([abc])\) (.+)$", ask.dialogue.content, re.M))


def row(
    said: str = "unknown",
    *,
    condition: str = "ambig",
    truth: str = "unknown",
    dataset: str = "nationality",
    template: str = "t",
    **fields: Any,
) -> dict[str, Any]:
    """A record in which "target", "other", "unknown" or "nothing" was said; answers in that order.

    `truth` is the right answer of a disambiguated item.
    """
    places = {"target": 0, "other": 1, "unknown": 2}
    label = places[truth if condition == "disambig" else "unknown"]
    answer = places.get(said)
    usual = {
        "trial": "x",
        "item": "1",
        "dataset": dataset,
        "seed": None if dataset == "nationality" else 1,
        "repeat": 0,
        "template": template,
        "polarity": "neg",
        "condition": condition,
        "social_value": "noise",
        "country": "DNK",
        "nationality": "Danish",
        "other_nationality": "Thai",
        "outcome": "unread" if answer is None else "read",
        "label": label,
        "unknown": 2,
        "target": 0,
        "answer": answer,
        "correct": None if answer is None else answer == label,
        "stereotyped": None if answer in (None, 2) else answer == 0,
        "order": "012",
        "position": answer,
    }
    return usual | fields
