"""People and things that belong to one country, which the games of Geo20Q+ are about.

`tables/entities.csv` holds each entity with its country, its category (a person's profession) and
its spellings. `tables/entity_names.csv` holds names in other languages. Measures of fame are
counted or downloaded, and None if unknown. `standing` is known for all shipped entities.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.table import TableError, read_rows, read_structs, shipped_table
from geobias.errors import BadRequest

EntityType = Literal["person", "thing"]
Gender = Literal["F", "M", ""]
Standing = Literal["3", "4", "5", "unlisted", ""]
"""The highest of Wikipedia's lists of vital articles that includes the entity.

Level 3 has 1,000 articles, level 4 10,000 and level 5 50,000. "unlisted" means that no list
includes the entity, and "" that a user's table does not say.
"""
STANDINGS: tuple[Standing, ...] = ("3", "4", "5", "unlisted")
LANGUAGE_NAMES = {
    "en": "English",
    "hi": "Hindi",
    "zh": "Mandarin",
    "es": "Spanish",
    "ja": "Japanese",
    "tr": "Turkish",
    "fr": "French",
    "ar": "Arabic",
    "pt": "Portuguese",
}
LANGUAGES = tuple(LANGUAGE_NAMES)
"""The languages of Geo20Q+, the paper's seven first; zh is Mandarin in simplified characters."""
LANGUAGE_CODE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""Pattern of any language code (de, pt-BR), since users may bring prompts and names of their own.
"""

PROFESSIONS = (
    "politics", "royalty", "military", "activism", "law", "religion", "science", "medicine",
    "exploration", "business", "literature", "journalism", "art", "architecture", "fashion",
    "music", "film", "media", "sport", "education", "philosophy",
)  # fmt: skip
CATEGORIES = (
    "landmark", "building", "museum", "university", "mountain", "river", "lake", "island", "park",
    "nature", "food", "drink", "animal", "plant", "artefact", "work", "clothing", "music",
    "festival", "sport", "brand",
)  # fmt: skip


class LocalName(msgspec.Struct, frozen=True):
    """An entity's name in one language, with other spellings of it there."""

    name: str
    aliases: tuple[str, ...] = ()


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """A person or thing that belongs to one country.

    `standard` marks a hand-picked set of at least 20 people and 20 things of each continent, which
    have names in all languages. Measures of its fame:

    standing       see `Standing`
    views          English Wikipedia page views, of the edition `views_edition`
    hpi            historical popularity index of a person, 0 to 100
    editions       number of Wikipedias with an article about it
    frequency      how often a corpus contains any of its names

    `origin` names the lists that place it in this country.
    """

    id: str
    """Lower case letters, digits and hyphens: "eiffel-tower"."""
    name: str
    type: EntityType
    category: str
    """One of `PROFESSIONS` for a person, of `CATEGORIES` for a thing."""
    country: str
    """ISO-3 code of an economy."""
    gender: Gender = ""
    aliases: tuple[str, ...] = ()
    standard: bool = False
    views: float | None = None
    views_edition: str = ""
    standing: Standing = ""
    hpi: float | None = None
    editions: float | None = None
    origin: tuple[str, ...] = ()
    frequency: float | None = None
    names: Mapping[str, LocalName] = {}

    @property
    def generic(self) -> bool:
        """Whether the thing belongs to no single country (jazz, tofu).

        No game is about it unless the user names it, but guessers may still guess it.
        """
        return "generic" in self.origin

    def name_in(self, language: str) -> str | None:
        """The name used in games in this language; None if there is none."""
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


Amount = Annotated[float, msgspec.Meta(ge=0, le=1e18)] | None


class EntityRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of an entity table. `aliases` and `origin` are separated by "|"."""

    id: Annotated[str, msgspec.Meta(min_length=1)]
    name: str
    type: EntityType
    category: str
    country: str
    gender: Gender
    aliases: str
    standard: str
    """ "1" or empty."""
    views: Amount
    views_edition: str
    standing: Standing = ""
    hpi: Amount = None
    editions: Amount = None
    origin: str = ""


COLUMNS = EntityRow.__struct_fields__
NAME_COLUMNS = ("id", "language", "name", "aliases")


@cache
def entities() -> Mapping[str, Entity]:
    """All shipped entities by id, in the order of the table."""
    return read_entities(shipped_table("entities.csv"), shipped_table("entity_names.csv"))


def read_entities(path: Path, names: Path | None = None) -> Mapping[str, Entity]:
    """The entities of a table with the columns `COLUMNS`, with names in other languages if given.

    The columns after `views_edition` may be missing. Raises `TableError`, which names the line, for
    an unknown type, category, country or language, or an id that occurs twice.
    """
    local = _read_names(names) if names else {}
    found: dict[str, Entity] = {}
    for line, row in read_structs(path, EntityRow, ("views", "hpi", "editions")):
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
        cells = msgspec.structs.asdict(row) | {
            "aliases": _split(row.aliases),
            "standard": row.standard == "1",
            "origin": _split(row.origin),
        }
        found[row.id] = Entity(**cells, names=local.get(row.id, {}))
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


def load_entities(wanted: str | None = None) -> Mapping[str, Entity]:
    """The entities of the file `wanted`, or the shipped ones if `wanted` is not a file."""
    path = entities_file(wanted)
    if path is None:
        return entities()
    names = path.with_name(f"{path.stem}_names{path.suffix}")
    found = read_entities(path, names if names.exists() else None)
    if not found:
        raise BadRequest(f"{path} has no entities")
    return found


def entities_file(wanted: str | None) -> Path | None:
    """The path of the file `wanted`; None if `wanted` is a list of entities and not a file."""
    if wanted is None or "," in wanted:
        return None
    path = Path(wanted)
    if path.is_file():
        return path
    if path.suffix.lower() == ".csv":
        raise BadRequest(f"there is no file {wanted}")
    return None
