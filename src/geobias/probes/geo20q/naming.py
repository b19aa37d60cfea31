"""Finding the entities of a table that a text names.

Words are compared without case and accents (`tokens`). English spellings count in every language.
A name within a longer name of the table belongs to the longer one. Nicknames, surnames and slips of
the pen are left to the referee.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from geobias.atlas.entities import Entity, entities
from geobias.atlas.places import lexicon
from geobias.probes.geo20q.tokens import MOST_READ, Token, split_tokens, split_words

_FEWEST_LETTERS = 4
"""Minimum letters of a word that may stand for a longer name, as "Gandhi" for "Mahatma Gandhi"."""
_MOST_WORDS = 16
"""Maximum words of a name. In scripts without spaces every character is a word."""
_SHORT_TURN = 12
"""In scripts without capitals, up to this many letters outside of a guess's frame may be a name."""


class Sighting(NamedTuple):
    """A name in a text: its words `first` up to `last`, and the ids of entities with the name."""

    first: int
    last: int
    owners: frozenset[str]


def said_in(text: str) -> Sequence[Token]:
    return split_tokens(unicodedata.normalize("NFC", text[:MOST_READ]))


class Names:
    """The names of a table in one language."""

    def __init__(self, table: Mapping[str, Entity], language: str) -> None:
        self._table = table
        self.language = language

    @cached_property
    def _owners(self) -> dict[str, frozenset[str]]:
        """Each spelling → the ids of the entities that have it."""
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
        """Return the names in a text from left to right, the longest at each place."""
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
        """Return the entity that a text names, or None if it names nobody or the target.

        If the text has several names, the longest counts. Of equally long names, the last one of
        the target's type counts. If `first`, as for final guesses, the first name of the target's
        type counts.
        """
        named = self.sightings(text, target)
        alike = [one for one in named if target.id in one.owners or self._type(one) == target.type]
        if first and alike:
            return None if target.id in alike[0].owners else self._table[min(alike[0].owners)]
        if any(target.id in one.owners for one in named):
            return None

        def rank(one: Sighting) -> tuple[int, bool, int]:
            return one.last - one.first, self._type(one) == target.type, one.first

        best = max(named, key=rank, default=None)
        return self._table[min(best.owners)] if best else None

    def _type(self, one: Sighting) -> str:
        return self._table[min(one.owners)].type

    def has_part(self, text: str, target: Entity) -> bool:
        """Whether a text has a word of the target's name."""
        own = {
            word
            for spelling in target.spellings(self.language)
            for word in split_words(spelling)
            if len(word) >= _FEWEST_LETTERS or not word.isascii()
        }
        return any(one.word in own for one in said_in(text))

    def may_name(self, text: str, target: Entity, frame: frozenset[str]) -> bool:
        """Whether a text may name somebody in an unknown spelling.

        True if the text has a word of the target's name, or a capitalised word that is not a place
        and does not begin a sentence. In a script without capitals, true if the text has only a few
        words besides the frame of a guess.
        """
        if self.has_part(text, target):
            return True
        if self.sightings(text, target):
            return False  # it names another
        said = said_in(text)
        if self.has_large_word(text, frame):
            return True
        cased = any(one.raw[:1].lower() != one.raw[:1].upper() for one in said)
        beside = sum(len(one.word) for one in said if one.word not in frame)
        return not cased and 0 < beside <= _SHORT_TURN

    def has_large_word(self, text: str, frame: frozenset[str]) -> bool:
        """Whether a text has a capitalised word that is not a place and does not begin a
        sentence."""
        said, places = said_in(text), lexicon("en")
        return any(
            one.raw[:1].isupper()
            and len(one.raw) > 1
            and one.word not in frame
            and one.word not in places
            and not _opens(said, place)
            for place, one in enumerate(said)
        )


def _opens(said: Sequence[Token], place: int) -> bool:
    return place == 0 or any(stop in said[place].gap for stop in ".!?\n:¿¡…")


@cache
def shipped_names(language: str) -> Names:
    """Return the names of the shipped table in a language."""
    return Names(entities(), language)
