"""Success against allowed turns and between the halves of the world; how games were played; what
their entities are.

All functions take the frame of `scores.frame_of` and return a frame; the rules of `scores` hold
here too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
import scipy  # which loads its parts when they are first called: 0.3 s each

from geobias.atlas.economies import REGION_CODES, economies
from geobias.probes.geo20q.questions import EARLY
from geobias.probes.geo20q.scores import (
    ONE_GAME,
    SETTINGS,
    TYPES,
    By,
    country_means,
    ended_games,
    grouped,
    groups_of,
    in_every_language,
    mean,
    over_countries,
    ratio,
    share,
    table_frame,
    units_column,
    units_of,
)
from geobias.stats.arrays import Floats
from geobias.stats.contrasts import difference
from geobias.stats.estimates import Estimate, Tested, rate
from geobias.stats.over_units import rates_over_units
from geobias.stats.pooling import holm

Half = Literal["north_south", "west_east"]
HALVES: dict[Half, tuple[str, str]] = {
    "north_south": ("Global North", "Global South"),
    "west_east": ("Global West", "Global East"),
}
SIDES = ("first", "second")


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
    won = games["won"].to_numpy() == 1
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


def halves(frame: pl.DataFrame) -> pl.DataFrame:
    """North against South and West against East on country means (the paper's Table 5).

    first, second    mean over countries of each country's success, with intervals over countries
    difference       of the two means, with the interval and `difference_p` of Welch's test;
                     `difference_p_holm` for all tests of the same `games` at once
    u, p, p_holm     the paper's Mann–Whitney test, which is about ranks: whether a country of one
                     half tends to lie above one of the other. Equal means can differ in that
    effect           its size, the rank-biserial correlation, −1 to 1
    games            "all", or "judge right": without games in which one of the judge's first
                     `moves.EARLY` checkable answers goes against the entity table. If the judge
                     knows less about one half, that half's games are lost through no fault of the
                     guesser, and the two rows differ. Later answers do not count: lost games have
                     more of them, and leaving out every game with an error would leave out losses
    first_few, …     games with fewer checkable answers than that; they are kept where none is wrong
    note             why there is no interval, or why it may be too narrow
    """
    rows: list[dict[str, Any]] = []
    played = ended_games(frame)
    for half in HALVES:
        for group, everything in grouped(played, "all"):
            judged_right = everything.filter(pl.col("early_errors").fill_null(0) == 0)
            for name, games in (("all", everything), ("judge right", judged_right)):
                row = compare_sides(country_means(games), half, "games")
                rows.append(row | group | {"games": name} | _few(games, half))
    return halves_frame(rows, ("halves", "type", "setting", "games"), ("countries", "games", "few"))


class Sides(NamedTuple):
    """The means over countries of either half, and their difference."""

    first: Estimate
    second: Estimate
    difference: Tested


def sides_of(means: pl.DataFrame, half: Half, counted: str = "entities") -> Sides:
    """The two sides of a half on country means (`value`), each country counting once; `counted` is
    the column that says how many trials a country's mean rests on."""
    sides = [means.filter(pl.col(half) == name) for name in HALVES[half]]
    first, second = (over_countries(side, counted) for side in sides)
    gap = difference(*(side["value"].to_numpy() for side in sides), most=1)
    return Sides(first, second, gap)


class Ranks(NamedTuple):
    """Mann and Whitney's test (1947): U of the first side, p, and the rank-biserial correlation,
    the share of pairs of countries in which the first is above less that in which it is below."""

    u: float | None
    p: float | None
    effect: float | None
    n: int


def mann_whitney(means: pl.DataFrame, half: Half) -> Ranks:
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


def region_means(games: pl.DataFrame) -> tuple[Floats, list[str]]:
    """Each country's success and region, of those that have a region."""
    means = country_means(games).drop_nulls("region").sort("country")
    return means["value"].to_numpy(), means["region"].to_list()


def furthest(games: pl.DataFrame, half: Half) -> dict[str, Any]:
    """The difference had all games (`by_setting`) that broke off been lost, or all been won:
    `missing`, `lowest` and `highest`."""
    games = games.drop_nulls(half)
    missing = games["won"].null_count()
    if not missing or missing == games.height:
        return {"missing": missing}
    filled = (games.with_columns(pl.col("won").fill_null(end)) for end in (0, 1))
    found = [sides_of(country_means(one), half).difference.estimate.value for one in filled]
    ends = [end for end in found if end is not None]
    if len(ends) < len(found):
        return {"missing": missing}
    return {"missing": missing, "lowest": min(ends), "highest": max(ends)}


def compare_sides(means: pl.DataFrame, half: Half, counted: str) -> dict[str, Any]:
    """The two sides of a half on country means (`value`), with their tests; `counted` is the column
    that is summed for either side, and says how much a country's mean rests on where there are no
    entities."""
    found = sides_of(means, half, "entities" if "entities" in means.columns else counted)
    sides = [means.filter(pl.col(half) == name) for name in HALVES[half]]
    ranks = mann_whitney(means, half)
    row: dict[str, Any] = {"halves": half, "u": ranks.u, "p": ranks.p, "effect": ranks.effect}
    row |= found.difference.estimate.columns("difference")
    row |= {"difference_p": found.difference.p, "note": found.difference.estimate.note}
    row |= found.first.columns("first") | found.second.columns("second")
    for name, side in zip(SIDES, sides, strict=True):
        row |= {f"{name}_countries": side.height, f"{name}_{counted}": int(side[counted].sum())}
    return row


def halves_frame(
    rows: list[dict[str, Any]], text: tuple[str, ...], counts: tuple[str, ...]
) -> pl.DataFrame:
    """Rows of `compare_sides` as a frame, with p-values adjusted over all rows of the same `games`.

    `counts` are of either side.
    """
    for games in {row.get("games") for row in rows}:
        family = [row for row in rows if row.get("games") == games]
        for name in ("p", "difference_p"):
            for row, p in zip(family, holm([row[name] for row in family]), strict=True):
                row[f"{name}_holm"] = p
    return table_frame(
        rows,
        text,
        estimates=(*SIDES, "difference"),
        numbers=("difference_p", "difference_p_holm", "u", "p", "p_holm", "effect"),
        counts=[f"{side}_{count}" for side in SIDES for count in counts],
        notes=("note",),
    )


def _few(games: pl.DataFrame, half: Half) -> dict[str, int]:
    """Games of either side whose judge could hardly be checked."""
    few = games.filter(pl.col("early_checked").fill_null(0) < EARLY)[half].to_list()
    return {f"{side}_few": few.count(name) for side, name in zip(SIDES, HALVES[half], strict=True)}


QUESTION_FAULTS = ("repeated", "not_yes_no", "contradicted")
JUDGE_FAULTS = ("flips", "maybe", "unread", "rambles", "leaks", "refusals")


def wrong_guesses(
    frame: pl.DataFrame, by: Literal["region", "continent", "north_south"] = "region"
) -> pl.DataFrame:
    """What was guessed instead: of each target group's wrong guesses, the share from every group.

    Every wrong guess counts, of all turns; of records that do not have them, the last one. Only
    guesses that name an entity of the table are placed; `placed` counts them and `unplaced` the
    games that ended without the target and without any such guess. `home` is the share from the
    target's own group, with its interval; the table of entities is not spread evenly, so compare
    rows of a column rather than columns of a row. Columns for regions have the World Bank's codes
    (EAS is East Asia & Pacific).
    """
    missed = frame.filter(pl.any_horizontal(pl.col(s).is_in(["lost", "gave_up"]) for s in SETTINGS))
    groups = sorted({group for one in economies().values() if (group := getattr(one, by))})
    heads = {group: REGION_CODES[group] if by == "region" else group for group in groups}
    rows = []
    guessed = pl.col("guessed_group")
    groups_of_places = {iso3: getattr(one, by) for iso3, one in economies().items()}
    every = pl.col("wrong_countries").fill_null("")
    each = pl.when(every == "").then(pl.col("guessed_country").fill_null("")).otherwise(every)
    missed = missed.with_columns(each.str.split(";").alias("guessed_countries"))
    for type_, group in product(TYPES.values(), groups):
        games = missed.filter(pl.col("type") == type_, pl.col(by) == group)
        if not games.height:
            continue
        guesses = games.explode("guessed_countries").filter(pl.col("guessed_countries") != "")
        placed = guesses.with_columns(
            pl.col("guessed_countries")
            .replace_strict(groups_of_places, default=None, return_dtype=pl.String)
            .alias("guessed_group")
        ).drop_nulls("guessed_group")
        placed = placed.with_columns(home=(guessed == group).cast(pl.Int64))
        without = games.height - placed["trial"].n_unique()
        row: dict[str, Any] = {"type": type_, "target": group}
        row |= share(placed, "home").columns("home")
        row |= {"placed": placed.height, "unplaced": without}
        for other, head in heads.items():
            row[head] = placed.select((guessed == other).mean()).item()
        rows.append(row)
    return table_frame(
        rows,
        ("type", "target"),
        estimates=["home"],
        numbers=heads.values(),
        counts=("placed", "unplaced"),
    )


def questions(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """How well the guesser asks: shares of its questions, and questions in a game.

    repeated       asked before in the same game
    not_yes_no     no yes/no question
    contradicted   go against what the judge has said
    bits           information about the country that a question gains, in bits, in the turns that
                   all settings have: the mean of games
    Of games of all endings, broken ones too: their questions were asked all the same.
    """
    rows = []
    for group, games in _each_game_once(frame, by):
        row: dict[str, Any] = group | mean(games, "asked").columns("asked_per_game")
        asked = games.filter(pl.col("asked") > 0)
        shared = pl.min_horizontal("asked", pl.col("canonical_limit") - 1)
        gained = asked.with_columns(bits=pl.col("bits") / shared).filter(shared > 0)
        row |= mean(gained, "bits").columns("bits")
        for name in QUESTION_FAULTS:
            row |= ratio(asked, name, "asked").columns(name)
        rows.append(row | {"questions": int(games["asked"].sum()), "games": games.height})
    return _group_table(rows, ("asked_per_game", "bits", *QUESTION_FAULTS), ("questions", "games"))


def judging_in_games(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """How the judge answered in the games themselves.

    wrong        of the answers that the entity table can check (`checked`), those it contradicts
    flips        answers against its own earlier ones, as a share of answers
    maybe, unread, rambles, leaks, refusals   shares of answers
    """
    rows = []
    for group, games in _each_game_once(frame, by):
        asked = games.filter(pl.col("asked") > 0)
        row: dict[str, Any] = group | ratio(asked, "errors", "checked").columns("wrong")
        for name in JUDGE_FAULTS:
            row |= ratio(asked, name, "asked").columns(name)
        row |= {"checked": int(games["checked"].sum()), "answers": int(games["asked"].sum())}
        with_errors = int((games["errors"] > 0).sum())
        rows.append(row | {"games": games.height, "games_with_errors": with_errors})
    counts = ("checked", "answers", "games", "games_with_errors")
    return _group_table(rows, ("wrong", *JUDGE_FAULTS), counts)


def first_places(frame: pl.DataFrame) -> pl.DataFrame:
    """Which place is asked about first, in which share of games, and at which turn on average.

    The share is of all games of the type; in the rest another place, or none, came first.
    """
    rows = []
    for type_ in TYPES.values():
        games = frame.filter(type=type_)
        named = games.filter(pl.col("first_place") != "")
        for (place,), own in named.group_by("first_place", maintain_order=True):
            flagged = games.with_columns(here=(pl.col("first_place") == place).cast(pl.Int64))
            rows.append(
                {"type": type_, "place": str(place)}
                | share(flagged, "here").columns("share")
                | mean(own, "first_place_turn", least=1).columns("turn")
                | {"first": own.height, "games": games.height}
            )
    return table_frame(
        rows, ("type", "place"), estimates=("share", "turn"), counts=("first", "games")
    ).sort("type", "share", "place", descending=[False, True, False])


def search_before_target(frame: pl.DataFrame, by: By = "region") -> pl.DataFrame:
    """How far the guesser looks elsewhere before it asks about a place that holds the target.

    outside       questions about places that do not hold it, before the first that does; of games
                  that name any place. Games that never enter count all such questions
    entered       share of those games that do ask about such a place
    entered_turn  at which turn, of games that enter
    """
    rows = []
    for group, games in _each_game_once(frame, by):
        looked = games.drop_nulls("first_place_turn").with_columns(
            inside=pl.col("entered").is_not_null().cast(pl.Int64)
        )
        rows.append(
            group
            | mean(looked, "outside").columns("outside")
            | share(looked, "inside").columns("entered")
            | mean(looked.filter(inside=1), "entered", least=1).columns("entered_turn")
            | {"looked": looked.height, "games": games.height}
            | {"countries": looked["country"].n_unique()}
        )
    estimates = ("outside", "entered", "entered_turn")
    return _group_table(rows, estimates, ("looked", "games", "countries"))


def _each_game_once(frame: pl.DataFrame, by: By) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
    """Groups of games, each game once whatever it was played in, with `asked`: its questions."""
    answers = ("yes", "no", "maybe", "unread")
    counts = {*answers, *QUESTION_FAULTS, *JUDGE_FAULTS, "errors", "checked", "outside"}
    games = frame.with_columns(pl.col(*counts).fill_null(0), setting=pl.lit("unlimited"))
    return grouped(games.with_columns(asked=pl.sum_horizontal(answers)), by)


def _group_table(
    rows: list[dict[str, Any]], estimates: tuple[str, ...], counts: tuple[str, ...]
) -> pl.DataFrame:
    table = table_frame(rows, ("type", "group"), estimates=estimates, counts=counts)
    return table.sort("type", "group")


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


def turns_tail(frame: pl.DataFrame) -> pl.DataFrame:
    """Of games that were won, the share that took more than so many turns, with its interval.

    A game that was lost has no number of turns to success and is not here: `won` of `played` are.
    Where none was won there is one row, without turns.
    """
    rows: list[dict[str, Any]] = []
    for group, games in grouped(ended_games(frame), "all"):
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
