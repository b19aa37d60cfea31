"""Finds all names in one pass over the bytes of a text in which every line is a document.

A spelling of the table counts as it is written, in capitals, with either apostrophe, and without
its accents. "The" at its beginning may be small. A common noun counts in small letters, too (fado,
komodo dragon). A form that begins with a small letter counts only after a space: "the fado", not
"(fado". Most letters of a text are small, so searching for these forms after any character would
take a third longer.

An automaton finds every name, and a name counts if it is a whole word: "Rama" does not count in
"Ramadan", nor インド (India) in インドネシア (Indonesia). Scripts without spaces do not show where
a word ends, so a name in them counts everywhere. If names overlap, the first one counts, and among
names that begin together the longest: "University of Otago" counts for the university and not for
"Otago".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

import msgspec

from geobias.atlas.entities import Entity
from geobias.atlas.words import KATAKANA, SIGNS, UNSPACED
from geobias.errors import MissingPart

COMMON_NOUNS = frozenset({"food", "drink", "animal", "plant", "clothing", "music"})
"""Categories of things that may be common nouns, which are written small within a sentence.

A name of such a category is a common noun if it has at least four letters and, in the table, no
capital after its first letter: Komodo dragon is one, Absolut Vodka is not.
"""
_SHORTEST_NOUN = 4
_PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ł": "l", "Ł": "L", "ı": "i"}
    | {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H"}
)
"""Letters with a stroke and similar, which Unicode does not decompose."""


class Names(msgspec.Struct, frozen=True):
    """What to search for: byte patterns, each with the entities (by number) that it names.

    A pattern of two entities is ambiguous and counts for both.
    """

    patterns: tuple[bytes, ...]
    owners: tuple[tuple[int, ...], ...]


def names_of(table: Mapping[str, Entity]) -> Names:
    owners: dict[bytes, dict[int, None]] = {}
    for place, entity in enumerate(table.values()):
        local = (one for name in entity.names.values() for one in (name.name, *name.aliases))
        common = entity.type == "thing" and entity.category in COMMON_NOUNS
        for spelling in (entity.name, *entity.aliases, *local):
            for form in forms(" ".join(spelling.split()), common=common):
                lead = " " if "a" <= form[0] <= "z" else ""
                owners.setdefault(f"{lead}{form}".encode(), {})[place] = None
    return Names(tuple(owners), tuple(map(tuple, owners.values())))


def forms(text: str, *, common: bool = False) -> Iterator[str]:
    """Yield every form in which a spelling counts. Text that is only accents keeps them."""
    cased = {text, text.upper()}
    if text.startswith("The "):
        cased.add("the " + text[4:])
    small = text.lower()
    if common and len(text) >= _SHORTEST_NOUN and text[1:] == small[1:]:
        # `str.title` would write Xi'An.
        titled = " ".join(word[:1].upper() + word[1:] for word in small.split(" "))
        cased |= {small, small[:1].upper() + small[1:], titled}
    signed = {form.replace(*signs) for form in cased for signs in ("’'", "'’")} | cased
    yield from filter(None, signed | set(map(without_accents, signed)))


def without_accents(text: str) -> str:
    """The text without the marks of European scripts. Vowel signs of other scripts are letters."""
    apart = unicodedata.normalize("NFD", text)
    plain = "".join(c for c in apart if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", plain.translate(_PLAIN_LETTERS))


class Tally(msgspec.Struct, kw_only=True):
    """The counts of a part of the corpus, by the number of the entity.

    broken     number of lines that are not JSON
    without    number of documents without text in the field
    named_in   number of documents that name the entity
    shared     part of `count` from forms that another entity has too
    """

    documents: int = 0
    bytes: int = 0
    broken: int = 0
    without: int = 0
    count: dict[int, int] = {}
    named_in: dict[int, int] = {}
    shared: dict[int, int] = {}

    def add(self, other: Tally) -> None:
        for name in self.__struct_fields__:
            own, more = getattr(self, name), getattr(other, name)
            if isinstance(own, int):
                setattr(self, name, own + more)
                continue
            for place, number in more.items():
                own[place] = own.get(place, 0) + number


_LETTER = rf"(?:[^\W_{KATAKANA}{UNSPACED}]|[{SIGNS}])"
_JOINED = re.compile(rf"{_LETTER}{{2}}|[{KATAKANA}]{{2}}|[{UNSPACED}{KATAKANA}][{SIGNS}]")
"""Two characters that belong to one word."""
_APART = frozenset({b"", *(bytes([byte]) for byte in range(0x80) if not chr(byte).isalnum())})
"""Neighbours that never join a name: signs, spaces, and the ends of a text."""


class Matcher:
    """Finds names in blocks of text and adds up the counts."""

    def __init__(self, names: Names) -> None:
        """Build the automaton: some tenths of a second and, for 20,000 names, about 400 MB."""
        try:
            import ahocorasick_rs as rust
        except ImportError:
            raise MissingPart(
                "counting needs the library ahocorasick_rs: pip install 'geobias[count]'"
            ) from None
        self._find = rust.BytesAhoCorasick(
            names.patterns,
            matchkind=rust.MatchKind.Standard,
            implementation=rust.Implementation.DFA,
        ).find_matches_as_indexes
        self._owners = names.owners
        texts = [pattern.decode() for pattern in names.patterns]
        self._leads = [text.startswith(" ") for text in texts]
        self._edges = [(text.removeprefix(" ")[0], text[-1]) for text in texts]

    def scan(self, text: bytes, tally: Tally) -> None:
        """Count the names in a text, whose lines are documents."""
        count, named_in, shared = tally.count, tally.named_in, tally.shared
        seen: dict[int, int] = {}
        document = before = 0
        for pattern, start in self._whole_words(text):
            document += text.count(b"\n", before, start)
            before = start
            owners = self._owners[pattern]
            for entity in owners:
                count[entity] = count.get(entity, 0) + 1
                if seen.get(entity) != document:
                    seen[entity] = document
                    named_in[entity] = named_in.get(entity, 0) + 1
                if len(owners) > 1:
                    shared[entity] = shared.get(entity, 0) + 1

    def _whole_words(self, text: bytes) -> list[tuple[int, int]]:
        """Return the positions of the names that count, from left to right, without overlaps."""
        found = []
        for pattern, start, end in self._find(text, overlapping=True):
            begins = start + self._leads[pattern]
            if not self._part_of_a_word(text, pattern, begins, end):
                found.append((begins, -end, pattern))
        chosen, free = [], 0  # `free`: where the last counted name ends
        for begins, end, pattern in sorted(found):
            if begins >= free:
                chosen.append((pattern, begins))
                free = -end
        return chosen

    def _part_of_a_word(self, text: bytes, pattern: int, start: int, end: int) -> bool:
        before, behind = text[max(0, start - 1) : start], text[end : end + 1]
        if before in _APART and behind in _APART:
            return False
        first, last = self._edges[pattern]
        # Four bytes have a whole character; bytes that are not UTF-8 join nothing.
        before_it = text[max(0, start - 4) : start].decode("utf-8", "replace")[-1:]
        behind_it = text[end : end + 4].decode("utf-8", "replace")[:1]
        return any(map(_JOINED.fullmatch, (before_it + first, last + behind_it)))
