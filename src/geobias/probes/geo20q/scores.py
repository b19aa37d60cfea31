"""Games as frames, and estimates for groups of them.

In the paper's words, success is the share of games in which the guesser named the target, among
those that ended, and turns are of games that were won. A game broke off if a side gave no usable
text. Such games count in no denominator, and every result shows their number. Undefined values are
null. Intervals are 95% and over countries, since games about one country are alike. In a group with
a single country, intervals are over the country's entities, or over games if every entity was
played once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Literal

import polars as pl

from geobias.atlas.economies import economy_name
from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.atlas.groupings import official_languages
from geobias.measures import estimates
from geobias.measures.frames import table_of
from geobias.probes.geo20q.game import SETTINGS, GameRecord
from geobias.probes.geo20q.settings import Rule
from geobias.probes.probe import Answers
from geobias.probes.tables import frame_from
from geobias.stats.estimates import Estimate
from geobias.stats.over_units import ratio_over_units
from geobias.trials import StoredRecord, StoredSettings

By = Literal[
    "all", "continent", "region", "north_south", "west_east", "country", "home", "category"
]
TURNS = {"canonical": 20, "unlimited": 150}
"""The paper's limits, which are our defaults."""
LENGTHS = {"canonical": "short", "unlimited": "long"}
"""The words for games of each setting in labels."""
RULES: tuple[Rule, ...] = ("guess", "mention")
TYPES = {"person": "people", "thing": "things"}
ENDINGS = ("won", "lost", "gave_up")
PLACES = ("continent", "region", "north_south", "west_east")


# -- frames of games -------------------------------------------------------------------------------


class Games(Answers, frozen=True, kw_only=True):
    """The answers of one model in Geo20Q+.

    frame  a row for each game and setting (`by_setting`)
    games  a row for each game
    judge  a row for each question to the judge about a fact of the table
    """

    games: pl.DataFrame
    judge: pl.DataFrame


def frame_of(
    records: Iterable[StoredRecord],
    model: str = "",
    settings: StoredSettings | None = None,
    rule: Rule = "guess",
    counts: Mapping[str, int | None] | None = None,
) -> pl.DataFrame:
    """Return a row for each game, with its endings by `rule`.

    `home` says whether the language is official in the target's country. `limit` is the maximum
    turns of the longest setting that the game was played in.
    """
    frame = frame_from(records, GameRecord, model, PLACES)
    endings = product(SETTINGS, ("", "_turns"))
    by_guess = {f"{name}{what}": f"{name}_guess{what}" for name, what in endings}
    limits = {"canonical": "turns", "unlimited": "most_turns"}
    official = [
        f"{country} {language}"
        for country, spoken in official_languages().items()
        for language in spoken
    ]
    at_home = pl.concat_str("country", "language", separator=" ").is_in(official)
    return (
        under_rule(frame.rename(by_guess), rule)
        .with_columns(
            pl.col("type").replace(TYPES),
            *(
                pl.lit((settings or {}).get(limit) or TURNS[name]).alias(f"{name}_limit")
                for name, limit in limits.items()
            ),
            home=pl.when(at_home).then(pl.lit("home")).otherwise(pl.lit("elsewhere")),
            frequency=pl.col("entity").replace_strict(
                counts or {}, default=None, return_dtype=pl.Float64
            ),
        )
        .with_columns(
            limit=pl.max_horizontal(
                pl.when(pl.col(name) != "").then(pl.col(f"{name}_limit")) for name in SETTINGS
            )
        )
    )


def under_rule(frame: pl.DataFrame, rule: Rule) -> pl.DataFrame:
    return frame.with_columns(
        pl.col(f"{setting}_{rule}{what}").alias(f"{setting}{what}")
        for setting, what in product(SETTINGS, ("", "_turns"))
    )


def by_setting(games: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each game and setting. `won` is null if the game broke off.

    `outcome` is "read" if the game came to an end in any of its settings.
    """
    parts = [
        games.with_columns(
            setting=pl.lit(setting),
            game="trial",
            ending=pl.col(setting),
            turns=pl.col(f"{setting}_turns"),
            limit=pl.col(f"{setting}_limit"),
            won=_won(setting),
            **{f"won_{rule}": _won(f"{setting}_{rule}") for rule in RULES},
        ).filter(pl.col("ending") != "")
        for setting in SETTINGS
    ]
    ended = pl.col("won").is_not_null().any().over("trial")
    # `unread` is of the judge's answers, not of the game.
    return (
        pl.concat(parts)
        .with_columns(outcome=pl.when(ended).then(pl.lit("read")).otherwise("outcome"))
        .drop("unread")
    )


def _won(column: str) -> pl.Expr:
    return pl.when(pl.col(column).is_in(ENDINGS)).then(pl.col(column) == "won")


def language_names(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("language").replace(LANGUAGE_NAMES))


def value_of(record: StoredRecord) -> float | None:
    """Return a trial as a number.

    It is 1 for a game that was won (in the longer setting of two), for a fact that the judge got
    right, and for a target that the guesser knows. Otherwise it is 0.
    """
    if "knows" in record:
        return None if record["knows"] is None else float(record["knows"])
    if "truth" in record:
        known = record["answer"] in ("yes", "no")
        return float(record["answer"] == record["truth"]) if known else None
    ending = record["unlimited"] or record["canonical"]
    return None if ending in ("", "broken") else float(ending == "won")


def grouped(games: pl.DataFrame, by: str = "") -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    for type_, setting in product(TYPES.values(), SETTINGS):
        part = games.filter(type=type_, setting=setting)
        for name, own in groups_of(part, by or "all"):
            named = {"type": type_, "setting": setting}
            yield named | ({"group": name} if by else {}), own


def table_by(
    games: pl.DataFrame, by: str, cells: Callable[[pl.DataFrame], dict[str, Any]]
) -> pl.DataFrame:
    return table_of(named | cells(own) for named, own in grouped(games, by))


def groups_of(frame: pl.DataFrame, by: str) -> Iterator[tuple[str, pl.DataFrame]]:
    for name, rows in estimates.grouped(frame, by).items():
        yield economy_name(name) if by == "country" else name, rows


# -- estimates -------------------------------------------------------------------------------------


NESTED = ("country", "entity", "trial")
"""The units of intervals: countries, or one country's entities, or its games."""


def share(games: pl.DataFrame, column: str) -> Estimate:
    return estimates.share(games, column, NESTED)


def mean(games: pl.DataFrame, column: str, *, least: float = 0) -> Estimate:
    """Return a mean number of turns or questions; its bounds are `least` and the limit of turns."""
    known = [*games["limit"].drop_nulls(), *games[column].drop_nulls()]
    most = max(known, default=math.inf)
    return _ratio(games, games[column], [1.0] * games.height, (least, most))


def ratio(games: pl.DataFrame, over: str, under: str) -> Estimate:
    return _ratio(games, games[over], games[under].cast(float).to_numpy(), (0, 1))


def _ratio(
    games: pl.DataFrame, over: pl.Series, under: Any, bounds: tuple[float, float]
) -> Estimate:
    units = games[estimates.varying(games, NESTED)].to_numpy()
    return ratio_over_units(over.cast(float).to_numpy(), under, units, bounds=bounds)


def country_means(games: pl.DataFrame) -> pl.DataFrame:
    """Return each country's success: games are averaged for each entity, then entities."""
    return (
        games.drop_nulls("won")
        .filter(pl.col("country") != "")
        .group_by("country", *PLACES, "entity", maintain_order=True)
        .agg(pl.col("won").mean(), pl.len().cast(pl.Int64).alias("games"))
        .group_by("country", *PLACES, maintain_order=True)
        .agg(
            pl.col("won").mean().alias("value"),
            pl.len().cast(pl.Int64).alias("entities"),
            pl.col("games").sum(),
        )
    )
