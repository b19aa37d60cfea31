"""Finds all names in one pass over the bytes of a text in which every line is a document.

An automaton finds every name, and a name counts if it is a whole word. If names overlap, the first
one counts, and among names that begin together the longest: "University of Otago" counts for the
university and not for "Otago".

A letter, digit or mark directly before or after a name makes it part of a longer word: "Rama" does
not count in "Ramadan". Scripts without spaces (Chinese, hiragana, Thai, Lao, Khmer, Burmese) do not
show where a word ends, so a name in them counts everywhere. Katakana marks the end of a word by a
change of script: インド (India) does not count in インドネシア (Indonesia).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal

from geobias.corpus.reading import Tally
from geobias.corpus.spellings import Names
from geobias.errors import MissingPart

Script = Literal["none", "spaced", "unspaced", "katakana", "mark"]
"""The script of a character, which decides whether it joins its neighbours to a word. "none" is for
signs and spaces.
"""

_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3005, 0x3007),
    (0x3041, 0x309F),  # hiragana
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),  # rarer Chinese characters
)
_KATAKANA = ((0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9F))


@lru_cache(maxsize=65536)
def script(character: str) -> Script:
    code = ord(character)
    if code < 0x80:
        return "spaced" if character.isalnum() else "none"
    if any(low <= code <= high for low, high in _KATAKANA):
        return "katakana"
    kind = unicodedata.category(character)
    if kind[0] == "M":
        return "mark"
    if kind[0] not in "LN":
        return "none"
    return "unspaced" if any(low <= code <= high for low, high in _UNSPACED) else "spaced"


def joins(inner: Script, outer: Script) -> bool:
    """Whether a character at the edge of a name (`inner`) and its neighbour (`outer`) form one
    word.
    """
    if outer == "mark":
        return True  # it changes the letter before it
    if inner in ("spaced", "mark"):
        return outer == "spaced"
    return inner == outer == "katakana"


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
        entity = [spelling.entity for spelling in names.spellings]
        self._owners = [tuple((one, entity[one]) for one in whose) for whose in names.owners]
        self._leads = [pattern[:1] == b" " for pattern in names.patterns]
        texts = [pattern.decode().removeprefix(" ") for pattern in names.patterns]
        self._edges = [(script(text[0]), script(text[-1])) for text in texts]

    def scan(self, text: bytes, tally: Tally) -> None:
        """Count the names in a text, whose lines are documents."""
        counts, documents, shared = tally.counts, tally.documents_with, tally.shared
        seen: dict[int, int] = {}
        document = before = 0
        for pattern, start in self._whole_words(text):
            document += text.count(b"\n", before, start)
            before = start
            owners = self._owners[pattern]
            for spelling, entity in owners:
                counts[spelling] = counts.get(spelling, 0) + 1
                if seen.get(entity) != document:
                    seen[entity] = document
                    documents[entity] = documents.get(entity, 0) + 1
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
        before_it = text[max(0, start - 4) : start].decode("utf-8", "replace")[-1:] or " "
        behind_it = text[end : end + 4].decode("utf-8", "replace")[:1] or " "
        return joins(first, script(before_it)) or joins(last, script(behind_it))


_APART = frozenset({b"", *(bytes([byte]) for byte in range(0x80) if not chr(byte).isalnum())})
"""Neighbours that never join a name: signs, spaces, and the ends of a text."""
