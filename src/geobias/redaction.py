"""Remove keys and other secrets from everything that is stored or shown.

A server may echo the key that it was sent. A plain key is replaced. A key may also be escaped: in
JSON (`\\u0073`, `\\/`), in an address (`%73`), in HTML (`&#115;`, `&lowbar;`), or split by
invisible characters or line breaks. A text that hides a key in such ways, also several times over,
is withheld whole.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

SHORTEST_SECRET = 12
"""Minimum length of a secret. Shorter values are placeholders ("none") or parts of words."""
REDACTED = "[key]"
WITHHELD = "[withheld: the text has the key in it, disguised]"
LEVELS = 4
"""Maximum levels of escapes (escapes of escapes) that are undone."""
_SECRET_NAMES = re.compile(r"(API_?KEY|ACCESS_KEY|SECRET_?KEY|SECRET|TOKEN|PASSWORD)$", re.I)
_SIGNS = ("\\", "%", "&", "<")
"""The signs with which an escaped character or a line-break tag begins."""
_ESCAPED = re.compile(r"(?<!\\)\\++u([0-9a-f]{4})", re.I)
_LINE_BREAK = re.compile(r"\\+[nrtfv]?|<w?br ?/?>", re.I)
_INVISIBLE = re.compile("[\xad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_PASSWORD = re.compile(r"//[^/@\s]*@")


class Redactor:
    """Replaces secrets in texts, and withholds texts in which one is disguised."""

    def __init__(self, secrets: Iterable[str]) -> None:
        kept = {one for one in secrets if len(one) >= SHORTEST_SECRET}
        self._secrets = sorted(kept, key=len, reverse=True)  # one may begin with another
        self._plain = [plain for one in self._secrets if (plain := _plain(one))]

    def __call__(self, text: str) -> str:
        if not self._secrets:
            return text
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        try:
            plain = _plain(text)
        except ValueError:  # an HTML escape of thousands of digits
            return WITHHELD
        return WITHHELD if any(secret in plain for secret in self._plain) else text

    def in_bytes(self, raw: bytes) -> bytes:
        """Return an encoded body with its secrets replaced."""
        text = raw.decode("utf-8", "surrogateescape")
        return self(text).encode("utf-8", "surrogateescape")


def of_environment(environment: Mapping[str, str] = os.environ) -> Redactor:
    """Return a redactor for variables whose name contains key, token, secret or password."""
    return Redactor(
        value.strip() for name, value in environment.items() if _SECRET_NAMES.search(name)
    )


def without_passwords(text: str) -> str:
    """Return the text without the user names and passwords in its addresses."""
    return _PASSWORD.sub("//", text)


def _plain(text: str) -> str:
    """Return the text without escapes, blanks and invisible characters."""
    if any(sign in text for sign in _SIGNS):  # hardly any answer
        for _ in range(LEVELS):
            before, text = text, html.unescape(unquote(text))
            text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
            text = _LINE_BREAK.sub("", text)
            if text == before:
                break
    whole = "".join(text.split())
    return whole if whole.isascii() else _INVISIBLE.sub("", whole)
