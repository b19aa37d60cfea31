"""The same items with nothing in them about two nationalities: what is left is not about these.

A model may lean to one answer of a template because of how it is written, or because one of two
names sounds like trouble to it. Two controls ask each item once more:

    none   the two people are Person X and Person Y, in the order in which they are mentioned
    same   both have first names of the nationality that the stereotype is about

In both, the answer that would be the stereotyped one is still called so, and a lean to it is no
stereotype about a nationality. Bias less that of the control is what the nationalities add.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from geobias.probes.namebbq.items import Item
from geobias.probes.namebbq.substitution.drawing import (
    NoNames,
    alike,
    name_key,
    named_in,
)
from geobias.probes.namebbq.versions import Control, ItemSource, Version

CONTROL_RECORDS = "namebbq_control"
CONTROLS: Mapping[Control, str] = {"none": "no signal", "same": "two names of one nationality"}
"""What a version is called in a record → in words."""
PEOPLE = ("Person X", "Person Y")
"""Not A and B, which are letters of answers: "B" could mean either."""
OWN_CONTROL: Mapping[str, Control] = {"nationality": "none", "name": "same"}
"""What people are told by → the control that differs from it in nothing but the two nations."""


def control_versions(source: ItemSource, item: Item) -> Iterator[Version]:
    """The item as each of the controls, in their order."""
    pairs: tuple[tuple[Control, tuple[str, str]], ...] = (
        ("none", _no_signal(item)),
        ("same", _same_nation(source, item)),
    )
    for control, both in pairs:
        yield Version(source.called(item, both), names=item.in_order(*both), control=control)


def _no_signal(item: Item) -> tuple[str, str]:
    """Person X is who is mentioned first, so that either is the stereotyped one equally often."""
    first, second = (_place(item.context, nationality) for nationality in item.pair)
    return PEOPLE if first <= second else (PEOPLE[1], PEOPLE[0])


def _place(text: str, nationality: str) -> int:
    found = _beginning(nationality).search(text)
    return found.start() if found else len(text)


@cache
def _beginning(nationality: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(nationality)}")


def _same_nation(source: ItemSource, item: Item) -> tuple[str, str]:
    """The stereotyped person's name of the first seed, and another of the same nationality.

    Genders are those of the version with names, which knows what the item's pronouns say.
    """
    drawn = source.version(item, 1)
    groups = {group.strip().casefold() for group in item.stereotyped}
    first, second = item.people
    person, other = (
        (first, second) if item.nationalities[first].casefold() in groups else (second, first)
    )
    cells = _cells(source, item.nationalities[person])
    gender = _gender(_cells(source, item.nationalities[other]), drawn.names[other])
    words = {name_key(word) for word in re.findall(r"[^\W\d_]+", item.context)}
    words.add(name_key(drawn.names[person]))
    free = [one.name for one in cells[gender] if name_key(one.name) not in words]
    if not free:
        raise NoNames(f"There is no second name for {item.nationalities[person]} ({gender}).")
    if not source.may_be_alike:
        free = [name for name in free if not alike(name, drawn.names[person])] or free
    lot = f"{item.template} {sorted(item.pair)}".encode()
    another = min(free, key=lambda name: hashlib.sha256(lot + name.encode()).digest())
    name_of = {person: drawn.names[person], other: another}
    return name_of[first], name_of[second]


def _cells(source: ItemSource, nationality: str) -> Mapping[str, Any]:
    return source.names[named_in(source.names, nationality) or nationality]


def _gender(cells: Mapping[str, Any], name: str) -> str:
    return next(g for g, cell in cells.items() if name in [one.name for one in cell])
