"""Choose the people and things in the games, by one of three designs.

    continents   the best known of each continent: the paper's design
    countries    the best known of each country
    matched      pairs from opposite halves of the world, alike in type, category and standing

    size         continents   countries   matched
    quick        1            1           3 pairs in all
    standard     25           2           170 pairs of each type
    paper        100          10          all pairs

By default sizes quick and standard are matched, and size paper is by continents. A place with fewer
entities gives all it has.

**Best known** is decided by the same rule for every place. People are ordered by page views.
Someone without page views but with an HPI (historical popularity index) takes the views of the same
rank: the hundredth by HPI gets the hundredth highest views. Then come people with neither, by
standing. Within a standing, the table lists each country's best known first, but it does not rank
people of different countries. So the first of every country comes before the second of every
country. Things are ordered by standing (the level of vital article). Within one standing, the
standard set of version 0.1 comes first, 25 things of each continent chosen by hand. Then comes the
first of every country in the table, more populous countries first. The number of Wikipedias with an
article is not used, since it is known for one thing in seven only.

**Matched** pairs are listed in `matched.csv` in the order of their use; `tools/make_pairs.py` made
them. The two entities of a pair have the same type, category and standing. The page views of two
people are also within a factor of four, so that the halves of the world are compared at equal fame.
One entity of a pair is of the Global North and the other of the South; one is of the West and the
other of the East.
"""

from __future__ import annotations

import difflib
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from geobias.atlas.economies import economies
from geobias.atlas.entities import STANDINGS, Entity, EntityType, entities_file
from geobias.atlas.figures import figures
from geobias.atlas.table import read_rows
from geobias.atlas.words import split_words
from geobias.errors import BadRequest


def best_known(pool: Sequence[Entity], by: str, each: int) -> list[Entity]:
    """Return the `each` best known of each type in every continent or country."""
    likely, place_in_country = likely_views(pool), Counter[tuple[str, str]]()
    keys: dict[str, tuple[float, ...]] = {}
    cells: dict[tuple[str, str], list[Entity]] = {}
    for one in pool:
        home = one.type, one.country
        place_in_country[home] += 1
        keys[one.id] = (standing_rank(one), place_in_country[home])
        if one.type == "person":
            keys[one.id] = (-likely.get(one.id, -math.inf), *keys[one.id])
        elif by == "continents":
            level, place = keys[one.id]
            keys[one.id] = (level, not one.standard, place, -population(one.country))
        where = economies()[one.country].continent if by == "continents" else one.country
        cells.setdefault((one.type, where), []).append(one)
    return [
        one for cell in cells.values() for one in sorted(cell, key=lambda one: keys[one.id])[:each]
    ]


def likely_views(pool: Sequence[Entity]) -> Mapping[str, float]:
    """Return page views by id. Someone without views gets the views whose rank equals that of the
    person's HPI.

    HPI and views are weakly correlated (rank correlation 0.5), so this only serves to order people,
    not as a figure for a regression.
    """
    known = {one.id: one.views for one in pool if one.views is not None}
    both = [(one.hpi, one.views) for one in pool if one.hpi is not None and one.views is not None]
    indices, views = sorted(hpi for hpi, _ in both), sorted(views for _, views in both)
    for one in pool:
        if one.id not in known and one.hpi is not None and both:
            known[one.id] = views[min(bisect_left(indices, one.hpi), len(views) - 1)]
    return known


def standing_rank(one: Entity) -> int:
    """Return the rank of an entity's standing: 0 for level 3, the highest. Unknown comes last."""
    return STANDINGS.index(one.standing) if one.standing else len(STANDINGS)


@cache
def population(iso3: str) -> float:
    return figures().truth("population", iso3, "latest") or 0.0


TYPES: dict[str, tuple[EntityType, ...]] = {
    "people": ("person",),
    "things": ("thing",),
    "both": ("person", "thing"),
}
EACH = {
    "continents": {"quick": 1, "standard": 25, "paper": 100},
    "countries": {"quick": 1, "standard": 2, "paper": 10},
}
"""The number of entities of each type in a place. Size paper has the paper's numbers."""
PAIRS = 170
"""Pairs of each type at size standard, which detect a gap of 0.15 in 80% of runs
(docs/geo20q.md).
"""
MATCHED = "matched"


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
    """Return the entities of a run: people before things, and within each type sorted by place.

    named   names separated by commas (or semicolons, if names have commas), or the file that
            `table` was read from; all named entities are played at every size
    design  None for the default design of the size
    each    the maximum for each type: of entities per continent or country, or of pairs
    """
    kinds = TYPES[type]
    pool = [one for one in table.values() if one.type in kinds]
    # The paper uses things of one place and nothing generic.
    particular = [one for one in pool if not one.generic]
    design = design or usual_design(size)
    if named is not None and entities_file(named) is None:
        chosen = [one for one in _named(named, table) if one.type in kinds]
    elif named is not None and each is None:
        chosen = pool
    elif design == MATCHED:
        chosen = _matched(table, type, size, each)
    else:
        chosen = best_known(particular, design, each or EACH[design][size])
    if not chosen:
        raise BadRequest("no entity is left to play; see `geobias entities list`")
    return sorted(chosen, key=_place)


def _matched(table: Mapping[str, Entity], type: str, size: str, each: int | None) -> list[Entity]:
    """Return both entities of each matched pair. A pair needs both entities in the table."""
    quick = size == "quick" and each is None
    most = each or (PAIRS if size == "standard" else None)
    path = Path(__file__).with_name("matched.csv")
    pairs = [row for _, row in read_rows(path, ("sample", "type", "north", "south"))]
    chosen: list[Entity] = []
    for kind in ("",) if quick else TYPES[type]:
        sample = [
            (row["north"], row["south"])
            for row in pairs
            if row["sample"] == (f"quick {type}" if quick else "all") and kind in ("", row["type"])
        ]
        known = [pair for pair in sample if table.keys() >= {*pair}]
        chosen += [table[id_] for pair in known[:most] for id_ in pair]
    if not chosen:
        raise BadRequest("the design matched needs the shipped table: use --design continents")
    return chosen


def _place(one: Entity) -> tuple[str, str, str, str, str]:
    """Return a sort key that groups entities by place, since games about one place begin alike."""
    home = economies()[one.country]
    return one.type, home.continent, home.region, one.country, one.id


def _named(texts: str, table: Mapping[str, Entity]) -> list[Entity]:
    """Return the entities that are named by their ids or spellings, each once."""
    known: dict[tuple[str, ...], Entity] = {(one.id,): one for one in table.values()}
    for one in table.values():
        for spelling in (one.name, *one.aliases, *(n.name for n in one.names.values())):
            known.setdefault(split_words(spelling), one)
    found: dict[str, Entity] = {}
    for text in filter(None, map(str.strip, texts.split(";" if ";" in texts else ","))):
        one_named = known.get((text,)) or known.get(split_words(text))
        if one_named is None:
            by_name = dict.fromkeys(one.name for one in table.values())
            near = difflib.get_close_matches(text, by_name, n=3, cutoff=0.6)
            hint = f"did you mean {' or '.join(near)}?" if near else "see `geobias entities list`"
            raise BadRequest(f"no entity is called {text!r}: {hint}")
        found[one_named.id] = one_named
    if not found:
        raise BadRequest(f"--entities {texts!r} names nothing: give at least one name, or a file")
    return list(found.values())
