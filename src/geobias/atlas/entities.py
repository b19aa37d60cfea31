"""People and things that belong to one country, which the games of Geo20Q+ are about.

`tables/entities.csv` holds each entity with its country, its category (a person's profession) and
its spellings. `tables/entity_names.csv` holds names in other languages. Measures of fame are
counted or downloaded, and None if unknown. `standing` is known for all shipped entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.table import TableError, read_rows, shipped_table
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

    `standard` marks the standard set of version 0.1: 25 people and 25 things of each continent.
    Measures of its fame:

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


COLUMNS = (
    "id", "name", "type", "category", "country", "gender", "aliases", "standard", "views",
    "views_edition",
)  # fmt: skip
"""Columns of an entity table; `aliases` are separated by "|", `standard` is "1" or empty."""
_NUMBERS = ("views", "hpi", "editions")
_TYPES, _GENDERS, _STANDINGS = map(get_args, (EntityType, Gender, Standing))
NAME_COLUMNS = ("id", "language", "name", "aliases")


@cache
def entities() -> Mapping[str, Entity]:
    """All shipped entities by id, in the order of the table."""
    return read_entities(shipped_table("entities.csv"), shipped_table("entity_names.csv"))


def read_entities(path: Path, names: Path | None = None) -> Mapping[str, Entity]:
    """The entities of a table with the columns `COLUMNS`, with names in other languages if given.

    Raises `TableError`, which names the line, for an unknown type, category, country or language,
    or an id that occurs twice.
    """
    local = _read_names(names) if names else {}
    found: dict[str, Entity] = {}
    for line, row in read_rows(path, COLUMNS):
        if fault := next(_faults(row, found), ""):
            raise TableError(path, line, fault)
        cells: dict[str, Any] = {name: row[name] for name in COLUMNS}
        cells["aliases"] = _split(row["aliases"])
        cells["standard"] = row["standard"] == "1"
        cells["standing"] = row.get("standing", "")
        cells["origin"] = _split(row.get("origin", ""))
        for name in _NUMBERS:
            cells[name] = float(row[name]) if row.get(name) else None
        found[row["id"]] = Entity(**cells, names=local.get(row["id"], {}))
    return found


def _faults(row: Mapping[str, str], found: Mapping[str, Entity]) -> Iterator[str]:
    """Yield the faults of a row. `found` are the entities of the rows above it."""
    id_, type_, category = row["id"], row["type"], row["category"]
    categories = PROFESSIONS if type_ == "person" else CATEGORIES
    if not id_ or id_ in found:
        yield f"the id {id_!r} is empty or occurs twice"
    if not row["name"].strip():
        yield "has no name"
    if type_ not in _TYPES:
        yield f"the type is {type_!r}, not person or thing"
    if category not in categories:
        yield f"{category!r} is not a category of a {type_}: {', '.join(categories)}"
    if row["country"] not in economies():
        yield f"{row['country']!r} is not a country's code"
    if row["gender"] not in _GENDERS:
        yield f"the gender is {row['gender']!r}, not F, M or empty"
    if row.get("standing", "") not in _STANDINGS:
        yield f"the standing is {row['standing']!r}, not {', '.join(STANDINGS)} or empty"
    for name in _NUMBERS:
        number = row.get(name, "")
        if number and not re.fullmatch(r"\d{1,18}(\.\d{0,18})?", number, re.ASCII):
            yield f"{name} is {number!r}, which is not a number"


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
