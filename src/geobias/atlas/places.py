"""Places as people name them in a question: continents, their parts, countries, demonyms.

`tables/places.csv` says which economies a place certainly includes and which are disputed (Türkiye
for Europe, Egypt for the Middle East). `tables/place_names.csv` has names in eight other languages.
Sets of economies are bits of an integer, so that testing whether the remaining economies all lie in
a place costs one operation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from operator import or_
from typing import NamedTuple

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.table import read_rows, shipped_table
from geobias.atlas.words import split_words


class Place(msgspec.Struct, frozen=True):
    """A place that a question may be about.

    `sure` are the economies that lie in the place, `open` those that are disputed or lie in it only
    in part. Both are sets, as bits of an integer (see `bit`).
    """

    name: str
    kind: str
    """continent, region, country or part (less than a country, or a word that two share)."""
    sure: int
    open: int = 0

    @property
    def possible(self) -> int:
        return self.sure | self.open


class Entry(msgspec.Struct, frozen=True):
    """One way to write a place. `place` is None if the words only look like a place."""

    words: tuple[str, ...]
    place: Place | None
    capital: bool


def names_in(language: str, key: str) -> str:
    """The name of a continent (by English name) or economy (by code) in a language, or ""."""
    english = economies()[key].name if key in economies() else key
    names = _local(language).get(key, (english if language == "en" else "",))
    return names[0]


@cache
def _local(language: str) -> Mapping[str, list[str]]:
    """Key of a place → its names in a language; in English, only names with an article."""
    rows = read_rows(shipped_table("place_names.csv"), ("place", "language", "names"))
    return {row["place"]: row["names"].split("|") for _, row in rows if row["language"] == language}


@cache
def _bit_of() -> Mapping[str, int]:
    return {iso3: 1 << index for index, iso3 in enumerate(economies())}


def bit(iso3: str) -> int:
    return _bit_of()[iso3]


@cache
def everywhere() -> int:
    return (1 << len(economies())) - 1


class _Row(NamedTuple):
    """A row of places.csv.

    Rows of kind "none" have words that only look like a place. The row of kind "capital" has words
    that name a place only when written with a capital.
    """

    key: str
    place: Place
    spellings: list[str]


@cache
def _rows() -> list[_Row]:
    rows = []
    for _, row in read_rows(
        shipped_table("places.csv"), ("place", "kind", "members", "open", "spellings")
    ):
        key, kind = row["place"], row["kind"]
        name = economies()[key].name if kind == "country" else key
        sure, open_ = (reduce(or_, map(bit, row[one].split()), 0) for one in ("members", "open"))
        rows.append(_Row(key, Place(name, kind, sure, open_), row["spellings"].split("|")))
    return rows


@cache
def places() -> Mapping[str, Place]:
    """All places: continents and regions by English name, countries by ISO-3 code."""
    return {one.key: one.place for one in _rows() if one.key}


@cache
def lexicon(language: str) -> Mapping[str, tuple[Entry, ...]]:
    """First word → the names of places that begin with this word, the longest first.

    In other languages, English names of continents and countries count too, since a guesser may
    switch to English.
    """
    english = ("none", "continent", "region", "part", "country")
    kinds = english if language == "en" else ("continent", "country")
    local = {} if language == "en" else _local(language)
    spelt = [(text, places()[key]) for key, names in local.items() for text in names]
    spelt += [
        (text, one.place) for one in _rows() if one.place.kind in kinds for text in one.spellings
    ]
    capitals = {text for one in _rows() if one.place.kind == "capital" for text in one.spellings}
    entries: dict[tuple[str, ...], Entry] = {}
    for text, place in spelt:  # those with precedence come first
        for spelling in (text, text.replace("St. ", "Saint "), text.removeprefix("The ")):
            key = split_words(spelling)
            capital = len(key) == 1 and key[0] in capitals
            entries.setdefault(key, Entry(key, place if place.kind != "none" else None, capital))
    entries.pop((), None)
    first: dict[str, list[Entry]] = {}
    for entry in entries.values():
        first.setdefault(entry.words[0], []).append(entry)
    return {
        word: tuple(sorted(found, key=lambda entry: -len(entry.words)))
        for word, found in first.items()
    }


def named_in(
    text: str, known: Mapping[str, Sequence[Entry]]
) -> Iterator[tuple[Place, tuple[str, ...]]]:
    """Yield the places that a text names, each with the two words before it."""
    said, raw = split_words(text), set(_RAW.findall(text))
    at = 0
    while at < len(said):
        for entry in known.get(said[at], ()):
            end = at + len(entry.words)
            if said[at:end] == entry.words:
                large = not raw.isdisjoint((said[at].capitalize(), said[at].upper()))
                if entry.place is not None and (large or not entry.capital):
                    yield entry.place, said[max(0, at - 2) : at]
                at = end - 1
                break
        at += 1


_RAW = re.compile(r"[^\W\d_]+")
