"""Entity tables of other people, brought into our columns.

Two schemes are known by their headers:

    Geo20Q+           name, category (things) or primary_occupation (people), country; perhaps
                      views or pageviews, aliases, gender
    notable people    the cross-verified database of Laouenan, Bhargava, Eyméoud, Gergaud, Plique
                      and Wasmer (Scientific Data, 2022): name, gender, level3_main_occ,
                      level1_main_occ, citizenship_1_b, wiki_readers_2015_2018

A row whose country is no economy, or whose category has no counterpart in `entity_words.csv`, is
left out and counted by the word that was not understood.

A row that names an entity of ours, in the same country, gets its id, and what we know of it: other
spellings, names in languages, standing, and page views where the row has none. Else "CR7" would win
a game with our table and lose it with theirs.
"""

from __future__ import annotations

import csv
import gzip
import heapq
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from geobias.atlas.economies import economies, find_economy
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
from geobias.atlas.table import TableError, bounded, read_rows, write_rows

NOTABLE_EDITION = "Laouenan et al. 2022, readers 2015-2018"
MOST_VIEWS = 1e18
_GENDERS: dict[str, Gender] = {"female": "F", "f": "F", "male": "M", "m": "M"}


class Imported(msgspec.Struct):
    """What became of a file's rows. Kept entities have no id yet. The counters say how often each
    word was not understood."""

    read: int = 0
    kept: list[Entity] = []
    unnamed: int = 0
    doubles: int = 0
    below_the_top: int = 0
    unknown_countries: Counter[str] = msgspec.field(default_factory=Counter)
    unknown_categories: Counter[str] = msgspec.field(default_factory=Counter)


def import_entities(
    path: Path,
    *,
    top: int | None = None,
    per: Literal["country", "continent"] = "country",
    edition: str = "",
) -> Imported:
    """Read a file of one of the two schemes, and keep the `top` most viewed of each type and place.

    Rows without views come after those that have some, in the file's order. `edition` says where
    the views of a Geo20Q+ file come from. A file is in UTF-8, or else in Latin-1 as the database
    is.
    """
    try:
        return _imported(_rows(path, "utf-8-sig"), top, per, edition)
    except UnicodeDecodeError:
        return _imported(_rows(path, "latin-1"), top, per, edition)


def _imported(rows: Iterator[dict[str, str]], top: int | None, per: str, edition: str) -> Imported:
    done = Imported()
    cells: dict[tuple[str, str], list[tuple[float, int, Entity]]] = {}
    seen: set[tuple[str, str]] = set()
    for row in rows:
        done.read += 1
        one = _entity(row, done, edition)
        if one is None:
            continue
        if (key := (spelling_key(one.name) or one.name, one.country)) in seen:
            done.doubles += 1
            continue
        seen.add(key)
        place = one.country if per == "country" else economies()[one.country].continent
        cell = cells.setdefault((place, one.type), [])
        # A heap whose first is the least viewed; earlier rows stand before later ones.
        heapq.heappush(cell, (-1.0 if one.views is None else one.views, -done.read, one))
        if top is not None and len(cell) > top:
            heapq.heappop(cell)
            done.below_the_top += 1
    for key in sorted(cells):
        done.kept += [one for *_, one in sorted(cells[key], key=lambda e: (-e[0], -e[1]))]
    return done


def _entity(row: Mapping[str, str], done: Imported, edition: str) -> Entity | None:
    notable = "citizenship_1_b" in row
    name = " ".join(row["name"].replace("_", " ").split())
    if not name:
        done.unnamed += 1
        return None
    country = row["citizenship_1_b"] if notable else row["country"]
    home = find_economy(country.replace("_", " "))
    if home is None:
        done.unknown_countries[country.strip()] += 1
        return None
    type_, words = _kind(row, notable=notable)
    category = next(filter(None, (_category(type_, word) for word in words)), "")
    if not category:
        done.unknown_categories[words[0]] += 1
        return None
    views = row.get("wiki_readers_2015_2018") or row.get("views") or row.get("pageviews") or ""
    gender = _GENDERS.get(row.get("gender", "").strip().casefold(), "")
    return Entity(
        id="",
        name=name,
        type=type_,
        category=category,
        country=home.iso3,
        gender=gender if type_ == "person" else "",
        aliases=tuple(filter(None, row.get("aliases", "").split("|"))),
        views=_number(views),
        views_edition=(NOTABLE_EDITION if notable else edition) if views else "",
    )


def _kind(row: Mapping[str, str], *, notable: bool) -> tuple[EntityType, list[str]]:
    """Whether a row is a person, and the words for its category, the finest first."""
    if notable:
        columns = ("level3_main_occ", "level2_main_occ", "level1_main_occ")
        return "person", [row.get(column, "") for column in columns]
    if row.get("primary_occupation"):
        return "person", [row["primary_occupation"]]
    word = row.get("category", "")
    person = row.get("type") in ("person", "people") or spelling_key(word) in PROFESSIONS[:3]
    return "person" if person else "thing", [word]


def _category(type_: EntityType, word: str) -> str | None:
    ours = PROFESSIONS if type_ == "person" else CATEGORIES
    key = spelling_key(word)
    if key in ours:
        return key
    return _words().get((type_, key)) or _words().get((type_, key.removesuffix("s")))


@cache
def _words() -> dict[tuple[str, str], str]:
    path = Path(__file__).with_name("entity_words.csv")
    return {
        (row["type"], spelling_key(row["word"])): row["category"]
        for _, row in read_rows(path, ("type", "word", "category"))
    }


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if 0 <= value < MOST_VIEWS else None


def _rows(path: Path, encoding: str) -> Iterator[dict[str, str]]:
    """The rows of a CSV file, also zipped (.gz)."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding=encoding, newline="") as file:
            reader = csv.DictReader(bounded(file))
            header = reader.fieldnames or ()
            if "name" not in header or not ({"country", "citizenship_1_b"} & set(header)):
                raise TableError(
                    path,
                    1,
                    "has neither the columns name and country of Geo20Q+ nor those of the "
                    "notable-people database (name, citizenship_1_b)",
                )
            for row in reader:
                yield {key: value or "" for key, value in row.items() if isinstance(key, str)}
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise TableError(path, None, f"is no whole gzip file: {error}") from None
    except OSError as error:
        raise TableError(path, None, f"cannot be read: {error.strerror or error}") from None
    except csv.Error as error:
        raise TableError(path, None, f"is not CSV: {error}") from None


def write_entities(found: Sequence[Entity], path: Path) -> int:
    """Write a table in our columns, and beside it the names in other languages of entities that we
    know; returns how many those are. Ids of the others are made of the names."""
    used = dict.fromkeys(entities(), 2)
    taken: dict[str, Entity] = {}
    rows = []
    for one in found:
        known = _known().get((spelling_key(one.name), one.type, one.country))
        if known is None or known.id in taken:
            rows.append(msgspec.structs.replace(one, id=_unused_id(one, used)))
        else:
            taken[known.id] = known
            rows.append(_with_what_we_know(one, known))
    columns = (*COLUMNS, *_KNOWN)
    write_rows(path, [columns, *([_cell(getattr(one, name)) for name in columns] for one in rows)])
    names = [
        (id_, code, local.name, "|".join(local.aliases))
        for id_, known in taken.items()
        for code, local in known.names.items()
    ]
    if taken:
        write_rows(path.with_name(f"{path.stem}_names{path.suffix}"), [NAME_COLUMNS, *names])
    return len(taken)


_KNOWN = ("standing", "hpi", "editions", "origin")


def _with_what_we_know(one: Entity, known: Entity) -> Entity:
    """Their entity with our id, spellings and standing, and our views where they have none."""
    spellings = dict.fromkeys([*one.aliases, known.name, *known.aliases])
    seen = known if one.views is None else one
    return msgspec.structs.replace(
        one,
        id=known.id,
        gender=one.gender or known.gender,
        aliases=tuple(text for text in spellings if text != one.name),
        standard=known.standard,
        views=seen.views,
        views_edition=seen.views_edition,
        **{name: getattr(known, name) for name in _KNOWN},
    )


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        return "|".join(value)
    if isinstance(value, bool):
        return "1" * value
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() else str(value)
    return "" if value is None else str(value)


@cache
def _known() -> Mapping[tuple[str, str, str], Entity]:
    """Entities of ours by spelling, type and country; a spelling of two of them is nobody's."""
    found: dict[tuple[str, str, str], Entity | None] = {}
    for one in entities().values():
        for key in {spelling_key(text) for text in (one.name, *one.aliases)} - {""}:
            place = (key, one.type, one.country)
            found[place] = None if found.get(place, one) is not one else one
    return {place: one for place, one in found.items() if one is not None}


def _unused_id(one: Entity, used: dict[str, int]) -> str:
    """`used` has the number to go on with after each id: many may begin alike."""
    plain = re.sub(r"[^a-z0-9]+", "-", spelling_key(one.name)).strip("-") or "entity"
    wanted, number = plain, used.get(plain, 2)
    while wanted in used:
        wanted = f"{plain}-{one.country.lower()}" if number == 2 else f"{plain}-{number}"
        number += 1
    used[plain] = number
    used.setdefault(wanted, 2)
    return wanted
