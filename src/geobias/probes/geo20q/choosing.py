"""Which people and things the games of each size are about.

    quick      a person or a thing of each continent
    standard   the entities marked standard: 25 people and 25 things of each continent
    paper      the 100 most viewed people and things of each continent; or, in the design
               "countries", the 10 most viewed of each country

"Most viewed" is by English Wikipedia page views where known. Entities without a figure come
after those that have one: first the first of every country, then the second of every country, and
so on, since the table puts the best known of a country first and says nothing across countries. A
continent or country that has fewer gives all it has.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, EntityType, entities_file
from geobias.atlas.languages import CONTINENTS
from geobias.errors import BadRequest
from geobias.probes.geo20q.naming import split_words

TYPES: dict[str, tuple[EntityType, ...]] = {
    "people": ("person",),
    "things": ("thing",),
    "both": ("person", "thing"),
}
PER_CONTINENT, PER_COUNTRY = 100, 10
"""Entities of each type, as in the paper."""


def choose_entities(
    table: Mapping[str, Entity],
    *,
    size: str,
    named: str | None = None,
    type: str = "both",
    design: str = "continents",
    each: int | None = None,
) -> list[Entity]:
    """The entities of a run, people before things, and each type by place.

    `named` are names parted by commas (or semicolons, where names have commas), or the file `table`
    was read from, all of which is asked at every size. `each` limits the number of each type per
    continent or country, by `design`.
    """
    kinds = TYPES[type]
    pool = [one for one in table.values() if one.type in kinds]
    if named is not None and entities_file(named) is None:
        texts = named.split(";" if ";" in named else ",")
        by_id = {one.id: one for one in (_find(text, table) for text in texts if text.strip())}
        if not by_id:
            raise BadRequest(f"--entities {named!r} names nothing")
        chosen = [one for one in by_id.values() if one.type in kinds]
    elif named is not None and each is None:
        chosen = pool
    elif size == "paper" or each is not None:
        usual = PER_CONTINENT if design == "continents" else PER_COUNTRY
        chosen = most_viewed(pool, design, each if each is not None else usual)
    elif size == "standard":
        chosen = [one for one in pool if one.standard]
    else:
        chosen = _quick(pool)
    if not chosen:
        raise BadRequest("no entity is left to play about; see `geobias entities list`")
    return sorted(chosen, key=_place)


def most_viewed(pool: Sequence[Entity], by: str, each: int) -> list[Entity]:
    """The `each` most viewed of each type in every continent or country."""
    cells: dict[tuple[str, str], list[Entity]] = {}
    for one in pool:
        place = economies()[one.country].continent if by == "continents" else one.country
        cells.setdefault((one.type, place), []).append(one)
    return [one for cell in cells.values() for one in _best_known_first(cell)[:each]]


def _best_known_first(cell: Sequence[Entity]) -> list[Entity]:
    """By views, then by rank in the own country."""
    rank: dict[str, int] = {}
    keys = {}
    for one in cell:
        rank[one.country] = rank.get(one.country, 0) + 1
        keys[one.id] = (-one.views if one.views is not None else math.inf, rank[one.country])
    return sorted(cell, key=lambda one: keys[one.id])


def _quick(pool: Sequence[Entity]) -> list[Entity]:
    """One of each continent, a person and a thing in turn; standard ones where there are any."""
    marked = [one for one in pool if one.standard] or list(pool)
    chosen = []
    for index, continent in enumerate(CONTINENTS):
        here = [one for one in marked if economies()[one.country].continent == continent]
        kind = ("thing", "person")[index % 2]
        fitting = [one for one in here if one.type == kind] or here
        chosen += _best_known_first(fitting)[:1]
    return chosen


def _place(one: Entity) -> tuple[str, str, str, str, str]:
    """Games about neighbours stand together, since they begin alike."""
    home = economies()[one.country]
    return one.type, home.continent, home.region, one.country, one.id


def _find(text: str, table: Mapping[str, Entity]) -> Entity:
    wanted = split_words(text).words
    by_name: dict[str, Entity] = {}
    for one in table.values():
        if text.strip() == one.id:
            return one
        for spelling in (one.name, *one.aliases, *(n.name for n in one.names.values())):
            if split_words(spelling).words == wanted:
                return one
        by_name[one.name] = one
    near = difflib.get_close_matches(text.strip(), by_name, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else "see `geobias entities list`"
    raise BadRequest(f"no entity is called {text.strip()!r}: {hint}")
