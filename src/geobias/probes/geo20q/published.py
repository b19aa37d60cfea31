"""A result beside the models of the paper (Lalai et al., COLM 2025), its tables as printed.

Its sixth continent, "Australia", is Oceania here. Its percentages are shares here.

Only what may be compared stands beside it: games about entities chosen as the paper's were (the 100
best known of each continent; for the halves of the world the 10 best known of each country), with
its limits of turns, won by its rule (any mention), and beside its English rows only English ones;
beside its turns to give up, only games in which that was asked at every turn. Even so its entities
are not ours, and its judge and guesser are one model each time: a difference of a few points
between a run and a row means nothing; the order of continents and of halves can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.atlas.table import shipped_table
from geobias.probes.geo20q.analyses import ended_games, give_ups, halves, regression, repeats
from geobias.probes.geo20q.choosing import EACH, TYPES
from geobias.probes.geo20q.scores import (
    SETTINGS,
    TURNS,
    grouped,
    in_every_language,
    table_of,
    under_rule,
)

CONTINENTS_TABLE = "published_geo20q_continents.csv"
LANGUAGES_TABLE = "published_geo20q_languages.csv"
HALVES_TABLE = "published_geo20q_halves.csv"
REGRESSION_TABLE = "published_geo20q_regression.csv"
OTHER_TABLE = "published_geo20q_other.csv"
BY_LANGUAGE = "success by language"
TURNS_BY_LANGUAGE = "turns to success by language"
"""The two tables that are not of English games."""
GIVING_UP = "turns to give up"
BY_HALF = "halves of the world"
"""The one table whose entities the paper chose by country."""
NOTE = (
    "`here` marks this run's. It has a row where its games are like the paper's: about the 100 "
    "best known of each continent (--size paper), or for halves the 10 best known of each country "
    "(--design countries); within 20 and 150 turns; in English, but for the tables by language. "
    "Any mention wins here, as in the paper. Turns to give up need --give-up every."
)
_CONTINENTS = 6
_NEARLY = 0.9
"""Share of the paper's entities that a run of its design has at least: some places have fewer."""
_PRINTED = {"success": "success_percent", "turns": "turns_to_success"}
_SIDES = ("north", "south", "west", "east")
_STARS = (("***", 0.001), ("**", 0.01), ("*", 0.05), ("△", 0.1))


def published(name: str) -> pl.DataFrame:
    """One of the published tables, e.g. `CONTINENTS_TABLE`, as printed; an empty cell is null."""
    return pl.read_csv(shipped_table(name))


def rows_among_published(
    frame: pl.DataFrame, settings: Mapping[str, Any]
) -> dict[str, pl.DataFrame]:
    """The run's rows among the paper's, a table for each of its tables; `here` marks the run's.

    Languages and repeats only where the run has several. `NOTE` says which games are compared.
    """
    design = design_of(settings)
    alike = _like_the_papers(under_rule(frame, "mention"))
    nothing = alike.clear()
    by_continent = alike if design == "continents" else nothing
    by_country = alike.filter(language="en") if design == "countries" else nothing
    english = by_continent.filter(language="en")
    tables = {
        "success by continent": _continents(english, "success"),
        "turns to success by continent": _continents(english, "turns"),
        BY_HALF: _halves(by_country),
        "fame": _fame(english),
        GIVING_UP: _give_ups(english if _asked_at_every_turn(settings) else nothing),
    }
    if frame["language"].n_unique() > 1:
        tables[BY_LANGUAGE] = _languages(by_continent, "success")
        tables[TURNS_BY_LANGUAGE] = _languages(by_continent, "turns")
    if frame["repeat"].n_unique() > 1:
        tables["repeats"] = _repeats(english)
    return tables


def _asked_at_every_turn(settings: Mapping[str, Any]) -> bool:
    return str(settings.get("give_up", "every")) == "every"


def design_of(settings: Mapping[str, Any]) -> str:
    """Which of the paper's two designs chose a run's entities, as its manifest has it; "" for
    neither: another design, fewer of each place, or entities named one by one."""
    design, types = settings.get("design"), TYPES.get(settings.get("type", "both"), ())
    if design not in EACH or settings.get("size") != "paper" or settings.get("each") is not None:
        return ""
    count = str(settings.get("entities", "")).partition(" ")[0]
    wanted = EACH["continents"]["paper"] * _CONTINENTS * len(types)
    return str(design) if count.isdigit() and int(count) >= _NEARLY * wanted else ""


def _like_the_papers(frame: pl.DataFrame) -> pl.DataFrame:
    """The games as if they had not been played in a setting whose limit is not the paper's."""
    return frame.with_columns(
        pl.when(pl.col(f"{setting}_limit") == TURNS[setting])
        .then(pl.col(setting))
        .otherwise(pl.lit(""))
        for setting in SETTINGS
    )


def _own(table: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(model=pl.lit(games["model"].first() or "this run"), here=pl.lit(True))


def _printed(name: str) -> pl.DataFrame:
    """A published table in our words: type, setting, Oceania, and shares."""
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


def _together(
    printed: pl.DataFrame, own: pl.DataFrame, keys: list[str], columns: list[str]
) -> pl.DataFrame:
    """The paper's rows and the run's, sorted by `keys`, a run's row below those it belongs to."""
    columns = [*keys, "model", "here", *columns]
    parts = [table.select(columns) for table in (printed, own) if table.height]
    return pl.concat(parts, how="vertical_relaxed").sort(*keys, "here", maintain_order=True)


def _continents(games: pl.DataFrame, metric: str) -> pl.DataFrame:
    own = _by_continent(games, metric)
    return _side_by_side(CONTINENTS_TABLE, own, metric, ["type", "setting"], "continent")


def _languages(games: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Tables 4 and 8; the run's rows are about the entities that every language has."""
    spoken = in_every_language(games).partition_by("language")
    own = [
        _by_continent(one, metric).with_columns(
            language=pl.lit(LANGUAGE_NAMES.get(code := one["language"][0], code))
        )
        for one in spoken
    ]
    keys = ["type", "setting", "continent"]
    return _side_by_side(
        LANGUAGES_TABLE, pl.concat(own or [pl.DataFrame()]), metric, keys, "language"
    )


def _side_by_side(
    name: str, own: pl.DataFrame, metric: str, keys: list[str], across: str
) -> pl.DataFrame:
    """One metric with a column for each continent or language."""
    index = [*keys, "model", "here"]
    printed = _printed(name).with_columns(value=pl.col(_PRINTED[metric]).cast(float))
    parts = [one.select(*index, across, "value") for one in (printed, own) if one.height]
    return pl.concat(parts).pivot(across, index=index, values="value").sort(*keys, "here")


def _by_continent(games: pl.DataFrame, metric: str) -> pl.DataFrame:
    """The run's share of games won, or the mean turns of those, by type, setting and continent."""
    value = pl.col("won").mean() if metric == "success" else pl.col("turns").filter("won").mean()
    rows = [
        {"type": named["type"], "setting": named["setting"], "continent": named["group"]}
        | {"value": part.select(value).item()}
        for named, part in grouped(ended_games(games), "continent")
    ]
    return _own(pl.DataFrame(rows, schema_overrides={"value": pl.Float64}), games)


def _halves(games: pl.DataFrame) -> pl.DataFrame:
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in halves(games).iter_rows(named=True):
        first, second = row["halves"].split("_")
        shared = {name: row[name] for name in ("type", "setting", "note")}
        mine = rows.setdefault((row["type"], row["setting"]), shared)
        mine |= {
            first: row["first"],
            second: row["second"],
            f"{first}_{second}_sig": stars(row["p"]),
        }
    columns = [*_SIDES[:2], "north_south_sig", *_SIDES[2:], "west_east_sig", "note"]
    own = _own(table_of(rows.values()), games)
    return _together(_printed(HALVES_TABLE), own, ["type", "setting"], columns)


def stars(p: float | None) -> str:
    """The paper's marks: *** under 0.001, ** under 0.01, * under 0.05, △ under 0.1."""
    return "undefined" if p is None else next((mark for mark, below in _STARS if p < below), "")


def _fame(games: pl.DataFrame) -> pl.DataFrame:
    """Table 3. The paper's R² have a sign that an R² has not; ours stand with the slope's sign."""
    columns = ["odds_ratio", "odds_ratio_sig", "r_squared", "r_squared_sig"]
    own = [
        row
        | {"odds_ratio_sig": stars(row["success_p"]), "r_squared_sig": stars(row["turns_p"])}
        | {"r_squared": row["r_squared_signed"]}
        for row in regression(games).to_dicts()
    ]
    keys = ["type", "predictor", "setting"]
    return _together(_printed(REGRESSION_TABLE), _own(table_of(own), games), keys, columns)


def _give_ups(games: pl.DataFrame) -> pl.DataFrame:
    """Table 9 is over both types; so is the run's row: games given up without a limit."""
    columns = ["model", "here", "turns_to_give_up"]
    printed = _printed(OTHER_TABLE).filter(table=9).rename({"mean": "turns_to_give_up"})
    both_types = give_ups(games.with_columns(type=pl.lit("things")))
    if not both_types.height:
        return printed.select(columns)
    own = _own(both_types.filter(setting="unlimited"), games)
    own = own.select(*columns, "^turns_to_give_up_.*$", "gave_up")
    return pl.concat([printed.select(columns), own], how="diagonal_relaxed")


def _repeats(games: pl.DataFrame) -> pl.DataFrame:
    """Table 7: people, by continent, mean and SD over repeats."""
    keys = ["type", "setting", "group", "model", "here"]
    table = _printed(OTHER_TABLE).filter(table=7)
    success = table.filter(statistic="success_percent").with_columns(
        success_mean=pl.col("mean") / 100, success_sd=pl.col("sd") / 100
    )
    turns = table.filter(statistic="turns_to_success").with_columns(
        turns_mean=pl.col("mean").cast(float), turns_sd=pl.col("sd").cast(float)
    )
    columns = ["success_mean", "success_sd", "turns_mean", "turns_sd"]
    own = _own(repeats(games, "continent"), games)
    return _together(success.join(turns, on=keys), own, keys[:3], columns)
