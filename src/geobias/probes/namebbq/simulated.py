"""How a simulated model chooses between people: by the context if it says, else by prejudice."""

from __future__ import annotations

import random
import re
from functools import cache
from typing import ClassVar

from geobias.atlas.economies import economies
from geobias.atlas.names import names
from geobias.probes.namebbq.beliefs import Belief, Person, beliefs, person, returned_to
from geobias.probes.simulation import Share, SimulatedParameters, Skill, group_members
from geobias.trials import Ask

_OPTION = re.compile(r"^\W*([a-cA-C])[).:]\s*(.+)$", re.M)
_QUESTION = re.compile(r"^Question: (.+)$", re.M)


class SimulatedAssumptions(SimulatedParameters, frozen=True, kw_only=True):
    """What it assumes.

    stereotype       share of undecidable choices between two people in which it picks one of them
                     anyway, in favour of the stereotype, instead of saying that nobody can know
    name_retention   how much of that is left when the two have names instead of nationalities
    slip             share of choices between two people that it gets wrong though the text says who
    """

    stereotype: Share = 0.0
    name_retention: Share = 1.0
    slip: Share = 0.0

    biased: ClassVar = {"stereotype": "0.3"}


def skill(chosen: SimulatedAssumptions) -> Skill:
    """Answers with a letter where a question has three options with two people in them."""

    def answer(ask: Ask, dice: random.Random) -> str | None:
        text = ask.dialogue.content
        options = _OPTION.findall(text)
        if len(options) != 3:
            return None
        people = {letter: one for letter, words in options if (one := person(words))}
        if len(people) != 2:
            return None
        nobody = next(letter for letter, _ in options if letter not in people)
        letter = _choose(text, people, nobody, chosen, dice)
        return f"The answer is ({letter})." if dice.random() < chosen.chatty else f"({letter})"

    return answer


def _choose(
    text: str,
    people: dict[str, Person],
    nobody: str,
    chosen: SimulatedAssumptions,
    dice: random.Random,
) -> str:
    asked = _QUESTION.search(text)
    belief = beliefs().get(asked[1]) if asked else None
    if asked and belief:
        first, second = (one.word for one in people.values())
        told = returned_to(text[: asked.start()], (first, second))
        if told:
            right = next(p for p, one in people.items() if one.word == told[belief.revealed])
            if dice.random() >= chosen.slip:
                return right
            return dice.choice([letter for letter in (*people, nobody) if letter != right])
    strength = chosen.stereotype
    if any(one.named for one in people.values()):
        strength *= chosen.name_retention
    if dice.random() >= strength:
        return nobody
    return _prejudiced(people, belief, chosen, dice)


def _prejudiced(
    people: dict[str, Person],
    belief: Belief | None,
    chosen: SimulatedAssumptions,
    dice: random.Random,
) -> str:
    """The stereotyped answer; to a question it does not know, someone of the group `against`."""
    if belief is None:
        members = group_members(chosen.against)
        meant = [p for p, one in people.items() if _countries(one) & members]
    else:
        meant = [
            p
            for p, one in people.items()
            if bool(one.nationalities & belief.stereotyped) == belief.negative
        ]
    return dice.choice(meant or sorted(people))


def _countries(one: Person) -> set[str]:
    return {iso3 for word in one.nationalities if (iso3 := _demonyms().get(word))}


@cache
def _demonyms() -> dict[str, str]:
    found = {e.demonym: e.iso3 for e in economies().values()}
    for cells in names().values():
        found |= {one.nationality: one.iso3 for cell in cells.values() for one in cell}
    return found
