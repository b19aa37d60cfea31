"""What models said, made fit to be read on a page.

Escaping is the template's and the JSON encoder's work; this takes out what would still disturb a
reader: control characters, terminal escapes, marks that turn a line around, and sheer length.
"""

from __future__ import annotations

import msgspec

from geobias.report.text import printable


def readable(text: str, most: int) -> str:
    """The text's first `most` characters, harmless; says how many there were where it is cut."""
    shown = printable(text[:most]).strip()
    return shown if len(text) <= most else f"{shown} … ({len(text):,} characters)"


def harmless(value: object) -> object:
    """Any text without what disturbs a page; markup of our own and other things as they are."""
    return printable(value) if type(value) is str and not value.isprintable() else value


def script_json(value: object) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element."""
    text = msgspec.json.encode(value).decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
