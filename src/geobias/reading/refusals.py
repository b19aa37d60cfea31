"""Replies that decline, refuse, or take an answer back, by a list of phrases (`words.toml`).

A reply that declines in other words is unread and is asked about again.
"""

from __future__ import annotations

import re
from functools import cache

from geobias.reading.words import words

_EARLY = 160
"""A refusal must lie within this many characters from the beginning."""


@cache
def _sayings(name: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words(name))))


def _lower(text: str) -> str:
    return text.casefold().replace("’", "'")


def declines(text: str) -> bool:
    """Whether a text says that it does not know or will not answer."""
    low = _lower(text)
    whole = low.strip(" \t\r\n.!*_`\"'()[]{}:")
    return whole in words("declines_whole") or _sayings("declines").search(low) is not None


def refuses(text: str) -> bool:
    """Whether the model refuses to choose; "the text does not say" is not a refusal."""
    return _sayings("refuses").search(_lower(text[:_EARLY])) is not None


def takes_back(text: str) -> str:
    """Return the text from where it takes its answer back, or ""."""
    found = _sayings("takes_back").search(_lower(text))
    return text[found.start() :] if found else ""
