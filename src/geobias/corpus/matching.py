"""All names in one pass over the bytes of a text.

The automaton finds, from left to right, the longest name that begins at each place and goes on
behind it: "University of Otago" counts for the university and not for "Otago". What it finds may
be no word of its own ("Rama" in "Ramadan"), and would then hide names that begin inside it: those
places, and no others, are looked through again for names that are.

Documents are lines here; see `geobias.corpus.reading`, which makes them so.

Does a name stand there as a word of its own? Looked at where a name was found, nowhere else.

A letter, digit or mark right before or behind a name makes it part of a longer word: "Rama" is not
in "Ramadan". Scripts that write without spaces (Chinese, hiragana, Thai, Lao, Khmer, Burmese) have
no such sign, so a name in them counts wherever it stands. Katakana marks where its words end, by
changing to another script: インド (India) is not in インドネシア (Indonesia).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal

from geobias.corpus.spellings import Names, Tally
from geobias.errors import MissingPart

Script = Literal["none", "spaced", "unspaced", "katakana", "mark"]
"""How a character joins its neighbours; "none" for signs and spaces, which do not."""

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
    if any(low <= code <= high for low, high in _UNSPACED):
        return "unspaced"
    return "spaced"


def joins(inner: Script, outer: Script) -> bool:
    """Whether the last (first) character of a name and the one behind (before) it are one word."""
    if outer == "none":
        return False
    if outer == "mark":
        return True  # it changes the letter before it
    if inner in ("spaced", "mark"):
        return outer == "spaced"
    return inner == outer == "katakana"


def character_at(text: bytes, place: int) -> str:
    """The character that begins here; a space for bytes that are no UTF-8, which joins nothing."""
    return _decoded(bytes(text[place : place + _length(text[place])]))


def character_before(text: bytes, place: int) -> str:
    """The character that ends here."""
    start = place - 1
    while start > 0 and start > place - 4 and text[start] & 0xC0 == 0x80:
        start -= 1
    return _decoded(bytes(text[start:place]))


def _length(first: int) -> int:
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()[:1] or " "
    except UnicodeDecodeError:
        return " "


_LETTER, _UNKNOWN = 1, 2
_NEIGHBOUR = bytes(
    _UNKNOWN if byte >= 0x80 else _LETTER if chr(byte).isalnum() else 0 for byte in range(256)
)
"""What a byte beside a name says: it joins nothing, is an ASCII letter or digit, or look closer."""


class Matcher:
    """Looks for names in blocks of text, and adds up what it finds."""

    def __init__(self, names: Names) -> None:
        """Takes some tenths of a second and, for 20,000 names, some 400 MB."""
        try:
            import ahocorasick_rs as rust
        except ImportError:
            raise MissingPart(
                "counting needs the library ahocorasick_rs: pip install 'geobias[count]'"
            ) from None
        self.names = names
        self._find = rust.BytesAhoCorasick(
            names.patterns,
            matchkind=rust.MatchKind.LeftmostLongest,
            implementation=rust.Implementation.DFA,
        ).find_matches_as_indexes
        self._all = rust.BytesAhoCorasick(
            names.patterns,
            matchkind=rust.MatchKind.Standard,
            implementation=rust.Implementation.ContiguousNFA,
        ).find_matches_as_indexes
        entity = [spelling.entity for spelling in names.spellings]
        self._owners = [tuple((one, entity[one]) for one in whose) for whose in names.owners]
        self._leads = [pattern[:1] == b" " for pattern in names.patterns]
        edges = [_edges(pattern) for pattern in names.patterns]
        self._edges = [(first, last) for first, last, _ in edges]
        self._spaced = [first == last == "spaced" for first, last, _ in edges]
        self._may_hide = [parted for _, _, parted in edges]
        self._longest = max(map(len, names.patterns), default=0)
        self._document = 0

    def scan(self, text: bytes, tally: Tally) -> None:
        """Count the names in a text, whose lines are documents."""
        counts, documents, shared = tally.counts, tally.documents_with, tally.shared
        seen = tally.last_seen
        here = self._document + 1
        before = 0
        for pattern, start, _ in self._taken(text):
            if text.rfind(b"\n", before, start) >= 0:
                here += 1
            before = start
            owners = self._owners[pattern]
            for spelling, entity in owners:
                counts[spelling] += 1
                if seen[entity] != here:
                    seen[entity] = here
                    documents[entity] += 1
                if len(owners) > 1:
                    shared[entity] += 1
        self._document = here

    def _taken(self, text: bytes) -> list[tuple[int, int, int]]:
        """The names that count, from left to right, none within another."""
        neighbour, leads, spaced, may_hide = _NEIGHBOUR, self._leads, self._spaced, self._may_hide
        taken = []
        free = 0  # where the last name that counts ends
        for match in self._find(text):
            pattern, start, end = match
            start += leads[pattern]
            if start >= free:
                near = neighbour[text[start - 1]] if start else 0
                if end < len(text):
                    near |= neighbour[text[end]]
                if not near or (
                    not (near & _LETTER and spaced[pattern])
                    and self._whole(text, pattern, start, end)
                ):
                    taken.append(match)
                    free = end
                    continue
                if not may_hide[pattern]:
                    continue
            elif end <= free:
                continue
            for other in self._hidden(text, max(start, free), end):
                taken.append(other)
                free = other[2]
        return taken

    def _whole(self, text: bytes, pattern: int, start: int, end: int) -> bool:
        first, last = self._edges[pattern]
        return not (
            (start and joins(first, script(character_before(text, start))))
            or (end < len(text) and joins(last, script(character_at(text, end))))
        )

    def _hidden(self, text: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
        """Names that are words of their own and begin between these places, leftmost, longest."""
        before = max(0, start - 1)  # where the space is that some patterns begin with
        window = text[before : end + self._longest]
        whole = []
        for pattern, first, last in self._all(window, overlapping=True):
            begins, ends = before + first + self._leads[pattern], before + last
            if start <= begins < end and self._whole(text, pattern, begins, ends):
                whole.append((begins, -ends, pattern))
        chosen: list[tuple[int, int, int]] = []
        for begins, ends, pattern in sorted(whole):
            if not chosen or begins >= chosen[-1][2]:
                chosen.append((pattern, begins, -ends))
        return chosen


def _edges(pattern: bytes) -> tuple[Script, Script, bool]:
    """How the first and the last character join, and whether a word may begin in between."""
    kinds = [script(character) for character in pattern.decode().removeprefix(" ")]
    return kinds[0], kinds[-1], any(kind != "spaced" for kind in kinds)
