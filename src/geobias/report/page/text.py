"""What models said, made fit to be read on a page.

Escaping is the template's work; this takes out what would still disturb a
reader: control characters, terminal escapes, marks that turn a line around, and sheer length.
"""

from __future__ import annotations

import base64
import gzip

import msgspec

from geobias.report.text import printable


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
