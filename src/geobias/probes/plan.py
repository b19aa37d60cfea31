"""The plan that a probe gives to an engine: its trials, with their settings and prompts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from hashlib import sha256

import msgspec

from geobias.trials import StoredSettings, Trial


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A probe with its settings, ready to run.

    `trials` begins a new pass at each call and makes each trial when it is needed. Dialogues with
    the same beginning follow each other. `count` is the number of trials, and `calls` the minimum
    and maximum number of calls to models. `parts` maps names of records to numbers of trials, if
    trials leave records under several names (a game's judge has its own). `notes` are sentences
    about what is not asked.

    `settings`, `editions` (digests of tables) and `prompts` go into the run's manifest. If they are
    equal in two plans, the trials are equal. `given` are the settings as the user gave them,
    without defaults.

    `usual` returns the usual calls, input tokens and output tokens of a run of conversations, for
    each role, the tested model's first. `compared` returns the primary test's items and units if
    trial names lack them.
    """

    probe: str
    settings: StoredSettings
    count: int
    calls: tuple[int, int]
    trials: Callable[[], Iterator[Trial]]
    editions: dict[str, str] = {}
    prompts: dict[str, str] = {}
    parts: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    given: StoredSettings = {}
    usual: Callable[[], dict[str, tuple[float, float, float]]] | None = None
    compared: Callable[[], Collection[tuple[str, ...]]] | None = None

    @property
    def planned(self) -> dict[str, int]:
        return self.parts or {self.probe: self.count}


def fingerprint(text: str) -> str:
    """A short hash of a text, which identifies prompts and tables in a manifest."""
    return sha256(text.encode()).hexdigest()[:16]


def asked_pairs(plan: Plan, *, with_items: bool) -> set[tuple[str, str]]:
    """The item and unit of each trial, named PROBE/ITEM/UNIT/…, or PROBE/UNIT/… without items."""
    named = (trial.name.split("/") for trial in plan.trials())
    if not with_items:
        return {("", unit) for _, unit, *_ in named}
    return {(item, unit) for _, item, unit, *_ in named}
