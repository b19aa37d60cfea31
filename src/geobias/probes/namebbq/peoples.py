"""By which words a nationality may be meant: its country, its people, in several languages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.names import countries_of
from geobias.atlas.names import names as shipped_names
from geobias.atlas.places import CAPITAL_ONLY, country_spellings, english_spellings, names_in
from geobias.atlas.table import read_rows
from geobias.probes.lazy import regex
from geobias.probes.namebbq.other_scripts import one_spelling

_MORE_WORDS = {
    "American": ("America", "USA", "Yankee"),
    "British": ("Brit", "Briton"),
    "Dominican": ("Dominican",),
    "Icelandic": ("Icelander",),
    "Korean": ("Korea",),
    "Polish": ("Pole",),
    "Slovak": ("Slovakian",),
}
"""Words for a people that the tables of places lack, since no country is asked for by them."""
_CAPITAL_WORDS = CAPITAL_ONLY | {"pole", "polen"}
_SHORT = 3
"""Latin words up to this length are a country only with a capital: Çin is China, cin is not."""
_LATIN = regex(r"[\x00-\u024f]+")
_HINT = 5
_SPACED_LANGUAGES = ("en", "es", "fr", "pt", "tr", "hi", "ar")
"""Those of the tables in which a country's name is a word apart."""
_SPACED = regex(r"[\u0400-\u04ff -]+|[\u0900-\u097f ]+")
_ARABIC = regex(r"[\u0600-\u06ff ]+")
_HANGUL = regex(r"[\uac00-\ud7a3]+")
_RUSSIAN_MAN = regex(r"(?:(?<=([аеио]))|(л)|)ец$")
_RUSSIAN_ADJECTIVE = ("ий", "ая", "ое", "ие", "ого", "ой", "ую", "их")


def country_of(nationality: str) -> str:
    """ISO-3 of a nationality: by the table of names, then by demonym; "" where neither is sure."""
    return _countries().get(nationality, "")


@cache
def _countries() -> dict[str, str]:
    countries: dict[str, str] = {}
    for one in economies().values():
        # Two economies are Congolese: a word for both is a word for neither.
        countries[one.demonym] = "" if one.demonym in countries else one.iso3
    return countries | countries_of(shipped_names())


class People(msgspec.Struct, frozen=True):
    """The words for a country and its people, without accents, and where a text has one; `abroad`
    are those that are not English, `places` those for the country and its capital.

    A text without any of the `hints` has none of them; one in plain letters needs to be looked
    through for the `plain_hints` alone.
    """

    words: tuple[str, ...]
    hints: tuple[str, ...]
    plain_hints: tuple[str, ...]
    abroad: frozenset[str]
    places: frozenset[str]
    pattern: re.Pattern[str]
    plain_pattern: re.Pattern[str]

    def pattern_for(self, low: str) -> re.Pattern[str] | None:
        """What finds the words in a text, given in small letters; None where it has none."""
        plain = low.isascii()
        for hint in self.plain_hints if plain else self.hints:
            if hint in low:
                return self.plain_pattern if plain else self.pattern
        return None


@cache
def people_of(nationality: str) -> People | None:
    """None where it is no country's."""
    if not (iso3 := country_of(nationality)):
        return None
    more = _MORE_WORDS.get(nationality, ())
    languages = (_german, _french, _russian, _in_other_languages)
    forms = (word for forms in languages for word in forms()[nationality])
    abroad = {one_spelling(word) for word in (*forms, *country_spellings()[iso3])}
    english = {one_spelling(word) for word in (*english_spellings()[iso3], *more)}
    spellings = english | abroad
    words = sorted(spellings, key=lambda one: (-len(one), one))
    plain = tuple(filter(str.isascii, words))
    lower = tuple({word.lower() for word in words})
    # Beginnings will do: forms in several languages share them, and few are looked for quickly.
    begun = {word[:_HINT] for word in lower}
    hints = tuple(one for one in begun if not any(o in one for o in begun if o != one))
    plain_hints = tuple(filter(str.isascii, hints))
    own = {word.lower() for word in english} | _capitals_in_small_letters()
    only_abroad = frozenset(word.lower() for word in abroad) - own
    places = _spelled_of(nationality, "capital", "indonesian", "russian")
    places |= {one_spelling(names_in(language, iso3)) for language in _SPACED_LANGUAGES}
    in_small = frozenset(place.lower() for place in places)
    patterns = _pattern(words), _pattern(plain)
    return People(lower, hints, plain_hints, only_abroad, in_small, *patterns)


Forms = defaultdict[str, tuple[str, ...]]
"""Nationality → the words for its people in one language, in the cases they stand in."""


@cache
def _french() -> Forms:
    """The adjective is the man's or the woman's word with a small letter; endings in -s are found
    anyway."""
    forms: Forms = defaultdict(tuple)
    for _, row in read_rows(
        Path(__file__).with_name("french_peoples.csv"), ("nationality", "man", "woman")
    ):
        forms[row["nationality"]] += (row["man"], row["woman"])
    return forms


@cache
def _russian() -> Forms:
    """The man and the woman, alone and several, and the adjective with its endings."""
    forms: Forms = defaultdict(tuple)
    columns = ("nationality", "man", "woman", "adjective")
    for _, row in read_rows(Path(__file__).with_name("russian_peoples.csv"), columns):
        man, woman = row["man"], row["woman"]
        one = _RUSSIAN_MAN.sub(lambda end: "йц" if end[1] else "льц" if end[2] else "ц", man)
        several = f"{one}ы"
        if one == man:
            several = man.removesuffix("ин") if man.endswith("нин") else man
            several += "е" if man.endswith("нин") else "и" if man.endswith("к") else "ы"
        oblique = (one + end for end in ("а", "у", "ом", "ем"))
        stem = woman.removesuffix("а")
        adjective = (row["adjective"].removesuffix("ий") + end for end in _RUSSIAN_ADJECTIVE)
        forms[row["nationality"]] += (
            *(man, several, woman, f"{stem}у", f"{stem}и", f"{stem}е", f"{stem}ой"),
            *oblique,
            *adjective,
        )
    return forms


@cache
def _german() -> Forms:
    """The man, the woman and the adjective of each nationality, in the cases they stand in."""
    forms: Forms = defaultdict(tuple)
    columns = ("nationality", "man", "woman", "adjective")
    for _, row in read_rows(Path(__file__).with_name("german_peoples.csv"), columns):
        oblique = f"{row['man']}n" if row["man"].endswith("e") else row["man"]
        endings = (f"{row['adjective']}{end}" for end in ("e", "er", "en", "es", "em"))
        forms[row["nationality"]] += (row["man"], oblique, row["woman"], *endings)
    return forms


_COLUMNS = (
    "nationality", "capital", "spanish", "portuguese", "italian", "arabic", "korean", "hindi",
    "chinese", "russian", "indonesian", "dutch", "turkish", "polish",
)  # fmt: skip


@cache
def _in_other_languages() -> Forms:
    """The man and the woman, or what both begin with, or the country; and the capital, which
    stands for its country."""
    forms: Forms = defaultdict(tuple)
    for nationality, row in _rows().items():
        words = "|".join(row[column] for column in _COLUMNS[1:])
        forms[nationality] += tuple(words.split("|"))
    return forms


@cache
def _rows() -> dict[str, dict[str, str]]:
    rows = read_rows(Path(__file__).with_name("peoples.csv"), _COLUMNS)
    return {row["nationality"]: row for _, row in rows}


def _spelled_of(nationality: str, *columns: str) -> set[str]:
    row = _rows().get(nationality, {})
    return {one_spelling(word) for column in columns for word in row.get(column, "").split("|")}


@cache
def _spelled(*columns: str) -> frozenset[str]:
    return frozenset[str]().union(*(_spelled_of(nationality, *columns) for nationality in _rows()))


def _capitals() -> frozenset[str]:
    return _spelled("capital")


@cache
def _with_capital() -> frozenset[str]:
    """Words that mean a people only with a capital: in small letters some are words of another
    language. Those of English are as they are."""
    own = {one_spelling(word) for words in country_spellings().values() for word in words}
    return _spelled("capital", "indonesian", "dutch", "turkish") - (own - _capitals())


def _capitals_in_small_letters() -> set[str]:
    return {capital.lower() for capital in _capitals()}


@cache
def demonyms() -> frozenset[str]:
    """All of them, in lower case: Nigerien is another people, and no slip for Nigerian."""
    return frozenset(one.demonym.lower() for one in economies().values())


def _pattern(spellings: Iterable[str]) -> re.Pattern[str]:
    """Finds any of them. Those that end alike stand together, so that a search tries them at the
    beginnings of words alone."""
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for spelling in spellings:
        words = re.escape(spelling)
        short = len(spelling) <= _SHORT
        if short or spelling.lower() in _CAPITAL_WORDS or spelling in _with_capital():
            words = f"(?-i:{words})" if _LATIN.fullmatch(spelling) else words
        groups[_around(spelling)].append(words)
    parts = (f"{before}(?:{'|'.join(words)}){after}" for (before, after), words in groups.items())
    return re.compile("|".join(parts), re.IGNORECASE)


_STARTS, _ENDS = r"(?<![^\W_])", r"(?![^\W_])"


def _around(spelling: str) -> tuple[str, str]:
    """What must stand before and after a word for a people, by its script."""
    if _SPACED.fullmatch(spelling):
        return _STARTS, _ENDS
    if _ARABIC.fullmatch(spelling):
        # "And", "in", "for" and "the" are joined to the word before, its gender and number behind.
        return rf"{_STARTS}[وف]?(?:[بك]?ال|لل|[بلك])?", rf"(?:ه|ات|ين|ون|ان|تين|تان)?{_ENDS}"
    if _HANGUL.fullmatch(spelling):
        return _STARTS, ""  # Particles are joined to the word.
    if not _LATIN.fullmatch(spelling):
        return "", ""  # Scripts without spaces.
    return _STARTS, "" if spelling.endswith(".") else rf"(?:'?s|s'|man|woman|men|women)?{_ENDS}"
