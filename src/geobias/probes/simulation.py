"""Simulated models, in which a probe can plant a known bias to verify its numbers.

A simulated model does not read prompts. With every ask, the probe's trial tells the model what is
asked about (`Ask.about`, a struct that the probe defines). The model answers in words, like any
other model. Each probe declares the parameters of its simulated model (`SimulatedParameters`) and
how the model answers (`Skill`).
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
"""A function that answers an ask. To leave an ask to another skill, the function returns None and
does not use the dice.
"""
About = TypeVar("About", bound=msgspec.Struct)
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""


class SimulatedParameters(msgspec.Struct, frozen=True, kw_only=True):
    """The parameters of all simulated models. A probe adds others, under names that no other probe
    uses.

    chatty    the share of answers that are wrapped in a sentence
    against   the group that every planted gap is against: a region, income group, continent,
              "Global South" or "Global East"
    seed      another seed gives another model of the same kind
    """

    chatty: Share = 0.0
    against: str = "Global South"
    seed: int = 0

    biased: ClassVar[dict[str, str]] = {}
    """The parameters in which `sim/biased` differs from `sim/fair`, which has the defaults."""

    def skill(self) -> Skill:
        raise BadRequest("no simulated model answers this probe: name another model")

    def is_against(self, iso3: str) -> bool:
        return iso3 in group_members(self.against)


@cache
def group_members(name: str) -> frozenset[str]:
    members = frozenset(
        e.iso3
        for e in economies().values()
        if name in (e.region, e.income, e.continent, e.north_south, e.west_east)
    )
    if not members:
        raise BadRequest(f"no group of countries is called {name!r} (try Africa or Global South)")
    return members


def asked_about(ask: Ask, kind: type[About]) -> About | None:
    """Return the ask's subject (`Ask.about`); None if its type is not `kind`.

    If the ask came through a server, its subject is plain data, in which a tag names the type.
    """
    if isinstance(ask.about, dict):
        try:
            return msgspec.convert(ask.about, kind)
        except msgspec.ValidationError:
            return None
    return ask.about if isinstance(ask.about, kind) else None
