"""A trial: one question, one item or one game, as a generator."""

from __future__ import annotations

from collections.abc import Callable, Generator

import msgspec

from geobias.trials.ask import Ask, Reply
from geobias.trials.record import Record

Steps = Generator[Ask, Reply, Record]
"""Yields asks, is sent replies, returns the record. No I/O, no clock, no randomness of its own."""


class Trial(msgspec.Struct, frozen=True):
    """A trial that has not started: its name, unique in the run, and how to start it.

    Starting it twice must give the same asks for the same replies: resuming a run is replaying.
    """

    name: str
    start: Callable[[], Steps]
