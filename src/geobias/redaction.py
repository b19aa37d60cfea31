"""Secrets, taken out of whatever is stored or shown.

A server may echo the key that it was sent, as it is or escaped: in JSON (`\\u0073`, `\\/`), in an
address (`%73`), in HTML (`&#115;`). All of these are one pattern, so that text is clean whether it
was decoded once, twice or not at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

SHORTEST_SECRET = 12
"""Stand-ins for a key ("none", "test") are no secrets; replacing them would damage words."""
REDACTED = "[key]"
_SECRET_NAMES = re.compile(r"(API_?KEY|ACCESS_KEY|SECRET_?KEY|SECRET|TOKEN|PASSWORD)$", re.I)
_SIGNS = ("\\", "%", "&")
"""What an escaped character begins with."""
_PASSWORD = re.compile(r"//[^/@\s]*@")


class Redactor:
    """Takes these secrets out of texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        kept = {one for one in secrets if len(one) >= SHORTEST_SECRET}
        self._secrets = sorted(kept, key=len, reverse=True)  # one may begin with another
        patterns = ["".join(map(_spellings, secret)) for secret in self._secrets]
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def __call__(self, text: str) -> str:
        if self._pattern is None:
            return text
        if not any(sign in text for sign in _SIGNS):  # nearly every answer
            for secret in self._secrets:
                text = text.replace(secret, REDACTED)
            return text
        return self._pattern.sub(REDACTED, text)

    def in_bytes(self, raw: bytes) -> bytes:
        """The same for a body that was not decoded."""
        if self._pattern is None:
            return raw
        text = raw.decode("utf-8", "surrogateescape")
        return self(text).encode("utf-8", "surrogateescape")


def of_environment(environment: Mapping[str, str] = os.environ) -> Redactor:
    """Of every variable that is called a key, a token, a secret or a password."""
    return Redactor(
        value.strip() for name, value in environment.items() if _SECRET_NAMES.search(name)
    )


def without_passwords(text: str) -> str:
    """Addresses in it, without the user and password that may stand in them."""
    return _PASSWORD.sub("//", text)


def _spellings(character: str) -> str:
    """A pattern for a character however it is escaped.

    Several backslashes are escapes of escapes; there is a most of them, so that matching takes a
    time that is linear in the text.
    """
    code = ord(character)
    units = character.encode("utf-16-be").hex()
    in_json = "".join(rf"\\{{1,8}}u(?i:{units[i : i + 4]})" for i in range(0, len(units), 4))
    in_address = "".join(f"%(?i:{byte:02x})" for byte in character.encode())
    in_html = rf"&\#(?:0{{0,8}}{code}|[xX]0{{0,8}}(?i:{code:x}));"
    named = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}.get(character)
    plain = rf"\\{{0,8}}{re.escape(character)}"
    return f"(?:{'|'.join(filter(None, [in_json, in_address, in_html, named, plain]))})"
