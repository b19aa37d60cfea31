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
    """The nationality in BBQ's words, which may differ from the atlas's demonym.

    BBQ says "Korean" where the atlas says "South Korean".
    """
    iso3: str
    """The code of the economy; for "Dominican" that of the Dominican Republic.

    A user's table may have "" here for a group that is not a nationality, as in BBQ's other
    categories.
    """
    gender: Literal["F", "M"]
    name: str
    source: str
    exclusive: Exclusive
    """How exclusively the name suggests this nationality.

    `tables/README.md` says which values are measured and which are estimated by judgement.
    """
    note: str
    rank: str = ""
    """How common the name is according to its source: a rank, a class of frequency, or a number of
    people.
    """
    gender_evidence: str = ""
    """The evidence that the name is a woman's or a man's."""


NamesByNationality = Mapping[str, Mapping[str, tuple[Name, ...]]]
"""Nationality → "F" or "M" → names. Both genders are always keys, perhaps without names."""


@cache
def names() -> NamesByNationality:
    return read_names(TABLES / "names.csv")


def read_names(path: Path) -> NamesByNationality:
    """Read the names in a table.

    Raises `TableError` for an unknown gender, exclusivity or country code, and if there are none.
    """
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
    """Nationality → ISO-3 code, for the nationalities in `names`."""
    return {one.nationality: one.iso3 for one in all_names(names)}


def country_of(nationality: str) -> str:
    """The ISO-3 code of a nationality, from the shipped names. If they lack it, from the demonyms.

    "" if the word is unknown or could mean two economies.
    """
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
# pair in alphabetical order, nationality, gender). The seed decides which of the shuffled names is
# used, and the round of shuffling: with five names, seeds 0 to 4 use each name once, and seeds 5 to
# 9 use each name once in another order. So neighbouring seeds give different names, five seeds use
# every name about equally often, and all items about a pair (ambiguous or not, negative or not, in
# either order) are about the same two people. If no gender is required, a bit of the SHA-256 of
# (seed, template, pair) chooses it.
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
    """Return the genders of two people: the `required` ones, with a drawn gender in place of "".

    The seed decides the draw. If neither is required, both people get the same gender.
    """
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
    """Draw two different names, in the order of the pair. Accents do not count as a difference.

    A name is skipped if it is among `taken`, the words of the item. The second name drawn must also
    differ from the first, and not be `alike`. If all remaining names are `alike`, the first
    remaining one is used.
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
    """Reorder the `second` names so that none is `alike` to the `first` name at its place, if
    possible.

    Names only change places, so each of them is still used once in a round of seeds (`_shuffled`).
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
    """Whether two names begin with the same three letters, or are mostly the same.

    They are mostly the same if inserting, deleting or changing fewer letters than half of the
    longer name turns one into the other. Accents and capitals are ignored.
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
    """The names of a nationality and gender, in the order in which the seeds use them.

    A round has as many seeds as there are names, and every round has another order.
    """
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
    """Nationality in lower case → its first spelling among `nationalities`."""
    return {one.casefold(): one for one in reversed(nationalities)}


@lru_cache(maxsize=1 << 10)
def _in_turn(names: tuple[str, ...], *lot: object) -> tuple[str, ...]:
    """The names in a pseudo-random order that depends on `lot`.

    Cached, since all items about the same two people draw the same order.
    """
    return tuple(sorted(names, key=lambda name: _digest("name", *lot, name)))


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
