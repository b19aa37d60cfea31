"""Pairs of entities from opposite halves of the world that are alike in what is known of them.

A pair has the same type, the same category and the same standing. People have page views within a
factor of four as well, so that a gap between the halves is one at equal fame.

One of a pair is of the Global North and one of the South, and one is of the West and one of the
East: a Western entity of the North is paired with an Eastern one of the South, and one from Japan
or South Korea (North, East) with one from Poland, Greece … (South, West). So the same games are
matched for both questions.

Countries of the South are the most populous ones, several entities of each: games about one country
stand and fall together, but a country with one entity tells its own rate from luck not at all.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, EntityType
from geobias.atlas.figures import figures
from geobias.probes.geo20q.best_known import standing_rank

NORTH = "Global North"
WEST = "Global West"
EASTERN, WESTERN = 60, 6
"""Southern countries of the East and of the West that are taken, the most populous first."""
CALLIPER = 2.0
"""Doublings by which the page views of a pair may differ."""


class Pair(NamedTuple):
    north: Entity
    south: Entity


class _Option(NamedTuple):
    """A pair that is allowed; the lower in `order` the better: known well, and near in fame."""

    pair: Pair
    order: tuple[int, float, str, str]


_Options: TypeAlias = dict[tuple[EntityType, str], list[_Option]]
"""By type and Northern country, each list from the best to the worst."""


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
    return list(_matched(SameEntities(pool), tuple(kinds), most, eastern, several))


class SameEntities:
    """Entities that are the same where they are the very same objects, in the same order."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.entities = tuple(entities)  # held, so that no other object gets the id of one
        self._ids = tuple(map(id, self.entities))

    def __hash__(self) -> int:
        return hash(self._ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameEntities) and self._ids == other._ids


@lru_cache(maxsize=16)
def _matched(
    pool: SameEntities, kinds: tuple[EntityType, ...], most: int | None, eastern: int, several: bool
) -> list[Pair]:
    """Kept: one plan after another is about the same pairs of the same table."""
    options = _options(pool.entities, kinds, eastern)
    uses: Counter[tuple[str, str]] = Counter()
    taken: set[str] = set()
    found: list[Pair] = []
    turns = deque(kinds)
    while turns and (most is None or len(found) < most):
        kind = turns.popleft()
        pair = _next(options, kind, uses, taken, several)
        if pair is None:
            continue
        turns.append(kind)
        found.append(pair)
        taken |= {pair.north.id, pair.south.id}
        for one in pair:
            uses[kind, one.country] += 1
            uses["all", one.country] += 1
    return found


def _next(
    options: _Options,
    kind: EntityType,
    uses: Mapping[tuple[str, str], int],
    taken: set[str],
    several: bool,
) -> Pair | None:
    def least_used(cell: tuple[EntityType, str]) -> tuple[float, ...]:
        return uses[cell], uses["all", cell[1]], -population(cell[1])

    @cache
    def wanted(country: str) -> tuple[int, float]:
        used = uses[kind if several else "all", country]
        return (
            0 if used == 1 and several else 1 + used,
            0.0 if used else -population(country),
        )

    for cell in sorted((cell for cell in options if cell[0] == kind), key=least_used):
        left = options[cell] = [
            one
            for one in options[cell]
            if one.pair.north.id not in taken and one.pair.south.id not in taken
        ]
        if left:  # the first of those that are wanted alike is the best of them
            return min(left, key=lambda option: wanted(option.pair.south.country)).pair
    return None


def _options(pool: Sequence[Entity], kinds: Sequence[EntityType], eastern: int) -> _Options:
    """Every pair of these types that is allowed, by type and Northern country."""
    cells: dict[tuple[object, ...], list[Entity]] = {}
    chosen = set(_southern_countries((one.country for one in pool), eastern))
    for one in pool:
        home = economies()[one.country]
        if home.north_south != NORTH and one.country in chosen:
            key = (one.type, one.category, one.standing, home.west_east)
            cells.setdefault(key, []).append(one)
    found: dict[tuple[EntityType, str], list[_Option]] = {}
    for one in pool:
        home = economies()[one.country]
        if home.north_south != NORTH or one.type not in kinds:
            continue
        other = "Global East" if home.west_east == WEST else WEST
        rank = standing_rank(one)
        for partner in cells.get((one.type, one.category, one.standing, other), ()):
            pair = Pair(one, partner)
            if (apart := _apart(pair)) <= CALLIPER:
                order = (rank, apart, partner.id, one.id)
                found.setdefault((one.type, one.country), []).append(_Option(pair, order))
    for allowed in found.values():
        allowed.sort(key=lambda option: option.order)
    return found


def _apart(pair: Pair) -> float:
    """How far a pair is apart in fame, in doublings; people of whom it is not known are too far."""
    north, south = pair
    figures_ = (north.views, south.views)
    if north.type == "thing" and None in figures_:
        figures_ = (north.editions, south.editions)
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


@cache
def population(iso3: str) -> float:
    return figures().latest("population", iso3) or 0.0
