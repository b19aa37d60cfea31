"""Answers to Name-BBQ's items without a clock or a disk, and records of answers never given."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import polars as pl

from geobias.probes.namebbq.items import Item
from geobias.probes.namebbq.questions import NameBBQRecord
from geobias.probes.namebbq.scores import frame_of
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.plan import Plan
from geobias.trials import Ask, Trial
from tests.probes.answering import drive, simulated_rows

ITEMS = ItemSource.of("builtin").by_id


def simulated(plan: Plan, model: str) -> pl.DataFrame:
    """The frame of a plan answered by a simulated model."""
    return frame_of(simulated_rows(plan, model), model)


def item_of(trial: Trial) -> Item:
    return ITEMS[trial.name.split("/")[1]]


def choosing(plan: Plan, wanted: Callable[[Item], int]) -> list[NameBBQRecord]:
    """The records of a model that looks for the words of the wanted answer of each item."""

    def record(trial: Trial) -> NameBBQRecord:
        item = item_of(trial)
        words = item.answers[wanted(item)]
        found: NameBBQRecord = drive(
            trial, lambda ask: next(k for k, shown in options(ask).items() if shown == words)
        )
        return found

    return [record(trial) for trial in plan.trials()]


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
    }
    return usual | fields
