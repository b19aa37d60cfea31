"""How the pilot's replies are read. What cannot be read is None, never a guess."""

from __future__ import annotations

import re
from typing import Literal

CONTINENTS = ("Africa", "Asia", "Europe", "North America", "Oceania", "South America")
_NAMED = re.compile(r"\b(?:Africa|Asia|Europe|(?:North|South) America|Oceania|Australia)\b", re.I)
_LETTER = re.compile(r"^\W*([abc])(?=[).:]|\W*$)|\b(?:answer|option)(?: is)?:? \W?([abc])\b", re.I)
_OR = re.compile(r"\b[abc]\W* or \W*[abc]\b", re.I)
_YES_NO = re.compile(r"^\W*(yes|no)\b", re.I)


def continents_named(reply: str) -> list[str]:
    """The continents a text names, each once, in order. Australia the continent is Oceania here."""
    found = [match[0].title().replace("Australia", "Oceania") for match in _NAMED.finditer(reply)]
    return list(dict.fromkeys(found))


def continent(reply: str) -> str | None:
    """The one continent a reply names; None if it names several or none."""
    named = continents_named(reply)
    return named[0] if len(named) == 1 else None


def letter(reply: str) -> Literal["a", "b", "c"] | None:
    """The option a reply settles on: a letter by itself, or after "answer" or "option"."""
    if _OR.search(reply):
        return None
    chosen = {(found[1] or found[2]).lower() for found in _LETTER.finditer(reply)}
    return chosen.pop() if len(chosen) == 1 else None  # type: ignore[return-value]


def yes_or_no(reply: str) -> bool | None:
    """Whether the judge said yes."""
    found = _YES_NO.match(reply)
    return found[1].lower() == "yes" if found else None
