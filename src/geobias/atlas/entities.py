"""People and things that belong to one country, which the games of Geo20Q+ are about.

`tables/entities.csv` holds each entity with its country, its category (a person's profession) and
its spellings. `tables/entity_names.csv` holds names in other languages. `entity_files` reads tables
of users.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.table import TableError, read_rows, read_structs, shipped_table

EntityType = Literal["person", "thing"]
Standing = Literal["3", "4", "5", "unlisted", ""]
"""The highest of Wikipedia's lists of vital articles that includes the entity.

Level 3 has 1,000 articles, level 4 10,000 and level 5 50,000. "unlisted" means that no list
includes the entity, and "" that a user's table does not say.
"""
_WORDS = tomllib.loads(Path(__file__).with_name("entities.toml").read_text("utf-8"))
PROFESSIONS: list[str] = _WORDS["professions"]
CATEGORIES: list[str] = _WORDS["things"]
LANGUAGE_NAMES: dict[str, str] = _WORDS["languages"]
LANGUAGES = tuple(LANGUAGE_NAMES)
LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""A language code (de, pt-BR), since users may bring prompts and names of their own."""


class LocalName(msgspec.Struct, frozen=True):
    """An entity's name in one language, with other spellings of it there."""

    name: str
    aliases: tuple[str, ...] = ()


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """A person or thing that belongs to one country.

    standing  see `Standing`
    views     English Wikipedia page views
    rank      its place among shipped entities of its type, the best known first
    generic   whether it belongs to no single country (jazz). Games are about it only if named
    """

    id: str
    """Lower case letters, digits and hyphens: "eiffel-tower"."""
    name: str
    type: EntityType
    category: str
    """One of `PROFESSIONS` for a person, of `CATEGORIES` for a thing."""
    country: str
    aliases: tuple[str, ...] = ()
    views: float | None = None
    standing: Standing = ""
    rank: float = math.inf
    generic: bool = False
    names: Mapping[str, LocalName] = {}

    def name_in(self, language: str) -> str | None:
        if language == "en":
            return self.name
        local = self.names.get(language)
        return local.name if local else None

    def spellings(self, language: str) -> tuple[str, ...]:
        """All spellings that count as naming it in a game in this language.

        English spellings count in every language, since a guesser may use Latin letters.
        """
        here = self.names.get(language)
        local = (here.name, *here.aliases) if here and language != "en" else ()
        return tuple(dict.fromkeys((*local, self.name, *self.aliases)))


class EntityRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of an entity table. `aliases` and `origin` are separated by "|"."""

    id: Annotated[str, msgspec.Meta(min_length=1)]
    name: str
    type: EntityType
    category: str
    country: str
    aliases: str = ""
    views: Annotated[float, msgspec.Meta(ge=0, le=1e18)] | None = None
    standing: Standing = ""
    rank: float | None = None
    origin: str = ""


NAME_COLUMNS = ("id", "language", "name", "aliases")


@cache
def entities() -> Mapping[str, Entity]:
    return read_entities(shipped_table("entities.csv"), shipped_table("entity_names.csv"))


def read_entities(path: Path, names: Path | None = None) -> Mapping[str, Entity]:
    """The entities of a table with the columns of `EntityRow`, and of one with `NAME_COLUMNS`."""
    local = _read_names(names) if names else {}
    found: dict[str, Entity] = {}
    for line, row in read_structs(path, EntityRow, ("views", "rank")):
        categories = PROFESSIONS if row.type == "person" else CATEGORIES
        if row.id in found:
            raise TableError(path, line, f"the id {row.id!r} occurs twice")
        if not row.name.strip():
            raise TableError(path, line, "has no name")
        if row.category not in categories:
            known = f"category of a {row.type}: {', '.join(categories)}"
            raise TableError(path, line, f"{row.category!r} is not a {known}")
        if row.country not in economies():
            raise TableError(path, line, f"{row.country!r} is not a country's code")
        cells = msgspec.structs.asdict(row) | {"aliases": _split(row.aliases)}
        cells["rank"] = row.rank or math.inf
        generic = "generic" in _split(cells.pop("origin"))
        found[row.id] = Entity(**cells, generic=generic, names=local.get(row.id, {}))
    return found


def _read_names(path: Path) -> dict[str, dict[str, LocalName]]:
    found: dict[str, dict[str, LocalName]] = {}
    for line, row in read_rows(path, NAME_COLUMNS):
        if row["language"] == "en" or not LANGUAGE_CODE.fullmatch(row["language"]):
            raise TableError(
                path, line, f"{row['language']!r} is not a language code such as hi, zh or pt-BR"
            )
        local = LocalName(row["name"], _split(row["aliases"]))
        found.setdefault(row["id"], {})[row["language"]] = local
    return found


def _split(aliases: str) -> tuple[str, ...]:
    if not aliases:
        return ()
    return tuple(alias.strip() for alias in aliases.split("|") if alias.strip())
