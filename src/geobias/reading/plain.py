"""Whether a text states the figure that was asked for, and nothing else.

A plain text holds only words of the question, the country, the unit and a short list ("The … is
estimated at about …", `words.toml`). Any other word may make the number a figure of another place,
of a part of the population, a bound or a denial.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from geobias.atlas.economies import aliases, find_economy
from geobias.atlas.places import bit, lexicon, named_in
from geobias.reading.numerals import DATE, SCALE_AT, Asked
from geobias.reading.units import spellings
from geobias.reading.words import words

FIRST_RECENT_YEAR = 2000
"""A text with an earlier year is not plain, unless the question asks for that year."""
_WORD = re.compile(r"[^\W\d_]+")
_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d.,]\d|\d)")
_STEM = 5
"""Letters at the beginning in which words agree: "agricultural", "agriculture"."""
_OF_OTHERS = re.compile(r"\b(?:neighbou?r|regional|global|world(?!\s?bank)|average)", re.IGNORECASE)


def is_plain(text: str, written: str, asked: Asked) -> bool:
    """Whether a text states the figure `written` in it, and has no words about anything else."""
    if text == written and not _WORD.search(text):
        return True
    own, stems = _own_words(asked)
    said = text.casefold().replace("world bank", "")
    for found in _WORD.findall(SCALE_AT.sub(" ", DATE.sub(" ", said))):
        if found not in own and found not in words("frame") and found[:_STEM] not in stems:
            return False
    if "?" in text or any(unicodedata.category(sign) == "Sc" and sign != "$" for sign in text):
        return False
    years = {int(one) for one in _YEAR.findall(text.replace(written, " ", 1))} - {asked.year}
    return not asked.country or min(years, default=FIRST_RECENT_YEAR) >= FIRST_RECENT_YEAR


@lru_cache(maxsize=4096)  # All questions of WorldBench, which come in turn for each model.
def _own_words(asked: Asked) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of country and unit, and the beginnings of the question's words."""
    in_ppp = "ppp" in asked.unit.casefold()
    units = spellings(asked.wanted.quantity)
    own = [one for one in units if in_ppp or not ("ppp" in one or one.startswith("int"))]
    own += "kmbt"
    if found := find_economy(asked.country):
        own += [found.iso3, found.iso2, found.name, found.worldbank_name, found.demonym]
        own += aliases().get(found.iso3, ())
    said = _WORD.findall(f"{asked.phrase} {asked.unit} {asked.question}".casefold())
    named = (word for name in own for word in _WORD.findall(name.casefold()))
    return frozenset(named), frozenset(word[:_STEM] for word in said)


def is_about_another(text: str, country: str, *, phrase: str = "", year: int | None = None) -> bool:
    """Whether the sentence that a reader model quotes from is about another country or year."""
    found = find_economy(country)
    if found is None:
        return False
    if _OF_OTHERS.search(text) and not _OF_OTHERS.search(phrase):
        return True
    years = {int(one) for one in _YEAR.findall(text)}
    if year and years and year not in years:
        return True
    named = {place.possible for place, _ in named_in(text.replace("US$", "$"), lexicon("en"))}
    own = bit(found.iso3)
    return any(place != own for place in named if not place & own or own not in named)
