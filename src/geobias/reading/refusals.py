"""Does a text decline: does it say that it does not know, or will not say? Does it take back what
it said?

Sayings are looked for as they are, in lower case (`words.toml`). Nobody can list them all. A reply
that declines in other words and states no figure is unread, and is asked again.
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
    """Whether it is the model who will not choose, and not the text that does not tell."""
    return _sayings("refuses").search(_lower(text[:_EARLY])) is not None


def takes_back(text: str) -> str:
    """What a text says from where it takes its answer back; "" where it does not."""
    found = _sayings("takes_back").search(_lower(text))
    return text[found.start() :] if found else ""
