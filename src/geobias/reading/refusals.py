"""Does a text decline: does it say that it does not know, or will not say?

Sayings are looked for as they are, in lower case. Nobody can list them all. A reply that declines
in other words and states no figure is unread, and is asked again.
"""

from __future__ import annotations

import re
from functools import cache

from geobias.reading.words import words

_EARLY = 160
"""Characters within which a model says that it will not choose."""


@cache
def _sayings() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words("declines"))))


def declines(text: str) -> bool:
    """Whether a text says that it gives no answer."""
    low = text.casefold().replace("’", "'")
    whole = low.strip(" \t\r\n.!*_`\"'()[]{}:")
    return whole in words("declines_whole") or _sayings().search(low) is not None


def refuses(text: str) -> bool:
    """Whether it is the model who will not choose, and not the text that does not tell."""
    low = text[:_EARLY].casefold().replace("’", "'")
    return any(saying in low for saying in words("refuses"))
