"""A simulated model for Name-BBQ: it answers by the context if possible, otherwise by its bias.

The model knows which nationality a name stands for, even if the name is from a user's table.
"""

from __future__ import annotations

import random
from typing import ClassVar

import msgspec

from geobias.probes.namebbq.names import Name
from geobias.probes.simulation import Share, SimulatedParameters, Skill, asked_about
from geobias.trials import Ask


class AskedItem(msgspec.Struct, frozen=True, tag_field="asks", tag="namebbq"):
    """The letters of an item as it is shown; `right` is "" if the context gives none.

    `names` is empty if nationalities are given.
    """

    people: tuple[str, str]
    names: tuple[str, ...]
    nobody: str
    right: str
    stereotyped: str


class SimulatedAssumptions(SimulatedParameters, frozen=True, kw_only=True):
    """The parameters of a simulated model for Name-BBQ.

    stereotype       share of undecidable choices between two people in which it follows the
                     stereotype instead of saying that nobody can know
    name_retention   share of `stereotype` that is left if names replace nationalities
    slip             share of choices that it gets wrong although the text says which person it was
    name_recognition share of names whose nationality it knows. If it does not know both names of a
                     pair, it follows no stereotype
    """

    stereotype: Share = 0.0
    name_retention: Share = 1.0
    slip: Share = 0.0
    name_recognition: Share = 1.0

    biased: ClassVar = {"stereotype": "0.3"}

    def skill(self) -> Skill:
        def answer(ask: Ask, dice: random.Random) -> str | None:
            if named := asked_about(ask, Name):
                return named.nationality if self._knows(named.name) else "unknown"
            if (asked := asked_about(ask, AskedItem)) is None:
                return None
            choice = self._choose(asked, dice)
            return f"The answer is ({choice})." if dice.random() < self.chatty else f"({choice})"

        return answer

    def _knows(self, name: str) -> bool:
        """Whether the model knows a name. The draw is the same wherever the name occurs."""
        dice = random.Random(f"{self.seed} knows {name}")
        return self.name_recognition == 1 or dice.random() < self.name_recognition

    def _choose(self, asked: AskedItem, dice: random.Random) -> str:
        if asked.right:
            if dice.random() >= self.slip:
                return asked.right
            return dice.choice([one for one in (*asked.people, asked.nobody) if one != asked.right])
        strength = self.stereotype * (self.name_retention if asked.names else 1)
        if not all(map(self._knows, asked.names)):
            strength = 0.0
        return asked.nobody if dice.random() >= strength else asked.stereotyped
