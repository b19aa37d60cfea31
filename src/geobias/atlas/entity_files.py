"""Users' tables of people and things: with our columns, or with those of Geo20Q+'s authors.

The authors' columns are name, country, and category (things) or primary_occupation (people), and
optionally type, views or pageviews, and aliases. A row is left out, and counted, if its country is
not an economy or its category has no counterpart in `tables/entity_words.csv`.

A row that names a shipped entity of the same country gets what we know of it. Otherwise "CR7" would
win a game with the shipped table and lose it with the user's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from geobias.atlas.economies import find_economy
from geobias.atlas.entities import (
    CATEGORIES,
    PROFESSIONS,
    Entity,
    EntityType,
    entities,
    read_entities,
)
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import TableError, read_records, read_rows, shipped_table
from geobias.errors import BadRequest


class EntityTable(NamedTuple):
    """The entities of a table by id, and the words in left-out rows that are not understood."""

    entities: Mapping[str, Entity]
    left_out: Counter[str]


def load_entities(wanted: str | None = None) -> EntityTable:
    """The entities of the file `wanted`, or the shipped ones if `wanted` is not a file."""
    path = entities_file(wanted)
    if path is None:
        return EntityTable(entities(), Counter())
    _, header = next(read_records(path), (1, []))
    if "id" in header:
        names = path.with_name(f"{path.stem}_names{path.suffix}")
        found = EntityTable(read_entities(path, names if names.exists() else None), Counter())
    else:
        found = read_authors(path)
    if not found.entities:
        words = f": {', '.join(found.left_out)} are not known" if found.left_out else ""
        raise BadRequest(f"{path} has no entities{words}")
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


def read_authors(path: Path) -> EntityTable:
    """Read a table in the format of Geo20Q+'s authors. A repeated entity counts once."""
    records = read_records(path)
    line, header = next(records, (1, []))
    if not {"name", "country"} <= {*header}:
        raise TableError(path, line, "lacks the columns name and country of Geo20Q+")
    found: dict[str, Entity] = {}
    left_out = Counter[str]()
    for _, record in records:
        one = _entity(dict(zip(header, record, strict=False)))
        if isinstance(one, Entity):
            found.setdefault(one.id, one)
        elif record:
            left_out[one] += 1
    return EntityTable(found, left_out)


def _entity(row: Mapping[str, str]) -> Entity | str:
    """Return the entity of a row, or the word in it that is not understood."""
    name = " ".join(row.get("name", "").replace("_", " ").split())
    key = spelling_key(name)
    home = find_economy(row.get("country", "").replace("_", " "))
    types: tuple[EntityType, ...] = ("thing", "person")
    if row.get("primary_occupation") or row.get("type") in ("person", "people"):
        types = ("person",)
    word = row.get("primary_occupation") or row.get("category", "")
    of = next(((one, own) for one in types if (own := _category(one, word))), None)
    if not key or home is None or of is None:
        return repr(name if not key else word if home else row.get("country", ""))
    type_, category = of
    aliases = [text for text in row.get("aliases", "").split("|") if text]
    views = (row.get("views") or row.get("pageviews") or "").replace(",", "")
    made = Entity(
        id=f"{key.replace(' ', '-')}-{home.iso3.lower()}",
        name=name,
        type=type_,
        category=category,
        country=home.iso3,
        aliases=tuple(aliases),
        views=float(views) if re.fullmatch(r"\d{1,18}(\.\d*)?", views, re.ASCII) else None,
    )
    known = _known().get((key, type_, home.iso3))
    if known is None:
        return made
    spellings = dict.fromkeys((*aliases, known.name, *known.aliases))
    return msgspec.structs.replace(
        known,
        name=name,
        category=category,
        aliases=tuple(text for text in spellings if text != name),
        views=known.views if made.views is None else made.views,
        rank=made.rank,
    )


def _category(type_: EntityType, word: str) -> str | None:
    key = spelling_key(word)
    if key in (PROFESSIONS if type_ == "person" else CATEGORIES):
        return key
    return _words().get((type_, key)) or _words().get((type_, key.removesuffix("s")))


@cache
def _words() -> dict[tuple[str, str], str]:
    rows = read_rows(shipped_table("entity_words.csv"), ("type", "word", "category"))
    return {(row["type"], spelling_key(row["word"])): row["category"] for _, row in rows}


@cache
def _known() -> Mapping[tuple[str, str, str], Entity]:
    """Map spelling, type and country to the shipped entity, unless two entities share them."""
    found: dict[tuple[str, str, str], Entity | None] = {}
    for one in entities().values():
        for key in {spelling_key(text) for text in (one.name, *one.aliases)} - {""}:
            place = (key, one.type, one.country)
            found[place] = None if found.get(place, one) is not one else one
    return {place: one for place, one in found.items() if one is not None}
