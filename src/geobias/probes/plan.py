"""The plan that a probe gives to an engine: its trials, what decides their results, and
their test.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from geobias.trials import Trial


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A probe with its settings, ready to run.

    `trials` starts the list anew at each call and makes each trial when it is needed, in an order
    that keeps dialogues with the same beginning together. `calls` is the minimum and maximum of
    calls. `parts` says how many of `count` leave records under which name, if not all under the
    probe's (a game also leaves those of its judge). `notes` are sentences about what is not asked.
    `settings`, `editions` (digests of tables) and `prompts` go into the run's manifest; equal ones
    mean equal trials. `given` are the settings as the user gave them, without defaults.

    `usual` gives the calls, tokens in and tokens out of a run of conversations, or of a number of
    trials of its kind, since these cannot be measured beforehand. `compared` gives item and unit of
    the primary test, or the unit of each kind, if names of trials do not tell them.
    """

    probe: str
    settings: dict[str, Any]
    count: int
    calls: tuple[int, int]
    trials: Callable[[], Iterator[Trial]]
    editions: dict[str, str] = {}
    prompts: dict[str, str] = {}
    parts: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    given: dict[str, Any] = {}
    usual: Callable[[int | None], tuple[float, float, float]] | None = None
    compared: Callable[[], Collection[tuple[str, ...]]] | None = None

    @property
    def planned(self) -> dict[str, int]:
        """Number of trials by the name under which they leave records."""
        return self.parts or {self.probe: self.count}


def fingerprint(text: str) -> str:
    """Short content hash for prompts and tables in a manifest."""
    return sha256(text.encode()).hexdigest()[:16]


def asked_pairs(plan: Plan, *, with_items: bool = True) -> set[tuple[str, str]]:
    """Item and unit of each trial named PROBE/ITEM/UNIT/…, or PROBE/UNIT/… without items."""
    named = (trial.name.split("/") for trial in plan.trials())
    if not with_items:
        return {("", unit) for _, unit, *_ in named}
    return {(item, unit) for _, item, unit, *_ in named}
