"""What a probe hands to an engine: its trials, what decides their results, and their main test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from geobias.atlas.economies import INCOMES, economies
from geobias.errors import BadRequest
from geobias.stats.contrasts import MIN_UNITS, trend_weights
from geobias.stats.planning import Design
from geobias.trials import Trial


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A probe with its settings made, ready to run.

    `trials` starts the list anew at each call and makes each trial when it is its turn, in an
    order in which dialogues that begin alike stand together. `calls` is the least and the most
    that the trials can take; `naive` what the published protocol would take for the same, where
    that is more. `parts` says how many of `count` leave records under which name, where that is not
    the probe's alone (a game leaves those of its judge as well). `notes` are sentences about what
    is not asked. `settings`, `editions` (digests of the tables the trials rest on) and `prompts` go
    into the run's manifest: equal ones mean equal trials. `given` are the
    settings as they were asked for, without the usual ones.
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

    @property
    def planned(self) -> dict[str, int]:
        """Trials by the name under which they leave records."""
        return self.parts or {self.probe: self.count}


def fingerprint(text: str) -> str:
    """Short content hash for prompts and tables in a manifest."""
    return sha256(text.encode()).hexdigest()[:16]


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """The test a probe is run for, as planning needs it.

    gap          what the gap is: "mean error between the best and the worst region"
    unit, units  what the test compares, and several of them: "country", "countries"
    items        what each unit is asked: "questions"
    most_items   how many of those there are for a unit at most
    most_gap     the largest gap there can be
    assumptions  what the answer rests on, in sentences
    """

    gap: str
    unit: str
    units: str
    items: str
    design: Design
    most_items: int
    assumptions: list[str]
    most_gap: float = 1.0


PILOT = " (the upper 80% limit of what the run shows)."
"""Where a spread is from a run."""


def asked_pairs(plan: Plan) -> set[tuple[str, str]]:
    """What trials named PROBE/ITEM/UNIT/… ask: item and unit."""
    named = (trial.name.split("/") for trial in plan.trials())
    return {(item, unit) for _, item, unit, *_ in named}


def incomes_design(items: Mapping[str, int], between: float, within: float) -> tuple[Design, str]:
    """The trend over the income groups of these economies, each with so many items; and which
    groups are in it, in words. `between` economies of a group and `within` one, as SDs."""
    members: dict[str, list[int]] = {}
    for iso3, count in sorted(items.items()):
        if iso3 in economies() and (income := economies()[iso3].income):
            members.setdefault(income, []).append(count)
    tested = {name: own for name, own in members.items() if len(own) >= MIN_UNITS}
    weights = trend_weights(INCOMES, list(tested))
    if not weights:
        raise BadRequest(
            f"the test needs two income groups of at least {MIN_UNITS} countries: try "
            "--size standard"
        )
    design = Design(
        groups=tuple(len(tested[name]) for name in weights),
        weights=tuple(weights.values()),
        items=tuple(count for name in weights for count in tested[name]),
        between=between,
        within=within,
    )
    small = len(members) - len(tested)
    left_out = f" (and {small} of under {MIN_UNITS}, not tested)" if small else ""
    sizes = ", ".join(map(str, design.groups))
    return design, f"Income groups of {sizes} countries{left_out}, the poorest first."
