"""The source that a reply cites for its figure, and the year of the figure."""

from __future__ import annotations

import re

from geobias.reading.words import entries, folded

_NAMES = {name: source for source, names in entries("sources").items() for name in names.split("|")}
_CITED = re.compile(rf"\b(?:{'|'.join(sorted(_NAMES, key=len, reverse=True))})\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.,])(?:19[5-9]|20[0-4])\d(?![\d.,]\d|\d)")
_REACH = 60
"""Characters around a number within which a year belongs to that number."""


def cited_source(text: str) -> str | None:
    """Return the first source that a reply names; "WHO" in capitals, since "who" is a word."""
    for found in _CITED.finditer(text):
        if len(found[0]) > 4 or found[0].isupper():
            return _NAMES[folded(found[0])]
    return None


def cited_year(text: str, written: str) -> int | None:
    """Return the year of the figure `written`: the only year in the reply, or near the figure."""
    before, there, after = text.rpartition(written)
    for said in (f"{before} {after}", f"{before[-_REACH:]} {after[:_REACH]}"):
        years = {*_YEAR.findall(said)}
        if there and len(years) == 1:
            return int(years.pop())
    return None
