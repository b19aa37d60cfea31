"""Does a name stand there as a word of its own? Looked at where a name was found, nowhere else.

A letter, digit or mark right before or behind a name makes it part of a longer word: "Rama" is not
in "Ramadan". Scripts that write without spaces (Chinese, hiragana, Thai, Lao, Khmer, Burmese) have
no such sign, so a name in them counts wherever it stands. Katakana marks where its words end, by
changing to another script: インド (India) is not in インドネシア (Indonesia).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Literal

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


def character_at(text: bytes | bytearray, place: int) -> str:
    """The character that begins here; a space for bytes that are no UTF-8, which joins nothing."""
    return _decoded(bytes(text[place : place + _length(text[place])]))


def character_before(text: bytes | bytearray, place: int) -> str:
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
