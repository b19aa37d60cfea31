"""Make the pairs of Geo20Q+'s design `matched` (src/geobias/probes/geo20q/matched.csv).

    python tools/make_pairs.py

Pairs have the same type, the same category and the same standing. People have page views within a
factor of four as well. One of a pair is of the Global North and one of the South, and one is of the
West and one of the East: a Western entity of the North is paired with an Eastern one of the South,
and one from Japan or South Korea (North, East) with one from Poland, Greece … (South, West). So the
same games are matched for both questions. Countries of the South are the most populous ones, with
several entities each: games about one country stand and fall together, but a country with one
entity cannot tell its own rate from luck.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, EntityType, entities
from geobias.atlas.figures import figures
from geobias.atlas.table import read_rows, shipped_table, write_rows
from geobias.probes.geo20q.choosing import TYPES

OUT = Path(__file__).parents[1] / "src/geobias/probes/geo20q/matched.csv"
STANDINGS = ("3", "4", "5", "unlisted")
NORTH = "Global North"
WEST = "Global West"
EASTERN, WESTERN = 60, 6
"""Southern countries of the East and of the West that are taken, the most populous first."""
QUICK_PAIRS, QUICK_COUNTRIES = 3, 6
"""Of size quick, whose pairs are of the South's most populous countries."""
CALLIPER = 2.0
"""Doublings by which the page views of a pair may differ."""


class Pair(NamedTuple):
    north: Entity
    south: Entity


@cache
def population(iso3: str) -> float:
    return figures().truth("population", iso3, "latest") or 0.0


@cache
def editions() -> dict[str, float]:
    """The number of Wikipedias with an article, by id, where it is known."""
    rows = read_rows(shipped_table("entities.csv"), ("id",))
    return {row["id"]: float(row["editions"]) for _, row in rows if row["editions"]}


def matched_pairs(
    pool: Sequence[Entity],
    kinds: Sequence[EntityType],
    most: int | None = None,
    *,
    eastern: int = EASTERN,
    several: bool = True,
) -> list[Pair]:
    """Up to `most` pairs, each type in turn; all there are where it is None.

    The Northern country with the fewest pairs comes next, the more populous first. Its partner is
    of a country that has one pair so far, or else of the most populous that has none, or else of
    one with as few as can be; of these the best known pair, and then the one nearest in fame. No
    entity is in two pairs. Where not `several` entities of a country are wanted, new ones go first.
    """
    allowed = _allowed(pool, kinds, eastern)
    uses: Counter[tuple[str, str]] = Counter()
    taken: set[str] = set()
    found: list[Pair] = []
    turns = deque(kinds)

    def least_used(cell: tuple[EntityType, str]) -> tuple[float, ...]:
        return uses[cell], uses["all", cell[1]], -population(cell[1])

    def wanted(pair: Pair) -> tuple[int, float]:
        country = pair.south.country
        used = uses[kind if several else "all", country]
        first = 0 if used == 1 and several else 1 + used
        return first, 0.0 if used else -population(country)

    while turns and (most is None or len(found) < most):
        kind = turns.popleft()
        for cell in sorted((cell for cell in allowed if cell[0] == kind), key=least_used):
            left = allowed[cell] = [
                pair
                for pair in allowed[cell]
                if pair.north.id not in taken and pair.south.id not in taken
            ]
            if left:
                break
        else:
            continue
        pair = min(left, key=wanted)  # of those that are wanted alike, the first is the best known
        turns.append(kind)
        found.append(pair)
        taken |= {pair.north.id, pair.south.id}
        for one in pair:
            uses[kind, one.country] += 1
            uses["all", one.country] += 1
    return found


def _allowed(
    pool: Sequence[Entity], kinds: Sequence[EntityType], eastern: int
) -> dict[tuple[EntityType, str], list[Pair]]:
    """Every pair of these types that is allowed, by type and Northern country, each list from the
    best known, and nearest in fame, on."""
    cells: dict[tuple[object, ...], list[Entity]] = {}
    chosen = set(_southern_countries((one.country for one in pool), eastern))
    for one in pool:
        home = economies()[one.country]
        if home.north_south != NORTH and one.country in chosen:
            key = (one.type, one.category, one.standing, home.west_east)
            cells.setdefault(key, []).append(one)
    found: dict[tuple[EntityType, str], list[Pair]] = {}
    for one in pool:
        home = economies()[one.country]
        if home.north_south != NORTH or one.type not in kinds:
            continue
        other = "Global East" if home.west_east == WEST else WEST
        for partner in cells.get((one.type, one.category, one.standing, other), ()):
            pair = Pair(one, partner)
            if _apart(pair) <= CALLIPER:
                found.setdefault((one.type, one.country), []).append(pair)
    for pairs in found.values():
        pairs.sort(key=_order)
    return found


def _order(pair: Pair) -> tuple[int, float, str, str]:
    return STANDINGS.index(pair.north.standing), _apart(pair), pair.south.id, pair.north.id


def _apart(pair: Pair) -> float:
    """How far a pair is apart in fame, in doublings; people of whom it is not known are too far."""
    north, south = pair
    figures_ = (north.views, south.views)
    if north.type == "thing" and None in figures_:
        figures_ = (editions().get(north.id), editions().get(south.id))
        if None in figures_:
            return 0.0 if figures_ == (None, None) else 1.0
    first, second = figures_
    return abs(math.log2(first / second)) if first and second else math.inf


def _southern_countries(codes: Iterable[str], eastern: int) -> list[str]:
    by_half: dict[str | None, list[str]] = {}
    for code in sorted(set(codes), key=lambda code: (-population(code), code)):
        home = economies()[code]
        if home.north_south not in (None, NORTH):
            by_half.setdefault(home.west_east, []).append(code)
    western = by_half.pop(WEST, [])[:WESTERN]
    return [*western, *(code for rest in by_half.values() for code in rest[:eastern])]


def rows() -> Iterator[tuple[str, str, str, str]]:
    """Sample, type, Northern and Southern entity of every pair, in the order they are taken."""
    pool = [one for one in entities().values() if not one.generic]
    for name, kinds in TYPES.items():
        few = matched_pairs(pool, kinds, QUICK_PAIRS, eastern=QUICK_COUNTRIES, several=False)
        yield from ((f"quick {name}", *_ids(pair)) for pair in few)
    # Each type by itself, so that one does not hang on the other being asked.
    for kind in TYPES["both"]:
        yield from (("all", *_ids(pair)) for pair in matched_pairs(pool, [kind]))


def _ids(pair: Pair) -> tuple[str, str, str]:
    return pair.north.type, pair.north.id, pair.south.id


if __name__ == "__main__":
    write_rows(OUT, [("sample", "type", "north", "south"), *rows()])
