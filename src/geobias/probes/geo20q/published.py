"""Comparison of a run with the printed tables of the paper (Lalai et al., COLM 2025).

The paper's sixth continent, "Australia", is Oceania here, and the paper's percentages are shares.
`NOTE` says which games are compared, and `_alike` chooses these games. The paper plays about other
entities, and its judge and guesser are always the same model. So a difference of a few points
between a run and a model of the paper means nothing. The order of continents and of halves can be
compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from geobias.atlas.table import shipped_table
from geobias.measures.frames import table_of
from geobias.probes.geo20q.analyses import ended_games, give_ups, halves, regression, repeats
from geobias.probes.geo20q.choosing import EACH, TYPES
from geobias.probes.geo20q.game import SETTINGS
from geobias.probes.geo20q.scores import (
    TURNS,
    in_every_language,
    language_names,
    under_rule,
)
from geobias.trials import StoredSettings

CONTINENTS_TABLE = "published_geo20q_continents.csv"
LANGUAGES_TABLE = "published_geo20q_languages.csv"
HALVES_TABLE = "published_geo20q_halves.csv"
REGRESSION_TABLE = "published_geo20q_regression.csv"
OTHER_TABLE = "published_geo20q_other.csv"
NOTE = (
    "`here` marks this run's rows. A run has a row only if its games are like the paper's: about "
    "the 100 best known of each continent (--size paper), or for halves the 10 best known of "
    "each country (--design countries); within 20 and 150 turns; in English, except in the "
    "tables by language. Any mention wins here, as in the paper. Turns to give up need "
    "--protocol paper."
)
_CONTINENTS = 6
_NEARLY = 0.9
"""A run is compared if it has at least this share of the paper's number of entities. The share is
below 1, since some places have fewer entities.
"""
_METRICS = {
    "success": ("success_percent", "won"),
    "turns to success": ("turns_to_success", "turns"),
}
_SIDES = ("north", "south", "west", "east")
_STARS = (("***", 0.001), ("**", 0.01), ("*", 0.05), ("△", 0.1), ("", 2.0))
_PLACE = ["type", "setting"]


def published(name: str) -> pl.DataFrame:
    """Return a published table, e.g. `CONTINENTS_TABLE`, as printed. Empty cells are null."""
    return pl.read_csv(shipped_table(name))


def rows_among_published(frame: pl.DataFrame, settings: StoredSettings) -> dict[str, pl.DataFrame]:
    """Return the paper's tables with the rows of a run added. The column `here` marks the run's.

    The tables of languages and repeats are included only if the run has several.
    """
    by_continent = _alike(frame, settings, "continents")
    english = by_continent.filter(language="en")
    by_country = _alike(frame, settings, "countries").filter(language="en")
    asked_each_turn = str(settings.get("give_up", "every")) == "every"
    tables = {
        **_across("continent", CONTINENTS_TABLE, english, _PLACE),
        "halves of the world": _below(_halves(by_country), _printed(HALVES_TABLE), *_PLACE),
        "fame": _below(
            _fame(english), _printed(REGRESSION_TABLE).drop("note"), "type", "predictor", "setting"
        ),
        "turns to give up": _below(
            _give_ups(english if asked_each_turn else english.clear()), _other(9)
        ),
    }
    if frame["language"].n_unique() > 1:
        shared = language_names(in_every_language(by_continent))
        tables |= _across("language", LANGUAGES_TABLE, shared, [*_PLACE, "continent"])
    if frame["repeat"].n_unique() > 1:
        own = _own(repeats(english, "continent"), english)
        tables["repeats"] = _below(own, _other(7), *_PLACE, "group")
    return tables


def _alike(frame: pl.DataFrame, settings: StoredSettings, design: str) -> pl.DataFrame:
    """Return the games with entities of the paper's design, scored by the paper's rule.

    There are none if the run used another design, chose fewer entities of each place, or played
    entities that the user named. A setting with another limit of turns than the paper's counts as
    not played.
    """
    types = TYPES.get(settings.get("type", "both"), ())
    count = str(settings.get("entities", "")).partition(" ")[0]
    wanted = EACH["continents"]["paper"] * _CONTINENTS * len(types)
    chosen = (settings.get("design"), settings.get("size"), settings.get("each"))
    if chosen != (design, "paper", None) or not count.isdigit() or int(count) < _NEARLY * wanted:
        return frame.clear()
    return under_rule(frame, "mention").with_columns(
        pl.when(pl.col(f"{setting}_limit") == TURNS[setting])
        .then(pl.col(setting))
        .otherwise(pl.lit(""))
        for setting in SETTINGS
    )


def _own(table: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(model=pl.lit(games["model"].first() or "this run"), here=pl.lit(True))


def _printed(name: str) -> pl.DataFrame:
    """Return a published table with the types, settings, continents and shares of geobias."""
    table = published(name).rename({"entity_type": "type"})
    if "max_turns" in table.columns:
        settings = {turns: setting for setting, turns in TURNS.items()}
        table = table.with_columns(setting=pl.col("max_turns").replace_strict(settings))
    percents = ("success_percent", *_SIDES)
    return table.with_columns(
        pl.col("^(continent|group)$").replace("Australia", "Oceania"),
        pl.col("^.*_sig$").fill_null(""),
        *(pl.col(name) / 100 for name in percents if name in table.columns),
        here=pl.lit(False),
    )


def _other(number: int) -> pl.DataFrame:
    """Return Table 7 or 9 with a column for each statistic."""
    table = _printed(OTHER_TABLE).filter(table=number)
    if number == 9:
        return table.select("model", "here", turns_to_give_up="mean")
    keys = [*_PLACE, "group", "model", "here"]
    scale = pl.when(statistic="success_percent").then(100).otherwise(1)
    short = pl.col("statistic").replace({"success_percent": "success", "turns_to_success": "turns"})
    moments = table.with_columns(short, pl.col("mean", "sd").cast(float) / scale)
    wide = moments.pivot("statistic", index=keys, values=["mean", "sd"])
    return wide.rename(lambda name: re.sub(r"^(mean|sd)_(success|turns)$", r"\2_\1", name))


def _below(own: pl.DataFrame, printed: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Return the paper's rows and the run's, sorted by `keys`, with the run's rows last."""
    shown = [*keys, "model", "here", *_COLUMNS]
    parts = [
        one.select(name for name in shown if name in one.columns)
        for one in (printed, own)
        if one.height
    ]
    table = pl.concat(parts, how="diagonal_relaxed")
    return table.sort(*keys, "here", maintain_order=True) if keys else table


_COLUMNS = (
    *_SIDES[:2], "north_south_sig", *_SIDES[2:], "west_east_sig",
    "odds_ratio", "odds_ratio_sig", "r_squared", "r_squared_sig",
    "success_mean", "success_sd", "turns_mean", "turns_sd",
    "turns_to_give_up", "turns_to_give_up_low", "turns_to_give_up_high", "gave_up", "note",
)  # fmt: skip


def _across(
    across: str, printed: str, games: pl.DataFrame, keys: Sequence[str]
) -> dict[str, pl.DataFrame]:
    """Return tables of success and turns with a column for each continent or language."""
    ended = ended_games(games)
    found, index = {}, [*keys, "model", "here"]
    for name, (column, value) in _METRICS.items():
        own = ended.filter(pl.col("won") | pl.lit(value == "won"))
        own = own.group_by({*index[:-1], across}, maintain_order=True).agg(pl.col(value).mean())
        theirs = _printed(printed).with_columns(pl.col(column).cast(float).alias(value))
        parts = [
            one.select(*index, across, value) for one in (theirs, _own(own, games)) if one.height
        ]
        wide = pl.concat(parts).pivot(across, index=index, values=value)
        found[f"{name} by {across}"] = wide.sort(*keys, "here")
    return found


def _halves(games: pl.DataFrame) -> pl.DataFrame:
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for row in halves(games).iter_rows(named=True):
        first, second = row["halves"].split("_")
        shared = {name: row[name] for name in (*_PLACE, "note")}
        mine = rows.setdefault((row["type"], row["setting"]), shared)
        mine |= {first: row["first"], second: row["second"]}
        mine[f"{row['halves']}_sig"] = stars(row["p"])
    return _own(table_of(rows.values()), games)


def stars(p: float | None) -> str:
    """Return the paper's mark of a p-value: *** below 0.001, ** 0.01, * 0.05 and △ 0.1."""
    return "undefined" if p is None else next(mark for mark, below in _STARS if p < below)


def _fame(games: pl.DataFrame) -> pl.DataFrame:
    """Return the run's rows of Table 3. R² gets the sign of the slope, as in the paper."""
    rows = [
        row
        | {"odds_ratio_sig": stars(row["success_p"]), "r_squared_sig": stars(row["turns_p"])}
        | {"r_squared": row["r_squared_signed"]}
        for row in regression(games).to_dicts()
    ]
    return _own(table_of(rows), games)


def _give_ups(games: pl.DataFrame) -> pl.DataFrame:
    """Return the run's row of Table 9: unlimited games of both types that were given up."""
    both_types = give_ups(games.with_columns(type=pl.lit("things")))
    return _own(both_types.filter(setting="unlimited") if both_types.height else both_types, games)
