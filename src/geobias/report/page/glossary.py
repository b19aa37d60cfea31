"""The words of a report, each with a plain meaning."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec


class Word(msgspec.Struct, frozen=True):
    word: str
    meaning: str


@cache
def glossary() -> tuple[Word, ...]:
    """In alphabetical order; docs/glossary.md has the same."""
    text = (Path(__file__).parent / "glossary.toml").read_bytes()
    found = msgspec.toml.decode(text, type=dict[str, str])
    return tuple(Word(word, found[word]) for word in sorted(found, key=str.casefold))
