"""The words that readers look for (`words.toml`)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def words(name: str) -> tuple[str, ...]:
    """A list of the file, in its order."""
    table = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
    return tuple(" ".join(one.split()) for one in table[name].split("|"))
