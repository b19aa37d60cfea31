"""The terminal: whatever is printed on it is text, and nothing that a terminal would obey."""

from __future__ import annotations

import re
from typing import Any

import rich.console

from geobias.results.formatting import printable

_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")
"""What JSON leaves as it is, and some terminals take as commands or as another direction."""


class Console(rich.console.Console):
    """Rich's console. Texts are printed as they are: no markup, no emoji codes, no escapes.

    Where the reader has gone (`| head`), it says so by BrokenPipeError, as other output does.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"highlight": False, "markup": False, "emoji": False} | given)

    def print(self, *objects: Any, **given: Any) -> None:
        safe = [printable(one) if isinstance(one, str) else one for one in objects]
        super().print(*safe, **given)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def safe_json(document: bytes) -> str:
    """The same JSON document, with escapes in place of what a terminal might obey."""
    text = document.decode("utf-8", "replace")
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
