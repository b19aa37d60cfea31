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
    that is more. `notes` are sentences about what is not asked. `settings`, `editions` (digests of
    the tables the trials rest on) and `prompts` go into the run's manifest: equal ones mean equal
    trials.
    """

    probe: str
    settings: dict[str, Any]
    count: int
    calls: tuple[int, int]
    trials: Callable[[], Iterator[Trial]]
    editions: dict[str, str] = {}
    prompts: dict[str, str] = {}
    naive: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()


def fingerprint(text: str) -> str:
    """Short content hash for prompts and tables in a manifest."""
    return sha256(text.encode()).hexdigest()[:16]
