"""First names that point to a nationality, and what would be wrong with a list of them.

A name stands for a nationality that is not mentioned, so it must do that alone: under one
nationality only, in plain letters, not an English word ("Hope", "Will") that a reader could take
for something else, and not the name of one public figure. `tables/README.md` says where the names
are from.

There are three editions. The third is used; the others are there for runs that were asked with
them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, groupby
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

import msgspec

from geobias.atlas.bearers import dominant_bearer
from geobias.atlas.economies import economies, find_economy
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import TableError, read_structs, shipped_table

Gender = Literal["F", "M"]
Exclusive = Literal["high", "medium", "low"]
Edition = Literal["1", "2", "3"]
EDITIONS: Mapping[Edition, str] = MappingProxyType(
    {"1": "names.csv", "2": "names_2.csv", "3": "names_3.csv"}
)
LATEST: Edition = "3"

NAMES_PER_GENDER = 5
"""Names of one nationality and gender: as many as Name-BBQ has, so that three seeds can differ."""


class Name(msgspec.Struct, frozen=True):
    """A first name as a sign of one nationality."""

    nationality: str
    """BBQ's word ("Uzbekistani"); not always the atlas's demonym ("Korean", not "South Korean")."""
    iso3: str
    """The economy; "Dominican" is the Dominican Republic. "" in tables of one's own, of a group
    that is no nation's (for BBQ's other categories)."""
    gender: Gender
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

    @property
    def citable(self) -> bool:
        """Whether a list can be cited that has the name for this country."""
        return self.source not in ("own knowledge", "judged")

    @property
    def has_frequency(self) -> bool:
        """Whether it was counted how common it is in this country, or in the region around it.

        A class "in" a country is another country's; lists without ranks count nothing.
        """
        uncounted = self.rank.startswith(("judged", "on the list")) or " of 13 in " in self.rank
        return self.rank != "" and not uncounted

    @property
    def has_gender_evidence(self) -> bool:
        return self.gender_evidence not in ("", "judged by a reader")


NamesByNationality = Mapping[str, Mapping[str, tuple[Name, ...]]]
"""Nationality → "F" or "M" → names. Both genders are always there, perhaps without a name."""


class Fault(msgspec.Struct, frozen=True):
    kind: Literal["missing", "overlap", "script", "word", "bearer"]
    nationality: str
    name: str
    """Empty where names are missing."""
    says: str


class SpelledAlike(msgspec.Struct, frozen=True):
    """Two spellings of one name, under two nationalities: no fault, but neither is exclusive."""

    one: Name
    other: Name

    @property
    def says(self) -> str:
        one, other = self.one, self.other
        return f"{one.name} ({one.nationality}) and {other.name} ({other.nationality})"


@cache
def names(edition: Edition = LATEST) -> NamesByNationality:
    return read_names(shipped_table(EDITIONS[edition]))


def read_names(path: Path) -> NamesByNationality:
    """The names of a table. Whether they are good names is for `faults_of` to say.

    A gender, exclusivity or country code that does not exist is a `TableError`.
    """
    found: dict[str, dict[str, list[Name]]] = {}
    for line, one in read_structs(path, Name):
        if one.iso3 and one.iso3 not in economies():
            raise TableError(path, line, f"{one.iso3!r} is no economy's code")
        cells = found.setdefault(one.nationality, {gender: [] for gender in get_args(Gender)})
        cells[one.gender].append(one)
    return MappingProxyType(
        {
            nationality: MappingProxyType({g: tuple(cell) for g, cell in cells.items()})
            for nationality, cells in found.items()
        }
    )


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


def with_own_names(path: Path, edition: Edition = LATEST) -> NamesByNationality:
    """The shipped names with those of a user's table: a nationality that is in both is the user's.

    Plain dictionaries: unlike the shipped names, these travel to other processes.
    """
    own = read_names(path)
    if not own:
        raise TableError(path, None, "has no names")
    both = {**names(edition), **own}
    return {nationality: dict(cells) for nationality, cells in both.items()}


def faults_of(names: NamesByNationality) -> tuple[Fault, ...]:
    """Everything wrong with the names; nothing for a list that can be used.

    missing   a nationality with fewer than five names of a gender
    overlap   one name in two places, accents and case aside, unless each row's note names the
              other's nationality; within one nationality there is no excuse
    script    a letter that is not Latin or only looks it, an invisible character, more than one
              word, accents that are not composed, no capital at the start
    word      the name is also a nationality, a country or an English word
    bearer    the name is one public figure to most readers (`atlas.bearers`)
    """
    every = all_names(names)
    scripts = (
        Fault("script", name.nationality, name.name, says)
        for name in every
        for says in _script_faults(name.name)
    )
    words = _words(every, set(names))
    return (*_missing(names), *_overlaps(every), *scripts, *words, *_bearers(every))


def _missing(names: NamesByNationality) -> Iterator[Fault]:
    for nationality, cells in names.items():
        for gender in get_args(Gender):
            have = len(cells.get(gender, ()))
            if have < NAMES_PER_GENDER:
                says = f"{nationality} has {have} names for {gender}, not {NAMES_PER_GENDER}"
                yield Fault("missing", nationality, "", says)


def _overlaps(every: list[Name]) -> Iterator[Fault]:
    together: dict[str, list[Name]] = {}
    for one in every:
        together.setdefault(spelling_key(one.name), []).append(one)
    for same in together.values():
        for one, other in combinations(same, 2):
            if one.nationality == other.nationality:
                says = f"{other.name} stands under {one.nationality} twice"
            elif one.nationality in other.note and other.nationality in one.note:
                continue
            else:
                says = f"{other.name} stands under {one.nationality} and {other.nationality}"
            yield Fault("overlap", other.nationality, other.name, says)


def spelled_alike(names: NamesByNationality) -> list[SpelledAlike]:
    """Names under two nationalities that differ in spelling alone, whoever bears them."""
    together: dict[str, list[Name]] = {}
    for one in all_names(names):
        together.setdefault(_sound_key(one.name), []).append(one)
    return [
        SpelledAlike(one, other)
        for same in together.values()
        for one, other in combinations(same, 2)
        if one.nationality != other.nationality
        and spelling_key(one.name) != spelling_key(other.name)
    ]


def _sound_key(name: str) -> str:
    """Without accents, hyphens and doubled letters; "ck" is a k, "ph" an f, an h at the end none.

    So Henock is Henok and Maarit Marit, but Pernilla is not Pernille.
    """
    key = spelling_key(name).replace("-", "").replace(" ", "")
    key = key.replace("ck", "k").replace("ph", "f").removesuffix("h")
    return "".join(sign for sign, _ in groupby(key))


def _script_faults(name: str) -> Iterator[str]:
    for sign in dict.fromkeys(name):
        if not _is_latin(sign) and sign != "-":
            what = unicodedata.name(sign, f"U+{ord(sign):04X}")
            yield f"{name!a} has a character that is no Latin letter: {what}"
    if unicodedata.normalize("NFC", name) != name:
        yield f"{name!a} has accents apart from their letters; write it in NFC"
    if not name[:1].isupper():
        yield f"{name!a} does not begin with a capital"
    if name != name.strip("-") or "--" in name:
        yield f"{name!a} has a hyphen that joins nothing"


def _is_latin(sign: str) -> bool:
    """A letter of a written language's Latin alphabet.

    Not the phonetic letters from U+0250 (ɑ, ɡ), which look like common ones; nor full-width or
    mathematical letters, which are Latin by shape only.
    """
    in_blocks = ord(sign) < 0x250 or 0x1E00 <= ord(sign) <= 0x1EFF
    named_latin = "LATIN" in unicodedata.name(sign, "")
    return in_blocks and named_latin and unicodedata.category(sign) in ("Lu", "Ll")


def _words(every: list[Name], nationalities: set[str]) -> Iterator[Fault]:
    demonyms = {spelling_key(one.demonym) for one in economies().values()}
    demonyms |= {spelling_key(word) for word in nationalities}
    english = _english_words()
    for one in every:
        key = spelling_key(one.name)
        if key in demonyms:
            says = f"{one.name} is also a nationality"
        elif find_economy(one.name) is not None:
            says = f"{one.name} is also a country"
        elif key in english:
            says = f"{one.name} is also an English word"
        else:
            continue
        yield Fault("word", one.nationality, one.name, says)


def _bearers(every: list[Name]) -> Iterator[Fault]:
    for one in every:
        if person := dominant_bearer(one.name):
            says = f"{one.name} is {person} to most readers"
            yield Fault("bearer", one.nationality, one.name, says)


def is_plain_name(name: str) -> bool:
    """Whether it is written as a name is, and is nothing but a name."""
    one = Name("", "", "F", name, "", "low", "")
    return not any(_script_faults(name)) and not any(_words([one], set()))


@cache
def _english_words() -> frozenset[str]:
    text = Path(__file__).with_name("name_words.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(word for line in lines for word in line.split())
