"""What models said, made fit to be read on a page.

Escaping is the template's work; this takes out what would still disturb a
reader: control characters, terminal escapes, marks that turn a line around, and sheer length.
"""

from __future__ import annotations

import base64
import gzip
from typing import Any, TypeVar

import msgspec

from geobias.results.formatting import with_true_minus
from geobias.results.text import printable


def readable(text: str, most: int) -> str:
    """The text's first `most` characters, harmless; says how many there were where it is cut."""
    shown = harmless(text[:most]).strip()
    return shown if len(text) <= most else f"{shown} … ({len(text):,} characters)"


def harmless(text: str) -> str:
    """Text without what disturbs a page; nearly all text is harmless, and is found so quickly."""
    return text if text.replace("\n", " ").isprintable() else printable(text)


def finalized(value: object) -> object:
    """What the template prints: text made harmless, markup of our own as it is."""
    return harmless(value) if type(value) is str else value


def packed(value: object) -> str:
    """A value as JSON, compressed, in letters that mean nothing to HTML. Equal values, equal text.

    A profile's replies take a fifth of their size so, and no reply can end the element it is in.
    """
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), mtime=0)).decode()


T = TypeVar("T")


def with_true_minuses(value: T) -> T:
    """Everything in lists and mappings that is text of ours, with a minus before numbers."""
    made: Any = value
    if isinstance(value, str):
        made = with_true_minus(value)
    elif isinstance(value, dict):
        made = {key: with_true_minuses(one) for key, one in value.items()}
    elif isinstance(value, list):
        made = [with_true_minuses(one) for one in value]
    return made  # type: ignore[no-any-return]
