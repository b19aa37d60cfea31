"""How large a study must be to see a gap of a given size, and what a given study can see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

Test = Literal["disparity", "two_groups", "mean"]


class Design(msgspec.Struct, frozen=True, kw_only=True):
    """A study as a test sees it.

    test     what the table tests: a "disparity" of several groups (permutation), "two_groups"
             (Mann–Whitney) or one "mean" against 0 (its interval leaves 0 out)
    groups   how many units (countries, templates) there are in each group
    items    questions, items or games of each unit
    between  SD of the units' true values within a group
    within   SD of one item around its unit's true value
    """

    test: Test
    groups: tuple[int, ...]
    items: int
    between: float
    within: float


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """What it takes to see a gap.

    items    of each unit; None where no number of them is enough, because the units differ so much
    units    in all groups
    power    share of simulated studies of that size that find the gap
    best     the power that any number of items of these units can reach
    """

    items: int | None
    units: int
    power: float
    best: float


def power(design: Design, gap: float, *, studies: int = 2000, seed: int = 0) -> float:
    """The share of simulated studies whose test has p ≤ 0.05 when the true gap is `gap`."""
    raise NotImplementedError


def needed(
    design: Design,
    gap: float,
    *,
    power: float = 0.8,
    most_items: int = 10_000,
    studies: int = 2000,
    seed: int = 0,
) -> Needed:
    """The fewest items of each unit with which the test finds `gap` so often."""
    raise NotImplementedError


def smallest_gap(
    design: Design, *, power: float = 0.8, studies: int = 2000, seed: int = 0
) -> float | None:
    """The smallest gap that this design finds so often; None where none up to 1 is found."""
    raise NotImplementedError


def sizes(design: Design) -> Sequence[int]:
    """Items of each group in all."""
    return [units * design.items for units in design.groups]
