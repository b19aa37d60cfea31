"""Which names in a list may mislead: a name must suggest one nationality, and nothing else.

The nationality is not mentioned where a name stands. So a name must not be an English word ("Hope",
"Will"), nor mean one public figure to most readers. `name_words.txt` has English words that are
first names too, and `name_bearers.csv` first names that mean one public figure to most readers:
1,404 names, computed by `make_names.py` from Pantheon 1.0 (Yu et al. 2016, page views up to 2015)
and Pantheon 2020 (historical popularity index, people born up to 1980). A name is listed if one
person has at least half of the page views of all people with the name, and at least five million;
or an index of at least 80 and a lead of at least 8.

| column | what |
|---|---|
| name | the first word of people's names, without accents and capitals |
| person | the public figure: `read_about` if the page views decide, else `known` |
| read_about, views, share | the person with the most page views in all languages, and their share |
| known, hpi, lead | the person with the highest index, and the lead over the next |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, combinations
from pathlib import Path

from geobias.atlas.economies import economies, find_economy
from geobias.atlas.table import read_rows
from geobias.probes.namebbq.names import GENDERS, Name, NamesByNationality, all_names, name_key

NAMES_PER_GENDER = 5
"""The number of names of each nationality and gender, as in the paper."""
BEARERS = Path(__file__).with_name("name_bearers.csv")
WORDS = Path(__file__).with_name("name_words.txt")


def faults_of(names: NamesByNationality) -> tuple[str, ...]:
    """All faults of the names, as sentences. There are none for a usable table.

    A nationality should have five names of each gender. A name should occur once in the table,
    ignoring accents and case, unless the note of each row mentions the nationality of the other. A
    name should not be a nationality, a country or an English word, nor mean one public figure to
    most readers.
    """
    return tuple(_faults(names))


def _faults(names: NamesByNationality) -> Iterator[str]:
    for nationality, cells in names.items():
        for gender in GENDERS:
            have = len(cells.get(gender, ()))
            if have < NAMES_PER_GENDER:
                yield f"{nationality} has {have} names for {gender}, not {NAMES_PER_GENDER}"
    every = all_names(names)
    together: dict[str, list[Name]] = {}
    for one in every:
        together.setdefault(name_key(one.name), []).append(one)
    for one, other in chain.from_iterable(combinations(same, 2) for same in together.values()):
        noted = one.nationality in other.note and other.nationality in one.note
        if not noted or one.nationality == other.nationality:
            both = " and ".join(dict.fromkeys([one.nationality, other.nationality]))
            yield f"{other.name} stands twice, under {both}"
    demonyms = {one.demonym for one in economies().values()} | set(names)
    known = {name_key(word) for word in demonyms}
    for one in every:
        key = name_key(one.name)
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
    """Spelling key of a first name → the public figure that it means to most readers.

    A question about "Shakira" is a question about Shakira. People who became known after 2016 are
    not in the table, nor are fictional ones and saints.
    """
    rows = read_rows(BEARERS, ("name", "person"))
    return {row["name"]: row["person"] for _, row in rows}


@cache
def _english_words() -> frozenset[str]:
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    return frozenset(" ".join(line for line in lines if not line.startswith("#")).split())
