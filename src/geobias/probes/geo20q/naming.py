"""Finding the entities of a table that a text names.

Words are compared without case and accents. English spellings count in every language. A name
within a longer one belongs to the longer. Surnames and slips of the pen are left to the referee.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from geobias.atlas.entities import Entity, entities
from geobias.atlas.words import MOST_READ, Token, split_tokens, split_words

_FEWEST_LETTERS = 4
"""Minimum of a word that may stand for a longer name, as "Gandhi" for "Mahatma Gandhi"."""
_MOST_WORDS = 16
"""Maximum of a name; in scripts without spaces every character is a word."""


class Sighting(NamedTuple):
    """A name in a text: its words `first` up to `last`, and the ids of entities with the name."""

    first: int
    last: int
    owners: frozenset[str]


def said_in(text: str) -> Sequence[Token]:
    return split_tokens(unicodedata.normalize("NFC", text[:MOST_READ]))


class Names:
    def __init__(self, table: Mapping[str, Entity], language: str) -> None:
        self._table = table
        self.language = language

    @cached_property
    def _owners(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for one in self._table.values():
            for letters in self._letters(one):
                found.setdefault(letters, set()).add(one.id)
        return {letters: frozenset(owners) for letters, owners in found.items()}

    def _letters(self, entity: Entity) -> Iterator[str]:
        """Yield spellings without signs and spaces, so that ताज महल is ताजमहल."""
        for spelling in entity.spellings(self.language):
            words = split_words(spelling)
            letters = "".join(words)
            if letters:
                yield letters
                if entity.type == "thing" and letters.isascii() and len(words[-1]) > 2:
                    yield letters + "s"

    def sightings(self, text: str, target: Entity | None = None) -> list[Sighting]:
        """Return the names in a text, the longest at each place."""
        said = tuple(one.word for one in said_in(text))
        own: frozenset[str] = frozenset()
        if target is not None and self._table.get(target.id) is not target:
            own = frozenset(self._letters(target))
        found, place = [], 0
        while place < len(said):
            for last in range(min(len(said), place + _MOST_WORDS), place, -1):
                letters = "".join(said[place:last])
                owners = self._owners.get(letters, frozenset())
                if target is not None and letters in own:
                    owners |= {target.id}
                if owners:
                    found.append(Sighting(place, last, owners))
                    place = last
                    break
            else:
                place += 1
        return found

    def mentions(self, text: str, target: Entity) -> bool:
        return any(target.id in one.owners for one in self.sightings(text, target))

    def other_named(self, text: str, target: Entity, *, first: bool = False) -> Entity | None:
        """Return the one named entity (or the `first`) of the target's type, if not the target."""
        named = self.sightings(text, target)
        found = [
            target if target.id in one.owners else self._table[min(one.owners)] for one in named
        ]
        own = [one for one in found if one.type == target.type][: 1 if first else None]
        return own[0] if len(own) == 1 and own[0] is not target else None

    def has_part(self, text: str, target: Entity) -> bool:
        """Whether a text has a word of the target's name."""
        own = {
            word
            for spelling in target.spellings(self.language)
            for word in split_words(spelling)
            if len(word) >= _FEWEST_LETTERS or not word.isascii()
        }
        return any(one.word in own for one in said_in(text))


@cache
def shipped_names(language: str) -> Names:
    return Names(entities(), language)
