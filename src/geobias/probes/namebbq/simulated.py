"""The simulated model: it reads Name-BBQ's questions like any model, and answers by what they say.

From the text it sees who the two people are (by nationality or first name), whether the context
says anything of them after introducing them, and which question is asked. Where the context says
who, it goes by that, else by prejudice: for the questions in `beliefs.csv` it knows whom the
stereotype is about, and whether the first or the second person that the context comes back to is
the one asked for. Nothing else reaches it, so whatever it plants has to come through prompt, reply
and reading. Other questions it does not know.
"""

from __future__ import annotations

import math
import random
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, ClassVar

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.table import read_rows
from geobias.probes.namebbq.names import all_names, countries_of, names
from geobias.probes.simulation import Share, SimulatedParameters, Skill, group_members
from geobias.trials import Ask

BELIEFS = Path(__file__).with_name("beliefs.csv")
_OPTION = re.compile(r"^\W*([a-cA-C])[).:]\s*(.+)$", re.M)
_QUESTION = re.compile(r"^Question: (.+)$", re.M)
_NAME = re.compile(r'first name "([^"\n]+)" suggest')
_PERSON = re.compile(r"\bPerson [XY]\b")
_WORDS = re.compile(r"Sri Lankan|[^\W\d_]+(?:[-'][^\W\d_]+)*")


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


def skill(chosen: SimulatedAssumptions) -> Skill:
    """Answers with a letter where a question has three options with two people in them."""

    def answer(ask: Ask, dice: random.Random) -> str | None:
        text = ask.dialogue.content
        if asked := _NAME.search(text):
            return _taken_for(asked[1], chosen)
        options = _OPTION.findall(text)
        if not options and (told := _QUESTION.search(text)):
            return _in_a_sentence(text, told.start(), chosen, dice)
        if len(options) != 3:
            return None
        people = {letter: one for letter, words in options if (one := person(words))}
        if len(people) != 2:
            return None
        nobody = next(letter for letter, _ in options if letter not in people)
        letter = _choose(text, people, nobody, chosen, dice)
        return f"The answer is ({letter})." if dice.random() < chosen.chatty else f"({letter})"

    return answer


def _in_a_sentence(
    text: str, end: int, chosen: SimulatedAssumptions, dice: random.Random
) -> str | None:
    """To an open question: one of the two people that the context names first, or nobody."""
    found: dict[str, Person] = {}
    for word in (*_WORDS.findall(text[:end]), *_PERSON.findall(text[:end])):
        if (one := person(word)) is not None:
            found.setdefault(one.word, one)
    if len(found) < 2:
        return None
    people = dict(list(found.items())[:2])
    word = _choose(text, people, "", chosen, dice)
    return f"It was {word}." if word else "The text does not say."


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
        if revealed := returned_to(text[: asked.start()], (first, second)):
            right = next(p for p, one in people.items() if one.word == revealed[belief.revealed])
            if dice.random() >= chosen.slip:
                return right
            return dice.choice([letter for letter in (*people, nobody) if letter != right])
    strength = chosen.stereotype
    if any(one.named for one in people.values()):
        strength *= chosen.name_retention
    if any(one.named and not _knows(one.word, chosen) for one in people.values()):
        strength = 0.0
    if len({one.nationalities for one in people.values()}) == 1:
        strength = 0.0  # of two people alike the stereotype says nothing
    if chosen.stereotype_sd and 0 < strength < 1 and asked:
        strength = _uneven(strength, asked[1], people, chosen)
    if dice.random() >= strength:
        return nobody
    return _prejudiced(people, belief, chosen, dice)


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
    return {e.demonym: e.iso3 for e in economies().values()} | countries_of(names())


class Belief(msgspec.Struct, frozen=True):
    """What it thinks when it hears a question.

    stereotyped  nationalities of which it thinks ill
    negative     whether the question asks for such a person, or for the other one
    revealed     the place, among the two people in the order in which the context comes back to
                 them, of the one asked for
    """

    stereotyped: frozenset[str]
    negative: bool
    revealed: int


class Person(msgspec.Struct, frozen=True):
    """Somebody in an answer: the word for them, and the nationalities that it may mean."""

    word: str
    nationalities: frozenset[str]
    named: bool


@cache
def beliefs() -> dict[str, Belief]:
    columns = ("question", "polarity", "revealed", "stereotyped")
    return {
        row["question"]: Belief(
            frozenset(row["stereotyped"].split(";")),
            row["polarity"] == "neg",
            ("first", "second").index(row["revealed"]),
        )
        for _, row in read_rows(BELIEFS, columns)
    }


@lru_cache(maxsize=1 << 12)
def person(text: str) -> Person | None:
    """Whom an answer means, or None for nobody."""
    for word in _WORDS.findall(text):
        if word in _nationalities():
            return Person(word, frozenset([word]), False)
        plain = word.removesuffix("'s")
        if plain in _named():
            return Person(plain, _named()[plain], True)
    nobody_known = _PERSON.search(text)
    return Person(nobody_known[0], frozenset(), True) if nobody_known else None


@cache
def _nationalities() -> frozenset[str]:
    return frozenset(names()) | {e.demonym for e in economies().values()}


@cache
def _named() -> dict[str, frozenset[str]]:
    nationalities: dict[str, set[str]] = {}
    for name in all_names(names()):
        nationalities.setdefault(name.name, set()).add(name.nationality)
    return {name: frozenset(words) for name, words in nationalities.items()}


def returned_to(context: str, people: tuple[str, str]) -> list[str]:
    """The two people in the order in which the context comes back to them; empty if it does not."""
    seen: set[str] = set()
    again: list[str] = []
    end = 0
    mentions = (
        (found.start(), place, found)
        for place, word in enumerate(people)
        for found in _by_itself(word).finditer(context)
    )
    for start, _, found in sorted(mentions, key=lambda one: one[:2]):
        # Not the "Korean" of "North Korean".
        if start < end:
            continue
        end = found.end()
        if len(seen) == len(people) and found[0] not in again:
            again.append(found[0])
        seen.add(found[0])
    return again if len(again) == len(people) else []


@lru_cache(maxsize=1 << 12)
def _by_itself(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b")
