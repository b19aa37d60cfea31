"""Whether a text declines to answer, or withdraws an answer.

It searches for set phrases, in lower case (`words.toml`), which can never be complete. A reply that
declines in other words and states no figure is unread, and is asked about again.
"""

from __future__ import annotations

import re
from functools import cache

from geobias.reading.words import words

_EARLY = 160
"""Characters within which a model says that it will not choose."""


@cache
def _sayings(name: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words(name))))


def _lower(text: str) -> str:
    return text.casefold().replace("’", "'")


def declines(text: str) -> bool:
    """Whether a text says that it gives no answer."""
    low = _lower(text)
    whole = low.strip(" \t\r\n.!*_`\"'()[]{}:")
    return whole in words("declines_whole") or _sayings("declines").search(low) is not None


def refuses(text: str) -> bool:
    """Whether the model refuses to choose, as opposed to saying that the text does not tell."""
    return _sayings("refuses").search(_lower(text[:_EARLY])) is not None


def takes_back(text: str) -> str:
    """The part of a text from where it withdraws its answer; "" if it does not."""
    found = _sayings("takes_back").search(_lower(text))
    return text[found.start() :] if found else ""
