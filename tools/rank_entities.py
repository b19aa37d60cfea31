"""Rank the entities of the shipped table, the best known first (its column `rank`).

    python tools/rank_entities.py

People are ordered by page views. Someone without page views but with an HPI (historical popularity
index) takes the views of the same rank: the hundredth by HPI gets the hundredth highest views. Then
come people with neither, by standing. Within a standing, the table lists each country's best known
first, but it does not rank people of different countries. So the first of every country comes
before the second of every country. Things are ordered by standing (the level of vital article).
Within one standing, the standard set comes first, 25 things of each continent chosen by hand. Then
comes the first of every country in the table, more populous countries first. The number of
Wikipedias with an article is not used, since it is known for one thing in seven only. Generic
things come last.
"""

from __future__ import annotations

import csv
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence

from geobias.atlas.figures import figures
from geobias.atlas.table import shipped_table, write_rows

TABLE = shipped_table("entities.csv")
STANDINGS = ("3", "4", "5", "unlisted")
Row = dict[str, str]


def population(iso3: str) -> float:
    return figures().truth("population", iso3, "latest") or 0.0


def likely_views(rows: Sequence[Row]) -> Mapping[str, float]:
    """Page views by id, and for people who lack them those whose rank equals that of their HPI.

    HPI and views are weakly correlated (rank correlation 0.5), so this only serves to order people.
    """
    known = {row["id"]: float(row["views"]) for row in rows if row["views"]}
    both = [row for row in rows if row["views"] and row["hpi"]]
    indices, views = (sorted(float(row[name]) for row in both) for name in ("hpi", "views"))
    for row in rows:
        if row["id"] not in known and row["hpi"]:
            place = bisect_left(indices, float(row["hpi"]))
            known[row["id"]] = views[min(place, len(views) - 1)]
    return known


def ranked(rows: Sequence[Row]) -> list[Row]:
    """The rows, each with its rank among those of its type."""
    likely = likely_views([row for row in rows if row["type"] == "person"])
    place_in_country: Counter[tuple[str, str]] = Counter()
    keys: dict[str, tuple[float, ...]] = {}
    for row in rows:
        generic = "generic" in row["origin"].split("|")
        place_in_country[row["type"], row["country"]] += not generic
        place = place_in_country[row["type"], row["country"]]
        level = STANDINGS.index(row["standing"])
        if row["type"] == "person":
            keys[row["id"]] = (-likely.get(row["id"], -math.inf), level, place)
        else:
            picked = row["standard"] == "1"
            keys[row["id"]] = (generic, level, not picked, place, -population(row["country"]))
    ranks: dict[str, int] = {}
    for kind in ("person", "thing"):
        own = sorted((row["id"] for row in rows if row["type"] == kind), key=keys.__getitem__)
        ranks |= {id_: rank for rank, id_ in enumerate(own, start=1)}
    return [row | {"rank": str(ranks[row["id"]])} for row in rows]


if __name__ == "__main__":
    with TABLE.open(encoding="utf-8", newline="") as file:
        made = ranked(list(csv.DictReader(file)))
    write_rows(TABLE, [list(made[0]), *(list(row.values()) for row in made)])
