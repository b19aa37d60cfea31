"""What a model said, made fit for a page: harmless, not too long, the part that was read marked.

Escaping is the templates' work. This takes out terminal escapes and marks that turn a line around,
one character for one, so that places in the text stay what they were.
"""

from __future__ import annotations

import msgspec

from geobias.results.text import printable

MOST = 6_000
"""Characters shown of one reply; the rest is behind a link."""
AROUND = 1_500
"""Characters before a marked part that lies beyond the cut."""
SNIPPET = 220
"""Characters that a list shows of a reply."""
_SEVERAL = 20_000


class Passage(msgspec.Struct, frozen=True):
    """A text in three parts, the middle one marked; how much is left out before and after."""

    before: str
    marked: str
    after: str
    skipped: int = 0
    cut: int = 0

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return not (self.skipped or self.cut)


def passage(text: str, span: tuple[int, int] | None = None) -> Passage:
    """A text with the part from `span[0]` to `span[1]` marked, cut around it where it is long."""
    start, end = span or (0, 0)
    if not 0 <= start < end <= len(text):
        return Passage(safe(text[:MOST]), "", "", cut=max(0, len(text) - MOST))
    end = min(end, start + MOST)
    first = 0 if end <= MOST else max(0, start - AROUND)
    last = min(len(text), max(end, first + MOST))
    return Passage(
        safe(text[first:start]),
        safe(text[start:end]),
        safe(text[end:last]),
        skipped=first,
        cut=len(text) - last,
    )


def safe(text: str) -> str:
    """Harmless text of any length; `printable` takes so much at a time."""
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(printable(text[i : i + _SEVERAL]) for i in range(0, len(text), _SEVERAL))


def snippet(text: str, words: list[str]) -> Passage:
    """The neighbourhood of the first of these words; the beginning where none is found."""
    line = " ".join(text[:400_000].split())
    low = line.casefold()
    places = [(low.find(word), len(word)) for word in words if word]
    found = min((one for one in places if one[0] >= 0), default=None)
    if found is None or len(low) != len(line):  # casefold may lengthen: ß, İ
        return Passage(safe(line[:SNIPPET]), "", "", cut=max(0, len(line) - SNIPPET))
    start, end = found[0], found[0] + found[1]
    first = max(0, start - SNIPPET // 3)
    last = min(len(line), max(end, first + SNIPPET))
    return Passage(
        safe(line[first:start]),
        safe(line[start:end]),
        safe(line[end:last]),
        skipped=first,
        cut=len(line) - last,
    )
