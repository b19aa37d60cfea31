"""Remove keys and other secrets from everything that is stored or shown.

A server may echo the key that it was sent, plain or escaped: in JSON (`\\u0073`, `\\/`), in an
address (`%73`), in HTML (`&#115;`, `&lowbar;`), or with invisible characters or line breaks between
its characters. One pattern matches all these forms, so secrets are found whether the text was
decoded once, twice or not at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from html.entities import html5

SHORTEST_SECRET = 12
"""Minimum length of a secret. Shorter values are placeholders ("none") or parts of words."""
REDACTED = "[key]"
_SECRET_NAMES = re.compile(r"(API_?KEY|ACCESS_KEY|SECRET_?KEY|SECRET|TOKEN|PASSWORD)$", re.I)
_SIGNS = ("\\", "%", "&", "<")
"""The signs with which an escaped character or a line-break tag begins."""
_INVISIBLE = "\xad\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_INVISIBLE_SIGN = re.compile(f"[{_INVISIBLE}]")
_AND = "&(?:amp;){0,4}"
_GAP = (
    rf"(?:\s|[{_INVISIBLE}]|<(?i:w?br) ?/?>|%(?:0[9a-dA-D]|20)"
    r"|\\{1,8}(?:[nrtfv]|u(?i:00(?:0[9a-d]|20|a0|ad)|200[b-f]|202[89]|2060|feff))"
    rf"|{_AND}(?:nbsp|shy|Tab|NewLine|zwj|zwnj|ZeroWidthSpace"
    r"|\#0{0,8}(?:9|10|13|32|160|173|820[3-7]|8288|65279)"
    r"|\#[xX]0{0,8}(?i:9|a|d|20|a0|ad|200[b-f]|2060|feff));){0,32}"
)
"""Invisible characters and line breaks, which may stand between two characters of a secret."""
_PASSWORD = re.compile(r"//[^/@\s]*@")


class Redactor:
    """Replaces secrets in texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        kept = {one for one in secrets if len(one) >= SHORTEST_SECRET}
        self._secrets = sorted(kept, key=len, reverse=True)  # one may begin with another
        self._squeezed = [_squeezed(secret) for secret in self._secrets]
        patterns = [_GAP.join(map(_spellings, secret)) for secret in self._secrets]
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def __call__(self, text: str) -> str:
        if self._pattern is None:
            return text
        if not any(sign in text for sign in _SIGNS):  # nearly every answer
            squeezed = _squeezed(text)
            if not any(secret in squeezed for secret in self._squeezed):
                return text
        return self._pattern.sub(REDACTED, text)

    def in_bytes(self, raw: bytes) -> bytes:
        """Return an encoded body with its secrets replaced."""
        if self._pattern is None:
            return raw
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


def _squeezed(text: str) -> str:
    """Return the text without invisible characters."""
    whole = "".join(text.split())
    return whole if whole.isascii() else _INVISIBLE_SIGN.sub("", whole)


_NAMES: dict[str, list[str]] = {}
for _name, _sign in html5.items():
    if _name.endswith(";") and len(_sign) == 1 and not _sign.isalnum():
        _NAMES.setdefault(_sign, []).append(_name[:-1])


def _spellings(character: str) -> str:
    """Return a pattern for a character in each of its escaped forms.

    The number of repeated backslashes (escapes of escapes) is limited, so that matching takes
    linear time.
    """
    code = ord(character)
    units = character.encode("utf-16-be").hex()
    in_json = "".join(rf"\\{{1,8}}u(?i:{units[i : i + 4]})" for i in range(0, len(units), 4))
    in_address = "".join(f"%(?i:{byte:02x})" for byte in character.encode())
    names = "".join(f"|{name}" for name in _NAMES.get(character, ()))
    in_html = rf"{_AND}(?:\#(?:0{{0,8}}{code}|[xX]0{{0,8}}(?i:{code:x})){names});?"
    plain = rf"\\{{0,8}}{re.escape(character)}"
    return f"(?:{in_json}|{in_address}|{in_html}|{plain})"
