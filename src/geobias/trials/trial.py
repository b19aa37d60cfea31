"""A trial: one question, item or game as a generator, and the row that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Generator

import msgspec

from geobias.trials.ask import Ask, Reply


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One flat row per trial. Each probe adds its own columns in a subclass.

    `trial` is unique in a run. `country` is the ISO-3 code of the economy that the trial is about,
    or empty. `outcome` is a word of the probe's own if the trial was read, and otherwise the
    reply's outcome. Every trial leaves a record.
    """

    trial: str
    probe: str
    country: str = ""
    repeat: int = 0
    outcome: str


Steps = Generator[Ask, Reply, Record]
"""A trial's generator: it yields asks, receives replies and returns the record.

It does no I/O and uses no clock and no randomness of its own.
"""


class Trial(msgspec.Struct, frozen=True):
    """A trial that has not started: its name, unique in the run, and how to start it.

    Starting it twice must give the same asks for the same replies: resuming a run is replaying.
    """

    name: str
    start: Callable[[], Steps]
