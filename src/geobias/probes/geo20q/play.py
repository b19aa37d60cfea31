"""How games were played: the guesser's questions, the judge's answers, where was looked first, and
what was guessed instead.

All functions take games (`scores.frame_of`) and return a frame; the rules of `scores` hold here
too. Each game counts once, whatever settings it was played in.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

import polars as pl

from geobias.atlas.economies import REGION_CODES, economies
from geobias.probes.geo20q.scores import (
    SETTINGS,
    TYPES,
    By,
    grouped,
    mean,
    ratio,
    share,
    table_frame,
)

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
        gained = gained.drop_nulls("bits")
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
