"""What a model said, made fit for a page: harmless, not too long, the part that was read marked.

Escaping is the templates' work. This takes out terminal escapes and marks that turn a line around,
one character for one, so that places in the text stay what they were.
"""

from __future__ import annotations

import msgspec

from geobias.report.page.text import harmless

MOST = 6_000
"""Characters shown of one reply; the rest is behind a link."""
AROUND = 1_500
"""Characters before a marked part that lies beyond the cut."""
SNIPPET = 220
"""Characters that a list shows of a reply."""
safe = harmless


class Passage(msgspec.Struct, frozen=True):
    """A text in three parts, the middle one marked; how much is left out before and after."""

    before: str
    marked: str
    after: str
    skipped: int = 0
    cut: int = 0

    @property
    def whole(self) -> bool:
        return not (self.skipped or self.cut)


def passage(text: str, span: tuple[int, int] | None = None) -> Passage:
    """A text with the part from `span[0]` to `span[1]` marked, cut around it where it is long."""
    start, end = span or (0, 0)
    if not 0 <= start < end <= len(text):
        return _cut_out(text, 0, 0, 0, MOST)
    end = min(end, start + MOST)
    return _cut_out(text, 0 if end <= MOST else max(0, start - AROUND), start, end, MOST)


def snippet(text: str, words: list[str]) -> Passage:
    """The neighbourhood of the first of these words; the beginning where none is found."""
    line = " ".join(text[:400_000].split())
    low = line.casefold()
    places = [(low.find(word), len(word)) for word in words if word]
    start, length = min((place for place in places if place[0] >= 0), default=(0, 0))
    if len(low) != len(line):  # casefold may lengthen: ß, İ
        start, length = 0, 0
    return _cut_out(line, max(0, start - SNIPPET // 3), start, start + length, SNIPPET)


def _cut_out(text: str, first: int, start: int, end: int, most: int) -> Passage:
    """`most` characters from `first` on, those from `start` to `end` marked, and whole."""
    last = min(len(text), max(end, first + most))
    before, marked, after = text[first:start], text[start:end], text[end:last]
    if not marked:
        before, after = after, ""
    return Passage(harmless(before), harmless(marked), harmless(after), first, len(text) - last)
