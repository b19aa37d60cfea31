"""What the simulated model makes of geobias' own Name-BBQ items: it reads them like any model.

From the text it sees who the two people are (by nationality or first name), whether the context
says anything of them after introducing them, and which question is asked. For the questions in
`beliefs.csv` it knows whom the stereotype is about, and whether the first or the second person that
the context comes back to is the one asked for. Nothing else reaches it, so whatever it plants has
to come through prompt, reply and reading. Other questions it does not know.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.names import names
from geobias.atlas.table import read_rows

BELIEFS = Path(__file__).with_name("beliefs.csv")


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
    """Question → what it thinks."""
    columns = ("question", "polarity", "revealed", "stereotyped")
    return {
        row["question"]: Belief(
            frozenset(row["stereotyped"].split(";")),
            row["polarity"] == "neg",
            ("first", "second").index(row["revealed"]),
        )
        for _, row in read_rows(BELIEFS, columns)
    }


def person(text: str) -> Person | None:
    """Whom an answer means, or None for nobody."""
    for word in _WORDS.findall(text):
        if word in _nationalities():
            return Person(word, frozenset([word]), False)
        plain = word.removesuffix("'s")
        if plain in _named():
            return Person(plain, _named()[plain], True)
    return None


_WORDS = re.compile(r"Sri Lankan|[^\W\d_]+(?:[-'][^\W\d_]+)*")


@cache
def _nationalities() -> frozenset[str]:
    return frozenset(names()) | {e.demonym for e in economies().values()}


@cache
def _named() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for nationality, cells in names().items():
        for cell in cells.values():
            for one in cell:
                found.setdefault(one.name, set()).add(nationality)
    return {name: frozenset(may) for name, may in found.items()}


def returned_to(context: str, people: tuple[str, str]) -> list[str]:
    """The two people in the order in which the context comes back to them; empty if it does not."""
    seen: set[str] = set()
    again: list[str] = []
    pattern = "|".join(rf"\b{re.escape(word)}\b" for word in people)
    for mention in re.findall(pattern, context):
        if len(seen) == len(people) and mention not in again:
            again.append(mention)
        seen.add(mention)
    return again if len(again) == len(people) else []
