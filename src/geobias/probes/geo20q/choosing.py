"""Choose the people and things in the games, by one of three designs.

    continents   the best known of each continent: the paper's design
    countries    the best known of each country
    matched      pairs from opposite halves of the world, alike in type, category and standing

`tools/rank_entities.py` computes the `rank` by which the best known come first. In a user's table
the most viewed come first, and then entities in the order of the table.

`tools/make_pairs.py` made the pairs in `matched.csv`: North and South, West and East, equal fame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, EntityType
from geobias.atlas.entity_files import entities_file
from geobias.atlas.table import read_rows
from geobias.atlas.words import split_words
from geobias.errors import BadRequest, meant


def best_known(pool: Sequence[Entity], by: str, each: int) -> list[Entity]:
    """Return the `each` best known of each type in every continent or country."""
    cells: dict[tuple[str, str], list[Entity]] = {}
    for one in sorted(pool, key=lambda one: (one.rank, -(one.views or 0))):
        where = economies()[one.country].continent if by == "continents" else one.country
        cells.setdefault((one.type, where), []).append(one)
    return [one for cell in cells.values() for one in cell[:each]]


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
"""Pairs of each type at size standard, which detect a gap of 0.15 in about 80% of runs."""
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
    known: dict[tuple[str, ...], Entity] = {(one.id,): one for one in table.values()}
    for one in table.values():
        for spelling in (one.name, *one.aliases, *(n.name for n in one.names.values())):
            known.setdefault(split_words(spelling), one)
    found: dict[str, Entity] = {}
    for text in filter(None, map(str.strip, texts.split(";" if ";" in texts else ","))):
        one_named = known.get((text,)) or known.get(split_words(text))
        if one_named is None:
            near = meant(text, dict.fromkeys(one.name for one in table.values()))
            raise BadRequest(f"no entity is called {text!r}; see `geobias entities list`.{near}")
        found[one_named.id] = one_named
    if not found:
        raise BadRequest(f"--entities {texts!r} names nothing: give at least one name, or a file")
    return list(found.values())
