"""A trial: one question, one item or one game, as a generator; and the row it leaves behind."""

from __future__ import annotations

from collections.abc import Callable, Generator

import msgspec

from geobias.trials.ask import Ask, Reply


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One flat row per trial; each probe adds columns of its own in a subclass.

    `trial` is unique in a run. `country` is the ISO-3 code of the economy the trial is about
    (empty where it is about none). `outcome` is a word of the probe's own for a trial that was
    read, or the reply's outcome where there was nothing to read; nothing is dropped in silence.
    """

    trial: str
    probe: str
    country: str = ""
    repeat: int = 0
    outcome: str


Steps = Generator[Ask, Reply, Record]
"""Yields asks, is sent replies, returns the record. No I/O, no clock, no randomness of its own."""


class Trial(msgspec.Struct, frozen=True):
    """A trial that has not started: its name, unique in the run, and how to start it.

    Starting it twice must give the same asks for the same replies: resuming a run is replaying.
    """

    name: str
    start: Callable[[], Steps]
