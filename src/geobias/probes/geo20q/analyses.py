"""Further analyses of games: the paper's Tables 3, 5, 7 and 9 and Figure 4, wrong guesses, and how
the guesser asks.

All functions take games (`scores.frame_of`) and return a frame, under the rules of `scores`. Unless
stated otherwise, a game counts once in each setting in which it ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import polars as pl
import scipy  # which loads its parts when they are first called: 0.3 s each

from geobias.atlas.economies import REGION_CODES, economies
from geobias.measures.frames import table_of
from geobias.measures.measure import HALVES
from geobias.probes.geo20q.game import ANSWERS, SETTINGS
from geobias.probes.geo20q.scores import (
    RULES,
    By,
    by_setting,
    country_means,
    grouped,
    mean,
    ratio,
    share,
    table_by,
)
from geobias.results.tables import with_adjusted
from geobias.stats.estimates import Estimate
from geobias.stats.over_units import share_over_units
from geobias.stats.regression import linear, logistic

Row = dict[str, Any]


def ended_games(games: pl.DataFrame) -> pl.DataFrame:
    """Return the games that came to an end, with a row for each game and setting."""
    return by_setting(games).drop_nulls("won")


# Success and turns --------------------------------------------------------------------------------


LIMITS = (1, 5, 10, 15, 20, 30, 50, 75, 100)


def curve(games: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Return success against the number of allowed turns (Figure 4), in the longest games."""
    ended = ended_games(games)
    longest = pl.col("setting").max().over("type")  # unlimited, where there is any
    rows: list[Row] = []
    for group, part in grouped(ended.filter(pl.col("setting") == longest), by):
        most = part["limit"][0]
        for limit in (*(one for one in LIMITS if one < most), most):
            in_time = part.with_columns(in_time=pl.col("won") & (pl.col("turns") <= limit))
            rows.append(
                group
                | {"allowed_turns": limit, "success": share(in_time, "in_time")}
                | {"played": part.height, "countries": part["country"].n_unique()}
            )
    return table_of(rows)


def rules(games: pl.DataFrame) -> pl.DataFrame:
    """Count the games won under each rule (`game`)."""

    def cells(part: pl.DataFrame) -> Row:
        won = {rule: part[f"won_{rule}"] for rule in RULES}
        return (
            {rule: share(part.drop_nulls(f"won_{rule}"), f"won_{rule}") for rule in RULES}
            | {f"won_{rule}": int(column.sum()) for rule, column in won.items()}
            | {f"played_{rule}": column.count() for rule, column in won.items()}
            | {"only_mention": int((won["mention"] & ~won["guess"]).sum())}
        )

    return table_by(by_setting(games), "", cells)


def give_ups(games: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Return how often the guesser gave up, and at which turn on average (Table 9)."""

    def cells(played: pl.DataFrame) -> Row:
        given_up = played.filter("gave_up")
        return {
            "turns_to_give_up": mean(given_up, "turns", least=1),
            "gave_up_share": share(played, "gave_up"),
            "gave_up": given_up.height,
            "played": played.height,
        }

    ended = ended_games(games).with_columns(gave_up=pl.col("ending") == "gave_up")
    return table_by(ended, by, cells)


def repeats(games: pl.DataFrame, by: By = "continent") -> pl.DataFrame:
    """Return mean and SD (n − 1) of success and turns over repeats, as in Table 7.

    `turns_repeats` counts the repeats in which some game was won; the others have no turns.
    """

    def cells(played: pl.DataFrame) -> Row:
        by_repeat = played.group_by("repeat", maintain_order=True).agg(
            success=pl.col("won").mean(), turns=pl.col("turns").filter("won").mean()
        )
        _, *columns = by_repeat
        return (
            {
                f"{one.name}_{what}": moment
                for one in columns
                for what, moment in (("mean", one.mean()), ("sd", one.std()))
            }
            | {f"{one.name}_repeats": one.count() for one in columns}
            | {"entities": played["entity"].n_unique()}
        )

    return table_by(ended_games(games), by, cells)


# Halves of the world ------------------------------------------------------------------------------


def halves(games: pl.DataFrame) -> pl.DataFrame:
    """Compare North with South and West with East on country means (the paper's Table 5)."""
    rows: list[Row] = []
    for half in HALVES:
        for named, own in grouped(ended_games(games)):
            means = country_means(own)
            sides = dict(zip(("first", "second"), _sides(means, half), strict=True))
            rows.append({"halves": half, **named})
            for name, side in sides.items():
                values, weights = side["value"].to_numpy(), side["entities"].to_numpy()
                rows[-1][name] = share_over_units(values, weights)
            rows[-1] |= mann_whitney(means, half)
            for name, side in sides.items():
                rows[-1][f"{name}_countries"] = side.height
                rows[-1][f"{name}_games"] = int(side["games"].sum())
    return with_adjusted(table_of(rows), "p").rename({"p_adjusted": "p_holm"}, strict=False)


def _sides(means: pl.DataFrame, half: str) -> list[pl.DataFrame]:
    return [means.filter(pl.col(half) == name) for name in HALVES[half]]


def mann_whitney(means: pl.DataFrame, half: str) -> dict[str, float | None]:
    """Compare two halves of the world by Mann and Whitney's test (1947), as the paper does.

    `effect` is the rank-biserial correlation: over all pairs of one country from each half, the
    share in which the first half's country is higher, minus the share in which it is lower.
    """
    first, second = (side["value"].to_numpy() for side in _sides(means, half))
    if not len(first) or not len(second):
        return dict.fromkeys(("u", "p", "effect"))
    found = scipy.stats.mannwhitneyu(first, second)
    u = float(found.statistic)
    effect = 2 * u / (len(first) * len(second)) - 1
    return {"u": u, "p": float(found.pvalue), "effect": effect}


# Fame ---------------------------------------------------------------------------------------------

NO_FIGURE = "no game has a figure above 0"
FIGURES = {"popularity": "views", "frequency": "frequency"}


def regression(games: pl.DataFrame) -> pl.DataFrame:
    """Regress success and turns on the log of page views and of corpus frequency (Table 3).

    `odds_ratio` is of a rise of 1%, as in the paper: e^(0.01 β), with β per unit of natural log.
    Targets with the figure 0 are left out, since 0 has no logarithm. This does not bias the slope.
    With log(1 + x) the slope would depend on the size of the corpus.
    """
    rows = [
        {"type": named["type"], "predictor": predictor, "setting": named["setting"]}
        | _regressed(played, column)
        for named, played in grouped(ended_games(games))
        for predictor, column in FIGURES.items()
    ]
    return table_of(rows, text=("undefined",))


def _regressed(played: pl.DataFrame, column: str) -> Row:
    own = played.filter(pl.col(column) > 0)
    logs, countries = own[column].log().to_numpy(), own["country"].to_numpy()
    won, turns = own["won"].to_numpy(), own["turns"].to_numpy().astype(float)
    success = logistic(won.astype(float), logs, countries.tolist())
    pace = linear(turns[won], logs[won], countries[won].tolist())
    odds, slope = success.slope, pace.slope
    return {
        "odds_ratio": _scaled(odds, lambda log: math.exp(0.01 * log)),
        "odds_ratio_doubling": _scaled(odds, lambda log: math.exp(math.log(2) * log)),
        "success_p": odds.p,
        "games": success.rows,
        "countries": odds.n,
        "turns_per_doubling": _scaled(slope, lambda turns: math.log(2) * turns),
        "r_squared": pace.r_squared,
        "turns_p": slope.p,
        "won": pace.rows,
        "left_out": played.height - own.height,
        "undefined": (odds.reason or slope.reason or None) if own.height else NO_FIGURE,
    }


def _scaled(slope: Estimate, scale: Callable[[float], float]) -> Estimate:
    value, low, high = (
        None if end is None else scale(end) for end in (slope.value, slope.low, slope.high)
    )
    return Estimate(value, low, high, slope.n)


# How games were played: each counts once, whatever settings it was played in ----------------------


def wrong_guesses(games: pl.DataFrame) -> pl.DataFrame:
    """Count the wrong guesses of games that were not won, by the regions of target and guess."""
    missed = pl.any_horizontal(pl.col(SETTINGS).is_in(["lost", "gave_up"]))
    won = pl.any_horizontal(pl.col(SETTINGS) == "won")
    codes = {iso3: REGION_CODES[one.region] for iso3, one in economies().items()}
    guesses = (
        games.filter(missed & ~won & (pl.col("guessed") != ""))
        .select("type", target="region", guess=pl.col("guessed_country").str.split(";"))
        .explode("guess")
        .with_columns(pl.col("guess").replace_strict(codes, default="unplaced"))
    )
    counts = guesses.group_by("type", "target", "guess").len()
    table = counts.pivot("guess", index=["type", "target"], values="len", sort_columns=True)
    return table.fill_null(0).sort("type", "target")


FAULTS = ("repeated", "not_yes_no", "contradicted", *ANSWERS[2:])


def questions(games: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Return statistics of the guesser's questions and of the judge's answers.

    Games of all endings count, including broken ones. `looked` counts those in which the guesser
    asks about a place; `outside`, `entered` and `entered_turn` use only these.
    """

    def cells(own: pl.DataFrame) -> Row:
        asked = own.filter(pl.col("asked") > 0)
        shared = pl.min_horizontal("asked", pl.col("canonical_limit") - 1)
        gained = asked.with_columns(bits=pl.col("bits") / shared).filter(shared > 0)
        looked = own.drop_nulls("first_place_turn").with_columns(
            inside=pl.col("entered").is_not_null()
        )
        return (
            {"asked_per_game": mean(own, "asked"), "bits": mean(gained, "bits")}
            | {"outside": mean(looked, "outside"), "entered": share(looked, "inside")}
            | {"entered_turn": mean(looked.filter("inside"), "entered", least=1)}
            | {name: ratio(asked, name, "asked") for name in FAULTS}
            | {"questions": int(own["asked"].sum()), "looked": looked.height}
            | {"doubtful": int(own["doubtful"].sum())}
            | {"games": own.height, "countries": own["country"].n_unique()}
        )

    once = games.with_columns(
        pl.col({*ANSWERS, *FAULTS, "outside"}).fill_null(0), setting=pl.lit(SETTINGS[0])
    ).with_columns(asked=pl.sum_horizontal(ANSWERS))
    return table_by(once, by, cells).drop("setting", strict=False)
