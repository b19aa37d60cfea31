"""Make texts of models fit for a page.

Templates escape texts. This module removes what would still disturb a reader: control characters,
terminal escapes, marks that reverse a line, and excessive length.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from pathlib import Path

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from geobias.results.formatting import MOST_SHOWN, interval, number, printable, with_true_minus


def harmless(text: str) -> str:
    """Replace each character that would disturb a page. The length stays the same.

    Nearly every text is harmless already, and is returned after a fast check.
    """
    if text.isprintable():
        return text
    return "".join(printable(text[i : i + MOST_SHOWN]) for i in range(0, len(text), MOST_SHOWN))


def readable(text: str, most: int) -> str:
    """The text's first `most` characters, made harmless. A cut text ends with its full length."""
    shown = harmless(text[:most]).strip()
    return shown if len(text) <= most else f"{shown} … ({len(text):,} characters)"


def finalized(value: object) -> object:
    """Make each text that a template prints harmless. Our own markup stays unchanged."""
    return harmless(value) if type(value) is str else value


def template_environment(folders: Sequence[Path], **options: bool) -> Environment:
    """A template environment that escapes every text and makes it harmless."""
    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalized,
        **options,  # type: ignore[arg-type]
    )
    environment.globals |= {"interval": interval, "number": number}
    environment.filters["true_minus"] = with_true_minus
    return environment


def packed(value: object) -> str:
    """Compress a value of harmless texts as JSON, in letters that mean nothing to HTML.

    It shrinks a profile's replies to a fifth, and no reply can end the element that holds it. Equal
    values give equal text.
    """
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), mtime=0)).decode()
