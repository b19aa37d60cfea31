"""Text from elsewhere, made safe to show: on a terminal, on a page, in a document."""

from __future__ import annotations

import unicodedata

MOST_SHOWN = 20_000
_TURNS_TEXT_AROUND = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """Text without escape sequences, control characters or marks that reorder a line.

    Line breaks and tabs stay, as do the spaces and joiners of other scripts. Nearly all text is
    harmless, and is found so quickly.
    """
    shown = text[:MOST_SHOWN]
    if shown.replace("\n", "").replace("\t", "").isprintable():
        return shown
    return "".join(c if _harmless(c) else "\ufffd" for c in shown)


def one_line(text: str) -> str:
    """The same for what belongs on one line: names, roles, outcomes."""
    return " ".join(printable(text).split())


def _harmless(character: str) -> bool:
    if character in "\n\t":
        return True
    kind = unicodedata.category(character)
    return kind not in ("Cc", "Cs", "Cn") and character not in _TURNS_TEXT_AROUND
