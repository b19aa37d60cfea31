"""The words, patterns and prompts that readers use (`words.toml`)."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_DOTLESS = str.maketrans("İı", "ii")


def folded(text: str) -> str:
    """Return a text in the form of tables: lower case, with i for the Turkish İ and ı."""
    return unicodedata.normalize("NFKC", text).translate(_DOTLESS).casefold()


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@cache
def words(name: str) -> tuple[str, ...]:
    """Return a list of `words.toml`."""
    listed = _file()[name]
    parted = listed.split("|") if isinstance(listed, str) else listed
    return tuple(" ".join(one.split()) for one in parted)


def entries(name: str) -> Mapping[str, str]:
    """Return a table of `words.toml`."""
    table: Mapping[str, str] = _file()[name]
    return table
