"""A result beside the models of the paper (Lalai et al., COLM 2025), its tables as printed.

Its sixth continent, "Australia", is Oceania here. Its percentages are shares here. Its entities are
not ours and its judge and guesser are one model each time, so a difference of a few points between
a run and a row means nothing; the order of continents and of halves can be compared. Only games
with the paper's limits of turns stand beside it, and beside its English rows only English ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.atlas.table import shipped_table
from geobias.probes.geo20q.analyses import halves
from geobias.probes.geo20q.fame import regression
from geobias.probes.geo20q.scores import SETTINGS, TURNS, give_ups, repeats, success, turns

if TYPE_CHECKING:
    import polars as pl

CONTINENTS_TABLE = "published_geo20q_continents.csv"
LANGUAGES_TABLE = "published_geo20q_languages.csv"
HALVES_TABLE = "published_geo20q_halves.csv"
REGRESSION_TABLE = "published_geo20q_regression.csv"
OTHER_TABLE = "published_geo20q_other.csv"
CONTINENTS = ("Asia", "Africa", "Oceania", "Europe", "North America", "South America")
BY_LANGUAGE = "success by language"
"""The one table that is not of English games."""
_SETTING = {turns: setting for setting, turns in TURNS.items()}


def published(name: str) -> pl.DataFrame:
    """One of the published tables, e.g. `CONTINENTS_TABLE`, as printed; an empty cell is null."""
    import polars as pl

    return pl.read_csv(shipped_table(name))


def beside(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The run's rows among the paper's, a table for each of its tables; `here` marks the run's.

    Languages and repeats only where the run has several. What is left out of the run's rows is said
    by `left_out`.
    """
    alike = _like_the_papers(frame)
    english = alike.filter(language="en")
    tables = {
        "success by continent": _continents(english, "success"),
        "turns to success by continent": _continents(english, "turns"),
        "halves of the world": _halves(english),
        "fame": _fame(english),
        "turns to give up": _give_ups(english),
    }
    if frame["language"].n_unique() > 1:
        tables[BY_LANGUAGE] = _languages(alike)
    if frame["repeat"].n_unique() > 1:
        tables["repeats"] = _repeats(english)
    return tables


def _like_the_papers(frame: pl.DataFrame) -> pl.DataFrame:
    """The games as if they had not been played in a setting whose limit is not the paper's."""
    import polars as pl

    return frame.with_columns(
        pl.when(pl.col(f"{setting}_limit") == TURNS[setting])
        .then(pl.col(setting))
        .otherwise(pl.lit(""))
        for setting in SETTINGS
    )


def left_out(frame: pl.DataFrame, title: str = "") -> list[str]:
    """Which games of a run are in no row of the table with this title, in sentences."""
    import polars as pl

    said = []
    for setting in SETTINGS:
        played = frame.filter(pl.col(setting).fill_null("") != "")
        limit: int = max(played[f"{setting}_limit"].to_list(), default=TURNS[setting])
        if limit != TURNS[setting]:
            said.append(
                f"This run's {setting} games may take {limit:,} turns, the paper's "
                f"{TURNS[setting]}: they are left out."
            )
    codes = set(frame["language"].drop_nulls()) - {"en"}
    if codes and title != BY_LANGUAGE:
        names = ", ".join(sorted(LANGUAGE_NAMES.get(code, code) for code in codes))
        said.append(f"The paper's rows are of English games: those in {names} are left out.")
    return said


def _here(table: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    model = frame["model"].first() or "this run"
    return table.with_columns(model=pl.lit(model), here=pl.lit(True))


def _renamed(table: pl.DataFrame) -> pl.DataFrame:
    """A published table in our words: type, setting, and Oceania."""
    import polars as pl

    return table.with_columns(
        type=pl.col("entity_type"),
        setting=pl.col("max_turns").replace_strict(_SETTING, return_dtype=pl.String),
        here=pl.lit(False),
    )


def _continents(frame: pl.DataFrame, metric: str) -> pl.DataFrame:
    import polars as pl

    keys = ["type", "setting", "model", "here"]
    value = {"success": pl.col("success_percent") / 100, "turns": pl.col("turns_to_success")}
    printed = _renamed(published(CONTINENTS_TABLE)).select(
        *keys, pl.col("continent").replace("Australia", "Oceania"), value=value[metric].cast(float)
    )
    made = success(frame, "continent") if metric == "success" else turns(frame, "continent")
    own = _here(made, frame).select(*keys, continent="group", value=metric)
    wide = pl.concat([printed, own]).pivot("continent", index=keys, values="value")
    missing = [pl.lit(None, pl.Float64).alias(c) for c in CONTINENTS if c not in wide.columns]
    return wide.with_columns(missing).select(*keys, *CONTINENTS).sort("type", "setting", "here")


def _languages(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    keys = ["type", "setting", "continent", "model", "here"]
    printed = _renamed(published(LANGUAGES_TABLE)).select(
        *keys[:2],
        pl.col("continent").replace("Australia", "Oceania"),
        *keys[3:],
        "language",
        value=pl.col("success_percent") / 100,
    )
    parts = [printed]
    for (code,), part in frame.group_by("language", maintain_order=True):
        name = LANGUAGE_NAMES.get(str(code), str(code))
        made = _here(success(part, "continent"), frame).with_columns(language=pl.lit(name))
        parts.append(
            made.select(
                *keys[:2],
                pl.col("group").alias("continent"),
                *keys[3:],
                "language",
                value="success",
            )
        )
    wide = pl.concat(parts).pivot("language", index=keys, values="value")
    return wide.sort("type", "setting", "continent", "here")


def _halves(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    keys = ["type", "setting", "model", "here"]
    columns = ["north", "south", "north_south_sig", "west", "east", "west_east_sig"]
    printed = _renamed(published(HALVES_TABLE)).select(
        *keys,
        *(
            (pl.col(name) / 100) if not name.endswith("sig") else pl.col(name).fill_null("")
            for name in columns
        ),
        "note",
    )
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in halves(frame).filter(games="all").iter_rows(named=True):
        found = rows.setdefault((row["type"], row["setting"]), {})
        first, second = row["halves"].split("_")
        found |= {first: row["first"], second: row["second"]}
        found[f"{row['halves']}_sig"] = stars(row["p"])
    own = pl.DataFrame(
        [{"type": kind, "setting": setting} | row for (kind, setting), row in rows.items()],
        schema={"type": pl.String, "setting": pl.String}
        | {name: pl.String if name.endswith("sig") else pl.Float64 for name in columns},
    )
    own = _here(own, frame).with_columns(note=pl.lit(None, pl.String))
    both = pl.concat([printed, own.select(printed.columns)])
    return both.sort("type", "setting", "here", maintain_order=True)


def stars(p: float | None) -> str:
    """The paper's marks: *** under 0.001, ** under 0.01, * under 0.05, △ under 0.1."""
    if p is None:
        return "undefined"
    for mark, below in (("***", 0.001), ("**", 0.01), ("*", 0.05), ("△", 0.1)):
        if p < below:
            return mark
    return ""


def _fame(frame: pl.DataFrame) -> pl.DataFrame:
    """Table 3. The paper's R² have a sign that an R² has not; ours stand with the slope's sign."""
    import polars as pl

    columns = ["type", "predictor", "setting", "model", "here", "odds_ratio", "odds_ratio_sig"]
    columns += ["r_squared", "r_squared_sig"]
    marks = [pl.col(name).fill_null("") for name in ("odds_ratio_sig", "r_squared_sig")]
    printed = published(REGRESSION_TABLE).with_columns(
        *marks, type=pl.col("entity_type"), here=pl.lit(False)
    )
    own = _here(regression(frame), frame)
    own = own.with_columns(
        odds_ratio_sig=own["success_p"].map_elements(stars, pl.String, skip_nulls=False),
        r_squared_sig=own["turns_p"].map_elements(stars, pl.String, skip_nulls=False),
        r_squared=pl.col("r_squared_signed"),
    )
    both = pl.concat([printed.select(columns), own.select(columns)])
    return both.sort("type", "predictor", "setting", "here", maintain_order=True)


def _give_ups(frame: pl.DataFrame) -> pl.DataFrame:
    """Table 9 is over both types; so is the run's row: games given up without a limit."""
    import polars as pl

    printed = published(OTHER_TABLE).filter(table=9)
    rows = [{"model": m, "here": False, "turns_to_give_up": v, "gave_up": None}
            for m, v in printed.select("model", "mean").iter_rows()]  # fmt: skip
    everything = give_ups(frame.with_columns(type=pl.lit("things"))).filter(setting="unlimited")
    for row in everything.iter_rows(named=True):
        model = frame["model"].first() or "this run"
        rows.append({"model": model, "here": True} | {
            name: row[name]
            for name in ("turns_to_give_up", "turns_to_give_up_low", "turns_to_give_up_high",
                         "gave_up")
        })  # fmt: skip
    number = pl.Float64
    return pl.DataFrame(
        rows,
        schema={
            "model": pl.String,
            "here": pl.Boolean,
            "turns_to_give_up": number,
            "turns_to_give_up_low": number,
            "turns_to_give_up_high": number,
            "gave_up": pl.Int64,
        },
    )


def _repeats(frame: pl.DataFrame) -> pl.DataFrame:
    """Table 7: people, by continent, mean and SD over repeats."""
    import polars as pl

    keys = ["type", "setting", "group", "model", "here"]
    columns = ["success_mean", "success_sd", "turns_mean", "turns_sd"]
    long = published(OTHER_TABLE).filter(table=7)
    parts = []
    for statistic, stem, scale in (
        ("success_percent", "success", 100),
        ("turns_to_success", "turns", 1),
    ):
        parts.append(long.filter(statistic=statistic).select(
            type="entity_type", setting="setting",
            group=pl.col("group").replace("Australia", "Oceania"), model="model",
            **{f"{stem}_mean": pl.col("mean") / scale, f"{stem}_sd": pl.col("sd") / scale},
        ))  # fmt: skip
    on = ["type", "setting", "group", "model"]
    printed = parts[0].join(parts[1], on=on).with_columns(here=pl.lit(False))
    own = _here(repeats(frame, "continent"), frame)
    both = pl.concat([printed.select(keys + columns), own.select(keys + columns)])
    return both.sort("type", "setting", "group", "here")
