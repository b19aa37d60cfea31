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

import codecs
import csv
import gzip
import heapq
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import BinaryIO, Literal, TextIO, cast

import msgspec

from geobias.atlas.economies import economies, find_economy
from geobias.atlas.entities import (
    CATEGORIES,
    COLUMNS,
    NAME_COLUMNS,
    PROFESSIONS,
    Entity,
    EntityType,
    entities,
)
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import MOST_LINE, TableError, bounded, read_rows, write_rows

NOTABLE_EDITION = "Laouenan et al. 2022, readers 2015-2018"
MOST_VIEWS = 1e18
_MOST_LINE_BYTES = 4 * MOST_LINE
"""A letter has no more than four."""
_GENDERS = {"female": "F", "f": "F", "male": "M", "m": "M"}


class Candidate(msgspec.Struct, frozen=True, gc=False):
    name: str
    type: EntityType
    category: str
    country: str
    gender: str
    aliases: str
    views: float | None
    edition: str


class Imported(msgspec.Struct):
    """What became of a file's rows. The counters say how often each word was not understood."""

    read: int = 0
    kept: list[Candidate] = []
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
    the views of a Geo20Q+ file come from.
    """
    done = Imported()
    cells: dict[tuple[str, str], list[tuple[float, int, Candidate]]] = {}
    seen: set[tuple[str, str]] = set()
    for row in _rows(path):
        done.read += 1
        one = _candidate(row, done, edition)
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


def _candidate(row: Mapping[str, str], done: Imported, edition: str) -> Candidate | None:
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
    return Candidate(
        name,
        type_,
        category,
        home.iso3,
        _GENDERS.get(row.get("gender", "").strip().casefold(), "") if type_ == "person" else "",
        row.get("aliases", ""),
        _number(views),
        (NOTABLE_EDITION if notable else edition) if views else "",
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


def _rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a CSV file, also zipped (.gz); in UTF-8, or else Latin-1 as the database is."""
    try:
        with _opened(path) as file:
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


def _opened(path: Path) -> TextIO:
    encoding = "utf-8-sig"
    reading = codecs.getincrementaldecoder("utf-8")()
    line = 0
    with _bytes(path) as file:
        try:
            # Of a line that has no end, `bounded` refuses the beginning: the rest need not be seen.
            while line <= _MOST_LINE_BYTES and (block := file.read(1 << 20)):
                reading.decode(block)
                end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
                line = len(block) - end + (0 if end else line)
            reading.decode(b"", final=line <= _MOST_LINE_BYTES)
        except UnicodeDecodeError:
            encoding = "latin-1"
    return io.TextIOWrapper(_bytes(path), encoding=encoding, errors="replace", newline="")


def _bytes(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


def write_entities(found: Sequence[Candidate], path: Path) -> int:
    """Write a table in our columns, and beside it the names in other languages of entities that we
    know; returns how many those are. Ids of the others are made of the names."""
    used = dict.fromkeys(entities(), 2)
    taken: set[str] = set()
    rows: list[Sequence[object]] = [(*COLUMNS, *_FAME)]
    names: list[Sequence[object]] = [NAME_COLUMNS]
    for one in found:
        known = _known().get((spelling_key(one.name), one.type, one.country))
        if known is None or known.id in taken:
            row = [_unused_id(one, used), one.name, one.type, one.category, one.country, one.gender]
            row += [one.aliases, "", "" if one.views is None else f"{one.views:.0f}", one.edition]
            rows.append([*row, *([""] * len(_FAME))])
            continue
        taken.add(known.id)
        views, edition = one.views, one.edition
        if views is None:
            views, edition = known.views, known.views_edition
        spellings = dict.fromkeys([*one.aliases.split("|"), known.name, *known.aliases])
        aliases = "|".join(text for text in spellings if text and text != one.name)
        row = [known.id, one.name, one.type, one.category, one.country, one.gender or known.gender]
        fame = ["" if value is None else value for value in (getattr(known, n) for n in _FAME)]
        row += [aliases, "1" * known.standard, "" if views is None else f"{views:.0f}", edition]
        rows.append([*row, *fame])
        names += [
            [known.id, code, local.name, "|".join(local.aliases)]
            for code, local in known.names.items()
        ]
    write_rows(path, rows)
    if taken:
        write_rows(path.with_name(f"{path.stem}_names{path.suffix}"), names)
    return len(taken)


_FAME = ("standing", "hpi", "editions")


@cache
def _known() -> Mapping[tuple[str, str, str], Entity]:
    """Entities of ours by spelling, type and country; a spelling of two of them is nobody's."""
    found: dict[tuple[str, str, str], Entity | None] = {}
    for one in entities().values():
        for key in {spelling_key(text) for text in (one.name, *one.aliases)} - {""}:
            place = (key, one.type, one.country)
            found[place] = None if found.get(place, one) is not one else one
    return {place: one for place, one in found.items() if one is not None}


def _unused_id(one: Candidate, used: dict[str, int]) -> str:
    """`used` has the number to go on with after each id: many may begin alike."""
    plain = re.sub(r"[^a-z0-9]+", "-", spelling_key(one.name)).strip("-") or "entity"
    wanted, number = plain, used.get(plain, 2)
    while wanted in used:
        wanted = f"{plain}-{one.country.lower()}" if number == 2 else f"{plain}-{number}"
        number += 1
    used[plain] = number
    used.setdefault(wanted, 2)
    return wanted
