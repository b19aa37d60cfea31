"""Places as people name them in a question: continents, their parts, countries, demonyms.

`tables/places.csv` says which economies a place certainly includes and which are disputed (Türkiye
for Europe, Egypt for the Middle East). `tables/place_names.csv` has names in eight other languages.
Sets of economies are bits of an integer, so that testing whether the remaining economies all lie in
a place costs one operation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from operator import or_
from typing import Literal

import msgspec

from geobias.atlas.economies import aliases, economies
from geobias.atlas.table import TableError, read_rows, shipped_table
from geobias.atlas.words import split_words

PlaceKind = Literal["continent", "region", "country", "part"]

_COLUMNS = ("place", "kind", "members", "open", "spellings")
CAPITAL_ONLY = frozenset(
    {"us", "eu", "car", "rsa", "rok", "fsm", "png", "turkey", "china", "jordan", "chad", "georgia"}
    | {"polish", "lao", "west", "pacific", "states", "turks", "java", "mena", "uae", "western"}
)
"""English words that name a place only when written with a capital."""


class Place(msgspec.Struct, frozen=True):
    """A place that a question may be about.

    `sure` are the economies that lie in the place, `open` those that are disputed or lie in it only
    in part. Both are sets, as bits of an integer (see `bit`).
    """

    name: str
    kind: PlaceKind
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


_WITH_ARTICLE = re.compile(
    r"^(?:United |Netherlands|Philippines|Maldives|Comoros|Seychelles|Marshall|Solomon|Cayman"
    r"|Faroe|Turks|British Virgin|Northern Mariana|Channel|Isle of|Democratic Republic|Republic of"
    r"|Dominican Republic|Central African Republic|Federated|Kyrgyz Republic|Slovak Republic"
    r"|Russian Federation|Syrian Arab)"
)


def names_in(language: str, key: str) -> str:
    """The name of a continent (by English name) or economy (by code) in this language's questions.

    "" if the language has no name for it.
    """
    if language != "en":
        return _local().get((key, language), "")
    name = economies()[key].name if key in economies() else key
    return f"the {name}" if _WITH_ARTICLE.match(name) else name.replace("The ", "the ")


@cache
def _local() -> Mapping[tuple[str, str], str]:
    rows = read_rows(shipped_table("place_names.csv"), ("place", "language", "names"))
    return {(row["place"], row["language"]): row["names"].split("|")[0] for _, row in rows}


@cache
def _bit_of() -> Mapping[str, int]:
    return {iso3: 1 << index for index, iso3 in enumerate(economies())}


def bit(iso3: str) -> int:
    return _bit_of()[iso3]


@cache
def everywhere() -> int:
    return (1 << len(economies())) - 1


@cache
def places() -> Mapping[str, Place]:
    """All places: continents and regions by English name, countries by ISO-3 code."""
    found: dict[str, Place] = {}
    for place, _ in _rows():
        found.setdefault(place.name, place)
    named = {economies()[code].name: code for code in economies()}
    return {named.get(name, name): place for name, place in found.items()}


@cache
def _rows() -> Sequence[tuple[Place, tuple[str, ...]]]:
    """Places with their English spellings, from the table and the list of economies."""
    path = shipped_table("places.csv")
    rows: list[tuple[Place, tuple[str, ...]]] = []
    more: dict[str, tuple[int, tuple[str, ...]]] = {}
    for line, row in read_rows(path, _COLUMNS):
        try:
            sure, open_ = _bits(row["members"]), _bits(row["open"])
        except KeyError as error:
            raise TableError(path, line, f"{error} is not a country's code") from None
        spellings = tuple(text for text in row["spellings"].split("|") if text)
        if row["kind"] == "country":
            more[row["place"]] = (open_, spellings)
        elif row["kind"] in ("continent", "region", "part"):
            kind: PlaceKind = row["kind"]  # type: ignore[assignment]
            rows.append((Place(row["place"], kind, sure, open_), (row["place"], *spellings)))
        elif row["kind"] != "none":
            raise TableError(path, line, f"{row['kind']!r} is not a kind of place")
    demonyms = Counter(one.demonym for one in economies().values())
    for iso3, one in economies().items():
        open_, spellings = more.get(iso3, (0, ()))
        # Congolese and Dominican each mean two countries, so the table has places for them.
        demonym = (one.demonym,) if demonyms[one.demonym] == 1 else ()
        names = (one.name, *aliases().get(iso3, ()), *demonym, *spellings)
        rows.append((Place(one.name, "country", bit(iso3), open_), names))
    return rows


def _bits(codes: str) -> int:
    return reduce(or_, map(bit, codes.split()), 0)


@cache
def lexicon(language: str) -> Mapping[str, tuple[Entry, ...]]:
    """First word → the names of places that begin with this word, the longest first.

    In other languages, English names of continents and countries count too, since a guesser may
    switch to English.
    """
    entries: dict[tuple[str, ...], Entry] = {}
    for text, place in _spellings(language):
        for spelling in (text, text.replace("St. ", "Saint "), text.removeprefix("The ")):
            key = split_words(spelling)
            capital = len(key) == 1 and key[0] in CAPITAL_ONLY
            entries.setdefault(key, Entry(key, place, capital))
    entries.pop((), None)
    first: dict[str, list[Entry]] = {}
    for entry in entries.values():
        first.setdefault(entry.words[0], []).append(entry)
    return {
        word: tuple(sorted(found, key=lambda entry: -len(entry.words)))
        for word, found in first.items()
    }


def _spellings(language: str) -> Iterator[tuple[str, Place | None]]:
    """Yield every spelling with its place, those with precedence first."""
    if language != "en":
        path = shipped_table("place_names.csv")
        for line, row in read_rows(path, ("place", "language", "names")):
            if row["place"] not in places():
                raise TableError(path, line, f"{row['place']!r} is not a place")
            if row["language"] == language:
                yield from ((name, places()[row["place"]]) for name in row["names"].split("|"))
    else:
        for _, row in read_rows(shipped_table("places.csv"), _COLUMNS):
            if row["kind"] == "none":
                yield from ((text, None) for text in row["spellings"].split("|"))
    for place, spellings in _rows():
        if language == "en" or place.kind in ("continent", "country"):
            yield from ((text, place) for text in spellings)
