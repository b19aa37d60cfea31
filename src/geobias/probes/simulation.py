"""Simulated models: the biases that a probe can plant in them to verify its numbers.

A simulated model does not read prompts. With every ask the probe's trial tells it what is asked
about (`Ask.about`, a struct of the probe's own), and it answers in words, like any other model.
Each probe declares the parameters of such a model (`SimulatedParameters`) and how it answers
(`Skill`).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from typing import Annotated, ClassVar, TypeAlias, TypeVar

import msgspec

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.trials import Ask

Skill: TypeAlias = Callable[[Ask, random.Random], str | None]
"""Answers an ask, or returns None without using the dice, to leave the ask to another skill."""
About = TypeVar("About", bound=msgspec.Struct)
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""


class SimulatedParameters(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of all simulated models; a probe adds its own, with names that no other probe
    has.

    chatty    share of answers wrapped in a sentence
    against   a region, income group, continent, "Global South" or "Global East": the group that
              every gap is against
    seed      another seed gives another model of the same kind
    """

    chatty: Share = 0.0
    against: str = "Global South"
    seed: int = 0

    biased: ClassVar[dict[str, str]] = {}
    """The values of `sim/biased` that differ from the defaults, which are those of `sim/fair`."""

    def skill(self) -> Skill:
        """The skill of a model with these parameters."""
        raise BadRequest("no simulated model answers this probe")

    def is_against(self, iso3: str) -> bool:
        """Whether gaps are against this economy."""
        return iso3 in group_members(self.against)


@cache
def group_members(name: str) -> frozenset[str]:
    """ISO-3 codes of a region, income group, continent, or half of the world."""
    members = frozenset(
        e.iso3
        for e in economies().values()
        if name in (e.region, e.income, e.continent, e.north_south, e.west_east)
    )
    if not members:
        raise BadRequest(f"no group of countries is called {name!r} (try Africa or Global South)")
    return members


def asked_about(ask: Ask, kind: type[About]) -> About | None:
    """What an ask is about, if it is of this kind, else None.

    `kind` has a tag of its own. An ask that came through a server has its `about` as plain data.
    """
    if isinstance(ask.about, dict):
        try:
            return msgspec.convert(ask.about, kind)
        except msgspec.ValidationError:
            return None
    return ask.about if isinstance(ask.about, kind) else None
