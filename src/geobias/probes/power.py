"""What a probe's main test could see: its units, its items, and how much they vary."""

from __future__ import annotations

import msgspec

from geobias.stats.planning import Design


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
