"""Tables by name: `geobias PROBE TABLE RUN…`, made from what a probe declares here.

A table may be several frames with titles. Every table takes several runs: `each_model` makes a
table of one model's answers and sets those of several below each other, with a column for the
model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
import polars as pl

Frames: TypeAlias = Mapping[str, pl.DataFrame]
A = TypeVar("A")


class NoOptions(msgspec.Struct, frozen=True):
    """A table that leaves nothing to choose."""


class TableSpec(msgspec.Struct, Generic[A], frozen=True, kw_only=True):
    """A table of a probe.

    help      a sentence, and below it examples and explanations; the first line goes into lists
    make      the frames, by their titles, from the answers of every run and the table's options
    Options   what can be chosen, declared as settings are (`probes.settings`)
    notes     sentences that go beside the table, on standard error: what it leaves out
    limit     the option that says how many rows people see; programs get all
    people    the frames as people see them, where programs get more
    records   what of the probe's `further_records` it is made of: a run of these alone will do
    """

    help: str
    make: Callable[[Sequence[A], Any], Frames]
    Options: type[msgspec.Struct] = NoOptions
    notes: Callable[[Sequence[A], Any], list[str]] = lambda answers, options: []
    limit: str = ""
    people: Callable[[Frames], Frames] = lambda frames: frames
    records: str = ""


def each_model(
    make: Callable[[A, Any], Frames], label: Callable[[A], str] | None = None
) -> Callable[[Sequence[A], Any], Frames]:
    """A table made for each model by itself; of several, with a column that says whose row it is.

    Answers say whose they are by `.model`, or by the `label` given here.
    """

    def together(answers: Sequence[A], options: Any) -> Frames:
        if len(answers) == 1:
            return make(answers[0], options)
        parts: dict[str, list[pl.DataFrame]] = {}
        for one in answers:
            name = label(one) if label else one.model  # type: ignore[attr-defined]
            for title, table in make(one, options).items():
                named = table.select(pl.lit(name).alias("model"), pl.exclude("model"))
                parts.setdefault(title, []).append(named)
        return {title: pl.concat(found, how="diagonal") for title, found in parts.items()}

    return together
