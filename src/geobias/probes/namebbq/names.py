"""First names that point to a nationality: the table, its faults, and the draw of two names.

A name stands for a nationality that is not mentioned. So it must point to one nationality only. It
must not be an English word ("Hope", "Will") that a reader could take for something else, nor the
name of one public figure. `tables/README.md` says where the names come from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Literal

import msgspec
from rapidfuzz.distance import Levenshtein

from geobias.atlas.economies import economies, find_economy
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import TableError, read_rows, read_structs
from geobias.errors import BadRequest
from geobias.probes.namebbq.items import Gender
from geobias.probes.namebbq.noun_phrases import is_word

TABLES = Path(__file__).with_name("tables")

Exclusive = Literal["high", "medium", "low"]
GENDERS: tuple[Literal["F", "M"], ...] = ("F", "M")

NAMES_PER_GENDER = 5
"""Names of one nationality and gender, as many as in Name-BBQ, so that three seeds can differ."""


class Name(msgspec.Struct, frozen=True):
    """A first name that points to one nationality."""

    nationality: str
    """BBQ's word ("Uzbekistani"), which may differ from the atlas's demonym ("Korean", not "South
    Korean").
    """
    iso3: str
    """The economy; for "Dominican" the Dominican Republic. "" in a user's table, for a group that
    is no nation's (BBQ's other categories).
    """
    gender: Literal["F", "M"]
    name: str
    source: str
    exclusive: Exclusive
    """How exclusively the name points to this nationality. `tables/README.md` says which values are
    measured and which are judged.
    """
    note: str
    rank: str = ""
    """How common it is, as its source says: a rank, a class of frequency, or a number of people."""
    gender_evidence: str = ""
    """The evidence that it is a woman's or a man's name."""


NamesByNationality = Mapping[str, Mapping[str, tuple[Name, ...]]]
"""Nationality → "F" or "M" → names. Both genders are always present, perhaps without a name."""


@cache
def names() -> NamesByNationality:
    return read_names(TABLES / "names.csv")


def read_names(path: Path) -> NamesByNationality:
    """The names of a table. `faults_of` says whether they are good names.

    Raises `TableError` for an unknown gender, exclusivity or country code.
    """
    found: dict[str, dict[str, list[Name]]] = {}
    for line, one in read_structs(path, Name):
        if one.iso3 and one.iso3 not in economies():
            raise TableError(path, line, f"{one.iso3!r} is no country's code")
        cells = found.setdefault(one.nationality, {gender: [] for gender in GENDERS})
        cells[one.gender].append(one)
    return {
        nationality: {gender: tuple(cell) for gender, cell in cells.items()}
        for nationality, cells in found.items()
    }


def all_names(names: NamesByNationality) -> list[Name]:
    return [name for cells in names.values() for cell in cells.values() for name in cell]


def countries_of(names: NamesByNationality) -> dict[str, str]:
    """ISO-3 code of each nationality that has a name."""
    return {
        nationality: cell[0].iso3
        for nationality, cells in names.items()
        for cell in cells.values()
        if cell
    }


def country_of(nationality: str) -> str:
    """ISO-3 code of a nationality, by the table of names, then by demonym; "" if neither is
    certain.
    """
    return _countries().get(nationality, "")


@cache
def _countries() -> dict[str, str]:
    countries: dict[str, str] = {}
    for one in economies().values():
        # A word that means two economies (Congolese) counts for neither.
        countries[one.demonym] = "" if one.demonym in countries else one.iso3
    return countries | countries_of(names())


def with_own_names(path: Path) -> NamesByNationality:
    """The shipped names, with a user's names in place of those of the same nationality."""
    own = read_names(path)
    if not own:
        raise TableError(path, None, "has no names")
    return {**names(), **own}


def faults_of(names: NamesByNationality) -> tuple[str, ...]:
    """All faults of the names, as sentences; empty for a usable list.

    A nationality should have five names of each gender. A name should occur in one place only,
    ignoring accents and case, unless each row's note names the other's nationality. It should not
    be a nationality, a country or an English word, nor one public figure to most readers.
    """
    every = all_names(names)
    return (*_missing(names), *_overlaps(every), *_misread(every, set(names)))


def _missing(names: NamesByNationality) -> Iterator[str]:
    for nationality, cells in names.items():
        for gender in GENDERS:
            have = len(cells.get(gender, ()))
            if have < NAMES_PER_GENDER:
                yield f"{nationality} has {have} names for {gender}, not {NAMES_PER_GENDER}"


def _overlaps(every: list[Name]) -> Iterator[str]:
    together: dict[str, list[Name]] = {}
    for one in every:
        together.setdefault(spelling_key(one.name), []).append(one)
    for same in together.values():
        for one, other in combinations(same, 2):
            noted = one.nationality in other.note and other.nationality in one.note
            if not noted or one.nationality == other.nationality:
                both = " and ".join(dict.fromkeys([one.nationality, other.nationality]))
                yield f"{other.name} stands twice, under {both}"


def _misread(every: list[Name], nationalities: set[str]) -> Iterator[str]:
    """Names that a reader takes for something else."""
    demonyms = {one.demonym for one in economies().values()} | nationalities
    known = {spelling_key(word) for word in demonyms}
    for one in every:
        key = spelling_key(one.name)
        if key in known:
            yield f"{one.name} is also a nationality"
        elif find_economy(one.name) is not None:
            yield f"{one.name} is also a country"
        elif key in _english_words():
            yield f"{one.name} is also an English word"
        if person := public_figures().get(key):
            yield f"{one.name} is {person} to most readers"


@cache
def public_figures() -> Mapping[str, str]:
    """First names that mean one public figure to most readers, by spelling key → that person.

    A question about "Shakira" is a question about Shakira. `tables/README.md` has the rule. People
    who became known after 2016 are not in the table, nor are fictional ones and saints.
    """
    rows = read_rows(TABLES / "name_bearers.csv", ("name", "person"))
    return {row["name"]: row["person"] for _, row in rows}


@cache
def _english_words() -> frozenset[str]:
    text = (TABLES / "name_words.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())


# -- drawing two names -----------------------------------------------------------------------------
#
# Which two names: a draw that anyone can repeat from the seed, the template and the pair.
#
# For each nationality and gender, the names are shuffled by the SHA-256 of (round, template, the
# pair in alphabetical order, nationality, gender); the seed says which one of the shuffled names is
# taken and which round of shuffling it is: with five names, seeds 0 to 4 take each name once, 5 to
# 9 each once again in another order. So neighbouring seeds give other names, five seeds use every
# name about equally often, and items about the same pair (ambiguous or not, negative or not, in
# either order) are about the same two people. Where no gender is required, a bit of the SHA-256 of
# (seed, template, pair) chooses it.
#
# The two names must be told apart at a glance: a second name that is `alike` changes places with
# one that another seed takes.

name_key = lru_cache(maxsize=1 << 14)(spelling_key)
"""The key of a name: José and Jose are one name to a reader. Cached."""
SAME_START = 3
"""Number of letters: "Marleen" and "Marzia" begin alike."""


class NoNames(BadRequest):
    """A nationality has no names, or not enough to distinguish two people."""


def draw_genders(
    required: tuple[Gender, Gender], seed: int, template: str, pair: tuple[str, str]
) -> tuple[Gender, Gender]:
    """The required genders, or one drawn for both if none is required."""
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
    """Two names that differ, also without accents, in the order of the pair.

    `taken` are words of the item itself. A name among them is skipped for the next one. The second
    name is also skipped if it equals the first or is like it. If every name is like the first, the
    regular one is used.
    """
    words = {name_key(word) for word in taken}
    chosen: dict[str, str] = {}
    # In alphabetical order, so that the result of a clash does not depend on the items' order.
    people = sorted(zip(pair, genders, strict=True))
    shuffled = [_shuffled(table, *person, seed, template, pair) for person in people]
    if len(shuffled[0]) == len(shuffled[1]):
        shuffled[1] = _apart(*shuffled)
    for (nationality, gender), names in zip(people, shuffled, strict=True):
        place = seed % len(names)
        order = names[place:] + names[:place]
        free = [name for name in order if name_key(name) not in words]
        if not free:
            raise NoNames(f"All {nationality} names ({gender}) stand in the item already.")
        apart = (name for name in free if not any(alike(name, one) for one in chosen.values()))
        chosen[nationality] = next(apart, free[0])
        words.add(name_key(chosen[nationality]))
    return chosen[pair[0]], chosen[pair[1]]


def _apart(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """The second list, in which names that resemble the first list's name at the same place change
    places.

    So every name is still used by one seed of a round.
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

    They are mostly the same if fewer letters are inserted, deleted or changed than half of the
    longer name has. Accents and capitals are ignored.
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
    """The names in the order in which the seeds of a round use them."""
    named = named_in(table, nationality)
    if named is None:
        raise NoNames(
            f"There are no names for the nationality {nationality!r}; there are for "
            f"{', '.join(sorted(table))}."
        )
    names = tuple(one.name for one in table[named].get(gender, ()) if not is_word(one.name))
    if not names:
        raise NoNames(f"There are no names for the nationality {nationality!r} ({gender}).")
    return _in_turn(names, seed // len(names), template, *sorted(pair), nationality, gender)


def named_in(table: NamesByNationality, nationality: str) -> str | None:
    """The nationality as the table spells it, in any case; None if it has no names."""
    return _spellings(tuple(table)).get(nationality.casefold())


@lru_cache(maxsize=64)
def _spellings(nationalities: tuple[str, ...]) -> dict[str, str]:
    """Spelling key → nationality; of two spellings of one nationality the first counts."""
    return {one.casefold(): one for one in reversed(nationalities)}


@lru_cache(maxsize=1 << 10)
def _in_turn(names: tuple[str, ...], *lot: object) -> tuple[str, ...]:
    """The names in a pseudo-random order. Cached, since the items of a family draw the same one."""
    return tuple(sorted(names, key=lambda name: _digest("name", *lot, name)))


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
