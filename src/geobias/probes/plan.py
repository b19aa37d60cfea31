"""What a probe hands to an engine: its trials, what decides their results, and their main test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.stats.group_differences import MIN_UNITS
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


LEVEL_OF_TWO = 0.025
"""What Holm asks of the clearer of two primary tests."""


def asked_pairs(plan: Plan) -> set[tuple[str, str]]:
    """What trials named PROBE/ITEM/UNIT/… ask: item and unit."""
    named = (trial.name.split("/") for trial in plan.trials())
    return {(item, unit) for _, item, unit, *_ in named}


def regions_design(items: Mapping[str, int], between: float, within: float) -> tuple[Design, str]:
    """Welch's test over the regions of these economies, each with so many items; and which regions
    are in it, in words. `between` economies of a region and `within` one, as SDs."""
    regions: dict[str, list[int]] = {}
    for iso3, count in sorted(items.items()):
        if iso3 in economies():
            regions.setdefault(economies()[iso3].region, []).append(count)
    tested = sorted((own for own in regions.values() if len(own) >= MIN_UNITS), key=len)[::-1]
    if len(tested) < 2:
        raise BadRequest(
            f"the test needs two regions of at least {MIN_UNITS} countries: try --size standard"
        )
    design = Design(
        test="groups",
        groups=tuple(map(len, tested)),
        items=tuple(count for own in tested for count in own),
        between=between,
        within=within,
        level=LEVEL_OF_TWO,
    )
    small = len(regions) - len(tested)
    left_out = f" (and {small} of under {MIN_UNITS}, not tested)" if small else ""
    sizes = ", ".join(map(str, design.groups))
    evenly = "their true means lie evenly over the gap, in any order"
    return design, f"Regions of {sizes} countries{left_out}; {evenly}."
