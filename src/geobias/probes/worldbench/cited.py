"""The source and the year that a reply cites for its figure."""

from __future__ import annotations

import re

_SOURCES = {
    "World Bank": ("world bank", "worldbank", "world development indicators"),
    "IMF": ("imf", "international monetary fund", "world economic outlook"),
    "UNESCO": ("unesco",),
    "UNICEF": ("unicef",),
    "WHO": ("who", "world health organization"),
    "ILO": ("ilo", "international labour organization"),
    "UN": ("united nations", "un", "world population prospects"),
    "CIA World Factbook": ("world factbook", "cia"),
    "OECD": ("oecd",),
    "IEA": ("iea", "international energy agency"),
    "FAO": ("fao",),
    "IPU": ("ipu", "inter-parliamentary union"),
    "census": ("census",),
}
_NAMES = {name: source for source, names in _SOURCES.items() for name in names}
_CITED = re.compile(rf"\b(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.,])(?:19[5-9]|20[0-4])\d(?![\d.,]\d|\d)")
_REACH = 60
"""Maximum characters between a number and its year, if a reply has several years."""


def cited_source(text: str) -> str | None:
    """The first source that a reply names. Short names count only in capitals, since "who" is a
    word.
    """
    for found in _CITED.finditer(text):
        if len(found[0]) > 4 or found[0].isupper():
            return _NAMES[found[0].lower()]
    return None


def cited_year(text: str, written: str) -> int | None:
    """The only year in a reply, or near its number; None if there is none or more than one."""
    place = text.rfind(written)
    if place < 0:
        return None
    others = {
        int(year) for year in _YEAR.findall(text[:place] + " " + text[place + len(written) :])
    }
    if len(others) == 1:
        return others.pop()
    around = text[max(0, place - _REACH) : place] + " " + text[place + len(written) :][:_REACH]
    years = {int(year) for year in _YEAR.findall(around)}
    return years.pop() if len(years) == 1 else None
