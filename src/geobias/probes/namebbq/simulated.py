"""How a simulated model answers Name-BBQ: by the context where it says who, else by prejudice.

It knows the two people by their nationalities or first names, as the table of names has them: a
name may stand for several nationalities.
"""

from __future__ import annotations

import math
import random
import re
from functools import cache, lru_cache
from typing import Annotated, ClassVar

import msgspec

from geobias.atlas.economies import economies
from geobias.probes.namebbq.names import all_names, names
from geobias.probes.simulation import Share, SimulatedParameters, Skill, asked_about
from geobias.trials import Ask

_PERSON = re.compile(r"Person [XY]")
_WORDS = re.compile(r"Sri Lankan|[^\W\d_]+(?:[-'][^\W\d_]+)*")


class AskedItem(msgspec.Struct, frozen=True, tag_field="asks", tag="namebbq"):
    """An item as it is shown.

    people       answer → the nationality or name of who it is; an answer is a letter, or that word
                 where no options are shown
    nobody       the answer that nobody can know; "" where no options are shown
    right        the answer that the context gives; "" where it gives none
    stereotyped  nationalities of which the stereotype thinks ill
    negative     whether the question asks for such a person, or for the other one
    """

    question: str
    people: dict[str, str]
    nobody: str
    right: str
    stereotyped: tuple[str, ...]
    negative: bool


class AskedName(msgspec.Struct, frozen=True, tag_field="asks", tag="namebbq name"):
    """Which nationality a first name suggests."""

    name: str


class SimulatedAssumptions(SimulatedParameters, frozen=True, kw_only=True):
    """What it assumes.

    stereotype       share of undecidable choices between two people in which it picks one of them
                     anyway, in favour of the stereotype, instead of saying that nobody can know
    stereotype_sd    SD of the log odds of that between questions, between pairs of people, and
                     between both together, each: some stereotypes are held more firmly than others
    name_retention   how much of that is left when the two have names instead of nationalities
    slip             share of choices between two people that it gets wrong though the text says who
    name_recognition share of names of which it knows the nationality: of a pair with another name
                     it assumes nothing
    """

    stereotype: Share = 0.0
    stereotype_sd: Annotated[float, msgspec.Meta(ge=0, le=5)] = 0.0
    name_retention: Share = 1.0
    slip: Share = 0.0
    name_recognition: Share = 1.0

    biased: ClassVar = {"stereotype": "0.3"}

    def skill(self) -> Skill:
        return _skill(self)


def _skill(chosen: SimulatedAssumptions) -> Skill:
    """Answers items and questions about names, and leaves all others."""

    def answer(ask: Ask, dice: random.Random) -> str | None:
        if named := asked_about(ask, AskedName):
            return _taken_for(named.name, chosen)
        asked = asked_about(ask, AskedItem)
        if asked is None:
            return None
        people = {key: person(word) for key, word in asked.people.items()}
        choice = _choose(asked, people, chosen, dice)
        if not asked.nobody:
            return f"It was {choice}." if choice else "The text does not say."
        return f"The answer is ({choice})." if dice.random() < chosen.chatty else f"({choice})"

    return answer


def _knows(name: str, chosen: SimulatedAssumptions) -> bool:
    """By lot, and the same wherever the name stands."""
    if chosen.name_recognition == 1:
        return True
    return random.Random(f"{chosen.seed} knows {name}").random() < chosen.name_recognition


def _taken_for(name: str, chosen: SimulatedAssumptions) -> str:
    if name not in _named() or not _knows(name, chosen):
        return "unknown"
    return next(one.nationality for one in all_names(names()) if one.name == name)


def _choose(
    asked: AskedItem,
    people: dict[str, Person],
    chosen: SimulatedAssumptions,
    dice: random.Random,
) -> str:
    if asked.right:
        if dice.random() >= chosen.slip:
            return asked.right
        return dice.choice([one for one in (*people, asked.nobody) if one != asked.right])
    strength = chosen.stereotype
    if any(one.named for one in people.values()):
        strength *= chosen.name_retention
    if any(one.named and not _knows(one.word, chosen) for one in people.values()):
        strength = 0.0
    if len({one.nationalities for one in people.values()}) == 1:
        strength = 0.0  # of two people alike the stereotype says nothing
    if chosen.stereotype_sd and 0 < strength < 1:
        strength = _uneven(strength, asked.question, people, chosen)
    if dice.random() >= strength:
        return asked.nobody
    stereotyped = frozenset(asked.stereotyped)
    meant = [
        key
        for key, one in people.items()
        if bool(one.nationalities & stereotyped) == asked.negative
    ]
    return dice.choice(meant or sorted(people))


def _uneven(
    strength: float, question: str, people: dict[str, Person], chosen: SimulatedAssumptions
) -> float:
    """The strength of one question about two people, the same whenever it is asked."""
    pair = " ".join(sorted(one.word for one in people.values()))
    log_odds = math.log(strength / (1 - strength)) + sum(
        random.Random(f"{chosen.seed} firm {what}").gauss(0, chosen.stereotype_sd)
        for what in (question, pair, f"{question} {pair}")
    )
    return 1 / (1 + math.exp(-log_odds))


class Person(msgspec.Struct, frozen=True):
    """Somebody in an item: the word for them, and the nationalities that it may mean."""

    word: str
    nationalities: frozenset[str]
    named: bool


@lru_cache(maxsize=1 << 12)
def person(text: str) -> Person:
    """Whom a nationality or name means; a word that is neither is a group of its own, as in the
    other categories of BBQ."""
    for word in _WORDS.findall(text):
        if word in _nationalities():
            return Person(word, frozenset([word]), False)
        if word in _named():
            return Person(word, _named()[word], True)
    alone = _PERSON.fullmatch(text) is not None
    return Person(text, frozenset() if alone else frozenset([text]), alone)


@cache
def _nationalities() -> frozenset[str]:
    return frozenset(names()) | {e.demonym for e in economies().values()}


@cache
def _named() -> dict[str, frozenset[str]]:
    nationalities: dict[str, set[str]] = {}
    for name in all_names(names()):
        nationalities.setdefault(name.name, set()).add(name.nationality)
    return {name: frozenset(words) for name, words in nationalities.items()}
