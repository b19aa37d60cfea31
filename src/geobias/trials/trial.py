"""A trial (one question, item or game) as a generator, and its record."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias

import msgspec

from geobias.trials.ask import Ask, Reply


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One flat row per trial. Each probe adds its own columns in a subclass.

    `trial` is unique in a run. `country` is the ISO-3 code of the economy that the trial is about,
    or empty. `outcome` is a word that the probe defines if the reply could be read, and otherwise
    the reply's outcome.
    """

    trial: str
    probe: str
    country: str = ""
    repeat: int = 0
    outcome: str


StoredRecord: TypeAlias = dict[str, Any]
"""A record as a run file holds it: the values of its fields by name.

Each probe has fields of its own, and a file may come from an older version.
"""

StoredSettings: TypeAlias = dict[str, Any]
"""A probe's settings by name, as a manifest holds them or a user gives them.

Each probe declares its own; `geobias.probes.settings.settings_from` checks them.
"""

Steps = Generator[Ask, Reply, Record]
"""A trial's generator: it yields asks, receives replies and returns the record.

The generator does no I/O and uses neither a clock nor randomness.
"""


class Trial(msgspec.Struct, frozen=True):
    """A trial that has not started. `name` is unique in the run; `start` returns the generator.

    A run is resumed by replaying its trials, so equal replies must lead to equal asks.
    """

    name: str
    start: Callable[[], Steps]

    def first_ask(self) -> Ask | None:
        steps = self.start()
        try:
            return next(steps, None)
        finally:
            steps.close()


def replayed(
    trial: Trial, models: Mapping[str, str], find: Callable[[Ask, bytes], Reply | None]
) -> tuple[Record | None, list[Reply]]:
    """Run a trial with the stored replies that `find` returns, by ask and digest.

    Optional asks to a role without a model are skipped. Returns the record (None if a reply is
    missing) and the replies found.
    """
    replies: list[Reply] = []

    def answer(ask: Ask) -> Reply | None:
        if ask.optional and ask.role not in models:
            return Reply("", "unasked")
        reply = find(ask, ask.digest(models.get(ask.role) or models["model"]))
        replies.extend([reply] if reply else [])
        return reply

    return drive(trial.start(), answer), replies


def drive(steps: Steps, answer: Callable[[Ask], Reply | None]) -> Record | None:
    """Run a trial with the replies that `answer` gives. Return None if one is missing."""
    try:
        ask = next(steps)
        while (reply := answer(ask)) is not None:
            ask = steps.send(reply)
    except StopIteration as end:
        record: Record = end.value
        return record
    finally:
        steps.close()
    return None
