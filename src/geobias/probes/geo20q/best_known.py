"""Who and what is best known, by one rule for every place.

    people   by page views; one who has none, and an HPI, stands where the person of the same rank
             by HPI stands by views; then those of whom neither is known, by standing
    things   by standing (the level of vital article), then by the number of Wikipedias that have
             an article, then by page views

Where all that is equal or unknown, the first of every country come before the second of every
country, since the table puts the best known of a country first and says nothing across countries.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from geobias.atlas.economies import economies
from geobias.atlas.entities import STANDINGS, Entity


def best_known(pool: Sequence[Entity], by: str, each: int) -> list[Entity]:
    """The `each` best known of each type in every continent or country."""
    likely = likely_views(pool)
    cells: dict[tuple[str, str], list[Entity]] = {}
    for one in pool:
        place = economies()[one.country].continent if by == "continents" else one.country
        cells.setdefault((one.type, place), []).append(one)
    return [one for cell in cells.values() for one in _best_first(cell, likely)[:each]]


def likely_views(pool: Sequence[Entity]) -> Mapping[str, float]:
    """Views by id: the known ones, and of people without them those of the same rank by HPI.

    HPI and views go together weakly (rank correlation 0.5), so this serves to put people in an
    order, and is no figure for a regression.
    """
    known = {one.id: one.views for one in pool if one.views is not None}
    both = [(one.hpi, one.views) for one in pool if one.hpi is not None and one.views is not None]
    indices, views = sorted(hpi for hpi, _ in both), sorted(views for _, views in both)
    for one in pool:
        if one.id not in known and one.hpi is not None and both:
            known[one.id] = views[min(bisect_left(indices, one.hpi), len(views) - 1)]
    return known


def _best_first(cell: Sequence[Entity], likely: Mapping[str, float]) -> list[Entity]:
    rank: dict[str, int] = {}
    keys = {}
    for one in cell:
        rank[one.country] = rank.get(one.country, 0) + 1
        views = -likely.get(one.id, -math.inf)
        level = standing_rank(one)
        by_fame = (views, level) if one.type == "person" else (level, _most(one.editions), views)
        keys[one.id] = (*by_fame, rank[one.country])
    return sorted(cell, key=lambda one: keys[one.id])


def _most(number: float | None) -> float:
    return math.inf if number is None else -number


def standing_rank(one: Entity) -> int:
    """0 for level 3, and on; a standing that nobody has looked up comes last."""
    return STANDINGS.index(one.standing) if one.standing else len(STANDINGS)
