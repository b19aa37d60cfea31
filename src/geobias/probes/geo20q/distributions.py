"""What a run's entities are, how well known they are, and how long games take: distributions.

The paper shows its entities by kind (Figures 3 and 6) and their frequency by rank, which is heavy
in the tail (Figure 5). All functions take the frame of `scores.frame_of` and return a frame.
"""

from __future__ import annotations

import math
from typing import Any, Literal

from geobias.probes.geo20q.analyses import band
from geobias.probes.geo20q.scores import (
    TYPES,
    By,
    ended_games,
    grouped,
    groups_of,
    in_every_language,
    mean,
    share,
    table_frame,
)
from geobias.probes.lazy import pl

KindBy = Literal["kind", "country", "region", "continent", "north_south", "west_east"]
"""What entities are counted by; "kind" is a person's profession and a thing's category."""
MEASURES = ("views", "frequency")
RANKS_PER_TENFOLD = 20


def entities_by(frame: pl.DataFrame, by: KindBy = "kind") -> pl.DataFrame:
    """How many entities of each type a run is about in each group, the most first.

    An entity counts once, however often it is played. `share` is of all entities of its type that
    have a group.
    """
    targets = frame.unique("entity", maintain_order=True)
    rows = []
    for type_ in TYPES.values():
        groups = list(groups_of(targets.filter(type=type_), "category" if by == "kind" else by))
        total = sum(own.height for _, own in groups)
        rows += [
            {"type": type_, "group": name, "entities": own.height, "of": total}
            | {"share": own.height / total}
            for name, own in groups
        ]
    table = table_frame(rows, ("type", "group"), numbers=["share"], counts=("entities", "of"))
    return table.sort("type", "entities", "group", descending=[False, True, False])


def turns_tail(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Of games that were won, the share that took more than so many turns, with its interval.

    A game that was lost has no number of turns to success and is not here: `won` of `played` are.
    Where none was won there is one row, without turns.
    """
    rows: list[dict[str, Any]] = []
    for group, games in grouped(ended_games(frame), by):
        won = games.filter(won=1)
        if not won.height:
            rows.append(group | {"turns": None, "games": 0, "won": 0, "played": games.height})
            continue
        for turns, within in enumerate(band(won), start=1):
            longer = won.filter(pl.col("turns") > turns).height
            beyond = {
                "longer": None if within.value is None else 1 - within.value,
                "longer_low": None if within.high is None else 1 - within.high,
                "longer_high": None if within.low is None else 1 - within.low,
            }
            counts = {"turns": turns, "games": longer, "won": won.height, "played": games.height}
            rows.append(group | beyond | counts)
            if not longer:
                break
    text, counts_named = ("type", "setting", "group"), ("turns", "games", "won", "played")
    table = table_frame(rows, text, estimates=["longer"], counts=counts_named)
    return table.select(*text, "turns", pl.exclude(*text, "turns"))


def fame_ranks(frame: pl.DataFrame) -> pl.DataFrame:
    """Page views and corpus frequency of the entities, the best known first, at ranks that are
    evenly apart in logarithms.

    `known` entities of a type have a figure, `unknown` ones have none and no rank; a figure of 0
    has a rank and no logarithm. Where only the other type's entities have figures there is one row,
    without a rank.
    """
    targets = frame.unique("entity", maintain_order=True)
    rows = []
    for type_ in TYPES.values():
        own = targets.filter(type=type_)
        for measure in MEASURES:
            ranked = own.drop_nulls(measure).sort(measure, "entity", descending=[True, False])
            counts = {"known": ranked.height, "unknown": own.height - ranked.height}
            if own.height and not ranked.height and targets[measure].is_not_null().any():
                rows.append({"type": type_, "measure": measure} | counts)
            for rank in _spaced(ranked.height):
                row = ranked.row(rank - 1, named=True)
                named = {"type": type_, "measure": measure}
                named |= {"name": row["name"], "entity": row["entity"]}
                rows.append(named | {"rank": rank, "figure": row[measure]} | counts)
    text, counts_named = ("type", "measure", "name", "entity"), ("rank", "known", "unknown")
    table = table_frame(rows, text, numbers=["figure"], counts=counts_named)
    return table.select("type", "measure", "rank", "figure", "name", "known", "unknown", "entity")


def _spaced(last: int) -> list[int]:
    """Ranks from 1 to the last, so many for each tenfold."""
    if not last:
        return []
    steps = range(math.ceil(math.log10(last) * RANKS_PER_TENFOLD) + 1)
    ranks = {min(last, round(10 ** (step / RANKS_PER_TENFOLD))) for step in steps}
    return sorted(ranks | {last})


def by_language(frame: pl.DataFrame) -> pl.DataFrame:
    """Success and turns to success by language and continent, as in the paper's Tables 4 and 8.

    Only entities that were played in every language are in it (`scores.in_every_language`).
    """
    rows = []
    for group, games in grouped(ended_games(in_every_language(frame)), "continent"):
        for (language,), own in sorted(games.group_by("language")):
            won = own.filter(won=1)
            row = group | {"language": language} | share(own, "won").columns("success")
            row |= mean(won, "turns", least=1).columns("turns") if won.height else {}
            counts = {"won": won.height, "played": own.height}
            rows.append(row | counts | {"entities": own["entity"].n_unique()})
    text, counts_named = ("type", "setting", "group", "language"), ("won", "played", "entities")
    table = table_frame(rows, text, estimates=("success", "turns"), counts=counts_named)
    return table.sort("type", "setting", "group", "language")
