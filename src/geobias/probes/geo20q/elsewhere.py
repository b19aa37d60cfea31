"""Wrong guesses of people and things that the entity table does not have.

`elsewhere.csv` has the countries of about eleven thousand such people and things. The country of a
person is the country of birth. The table never decides a win. Names are recognised by their
capitals, so none are found in Chinese, Japanese, Hindi and Arabic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from geobias.atlas.entities import Entity
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import read_rows
from geobias.atlas.words import split_words
from geobias.probes.geo20q.naming import Names
from geobias.probes.geo20q.winning import frame_words, read_turn

_LARGE = r"[^\W\d_a-z][\w'’.-]*"
_BETWEEN = r"(?:(?:of|the|and|de|da|do|del|della|di|du|la|le|van|von|der|bin|ibn|al|el)\s+)*"
_NAME = re.compile(rf"{_LARGE}(?:\s+{_BETWEEN}{_LARGE})*")


@cache
def countries() -> Mapping[tuple[str, str], str]:
    path = Path(__file__).with_name("elsewhere.csv")
    return {
        (row["type"], spelling_key(row["name"])): row["country"]
        for _, row in read_rows(path, ("type", "name", "country"))
    }


def guessed_elsewhere(text: str, target: Entity, names: Names, *, final: bool) -> tuple[str, str]:
    """Return a guess that only `elsewhere.csv` has, and its country; both "" if there is none.

    Before the final guess, the name must stand in a plain frame ("Is it …?").
    """
    for match in _NAME.finditer(text[:2000]):
        words = match[0].rstrip(".'’-").split()
        while words and set(split_words(words[0])) <= frame_words(names.language):
            del words[0]
        name = " ".join(words)
        made = Entity(id=name, name=name, type=target.type, category="", country="")
        country = countries().get((target.type, spelling_key(name)), "")
        if country and (final or read_turn(text, made, names) == "win"):
            return name, country
    return "", ""
