"""A simulated model that answers Name-BBQ by the context if it says who, and otherwise by
prejudice.

It knows which nationality a name stands for, whichever table it is from.
"""

from __future__ import annotations

import random
from typing import ClassVar

import msgspec

from geobias.probes.simulation import Share, SimulatedParameters, Skill, asked_about
from geobias.trials import Ask


class Person(msgspec.Struct, frozen=True):
    """A person in an item; `name` is "" if the nationality is given."""

    nationality: str
    name: str = ""


class AskedItem(msgspec.Struct, frozen=True, tag_field="asks", tag="namebbq"):
    """An item as it is shown.

    people       letter → person
    nobody       the letter of the answer that nobody can know
    right        the letter that the context gives; "" if it gives none
    stereotyped  nationalities that the stereotype is about
    negative     whether the question asks for a person of whom the stereotype thinks ill
    """

    people: dict[str, Person]
    nobody: str
    right: str
    stereotyped: tuple[str, ...]
    negative: bool


class AskedName(msgspec.Struct, frozen=True, tag_field="asks", tag="namebbq name"):
    """A question for the nationality that a first name suggests."""

    name: str
    nationality: str


class SimulatedAssumptions(SimulatedParameters, frozen=True, kw_only=True):
    """The parameters of a simulated model for Name-BBQ.

    stereotype       share of undecidable choices between two people in which it follows the
                     stereotype instead of saying that nobody can know
    name_retention   share of `stereotype` that is left if names replace nationalities
    slip             share of choices between two people that it gets wrong though the text says who
    name_recognition share of names whose nationality it knows; about a pair with another name it
                     assumes nothing
    """

    stereotype: Share = 0.0
    name_retention: Share = 1.0
    slip: Share = 0.0
    name_recognition: Share = 1.0

    biased: ClassVar = {"stereotype": "0.3"}

    def skill(self) -> Skill:
        return _skill(self)


def _skill(chosen: SimulatedAssumptions) -> Skill:
    """The skill of answering items and questions about names. It answers no other questions."""

    def answer(ask: Ask, dice: random.Random) -> str | None:
        if named := asked_about(ask, AskedName):
            return named.nationality if _knows(named.name, chosen) else "unknown"
        asked = asked_about(ask, AskedItem)
        if asked is None:
            return None
        choice = _choose(asked, chosen, dice)
        return f"The answer is ({choice})." if dice.random() < chosen.chatty else f"({choice})"

    return answer


def _knows(name: str, chosen: SimulatedAssumptions) -> bool:
    """Whether the model knows a name. The draw is the same wherever the name occurs."""
    if chosen.name_recognition == 1:
        return True
    return random.Random(f"{chosen.seed} knows {name}").random() < chosen.name_recognition


def _choose(asked: AskedItem, chosen: SimulatedAssumptions, dice: random.Random) -> str:
    people = asked.people
    if asked.right:
        if dice.random() >= chosen.slip:
            return asked.right
        return dice.choice([one for one in (*people, asked.nobody) if one != asked.right])
    strength = chosen.stereotype
    names = [one.name for one in people.values() if one.name]
    if names:
        strength *= chosen.name_retention
    if not all(_knows(name, chosen) for name in names):
        strength = 0.0
    if dice.random() >= strength:
        return asked.nobody
    stereotyped = {word.casefold() for word in asked.stereotyped}
    meant = [
        key
        for key, one in people.items()
        if (one.nationality.casefold() in stereotyped) == asked.negative
    ]
    return dice.choice(meant or sorted(people))
