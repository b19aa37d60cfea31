"""Does a sentence say no more than a figure of the country that was asked about?

Each of its words must be one of the question's, the country's, of a number with its unit, or of the
frame in which figures are given ("The … is estimated at about …", `words.toml`). Any other word may
make it the figure of another place, a part of the population, a bound or a denial, in more ways
than a list of these could hold: such a sentence is unread, and asked about again.
"""

from __future__ import annotations

import re
from functools import lru_cache

from geobias.atlas.economies import find_economy
from geobias.atlas.places import bit, lexicon
from geobias.reading.numerals import DATE, SCALE_AT, Asked, wanted_unit
from geobias.reading.units import spellings
from geobias.reading.words import words

FIRST_RECENT_YEAR = 2000
"""A figure of an earlier year is no answer where nobody asked for that year."""
_WORD = re.compile(r"[^\W\d_]+")
_OF_YEAR = re.compile(r"(?:\b(?:in|of|since|year)\s+|\()((?:1[5-9]|20)\d\d)\b", re.IGNORECASE)
_REMARK = re.compile(
    r",\s(?:which|making|representing|an?|the|according|based|with)\b\D*$", re.IGNORECASE
)
"""What is added to a figure once it is stated: ", which is a significant portion of …"."""
_STEM = 5
"""Letters by which a word of the question is known again: "agricultural", "agriculture"."""


def is_plain(text: str, asked: Asked) -> bool:
    """Whether every word of a text belongs to the figure asked for."""
    own, stems = _own_words(asked)
    stated = _REMARK.sub("", DATE.sub(" ", text))
    for found in _WORD.findall(SCALE_AT.sub(" ", stated)):
        word = found.casefold()
        foreign = word not in own and word not in words("frame") and word[:_STEM] not in stems
        if foreign and (asked.country or not found[:1].isupper()):
            return False
    years = {int(one) for one in _OF_YEAR.findall(text)} - {asked.year}
    return not asked.country or min(years, default=FIRST_RECENT_YEAR) >= FIRST_RECENT_YEAR


@lru_cache(maxsize=2048)
def _own_words(asked: Asked) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the country and the unit; and beginnings of the question's words."""
    own = [*spellings(wanted_unit(asked)[0].quantity), "k", "m", "b", "t"]
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
