"""Which people and things the games are about: three designs, by name.

    continents   the best known of each continent: the paper's design
    countries    the best known of each country
    matched      pairs from opposite halves of the world, alike in type, category and standing

    size         continents   countries   matched
    quick        1            1           3 pairs in all
    standard     25           2           170 pairs of each type
    paper        100          10          as many pairs as there are

Sizes quick and standard are matched, size paper is by continents, unless one says otherwise. "Best
known" is one rule for every place (`best_known`). A place that has fewer gives all it has.

A fourth, `marked`, is what quick and standard were before there were designs: the entities marked
standard in the table. It keeps those runs repeatable.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import lru_cache

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, EntityType, entities_file
from geobias.atlas.languages import CONTINENTS
from geobias.errors import BadRequest
from geobias.probes.geo20q.best_known import best_known
from geobias.probes.geo20q.matching import SameEntities, matched_pairs
from geobias.probes.geo20q.naming import split_words

TYPES: dict[str, tuple[EntityType, ...]] = {
    "people": ("person",),
    "things": ("thing",),
    "both": ("person", "thing"),
}
EACH = {
    "continents": {"quick": 1, "standard": 25, "paper": 100},
    "countries": {"quick": 1, "standard": 2, "paper": 10},
}
"""Entities of each type in a place; at size paper as in the paper."""
PAIRS = 170
"""Pairs of each type at size standard: a gap of 0.15 is seen in 80% of runs (docs/geo20q.md)."""
QUICK_PAIRS = 3
QUICK_COUNTRIES = 6
"""Of the South's East, the most populous: the pairs of size quick are of these."""
MATCHED, MARKED = "matched", "marked"


def usual_design(size: str) -> str:
    return "continents" if size == "paper" else MATCHED


def choose_entities(
    table: Mapping[str, Entity],
    *,
    size: str,
    named: str | None = None,
    type: str = "both",
    design: str | None = None,
    each: int | None = None,
) -> list[Entity]:
    """The entities of a run, people before things, and each type by place.

    `named` are names parted by commas (or semicolons, where names have commas), or the file `table`
    was read from, all of which is asked at every size. `design` is the size's own where it is
    None. `each` limits the number of each type per continent or country, or the pairs of each type.
    """
    kinds = TYPES[type]
    pool = [one for one in table.values() if one.type in kinds]
    design = design or usual_design(size)
    if named is not None and entities_file(named) is None:
        texts = named.split(";" if ";" in named else ",")
        by_id = {one.id: one for one in (_find(text, table) for text in texts if text.strip())}
        if not by_id:
            raise BadRequest(f"--entities {named!r} names nothing")
        chosen = [one for one in by_id.values() if one.type in kinds]
    elif named is not None and each is None:
        chosen = pool
    elif design == MATCHED:
        chosen = _matched(pool, kinds, size, each)
    elif design == MARKED and each is None:
        chosen = _quick(pool) if size == "quick" else [one for one in pool if one.standard]
    else:
        chosen = best_known(pool, design, each if each is not None else EACH[design][size])
    if not chosen:
        raise BadRequest("no entity is left to play about; see `geobias entities list`")
    return sorted(chosen, key=_place)


def _matched(
    pool: Sequence[Entity], kinds: Sequence[EntityType], size: str, each: int | None
) -> list[Entity]:
    """Pairs of each type by themselves, so that one type does not hang on the other being asked."""
    if size == "quick" and each is None:
        pairs = matched_pairs(pool, kinds, QUICK_PAIRS, eastern=QUICK_COUNTRIES, several=False)
    else:
        most = each if each is not None else PAIRS if size == "standard" else None
        pairs = [pair for kind in kinds for pair in matched_pairs(pool, [kind], most)]
    if not pairs:
        raise BadRequest(
            "no entity of the North has one of the South to be paired with: same type, category "
            "and standing, and people with page views; try --design continents"
        )
    return [one for pair in pairs for one in pair]


def _quick(pool: Sequence[Entity]) -> list[Entity]:
    """The most viewed of each continent, or else its first, a person and a thing in turn; standard
    ones where there are any."""
    marked = [one for one in pool if one.standard] or list(pool)
    chosen = []
    for index, continent in enumerate(CONTINENTS):
        here = [one for one in marked if economies()[one.country].continent == continent]
        kind = ("thing", "person")[index % 2]
        fitting = [one for one in here if one.type == kind] or here
        if fitting:
            chosen.append(max(fitting, key=lambda one: one.views or 0.0))
    return chosen


def _place(one: Entity) -> tuple[str, str, str, str, str]:
    """Games about neighbours stand together, since they begin alike."""
    home = economies()[one.country]
    return one.type, home.continent, home.region, one.country, one.id


@lru_cache(maxsize=4)
def _ids(table: SameEntities) -> dict[str, int]:
    """Where each entity stands."""
    return {one.id: place for place, one in enumerate(table.entities)}


@lru_cache(maxsize=4)
def _spellings(table: SameEntities) -> dict[tuple[str, ...], int]:
    """Where the first entity stands that is spelled so: a plan is made more than once."""
    found: dict[tuple[str, ...], int] = {}
    for place, one in enumerate(table.entities):
        for spelling in (one.name, *one.aliases, *(n.name for n in one.names.values())):
            found.setdefault(tuple(split_words(spelling).words), place)
    return found


def _find(text: str, table: Mapping[str, Entity]) -> Entity:
    same = SameEntities(table.values())
    places = (_ids(same).get(text.strip()), _spellings(same).get(tuple(split_words(text).words)))
    if known := [place for place in places if place is not None]:
        return same.entities[min(known)]
    by_name = dict.fromkeys(one.name for one in table.values())
    near = difflib.get_close_matches(text.strip(), by_name, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else "see `geobias entities list`"
    raise BadRequest(f"no entity is called {text.strip()!r}: {hint}")
