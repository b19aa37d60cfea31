"""How games were played: what was guessed instead, how well was asked, and where one looked first.

All functions take the frame of `scores.frame_of` and return a frame; the rules of `scores` hold
here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from geobias.atlas.economies import REGION_CODES, economies
from geobias.probes.geo20q.grouping import By
from geobias.probes.geo20q.scores import SETTINGS, grouped, mean, per, share

if TYPE_CHECKING:
    import polars as pl


def wrong_guesses(
    frame: pl.DataFrame, by: Literal["region", "continent", "north_south"] = "region"
) -> pl.DataFrame:
    """What was guessed instead: of each target group's wrong guesses, the share from every group.

    Only guesses that name an entity of the table are placed; `placed` counts them and `unplaced`
    the games that ended without the target and without such a guess. `home` is the share from the
    target's own group, with its interval; the table of entities is not spread evenly, so compare
    rows of a column rather than columns of a row. Columns for regions have the World Bank's codes
    (EAS is East Asia & Pacific).
    """
    import polars as pl

    missed = frame.filter(
        pl.any_horizontal(pl.col(s).is_in(["lost", "gave_up"]) for s in SETTINGS)
        & pl.col(by).is_not_null()
    )
    column = f"guessed_{by}"
    groups = sorted({e for e in (getattr(one, by) for one in economies().values()) if e})
    heads = {group: REGION_CODES[group] if by == "region" else group for group in groups}
    rows = []
    for kind in ("people", "things"):
        for group in groups:
            part = missed.filter(pl.col("type") == kind, pl.col(by) == group)
            if not part.height:
                continue
            placed = part.filter(pl.col(column).is_not_null()).with_columns(
                home=(pl.col(column) == group).cast(pl.Int64)
            )
            found, _ = share(placed, "home")
            counts = dict(placed[column].value_counts().iter_rows())
            rows.append(
                {"type": kind, "target": group}
                | found.columns("home")
                | {
                    heads[other]: counts.get(other, 0) / placed.height if placed.height else None
                    for other in groups
                }
                | {"placed": placed.height, "unplaced": part.height - placed.height}
            )
    schema: dict[str, Any] = {"type": pl.String, "target": pl.String}
    schema |= dict.fromkeys(("home", "home_low", "home_high"), pl.Float64)
    schema |= dict.fromkeys((heads[group] for group in groups), pl.Float64)
    return pl.DataFrame(rows, schema=schema | {"placed": pl.Int64, "unplaced": pl.Int64})


MOVES = ("repeated", "not_yes_no", "contradicted")


def questions(frame: pl.DataFrame, by: By = "all", *, seed: int = 0) -> pl.DataFrame:
    """How well the guesser asks: shares of its questions, and questions in a game.

    repeated       asked before in the same game
    not_yes_no     no yes/no question
    contradicted   go against what the judge has said
    Of games of all endings, broken ones too: their questions were asked all the same.
    """
    import polars as pl

    rows = []
    for group, part in _once(frame, by):
        asked = part.filter(pl.col("asked") > 0)
        row: dict[str, Any] = {"type": group["type"], "group": group["group"]}
        row |= mean(part, "asked", seed=seed)[0].columns("asked_per_game")
        for name in MOVES:
            row |= per(asked, name, "asked", seed=seed, most=1).columns(name)
        rows.append(row | {"questions": int(part["asked"].sum()), "games": part.height})
    names = ("asked_per_game", *MOVES)
    return _played(rows, names, ("questions", "games"))


def judging_in_games(frame: pl.DataFrame, by: By = "all", *, seed: int = 0) -> pl.DataFrame:
    """How the judge answered in the games themselves.

    wrong        of the answers that the entity table can check (`checked`), those it contradicts
    flips        answers against its own earlier ones, as a share of answers
    maybe, unread, rambles, leaks, refusals   shares of answers
    """
    import polars as pl

    shares = ("flips", "maybe", "unread", "rambles", "leaks", "refusals")
    rows = []
    for group, part in _once(frame, by):
        asked = part.filter(pl.col("asked") > 0)
        row: dict[str, Any] = {"type": group["type"], "group": group["group"]}
        row |= per(asked, "errors", "checked", seed=seed, most=1).columns("wrong")
        for name in shares:
            row |= per(asked, name, "asked", seed=seed, most=1).columns(name)
        rows.append(
            row
            | {
                "checked": int(part["checked"].sum()),
                "answers": int(part["asked"].sum()),
                "games": part.height,
                "games_with_errors": int((part["errors"] > 0).sum()),
            }
        )
    return _played(rows, ("wrong", *shares), ("checked", "answers", "games", "games_with_errors"))


def first_places(frame: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """Which place is asked about first, in which share of games, and at which turn on average.

    The share is of all games of the type; in the rest another place, or none, came first.
    """
    import polars as pl

    rows = []
    for kind in ("people", "things"):
        games = frame.filter(type=kind)
        named = games.filter(pl.col("first_place").fill_null("") != "")
        for (place,), part in named.group_by("first_place", maintain_order=True):
            flagged = games.with_columns(here=(pl.col("first_place") == place).cast(pl.Int64))
            often, _ = share(flagged, "here", seed=seed)
            when, _ = mean(part, "first_place_turn", seed=seed, least=1)
            rows.append(
                {"type": kind, "place": str(place)}
                | often.columns("share")
                | when.columns("turn")
                | {"first": part.height, "games": games.height}
            )
    numbers = [f"{name}{end}" for name in ("share", "turn") for end in ("", "_low", "_high")]
    schema: dict[str, Any] = {"type": pl.String, "place": pl.String}
    schema |= dict.fromkeys(numbers, pl.Float64) | {"first": pl.Int64, "games": pl.Int64}
    return pl.DataFrame(rows, schema=schema).sort(
        ["type", "share", "place"], descending=[False, True, False]
    )


def search_before_target(frame: pl.DataFrame, by: By = "region", *, seed: int = 0) -> pl.DataFrame:
    """How far the guesser looks elsewhere before it asks about a place that holds the target.

    outside       questions about places that do not hold it, before the first that does; of games
                  that name any place. Games that never enter count all such questions
    entered       share of those games that do ask about such a place
    entered_turn  at which turn, of games that enter
    """
    import polars as pl

    rows = []
    for group, part in _once(frame, by):
        looked = part.filter(pl.col("first_place_turn").is_not_null()).with_columns(
            inside=pl.col("entered").is_not_null().cast(pl.Int64)
        )
        inside = looked.filter(inside=1)
        rows.append(
            {"type": group["type"], "group": group["group"]}
            | mean(looked, "outside", seed=seed)[0].columns("outside")
            | share(looked, "inside", seed=seed)[0].columns("entered")
            | mean(inside, "entered", seed=seed, least=1)[0].columns("entered_turn")
            | {"looked": looked.height, "games": part.height}
            | {"countries": looked["country"].n_unique()}
        )
    return _played(rows, ("outside", "entered", "entered_turn"), ("looked", "games", "countries"))


def _once(frame: pl.DataFrame, by: By) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
    """Groups of games, each game once whatever it was played in, with `asked`: its questions."""
    import polars as pl

    answers = ("yes", "no", "maybe", "unread")
    counts = [*answers, *MOVES, "flips", "errors", "checked", "leaks", "rambles", "refusals"]
    played = frame.with_columns(
        pl.col(counts).fill_null(0), pl.col("outside").fill_null(0), setting=pl.lit("unlimited")
    )
    asked = pl.sum_horizontal(answers)
    return grouped(played.with_columns(asked=asked), by)


def _played(
    rows: list[dict[str, Any]], estimates: tuple[str, ...], counts: tuple[str, ...]
) -> pl.DataFrame:
    import polars as pl

    numbers = [f"{name}{end}" for name in estimates for end in ("", "_low", "_high")]
    schema: dict[str, Any] = {"type": pl.String, "group": pl.String}
    schema |= dict.fromkeys(numbers, pl.Float64) | dict.fromkeys(counts, pl.Int64)
    return pl.DataFrame(rows, schema=schema).sort("type", "group")
