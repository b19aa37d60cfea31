"""Kinds of people and things that a question may ask for: `kinds.toml` says what each settles."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from geobias.atlas.entities import CATEGORIES, Entity

_KIND_BITS = {kind: 1 << index for index, kind in enumerate(("F", "M", *CATEGORIES))}
_EITHER_GENDER = _KIND_BITS["F"] | _KIND_BITS["M"]
ALL_KINDS = (1 << len(_KIND_BITS)) - 1


class Kind(msgspec.Struct, frozen=True):
    """What a word says of the target's kind; sets of kinds as bits of an integer."""

    name: str
    sure: int
    open: int
    professions: tuple[str, ...] = ()

    def truth(self, entity: Entity) -> bool | None:
        """Whether it is so; None where the table does not settle it."""
        if self.professions:
            return True if entity.type == "person" and entity.category in self.professions else None
        here = _kind_of(entity)
        if not here & ~self.sure:
            return True
        return None if here & (self.sure | self.open) else False

    @property
    def possible(self) -> int:
        return _EITHER_GENDER if self.professions else self.sure | self.open


@cache
def kinds() -> Mapping[str, Kind]:
    table: dict[str, Any] = tomllib.loads(Path(__file__).with_name("kinds.toml").read_text("utf-8"))
    return {
        name: Kind(
            name,
            _bits(row.get("yes", ())),
            _bits(row.get("open", ())),
            tuple(row.get("professions", ())),
        )
        for name, row in table.items()
    }


def _bits(names: Iterable[str]) -> int:
    return sum(_KIND_BITS[name] for name in names)


def _kind_of(entity: Entity) -> int:
    if entity.type == "thing":
        return _KIND_BITS[entity.category]
    return _KIND_BITS[entity.gender] if entity.gender else _EITHER_GENDER
