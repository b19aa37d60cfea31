"""Is a text about another place or year than the one that was asked about?"""

from __future__ import annotations

import re
from functools import lru_cache

from geobias.atlas.economies import find_economy
from geobias.atlas.places import bit, lexicon, words

_ELSEWHERE = re.compile(
    r"\b(?:neighbou?r|regional|global|world(?!\s?bank)|comparable|similar|typical|peers?\b"
    r"|other countr|average (?:for|in|of|across|among))",
    re.IGNORECASE,
)
_US = re.compile(r"\b(?:US|U\.S\.|United States)\s?(?=\$|dollar)")


def is_about_another(
    text: str, *, country: str, question: str = "", phrase: str = "", year: int | None = None
) -> bool:
    """Whether a text is about another country than the one asked about, or about several."""
    own = _own_places(country, question)
    if not own:
        return False
    named = _places(_US.sub("", text))
    others = {place for place in named if not place & own}
    regions = {place for place in named if place & own and place != own}
    mine = own in named
    if _ELSEWHERE.search(text) and not _ELSEWHERE.search(phrase):
        return True
    years = {int(one) for one in re.findall(r"\b(?:19|20)\d\d\b", text)}
    if year and years and year not in years:
        return True
    return bool(others) or (bool(regions) and not mine)


@lru_cache(maxsize=2048)
def _own_places(country: str, question: str) -> int:
    if country:
        found = find_economy(country)
        return bit(found.iso3) if found else 0
    named = _places(question)
    return next(iter(named)) if len(named) == 1 else 0


@lru_cache(maxsize=2048)
def _places(text: str) -> frozenset[int]:
    """The places that a text names, as sets of economies."""
    said = words(text)
    raw = set(re.findall(r"[^\W\d_]+", text))
    known = lexicon("en")
    found, place = set(), 0
    while place < len(said):
        for entry in known.get(said[place], ()):
            if tuple(said[place : place + len(entry.words)]) == entry.words:
                large = (
                    not entry.capital
                    or said[place].capitalize() in raw
                    or said[place].upper() in raw
                )
                if entry.place is not None and large:
                    found.add(entry.place.possible)
                place += len(entry.words) - 1
                break
        place += 1
    return frozenset(found)
