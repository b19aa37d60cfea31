"""What a probe hands to an engine: its trials, and all that decides their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import msgspec

from geobias.trials import Trial


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A probe with its settings made, ready to run.

    `trials` starts the list anew at each call and makes each trial when it is its turn, in an
    order in which dialogues that begin alike stand together. `calls` is the least and the most
    that the trials can take; `naive` what the published protocol would take for the same, where
    that is more. `parts` says how many of `count` leave records under which name, where that is not
    the probe's alone (a game leaves those of its judge as well). `notes` are sentences about what
    is not asked. `settings`, `editions` (digests of the tables the trials rest on) and `prompts` go
    into the run's manifest: equal ones mean equal trials. `unsaid` is what an earlier run was asked
    with where its manifest lacks one of the settings (`settings.unsaid`). `given` are the settings
    as they were asked for, without the usual ones.
    """

    probe: str
    settings: dict[str, Any]
    count: int
    calls: tuple[int, int]
    trials: Callable[[], Iterator[Trial]]
    editions: dict[str, str] = {}
    prompts: dict[str, str] = {}
    parts: dict[str, int] = {}
    naive: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()
    given: dict[str, Any] = {}
    unsaid: dict[str, Any] = {}

    @property
    def planned(self) -> dict[str, int]:
        """Trials by the name under which they leave records."""
        return self.parts or {self.probe: self.count}


def fingerprint(text: str) -> str:
    """Short content hash for prompts and tables in a manifest."""
    return sha256(text.encode()).hexdigest()[:16]
