"""First names that point to a nationality: the table, its faults, and which two are drawn.

A name stands for a nationality that is not mentioned, so it must do that alone: under one
nationality only, not an English word ("Hope", "Will") that a reader could take
for something else, and not the name of one public figure. `tables/README.md` says where the names
are from.
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
"""Names of one nationality and gender: as many as Name-BBQ has, so that three seeds can differ."""


class Name(msgspec.Struct, frozen=True):
    """A first name as a sign of one nationality."""

    nationality: str
    """BBQ's word ("Uzbekistani"); not always the atlas's demonym ("Korean", not "South Korean")."""
    iso3: str
    """The economy; "Dominican" is the Dominican Republic. "" in tables of one's own, of a group
    that is no nation's (for BBQ's other categories)."""
    gender: Literal["F", "M"]
    name: str
    source: str
    exclusive: Exclusive
    """How much the name points to this nationality alone. `tables/README.md` says which are
    measured and which judged."""
    note: str
    rank: str = ""
    """How common it is, in the words of its source: a rank, a class of frequency, or a number of
    people."""
    gender_evidence: str = ""
    """What says that it is a woman's, or a man's."""


NamesByNationality = Mapping[str, Mapping[str, tuple[Name, ...]]]
"""Nationality → "F" or "M" → names. Both genders are always there, perhaps without a name."""


@cache
def names() -> NamesByNationality:
    return read_names(TABLES / "names.csv")


def read_names(path: Path) -> NamesByNationality:
    """The names of a table. Whether they are good names is for `faults_of` to say.

    A gender, exclusivity or country code that does not exist is a `TableError`.
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
    """ISO-3 of each nationality that has a name."""
    return {
        nationality: cell[0].iso3
        for nationality, cells in names.items()
        for cell in cells.values()
        if cell
    }


def country_of(nationality: str) -> str:
    """ISO-3 of a nationality: by the table of names, then by demonym; "" where neither is sure."""
    return _countries().get(nationality, "")


@cache
def _countries() -> dict[str, str]:
    countries: dict[str, str] = {}
    for one in economies().values():
        # Two economies are Congolese: a word for both is a word for neither.
        countries[one.demonym] = "" if one.demonym in countries else one.iso3
    return countries | countries_of(names())


def with_own_names(path: Path) -> NamesByNationality:
    """The shipped names with those of a user's table, which replace those of a nationality."""
    own = read_names(path)
    if not own:
        raise TableError(path, None, "has no names")
    return {**names(), **own}


def faults_of(names: NamesByNationality) -> tuple[str, ...]:
    """Everything wrong with the names, in sentences; nothing for a list that can be used.

    A nationality should have five names of each gender. A name should stand in one place, accents
    and case aside, unless each row's note names the other's nationality. It should not be a
    nationality, a country or an English word, nor one public figure to most readers.
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
    """First names that are one public figure to most readers, by spelling key → who that is.

    A question about "Shakira" is a question about Shakira. `tables/README.md` has the rule. People
    known since 2016 are not in the table, nor are fictional ones and saints.
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
"""José and Jose are one name to a reader. Remembered, for the items of a set share their words."""
SAME_START = 3
"""Letters: "Marleen" and "Marzia" begin alike."""


class NoNames(BadRequest):
    """A nationality for which there are no names, or not enough to tell two people apart."""


def draw_genders(
    required: tuple[Gender, Gender], seed: int, template: str, pair: tuple[str, str]
) -> tuple[Gender, Gender]:
    """The genders required, or one drawn for both where none is."""
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

    `taken` are words of the item itself: a name that stands there already is passed over for the
    next, and so is the second name if it is the first one's, or is like it. Where every name is
    like the first one's, the one whose turn it is stays.
    """
    words = {name_key(word) for word in taken}
    chosen: dict[str, str] = {}
    # In alphabetical order, so that who gives way in a clash does not hang on who comes first.
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
    """The second list, with names exchanged that stand where the first has one that is like them.

    So every name still has one seed of a round.
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
    """Whether two names begin with the same three letters, or are the same for the larger part.

    For the larger part: to make one of the other, letters are put in, left out or changed, and
    they are fewer than half of the longer name. Accents and capitals do not count.
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
    """The names in the order in which the seeds of a round take them."""
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
    """The nationality as the table spells it, in any capitals; None where it has no names."""
    return _spellings(tuple(table)).get(nationality.casefold())


@lru_cache(maxsize=64)
def _spellings(nationalities: tuple[str, ...]) -> dict[str, str]:
    """Of two spellings of one nationality the first counts."""
    return {one.casefold(): one for one in reversed(nationalities)}


@lru_cache(maxsize=1 << 10)
def _in_turn(names: tuple[str, ...], *lot: object) -> tuple[str, ...]:
    """The names shuffled by a lot. Remembered, for the items of a family draw the same one."""
    return tuple(sorted(names, key=lambda name: _digest("name", *lot, name)))


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
