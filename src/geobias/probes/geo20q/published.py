"""Comparison of a run with the printed tables of the paper (Lalai et al., COLM 2025).

The paper's sixth continent, "Australia", is Oceania here, and the paper's percentages are shares.
`NOTE` says which games are compared, and `_alike` chooses these games. The paper plays about other
entities, and its judge and guesser are always the same model. So a difference of a few points
between a run and a model of the paper means nothing. The order of continents and of halves can be
compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from geobias.atlas.table import shipped_table
from geobias.probes.geo20q.analyses import ended_games, give_ups, halves, regression, repeats
from geobias.probes.geo20q.choosing import EACH, TYPES
from geobias.probes.geo20q.scores import (
    SETTINGS,
    TURNS,
    grouped,
    in_every_language,
    language_names,
    table_of,
    under_rule,
)

CONTINENTS_TABLE = "published_geo20q_continents.csv"
LANGUAGES_TABLE = "published_geo20q_languages.csv"
HALVES_TABLE = "published_geo20q_halves.csv"
REGRESSION_TABLE = "published_geo20q_regression.csv"
OTHER_TABLE = "published_geo20q_other.csv"
TURNS_BY_LANGUAGE = "turns to success by language"
NOTE = (
    "`here` marks this run's. It has a row where its games are like the paper's: about the 100 "
    "best known of each continent (--size paper), or for halves the 10 best known of each country "
    "(--design countries); within 20 and 150 turns; in English, but for the tables by language. "
    "Any mention wins here, as in the paper. Turns to give up need --protocol paper."
)
_CONTINENTS = 6
_NEARLY = 0.9
"""A run of the paper's design must have this share of the paper's number of entities.

It is below 1 since some places have fewer entities.
"""
_METRICS = {"success": "success_percent", "turns to success": "turns_to_success"}
_SIDES = ("north", "south", "west", "east")
_STARS = (("***", 0.001), ("**", 0.01), ("*", 0.05), ("△", 0.1), ("", 2.0))
_PLACE = ["type", "setting"]


def published(name: str) -> pl.DataFrame:
    """Return a published table, e.g. `CONTINENTS_TABLE`, as printed. Empty cells are null."""
    return pl.read_csv(shipped_table(name))


def rows_among_published(
    frame: pl.DataFrame, settings: Mapping[str, Any]
) -> dict[str, pl.DataFrame]:
    """Return the paper's tables with the rows of a run added. The column `here` marks the run's.

    The tables of languages and repeats are included only if the run has several.
    """
    by_continent = _alike(frame, settings, "continents")
    english = by_continent.filter(language="en")
    by_country = _alike(frame, settings, "countries").filter(language="en")
    asked_each_turn = str(settings.get("give_up", "every")) == "every"
    tables = {
        **{
            f"{name} by continent": _across("continent", CONTINENTS_TABLE, english, name, _PLACE)
            for name in _METRICS
        },
        "halves of the world": _below(_halves(by_country), HALVES_TABLE, _PLACE),
        "fame": _below(_fame(english), REGRESSION_TABLE, ["type", "predictor", "setting"]),
        "turns to give up": _below(_give_ups(english if asked_each_turn else english.clear()), 9),
    }
    if frame["language"].n_unique() > 1:
        shared = language_names(in_every_language(by_continent))
        tables |= {
            f"{name} by language": _across(
                "language", LANGUAGES_TABLE, shared, name, [*_PLACE, "continent"]
            )
            for name in _METRICS
        }
    if frame["repeat"].n_unique() > 1:
        tables["repeats"] = _below(
            _own(repeats(english, "continent"), english), 7, [*_PLACE, "group"]
        )
    return tables


def _alike(frame: pl.DataFrame, settings: Mapping[str, Any], design: str) -> pl.DataFrame:
    """Return the games of a run whose entities the paper's design chose, by the paper's rule.

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
        return table.rename({"mean": "turns_to_give_up"})
    parts = [
        table.filter(statistic=column).with_columns(
            (pl.col("mean").cast(float) / scale).alias(f"{name}_mean"),
            (pl.col("sd").cast(float) / scale).alias(f"{name}_sd"),
        )
        for name, column, scale in (
            ("success", "success_percent", 100),
            ("turns", "turns_to_success", 1),
        )
    ]
    return parts[0].join(parts[1], on=[*_PLACE, "group", "model", "here"])


def _below(own: pl.DataFrame, printed: str | int, keys: Sequence[str] = ()) -> pl.DataFrame:
    """Return the paper's rows and the run's, sorted by `keys`, with the run's rows last."""
    theirs = _printed(printed) if isinstance(printed, str) else _other(printed)
    columns = [*keys, "model", "here", *_COLUMNS[printed]]
    parts = [
        table.select([name for name in columns if name in table.columns])
        for table in (theirs, own)
        if table.height
    ]
    table = pl.concat(parts, how="diagonal_relaxed")
    return table.sort(*keys, "here", maintain_order=True) if keys else table


_COLUMNS: Mapping[str | int, Sequence[str]] = {
    HALVES_TABLE: (*_SIDES[:2], "north_south_sig", *_SIDES[2:], "west_east_sig", "note"),
    REGRESSION_TABLE: ("odds_ratio", "odds_ratio_sig", "r_squared", "r_squared_sig"),
    7: ("success_mean", "success_sd", "turns_mean", "turns_sd"),
    9: ("turns_to_give_up", "turns_to_give_up_low", "turns_to_give_up_high", "gave_up"),
}


def _across(
    across: str, printed: str, games: pl.DataFrame, name: str, keys: Sequence[str]
) -> pl.DataFrame:
    """Return one metric with a column for each continent or language."""
    won, turns = pl.col("won").mean(), pl.col("turns").filter("won").mean()
    rows = [
        {"type": named["type"], "setting": named["setting"], "continent": named["group"]}
        | {
            "language": str(language),
            "value": own.select(won if name == "success" else turns).item(),
        }
        for named, part in grouped(ended_games(games), "continent")
        for (language,), own in part.group_by("language", maintain_order=True)
    ]
    own = _own(pl.DataFrame(rows, schema_overrides={"value": pl.Float64}), games)
    theirs = _printed(printed).with_columns(value=pl.col(_METRICS[name]).cast(float))
    index = [*keys, "model", "here"]
    parts = [one.select(*index, across, "value") for one in (theirs, own) if one.height]
    return pl.concat(parts).pivot(across, index=index, values="value").sort(*keys, "here")


def _halves(games: pl.DataFrame) -> pl.DataFrame:
    rows: dict[tuple[str, str], dict[str, Any]] = {}
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
