"""Importing tables of people and things in the format of the paper's authors.

The columns are name, country, and category (things) or primary_occupation (people), and optionally
views or pageviews, aliases, and gender. A row is left out if its country is not an economy or its
category has no counterpart in `entity_words.csv`. The unknown words are counted.

A row that names a shipped entity of the same country gets that entity's id, spellings, names in
other languages and standing, and its page views if the row has none. Otherwise "CR7" would win a
game with the shipped table and lose it with the user's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, count
from pathlib import Path

import msgspec

from geobias.atlas.economies import find_economy
from geobias.atlas.entities import (
    CATEGORIES,
    COLUMNS,
    NAME_COLUMNS,
    PROFESSIONS,
    Entity,
    EntityType,
    Gender,
    entities,
)
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import TableError, read_records, read_rows, write_rows

_GENDERS: dict[str, Gender] = {"f": "F", "m": "M"}


class Imported(msgspec.Struct):
    """The result of importing a file.

    read     the number of rows
    kept     the entities, which have no id yet
    doubles  the number of rows that repeat an entity
    unknown  names, countries and categories that were not understood, with counts
    """

    read: int = 0
    kept: list[Entity] = []
    doubles: int = 0
    unknown: dict[str, Counter[str]] = {}


def import_entities(path: Path) -> Imported:
    """Read the entities of a file, sorted by country, type and page views.

    The most viewed come first, and entities without views keep the file's order. The edition of the
    views is the file's name.
    """
    records = read_records(path)
    line, header = next(records, (1, []))
    if not {"name", "country"} <= {*header}:
        raise TableError(path, line, "lacks the columns name and country of Geo20Q+")
    done = Imported()
    found: dict[tuple[str, str], Entity] = {}
    for _, record in records:
        if not record:
            continue
        done.read += 1
        one = _entity(dict(zip(header, record, strict=False)), path.name)
        if isinstance(one, Entity):
            key = (spelling_key(one.name) or one.name, one.country)
            done.doubles += key in found
            found.setdefault(key, one)
        else:
            what, word = one
            done.unknown.setdefault(what, Counter())[word] += 1
    done.kept = sorted(found.values(), key=lambda one: (one.country, one.type, -(one.views or -1)))
    return done


def _entity(row: Mapping[str, str], edition: str) -> Entity | tuple[str, str]:
    """Return the entity of a row. If a word is not understood, return its column and the word
    instead.
    """
    name = " ".join(row["name"].replace("_", " ").split())
    country = row.get("country", "")
    home = find_economy(country.replace("_", " "))
    word = row.get("primary_occupation") or row.get("category", "")
    person = bool(row.get("primary_occupation")) or row.get("type") in ("person", "people")
    type_: EntityType = "person" if person or spelling_key(word) in PROFESSIONS[:3] else "thing"
    category = _category(type_, word)
    if not name:
        return "name", ""
    if home is None:
        return "country", country.strip()
    if not category:
        return "category", word
    views = (row.get("views") or row.get("pageviews") or "").replace(",", "")
    seen = float(views) if re.fullmatch(r"\d{1,18}(\.\d*)?", views, re.ASCII) else None
    gender = _GENDERS.get(row.get("gender", "").strip().casefold()[:1], "")
    return Entity(
        id="",
        name=name,
        type=type_,
        category=category,
        country=home.iso3,
        gender=gender if type_ == "person" else "",
        aliases=tuple(filter(None, row.get("aliases", "").split("|"))),
        views=seen,
        views_edition=edition if views else "",
    )


def _category(type_: EntityType, word: str) -> str | None:
    key = spelling_key(word)
    if key in (PROFESSIONS if type_ == "person" else CATEGORIES):
        return key
    return _words().get((type_, key)) or _words().get((type_, key.removesuffix("s")))


@cache
def _words() -> dict[tuple[str, str], str]:
    path = Path(__file__).with_name("entity_words.csv")
    return {
        (row["type"], spelling_key(row["word"])): row["category"]
        for _, row in read_rows(path, ("type", "word", "category"))
    }


def write_entities(found: Sequence[Entity], path: Path) -> int:
    """Write a table in the shipped format, and return how many of the entities are shipped ones.

    The shipped entities' names in other languages go into a second table beside it. The ids of
    other entities are made from their names.
    """
    used = set(entities())
    taken: set[str] = set()
    rows = []
    for one in found:
        known = _known().get((spelling_key(one.name), one.type, one.country))
        if known is None or known.id in taken:
            plain = re.sub(r"[^a-z0-9]+", "-", spelling_key(one.name)).strip("-") or "entity"
            numbered = (f"{plain}-{number}" for number in count(len(used)))
            tried = chain((plain, f"{plain}-{one.country.lower()}"), numbered)
            rows.append(
                msgspec.structs.replace(one, id=next(id_ for id_ in tried if id_ not in used))
            )
            used.add(rows[-1].id)
        else:
            taken.add(known.id)
            rows.append(_with_what_we_know(one, known))
    write_rows(path, [COLUMNS, *([_cell(getattr(one, name)) for name in COLUMNS] for one in rows)])
    names = [
        (one.id, code, local.name, "|".join(local.aliases))
        for one in rows
        for code, local in one.names.items()
    ]
    if taken:
        write_rows(path.with_name(f"{path.stem}_names{path.suffix}"), [NAME_COLUMNS, *names])
    return len(taken)


def _with_what_we_know(one: Entity, known: Entity) -> Entity:
    """Return the shipped entity `known` with the name, category, gender and page views of `one`.

    If `one` has no gender or no page views, those of `known` stay.
    """
    spellings = dict.fromkeys([*one.aliases, known.name, *known.aliases])
    seen = known if one.views is None else one
    return msgspec.structs.replace(
        known,
        name=one.name,
        category=one.category,
        gender=one.gender or known.gender,
        aliases=tuple(text for text in spellings if text != one.name),
        views=seen.views,
        views_edition=seen.views_edition,
    )


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return "|".join(value)
    if isinstance(value, bool):
        return "1" * value
    return "" if value is None else str(value).removesuffix(".0")


@cache
def _known() -> Mapping[tuple[str, str, str], Entity]:
    """Map spelling, type and country to the shipped entity, unless two entities share them."""
    found: dict[tuple[str, str, str], Entity | None] = {}
    for one in entities().values():
        for key in {spelling_key(text) for text in (one.name, *one.aliases)} - {""}:
            place = (key, one.type, one.country)
            found[place] = None if found.get(place, one) is not one else one
    return {place: one for place, one in found.items() if one is not None}
