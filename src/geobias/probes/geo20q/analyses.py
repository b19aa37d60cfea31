"""What the paper shows of games, beside success: its curve, Tables 4, 5 and 7 to 9, Figures 3 to 6.

All functions take games (`scores.frame_of`) and return a frame; the rules of `scores` hold here
too.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
import scipy  # which loads its parts when they are first called: 0.3 s each

from geobias.measures.measure import HALVES
from geobias.probes.geo20q.questions import EARLY
from geobias.probes.geo20q.scores import (
    ONE_GAME,
    RULES,
    TYPES,
    By,
    by_setting,
    country_means,
    grouped,
    groups_of,
    in_every_language,
    mean,
    share,
    table_frame,
    units_column,
    units_of,
)
from geobias.stats.contrasts import difference
from geobias.stats.estimates import Estimate, Tested, rate
from geobias.stats.over_units import rates_over_units, share_over_units
from geobias.stats.pooling import holm

SIDES = ("first", "second")


def ended_games(games: pl.DataFrame) -> pl.DataFrame:
    """Those that came to an end, in each setting (`by_setting`)."""
    return by_setting(games).drop_nulls("won")


def curve(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Success against allowed turns, 1 to the games' limit (Figure 4), with a 95% band.

    Of games without a limit of 20 where there are any, else of canonical ones. A game won at turn t
    counts as won for every limit from t on. The band is for each limit alone; at the
    last turn it is the interval of `scores.success`.
    """
    rows = []
    games = ended_games(frame)
    for group, part in grouped(games, by):
        both = games.filter(type=group["type"])["setting"].n_unique() > 1
        if both and group["setting"] == "canonical":
            continue
        counts = {"played": part.height, "countries": part["country"].n_unique()}
        for limit, won in enumerate(band(part), start=1):
            rows.append(group | {"allowed_turns": limit} | won.columns("success") | counts)
    text = ("type", "setting", "group")
    table = table_frame(
        rows, text, estimates=["success"], counts=("allowed_turns", "played", "countries")
    )
    return table.select(*text, "allowed_turns", pl.exclude(*text, "allowed_turns"))


def band(games: pl.DataFrame) -> list[Estimate]:
    """Success with its interval for each number of allowed turns, 1 to the games' limit."""
    most = int(games["limit"].max())  # type: ignore[arg-type]
    won = games["won"].to_numpy()
    ended = games["turns"].fill_null(most).to_numpy()
    names, index = np.unique(units_column(games), return_inverse=True)
    hits = np.zeros((len(names), most))
    np.add.at(hits, (index.ravel()[won], ended[won] - 1), 1)
    hits = hits.cumsum(axis=1)  # a game won at turn t is won for every limit from t on
    if games.height == 1:
        return [Estimate(float(hits[0, turn]), None, None, 1, ONE_GAME) for turn in range(most)]
    if units_of(games) == "games":
        return [rate(int(count), len(won)) for count in hits.sum(axis=0)]
    return rates_over_units(hits, np.bincount(index.ravel()).astype(float))


def halves(games: pl.DataFrame) -> pl.DataFrame:
    """North against South and West against East on country means (the paper's Table 5).

    first, second    mean over countries of each country's success, with intervals over countries
    u, p, p_holm     the paper's Mann–Whitney test, which is about ranks: whether a country of one
                     half tends to lie above one of the other. Equal means can differ in that.
                     `p_holm` allows for all rows of the same `games`
    effect           its size, the rank-biserial correlation, −1 to 1
    difference       of the two means, and the p of Welch's test
    games            "all", or "judge right": without games in which one of the judge's first
                     `questions.EARLY` checkable answers goes against the entity table. If the judge
                     knows less about one half, that half's games are lost through no fault of the
                     guesser, and the two rows differ. Later answers do not count: lost games have
                     more of them, and leaving out every game with an error would leave out losses
    first_few, …     games with fewer checkable answers than that; they are kept where none is wrong
    note             why there is no interval, or why it may be too narrow
    """
    rows: list[dict[str, Any]] = []
    for half in HALVES:
        for group, everything in grouped(ended_games(games)):
            judged_right = everything.filter(pl.col("early_errors").fill_null(0) == 0)
            for name, own in (("all", everything), ("judge right", judged_right)):
                rows.append(group | {"halves": half, "games": name} | _compared(own, half))
    for name in ("all", "judge right"):
        family = [row for row in rows if row["games"] == name]
        for row, p in zip(family, holm([row["p"] for row in family]), strict=True):
            row["p_holm"] = p
    return table_frame(
        rows,
        ("halves", "type", "setting", "games"),
        estimates=(*SIDES, "difference"),
        numbers=("difference_p", "u", "p", "p_holm", "effect"),
        counts=[f"{side}_{count}" for side in SIDES for count in ("countries", "games", "few")],
        notes=("note",),
    )


def _compared(games: pl.DataFrame, half: str) -> dict[str, Any]:
    means = country_means(games)
    found, ranks = sides_of(means, half), mann_whitney(means, half)
    row: dict[str, Any] = {"u": ranks.u, "p": ranks.p, "effect": ranks.effect}
    row |= found.difference.estimate.columns("difference")
    row |= {"difference_p": found.difference.p, "note": found.difference.estimate.note}
    row |= found.first.columns("first") | found.second.columns("second")
    for side, name in zip(SIDES, HALVES[half], strict=True):
        own = games.filter(pl.col(half) == name)
        few = own.filter(pl.col("early_checked").fill_null(0) < EARLY)
        countries = means.filter(pl.col(half) == name)
        row |= {f"{side}_countries": countries.height, f"{side}_few": few.height}
        row[f"{side}_games"] = int(countries["games"].sum())
    return row


class Sides(NamedTuple):
    """The means over countries of either half, and their difference."""

    first: Estimate
    second: Estimate
    difference: Tested


def sides_of(means: pl.DataFrame, half: str) -> Sides:
    """The two sides of a half on country means (`value`), each country counting once."""
    sides = [means.filter(pl.col(half) == name) for name in HALVES[half]]
    first, second = (
        share_over_units(side["value"].to_numpy(), side["entities"].to_numpy()) for side in sides
    )
    gap = difference(*(side["value"].to_numpy() for side in sides), most=1)
    return Sides(first, second, gap)


class Ranks(NamedTuple):
    """Mann and Whitney's test (1947): U of the first side, p, and the rank-biserial correlation,
    the share of pairs of countries in which the first is above less that in which it is below."""

    u: float | None
    p: float | None
    effect: float | None
    n: int


def mann_whitney(means: pl.DataFrame, half: str) -> Ranks:
    """The paper's test of the two sides of a half; nothing where one is empty."""
    first, second = (
        means.filter(pl.col(half) == name)["value"].to_numpy() for name in HALVES[half]
    )
    n = len(first) + len(second)
    if not len(first) or not len(second):
        return Ranks(None, None, None, n)
    found = scipy.stats.mannwhitneyu(first, second)
    u = float(found.statistic)
    return Ranks(u, float(found.pvalue), 2 * u / (len(first) * len(second)) - 1, n)


def by_language(frame: pl.DataFrame) -> pl.DataFrame:
    """Success and turns to success by language, and by language and continent, as in the paper's
    Tables 4 and 8.

    Only entities that were played in every language are in it (`scores.in_every_language`).
    """
    played = ended_games(in_every_language(frame))
    rows = []
    for group, games in (*grouped(played), *grouped(played, "continent")):
        for (language,), own in sorted(games.group_by("language")):
            won = own.filter("won")
            row = group | {"language": language} | share(own, "won").columns("success")
            row |= mean(won, "turns", least=1).columns("turns") if won.height else {}
            counts = {"won": won.height, "played": own.height}
            rows.append(row | counts | {"entities": own["entity"].n_unique()})
    text, counts_named = ("type", "setting", "group", "language"), ("won", "played", "entities")
    return table_frame(rows, text, estimates=("success", "turns"), counts=counts_named)


def give_ups(games: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """How often the guesser gave up, and at which turn (Table 9: of games given up only)."""
    rows = []
    for group, played in grouped(ended_games(games), by):
        ended = played.with_columns(gave_up=(pl.col("ending") == "gave_up").cast(pl.Int64))
        given_up = ended.filter(gave_up=1)
        row = group | mean(given_up, "turns", least=1).columns("turns_to_give_up")
        row |= share(ended, "gave_up").columns("gave_up_share")
        rows.append(row | {"gave_up": given_up.height, "played": played.height})
    estimates, counts = ("turns_to_give_up", "gave_up_share"), ("gave_up", "played")
    return table_frame(rows, ("type", "setting", "group"), estimates=estimates, counts=counts)


def rules(games: pl.DataFrame) -> pl.DataFrame:
    """Games won by each rule: a turn proposes the target, or names it in any role.

    only_mention   games won by mention and not by guess
    doubtful       turns for the referee, whether there was one or not
    """
    rows = []
    for group, part in grouped(by_setting(games)):
        row: dict[str, Any] = dict(group)
        for rule in RULES:
            played = part.drop_nulls(f"won_{rule}")
            row |= share(played, f"won_{rule}").columns(rule) | {f"played_{rule}": played.height}
            row[f"won_{rule}"] = int(played[f"won_{rule}"].sum())
        row["only_mention"] = part.filter(pl.col("won_mention") & ~pl.col("won_guess")).height
        row["doubtful"] = int(part["doubtful"].sum())
        rows.append(row)
    counts = [f"{what}_{rule}" for rule in RULES for what in ("won", "played")]
    counts += ["only_mention", "doubtful"]
    return table_frame(rows, ("type", "setting"), estimates=RULES, counts=counts)


def repeats(games: pl.DataFrame, by: By = "continent") -> pl.DataFrame:
    """Mean and SD (n − 1) over repeats of success and turns, as in Table 7.

    A repeat is every game once. One repeat has no SD; a repeat in which no game was won has no
    turns and is not counted in `turns_repeats`.
    """
    rows = []
    for group, played in grouped(ended_games(games), by):
        by_repeat = played.group_by("repeat", maintain_order=True).agg(
            pl.col("won").mean().alias("success"),
            pl.col("turns").filter("won").mean().alias("turns"),
        )
        row: dict[str, Any] = group | {"entities": played["entity"].n_unique()}
        for name in ("success", "turns"):
            values = by_repeat[name]
            row |= {f"{name}_mean": values.mean(), f"{name}_sd": values.std()}
            row[f"{name}_repeats"] = values.count()
        rows.append(row)
    numbers = [f"{name}_{what}" for name in ("success", "turns") for what in ("mean", "sd")]
    counts = ("success_repeats", "turns_repeats", "entities")
    text = ("type", "setting", "group")
    return table_frame(rows, text, numbers=numbers, counts=counts).sort(*text)


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
