"""Is a text about the figure that was asked for, and about nothing else?

Plain is a sentence whose words are all of the question, the country, a number with its unit, or the
frame in which figures are given ("The … is estimated at about …", `words.toml`). Any other word may
make it the figure of another place, a part of the population, a bound or a denial, in more ways
than a list of these could hold: such a sentence is unread, and asked about again.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from geobias.atlas.economies import find_economy
from geobias.atlas.places import bit, lexicon
from geobias.atlas.places import words as words_of_places
from geobias.reading.numerals import DATE, SCALE_AT, Asked
from geobias.reading.units import spellings
from geobias.reading.words import words

FIRST_RECENT_YEAR = 2000
"""A figure of an earlier year is no answer where nobody asked for that year."""
_WORD = re.compile(r"[^\W\d_]+")
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d.,]\d|\d)")
_STEM = 5
"""Letters by which a word of the question is known again: "agricultural", "agriculture"."""
_OF_OTHERS = re.compile(r"\b(?:neighbou?r|regional|global|world(?!\s?bank)|average)", re.IGNORECASE)


def is_plain(text: str, written: str, asked: Asked) -> bool:
    """Whether every word of a text belongs to the figure asked for, `written` in it."""
    own, stems = _own_words(asked)
    for found in _WORD.findall(SCALE_AT.sub(" ", DATE.sub(" ", text.casefold()))):
        if found not in own and found not in words("frame") and found[:_STEM] not in stems:
            return False
    if "?" in text or (_OF_OTHERS.search(text) and not _OF_OTHERS.search(asked.phrase)):
        return False
    if any(unicodedata.category(sign) == "Sc" and sign != "$" for sign in text):
        return False
    years = {int(one) for one in _YEAR.findall(text.replace(written, " ", 1))} - {asked.year}
    return not asked.country or min(years, default=FIRST_RECENT_YEAR) >= FIRST_RECENT_YEAR


@lru_cache(maxsize=2048)
def _own_words(asked: Asked) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the country and the unit; and beginnings of the question's words."""
    in_ppp = "ppp" in asked.unit.casefold()
    units = spellings(asked.wanted.quantity)
    own = [one for one in units if in_ppp or not ("ppp" in one or one.startswith("int"))]
    own += "kmbt"
    if found := find_economy(asked.country):
        own += [found.iso3, found.iso2, found.name, found.worldbank_name, found.demonym]
        own += [
            " ".join(entry.words)
            for entries in lexicon("en").values()
            for entry in entries
            if entry.place is not None and entry.place.possible == bit(found.iso3)
        ]
    said = _WORD.findall(f"{asked.phrase} {asked.unit} {asked.question}".casefold())
    return (
        frozenset(word for name in own for word in _WORD.findall(name.casefold())),
        frozenset(word[:_STEM] for word in said),
    )


def is_about_another(text: str, country: str, *, phrase: str = "", year: int | None = None) -> bool:
    """Whether a text is about another country or year than the one asked about, or about several.

    For words around what a reader model quotes, which need not be plain.
    """
    found = find_economy(country)
    if found is None:
        return False
    if _OF_OTHERS.search(text) and not _OF_OTHERS.search(phrase):
        return True
    years = {int(one) for one in _YEAR.findall(text)}
    if year and years and year not in years:
        return True
    own, named = bit(found.iso3), _places(text.replace("US$", "$"))
    return any(place != own for place in named if not place & own or own not in named)


@lru_cache(maxsize=2048)
def _places(text: str) -> frozenset[int]:
    """The places that a text names, as sets of economies."""
    said, raw = words_of_places(text), set(_WORD.findall(text))
    known = lexicon("en")
    found, place = set(), 0
    while place < len(said):
        for entry in known.get(said[place], ()):
            if tuple(said[place : place + len(entry.words)]) == entry.words:
                large = {said[place].capitalize(), said[place].upper()} & raw
                if entry.place is not None and (large or not entry.capital):
                    found.add(entry.place.possible)
                place += len(entry.words) - 1
                break
        place += 1
    return frozenset(found)
