"""Which two names: a draw that anyone can repeat from the seed, the template and the pair.

For each nationality and gender, the names are shuffled by the SHA-256 of (round, template, the
pair in alphabetical order, nationality, gender); the seed says which one of the shuffled names is
taken and which round of shuffling it is: with five names, seeds 0 to 4 take each name once, 5 to 9
each once again in another order. So neighbouring seeds give other names, five seeds use every
name about equally often, and items about the same pair (ambiguous or not, negative or not, in
either order) are about the same two people. Where no gender is required, a bit of the SHA-256 of
(seed, template, pair) chooses it.

The two names must be told apart at a glance: a second name that is `alike` changes places with one
that another seed takes. Editions 1 and 2 of the names were drawn without that rule
(`MAY_BE_ALIKE`), and still are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import lru_cache

from geobias.atlas.names import Edition, NamesByNationality
from geobias.atlas.spelling import spelling_key
from geobias.errors import BadRequest
from geobias.probes.namebbq.items import Gender
from geobias.probes.namebbq.substitution.words import is_word

name_key = lru_cache(maxsize=1 << 14)(spelling_key)
"""José and Jose are one name to a reader. Remembered, for the items of a set share their words."""


MAY_BE_ALIKE: frozenset[Edition] = frozenset({"1", "2"})
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
    may_be_alike: bool = False,
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
    if not may_be_alike and len(shuffled[0]) == len(shuffled[1]):
        shuffled[1] = _apart(*shuffled)
    for (nationality, gender), names in zip(people, shuffled, strict=True):
        place = seed % len(names)
        order = names[place:] + names[:place]
        free = [name for name in order if name_key(name) not in words]
        if not free:
            raise NoNames(f"All {nationality} names ({gender}) stand in the item already.")
        apart = (name for name in free if not any(alike(name, one) for one in chosen.values()))
        chosen[nationality] = free[0] if may_be_alike else next(apart, free[0])
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
    return 2 * _edits(first, second) < max(len(first), len(second))


def _edits(one: str, other: str) -> int:
    """Levenshtein's distance."""
    row = list(range(len(other) + 1))
    for sign in one:
        above = row
        row = [above[0] + 1]
        for place, its in enumerate(other):
            row.append(min(above[place + 1] + 1, row[place] + 1, above[place] + (sign != its)))
    return row[-1]


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
