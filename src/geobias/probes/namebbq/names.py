"""Read tables of first names that stand for a nationality, and draw two names for an item.

`tables/README.md` says where the shipped names come from.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

import msgspec
from rapidfuzz.distance import Levenshtein

from geobias.atlas.economies import economies
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import TableError, read_structs
from geobias.errors import BadRequest
from geobias.probes.namebbq.items import Gender
from geobias.probes.namebbq.noun_phrases import is_word

name_key = lru_cache(maxsize=1 << 14)(spelling_key)
"""The spelling key of a name, cached. José and Jose have the same key."""
TABLES = Path(__file__).with_name("tables")

Exclusive = Literal["high", "medium", "low"]
GENDERS: tuple[Literal["F", "M"], ...] = ("F", "M")


class Name(msgspec.Struct, frozen=True):
    """A first name that points to one nationality."""

    nationality: str
    """In BBQ's words: "Korean" where the atlas says "South Korean"."""
    iso3: str
    """The code of the economy; empty for a user's group that is not a nationality."""
    gender: Literal["F", "M"]
    name: str
    source: str
    exclusive: Exclusive
    """How exclusively it suggests this nationality, measured or judged (`tables/README.md`)."""
    note: str
    rank: str = ""
    """How common the source says it is: a rank, a class of frequency, or a number of people."""
    gender_evidence: str = ""


NamesByNationality = Mapping[str, Mapping[str, tuple[Name, ...]]]
"""Nationality → "F" or "M" → names. Both genders are always keys, perhaps without names."""


@cache
def names() -> NamesByNationality:
    return read_names(TABLES / "names.csv")


def read_names(path: Path) -> NamesByNationality:
    """Read the names in a table. Raises `TableError` for unknown words, and if there are none."""
    found: dict[str, dict[str, tuple[Name, ...]]] = {}
    for line, one in read_structs(path, Name):
        if one.iso3 and one.iso3 not in economies():
            raise TableError(path, line, f"{one.iso3!r} is not a country's code")
        cells = found.setdefault(one.nationality, dict.fromkeys(GENDERS, ()))
        cells[one.gender] += (one,)
    if not found:
        raise TableError(path, None, "has no names")
    return found


def all_names(names: NamesByNationality) -> list[Name]:
    return [name for cells in names.values() for cell in cells.values() for name in cell]


def countries_of(names: NamesByNationality) -> dict[str, str]:
    """Nationality → ISO-3 code."""
    return {one.nationality: one.iso3 for one in all_names(names)}


def country_of(nationality: str) -> str:
    """The ISO-3 code of a nationality, by the shipped names or the demonyms; "" if unclear."""
    return _countries().get(nationality, "")


@cache
def _countries() -> dict[str, str]:
    places = economies().values()
    demonyms = Counter(one.demonym for one in places)  # "Congolese" means two economies
    known = {one.demonym: one.iso3 for one in places if demonyms[one.demonym] == 1}
    return known | countries_of(names())


# -- drawing two names -----------------------------------------------------------------------------
#
# Which two names: a draw that anyone can repeat from the seed, the template and the pair.
#
# For each nationality and gender, the names are shuffled by the SHA-256 of (round, template, the
# pair in alphabetical order, nationality, gender). The seed decides the round and the name: of five
# names, seeds 0 to 4 use each once, and seeds 5 to 9 in another order. So all items about a pair
# are about the same two people. If no gender is required, a bit of the SHA-256 of (seed, template,
# pair) chooses it.
#
# Readers must be able to tell the two names apart at a glance: a second name that is `alike` to the
# first changes places with a name that another seed uses.

SAME_START = 3
"""Names are `alike` if they share this many first letters ("Marleen" and "Marzia")."""


class NoNames(BadRequest):
    """A nationality has no names, or not enough to distinguish two people."""


def draw_genders(
    required: tuple[Gender, Gender], seed: int, template: str, pair: tuple[str, str]
) -> tuple[Gender, Gender]:
    """Return the genders of two people: those `required`; one drawn gender replaces ""."""
    drawn: Gender = "F" if _digest("gender", seed, template, *sorted(pair))[0] & 1 else "M"
    return required[0] or drawn, required[1] or drawn


def draw_names(
    table: NamesByNationality,
    genders: tuple[Gender, Gender],
    seed: int,
    template: str,
    pair: tuple[str, str],
    *,
    taken: Collection[str] = (),
) -> tuple[str, str]:
    """Draw two names in the order of the pair, none among `taken`, the words of the item.

    They differ by more than accents and are not `alike`, unless all remaining names are.
    """
    words = {name_key(word) for word in taken}
    chosen: dict[str, str] = {}
    # In alphabetical order, so that the result of a clash does not depend on the items' order.
    people = sorted(zip(pair, genders, strict=True))
    first, second = (_shuffled(table, *person, seed, template, pair) for person in people)
    if len(first) == len(second):
        second = _apart(first, second)
    for (nationality, gender), names in zip(people, (first, second), strict=True):
        place = seed % len(names)
        order = names[place:] + names[:place]
        free = [name for name in order if name_key(name) not in words]
        if not free:
            raise NoNames(f"All {nationality} names ({gender}) occur in the item already.")
        apart = (name for name in free if not any(alike(name, one) for one in chosen.values()))
        chosen[nationality] = next(apart, free[0])
        words.add(name_key(chosen[nationality]))
    return chosen[pair[0]], chosen[pair[1]]


def _apart(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Reorder `second` so that no name is `alike` to the `first` name at the same place.

    Each name is still used once in a round of seeds.
    """
    apart = list(second)
    for place, name in enumerate(first):
        if not alike(name, apart[place]):
            continue
        for there, its in enumerate(first):
            if not alike(name, apart[there]) and not alike(its, apart[place]):
                apart[place], apart[there] = apart[there], apart[place]
                break
    return tuple(apart)


@lru_cache(maxsize=1 << 14)
def alike(one: str, other: str) -> bool:
    """Whether two names, without accents, begin with the same three letters or differ in fewer than
    half of the letters of the longer one.
    """
    first, second = name_key(one), name_key(other)
    if first[:SAME_START] == second[:SAME_START]:
        return True
    return 2 * Levenshtein.distance(first, second) < max(len(first), len(second))


def _shuffled(
    table: NamesByNationality,
    nationality: str,
    gender: Gender,
    seed: int,
    template: str,
    pair: tuple[str, str],
) -> tuple[str, ...]:
    """The names of a nationality and gender, in the order in which a round of seeds uses them."""
    named = named_in(table, nationality)
    known = f"there are for {', '.join(sorted(table))}" if named is None else f"({gender})"
    own = table[named].get(gender, ()) if named else ()
    names = tuple(one.name for one in own if not is_word(one.name))
    if not names:
        raise NoNames(f"There are no names for the nationality {nationality!r}; {known}.")
    return _in_turn(names, seed // len(names), template, *sorted(pair), nationality, gender)


def named_in(table: NamesByNationality, nationality: str) -> str | None:
    """The nationality as the table spells it, ignoring case; None if the table lacks it."""
    return _spellings(tuple(table)).get(nationality.casefold())


@lru_cache(maxsize=64)
def _spellings(nationalities: tuple[str, ...]) -> dict[str, str]:
    return {one.casefold(): one for one in reversed(nationalities)}


@lru_cache(maxsize=1 << 10)
def _in_turn(names: tuple[str, ...], *lot: object) -> tuple[str, ...]:
    """The names in a pseudo-random order; cached, since items about two people share it."""
    return tuple(sorted(names, key=lambda name: _digest("name", *lot, name)))


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
