"""What a probe hands to an engine: its trials, what decides their results, and their main test."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from geobias.trials import Trial


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A probe with its settings made, ready to run.

    `trials` starts the list anew at each call and makes each trial when it is its turn, in an
    order in which dialogues that begin alike stand together. `calls` is the least and the most
    that the trials can take. `parts` says how many of `count` leave records under which name,
    where that is not the probe's alone (a game leaves those of its judge as well). `notes` are
    sentences about what is not asked. `settings`, `editions` (digests of the tables the trials rest
    on) and `prompts` go into the run's manifest: equal ones mean equal trials. `given` are the
    settings as they were asked for, without the usual ones.

    `usual` has the calls, tokens in and tokens out that a run of it takes, or that so many trials
    of its kind take, where trials are conversations and cannot be measured beforehand. `compared`
    has item and unit of what the primary test is about, where names of trials do not tell; or the
    unit of each kind.
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
        """Trials by the name under which they leave records."""
        return self.parts or {self.probe: self.count}


def fingerprint(text: str) -> str:
    """Short content hash for prompts and tables in a manifest."""
    return sha256(text.encode()).hexdigest()[:16]


def asked_pairs(plan: Plan, *, with_items: bool = True) -> set[tuple[str, str]]:
    """What trials named PROBE/ITEM/UNIT/… ask: item and unit. Where every unit is asked one thing,
    they are named PROBE/UNIT/…."""
    named = (trial.name.split("/") for trial in plan.trials())
    if not with_items:
        return {("", unit) for _, unit, *_ in named}
    return {(item, unit) for _, item, unit, *_ in named}
