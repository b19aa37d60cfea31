"""How each language asks for a fact that the entity table knows: one file for each.

Games hold the judge against these questions, and the simulated judge knows them by heart.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

_HERE = Path(__file__).parent


class Phrasing(msgspec.Struct, frozen=True):
    """How a language asks for facts: with {place} where people are from, where things stand, and
    where other things come from; and whole questions for "no person" and for each kind.
    """

    origin: str
    position: str
    provenance: str
    thing: str
    kinds: Mapping[str, str]
    source: str = ""


@cache
def phrasing(language: str) -> Phrasing:
    """How facts are asked for in one of `LANGUAGES`."""
    table = tomllib.loads((_HERE / f"{language}.toml").read_text("utf-8"))
    return Phrasing(**table, source=repr(table))
