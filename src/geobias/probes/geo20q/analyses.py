"""Further analyses of games: the paper's Tables 3 to 9 and Figures 3 to 6, wrong guesses, and how
the guesser asks.

All functions take games (`scores.frame_of`) and return a frame, under the rules of `scores`. Unless
stated otherwise, a game counts once in each setting in which it ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import scipy  # which loads its parts when they are first called: 0.3 s each

from geobias.atlas.economies import REGION_CODES, economies
from geobias.atlas.groupings import official_languages
from geobias.measures.estimates import varying
from geobias.measures.frames import table_of
from geobias.measures.measure import HALVES
from geobias.probes.geo20q.game import ANSWERS, SETTINGS
from geobias.probes.geo20q.scores import (
    NESTED,
    RULES,
    TYPES,
    By,
    by_setting,
    country_means,
    grouped,
    groups_of,
    in_every_language,
    mean,
    ratio,
    share,
    table_by,
)
from geobias.results.tables import with_adjusted
from geobias.stats.contrasts import difference, welch_f
from geobias.stats.estimates import Estimate, rate
from geobias.stats.over_units import rates_over_units, share_over_units
from geobias.stats.paired import paired
from geobias.stats.regression import linear, logistic

Row = dict[str, Any]


def ended_games(games: pl.DataFrame) -> pl.DataFrame:
    """Return the games that came to an end, with a row for each game and setting."""
    return by_setting(games).drop_nulls("won")


# Success and turns --------------------------------------------------------------------------------


def curve(games: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Return success against the number of allowed turns (Figure 4), with a 95% band.

    The curve is of unlimited games. If there are none, it is of canonical games. A game won at turn
    t counts as won for every limit of t turns or more. The band holds for each limit by itself, not
    for the whole curve at once.
    """
    ended = ended_games(games)
    longest = pl.col("setting").max().over("type")  # unlimited, where there is any
    return table_of(
        group
        | {"allowed_turns": limit, "success": won}
        | {"played": part.height, "countries": part["country"].n_unique()}
        for group, part in grouped(ended.filter(pl.col("setting") == longest), by)
        for limit, won in enumerate(band(part), start=1)
    )


def band(games: pl.DataFrame) -> list[Estimate]:
    """Return success with its interval for each number of turns, from 1 to the games' limit."""
    most = int(games["limit"].max())  # type: ignore[arg-type]
    won = games["won"].to_numpy()
    ended = games["turns"].fill_null(most).to_numpy()
    units = varying(games, NESTED)
    names, index = np.unique(games[units].to_numpy(), return_inverse=True)
    hits = np.zeros((len(names), most))
    np.add.at(hits, (index.ravel()[won], ended[won] - 1), 1)
    hits = hits.cumsum(axis=1)  # a game won at turn t counts for every limit from t on
    if units == "trial" and games.height > 1:
        return [rate(int(count), len(won)) for count in hits.sum(axis=0)]
    return rates_over_units(hits, np.bincount(index.ravel()).astype(float))


def rules(games: pl.DataFrame) -> pl.DataFrame:
    """Count the games won under each rule.

    Under the rule *guess* a turn wins if it proposes the target; under *mention*, if it names the
    target.

    only_mention   games won by mention and not by guess
    doubtful       turns that only a referee can decide, counted in every run
    """

    def cells(part: pl.DataFrame) -> Row:
        won = {rule: part[f"won_{rule}"] for rule in RULES}
        return (
            {rule: share(part.drop_nulls(f"won_{rule}"), f"won_{rule}") for rule in RULES}
            | {f"won_{rule}": int(column.sum()) for rule, column in won.items()}
            | {f"played_{rule}": column.count() for rule, column in won.items()}
            | {"only_mention": int((won["mention"] & ~won["guess"]).sum())}
            | {"doubtful": int(part["doubtful"].sum())}
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

    In a repeat every game is played once. A single repeat has no SD. A repeat in which no game was
    won has no turns, and `turns_repeats` does not count it.
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
    """Compare North with South and West with East on country means (the paper's Table 5).

    first, second    mean over countries of each country's success, with intervals over countries
    difference       the difference of the two means, with the p of Welch's test
    u, p, p_holm     the paper's Mann–Whitney test of ranks: whether a country of one half tends to
                     lie above a country of the other, which is possible with equal means. `p_holm`
                     is adjusted for the number of rows
    effect           the rank-biserial correlation of the Mann–Whitney test, −1 to 1
    note             why there is no interval, or why it may be too narrow
    """
    rows: list[Row] = []
    for half in HALVES:
        for named, own in grouped(ended_games(games)):
            means = country_means(own)
            gap = difference_of(means, half)
            sides = dict(zip(("first", "second"), _sides(means, half), strict=True))
            shares, counts = {}, {}
            for name, side in sides.items():
                weights = side["entities"].to_numpy()
                shares[name] = share_over_units(side["value"].to_numpy(), weights)
                counts[f"{name}_countries"] = side.height
                counts[f"{name}_games"] = int(side["games"].sum())
            rows.append(
                {"halves": half, **named, **shares}
                | {"difference": gap, "difference_p": gap.p}
                | mann_whitney(means, half)
                | {**counts, "note": gap.note}
            )
    return _with_holm(rows)


def _with_holm(rows: list[Row]) -> pl.DataFrame:
    return with_adjusted(table_of(rows), "p").rename({"p_adjusted": "p_holm"}, strict=False)


def _sides(means: pl.DataFrame, half: str) -> list[pl.DataFrame]:
    return [means.filter(pl.col(half) == name) for name in HALVES[half]]


def difference_of(means: pl.DataFrame, half: str) -> Estimate:
    """Return the difference between two halves of the world on country means (`value`)."""
    first, second = (side["value"].to_numpy() for side in _sides(means, half))
    return difference(first, second, most=1)


def mann_whitney(means: pl.DataFrame, half: str) -> dict[str, float | None]:
    """Compare two halves of the world by Mann and Whitney's test (1947), as the paper does.

    `u` is the statistic of the first half. `effect` is the rank-biserial correlation: over all
    pairs of one country from each half, the share in which the first half's country is higher,
    minus the share in which it is lower. All are None if a half has no countries.
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

    Standard errors are clustered by country.

    odds_ratio            odds ratio of a rise of 1%, e^(0.01 β) with β per unit of natural log. It
                          is near 1 even for strong effects, since 1% is little
    odds_ratio_doubling   odds ratio of twice the figure, 2^β, which is easier to read
    turns_per_doubling    change in the turns to success if the figure doubles
    r_squared             R² of the regression of turns to success, never negative
    r_squared_signed      R² with the sign of the slope, as the paper seems to print it
    games, won            games in the regression, and how many of these were won
    left_out              games whose target has no figure or the figure 0, which has no logarithm.
                          Leaving them out does not bias the slope. With log(1 + x) the slope would
                          depend on the size of the corpus
    undefined             why a number is missing
    """
    rows = [
        {"type": named["type"], "predictor": predictor, "setting": named["setting"]}
        | _regressed(played, column)
        for named, played in grouped(ended_games(games))
        for predictor, column in FIGURES.items()
    ]
    table = table_of(rows, text=("undefined",))
    return with_adjusted(table, "success_p", "turns_p")


def _regressed(played: pl.DataFrame, column: str) -> Row:
    own = played.filter(pl.col(column) > 0)
    logs, countries = own[column].log().to_numpy(), own["country"].to_numpy()
    won, turns = own["won"].to_numpy(), own["turns"].to_numpy().astype(float)
    success = logistic(won.astype(float), logs, countries.tolist())
    pace = linear(turns[won], logs[won], countries[won].tolist())
    odds, slope = success.slope, pace.slope
    direction = slope.value or 0
    reasons = {"success": odds.reason, "turns": slope.reason}
    why_not = "; ".join(f"{what}: {reason}" for what, reason in reasons.items() if reason)
    return {
        "odds_ratio": _scaled(odds, lambda log: math.exp(0.01 * log)),
        "odds_ratio_doubling": _scaled(odds, lambda log: math.exp(math.log(2) * log)),
        "success_p": odds.p,
        "games": success.rows,
        "countries": odds.n,
        "turns_per_doubling": _scaled(slope, lambda turns: math.log(2) * turns),
        "r_squared": pace.r_squared,
        "r_squared_signed": pace.r_squared and math.copysign(pace.r_squared, direction),
        "turns_p": slope.p,
        "won": pace.rows,
        "left_out": played.height - own.height,
        "undefined": (why_not or None) if own.height else NO_FIGURE,
    }


def _scaled(slope: Estimate, scale: Callable[[float], float]) -> Estimate:
    value, low, high = (
        None if end is None else scale(end) for end in (slope.value, slope.low, slope.high)
    )
    return Estimate(value, low, high, slope.n)


def entities_by(games: pl.DataFrame, by: str = "kind") -> pl.DataFrame:
    """Count the entities of a run by type and group, the largest group first (Figures 3 and 6).

    An entity counts once, however often it is played. `share` is the group's part of all entities
    of the type that have a group. The grouping "kind" is by profession for people, and by category
    for things.
    """
    targets = games.unique("entity", maintain_order=True)
    rows = []
    for type_ in TYPES.values():
        groups = dict(groups_of(targets.filter(type=type_), "category" if by == "kind" else by))
        total = sum(own.height for own in groups.values())
        rows += [
            {"type": type_, "group": name, "share": own.height / total}
            | {"entities": own.height, "of": total}
            for name, own in sorted(groups.items(), key=lambda one: (-one[1].height, one[0]))
        ]
    return table_of(rows)


RANKS = 60


def fame_ranks(games: pl.DataFrame) -> pl.DataFrame:
    """Return page views and corpus frequency by rank, the best known entity first (Figure 5).

    The ranks in the table are spaced evenly in logarithms. `of` counts the entities whose figure is
    known.
    """
    targets = games.unique("entity", maintain_order=True)
    rows: list[Row] = []
    for type_, measure in product(TYPES.values(), FIGURES.values()):
        own = targets.filter(type=type_).drop_nulls(measure)
        ranked = own.sort(measure, "entity", descending=[True, False])
        shown = np.geomspace(1, own.height, RANKS).round().astype(int) if own.height else ()
        rows += [
            {"type": type_, "measure": measure, "rank": rank}
            | {"figure": ranked[measure][rank - 1], "name": ranked["name"][rank - 1]}
            | {"of": own.height}
            for rank in sorted({*map(int, shown)})
        ]
    return table_of(rows)


# Languages ----------------------------------------------------------------------------------------


def by_language(games: pl.DataFrame) -> pl.DataFrame:
    """Return success and turns by language, and by language and continent (Tables 4 and 8).

    The table covers only entities that were played in every language
    (`scores.in_every_language`).
    """
    played = ended_games(in_every_language(games))
    return table_of(
        group
        | {"language": language}
        | {"success": share(own, "won"), "turns": mean(own.filter("won"), "turns", least=1)}
        | {"won": int(own["won"].sum()), "played": own.height}
        | {"entities": own["entity"].n_unique()}
        for by in ("all", "continent")
        for group, part in grouped(played, by)
        for language, own in groups_of(part, "language")
    )


HOME, ELSEWHERE = "home", "elsewhere"


def language_changes(games: pl.DataFrame) -> pl.DataFrame:
    """Return how success on the same entities differs between languages.

    Each language is compared with English, or with the first language if there is no English. Only
    entities that were played in every language count. Intervals and tests have countries as units.
    The table has a row for each language and group of entities: all, each continent, home (of
    economies where the language is official) and elsewhere.

    change          share of games won in the language minus the share in English, with its interval
                    and p
    p_holm          p of the change, adjusted for the number of rows
    p_continents    p of Welch's F test that the change is equal on every continent
    home_less       change at home minus change elsewhere (Welch), with its interval and p
    """
    ended = ended_games(in_every_language(games))
    languages = sorted(ended["language"].unique(), key=lambda code: (code != "en", code))
    keys = ["type", "setting", "entity", "country", "continent"]
    shares = ended.group_by(*keys, "language").agg(pl.col("won").mean())
    wide = shares.pivot("language", index=keys, values="won").sort(keys)
    rows: list[Row] = []
    for (type_, setting), part in wide.group_by("type", "setting", maintain_order=True):
        for first, language in product(languages[:1], languages[1:]):
            official = [code for code, spoken in official_languages().items() if language in spoken]
            at_home = pl.when(pl.col("country").is_in(official)).then(pl.lit(HOME))
            own = part.with_columns(
                home=at_home.otherwise(pl.lit(ELSEWHERE)), moved=pl.col(language) - pl.col(first)
            ).drop_nulls("moved")
            named = {"type": type_, "setting": setting, "language": language, "from": first}
            rows += [named | row for row in _changes(own, first, language)]
    return _with_holm(rows)


def _changes(games: pl.DataFrame, first: str, second: str) -> list[Row]:
    means = games.group_by("country", "continent", "home").agg(pl.col("moved").mean())
    means = means.sort("country")
    sides = (means.filter(home=side)["moved"].to_numpy() for side in (HOME, ELSEWHERE))
    at_home = difference(*sides, most=2)
    of_all: Row = {
        "home_less": at_home,
        "p_continents": welch_f(means["moved"].to_numpy(), means["continent"].to_list()).p,
        "home_p": at_home.p,
    }
    rows = []
    for by in ("all", "continent", "home"):
        for name, own in groups_of(games, by):
            pair = (own[first].to_numpy(), own[second].to_numpy())
            found = paired(*pair, own["country"].to_numpy(), bounds=(-1, 1))
            rows.append(
                {"group": name, "change": found.difference}
                | (of_all if by == "all" else dict.fromkeys(of_all))
                | {"first": found.first, "second": found.second, "p": found.difference.p}
                | {"entities": own["entity"].n_unique(), "countries": found.difference.n}
            )
    return rows


# How games were played: each counts once, whatever settings it was played in ----------------------


def wrong_guesses(games: pl.DataFrame, by: str = "region") -> pl.DataFrame:
    """Return how wrong guesses are distributed over groups of countries.

    A row is a group of the target, a column a group of the guess. All wrong guesses of games that
    were not won count. `placed` counts the guesses whose country is known, `unplaced` the other
    guesses, and `none` the games without any guess. `home` is the share of guesses from the group
    of the target, with its interval. Columns of regions have the World Bank's codes (EAS is East
    Asia & Pacific).

    Compare the rows of a column and not the columns of a row, since the groups do not have equal
    numbers of entities.
    """
    missed = games.filter(pl.any_horizontal(pl.col(SETTINGS).is_in(["lost", "gave_up"])))
    group_of = {iso3: getattr(one, by) for iso3, one in economies().items()}
    groups = sorted(filter(None, set(group_of.values())))
    heads = REGION_CODES if by == "region" else {}
    guesses = (
        missed.filter(pl.col("guessed") != "")
        .with_columns(guessed=pl.col("guessed_country").str.split(";"))
        .explode("guessed")
        .with_columns(pl.col("guessed").replace_strict(group_of, default=None))
        .with_columns(home=pl.col("guessed") == pl.col(by))
    )
    rows = []
    for type_, target in product(TYPES.values(), groups):
        own, wrong = (one.filter(pl.col(by) == target, type=type_) for one in (missed, guesses))
        placed = wrong.drop_nulls("guessed")
        if own.height:
            rows.append(
                {"type": type_, "target": target, "home": share(placed, "home")}
                | {heads.get(one, one): (placed["guessed"] == one).mean() for one in groups}
                | {"placed": placed.height, "unplaced": wrong.height - placed.height}
                | {"none": own.height - wrong["trial"].n_unique()}
            )
    return table_of(rows)


FAULTS = ("repeated", "not_yes_no", "contradicted", *ANSWERS[2:])


def questions(games: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Return statistics of the guesser's questions and of the judge's answers.

    Games of all endings count, including broken ones.

    asked_per_game  mean number of questions in a game
    bits            information about the target's country gained by a question, in bits: the mean
                    over games. Turns that only longer settings have do not count
    looked          number of games in which the guesser asks about any place
    outside         mean over the games in `looked`: the number of questions about places without
                    the target, before the first question about a place with the target
    entered         share of the games in `looked` that ask about a place with the target
    entered_turn    mean turn of the first such question
    repeated        share of questions that were asked before in the same game
    not_yes_no      share of questions that cannot be answered by yes or no
    contradicted    share of questions that contradict what the judge has said
    maybe, unread   shares of the judge's answers
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
            | {"games": own.height, "countries": own["country"].n_unique()}
        )

    once = games.with_columns(
        pl.col({*ANSWERS, *FAULTS, "outside"}).fill_null(0), setting=pl.lit(SETTINGS[0])
    ).with_columns(asked=pl.sum_horizontal(ANSWERS))
    return table_by(once, by, cells).drop("setting", strict=False)


def first_places(games: pl.DataFrame) -> pl.DataFrame:
    """Return each place that is asked about first in a game, with its share of games and mean turn.

    The share is of all games of the type, including games in which no place is asked about.
    """
    rows: list[Row] = []
    for type_ in TYPES.values():
        played = games.filter(type=type_)
        for place, own in groups_of(played, "first_place"):
            here = played.with_columns(here=pl.col("first_place") == place)
            rows.append(
                {"type": type_, "place": place, "share": share(here, "here")}
                | {"turn": mean(own, "first_place_turn", least=1)}
                | {"first": own.height, "games": played.height}
            )
    rows.sort(key=lambda row: (row["type"], -row["share"].value, row["place"]))
    return table_of(rows)
