"""Success and turns of games, of everything and of groups.

All functions take the frame that `frame_of` makes (one row per game) and return a frame. A game
serves one setting or both, so tables are made of `by_setting`, which has a row for each game and
setting it was played in. In the paper's words:

    success   games in which the guesser named the target, among those that came to an end
    turns     to success: of games that were won, and of no others

A game that broke off (a side gave no usable text) is no evidence and in no denominator; how many
there were stands beside every number. What is undefined is null. Intervals are 95% and come from
resampling countries, because games about one country stand and fall together; where a group has a
single country they come from its entities, and where those are single games, from Wilson's formula.
`units` says which.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, entities
from geobias.probes.geo20q.grouping import By
from geobias.probes.geo20q.record import GameRecord
from geobias.stats import Estimate, pooled_rates, rate, ratio_over_units

if TYPE_CHECKING:
    import polars as pl

SETTINGS = ("canonical", "unlimited")
TURNS = {"canonical": 20, "unlimited": 150}
"""The paper's limits, which are ours too unless one says otherwise."""
TYPES = {"person": "people", "thing": "things"}
ENDINGS = ("won", "lost", "gave_up")
"""The ends of a game that was played to its end."""
DRAWS = 2_000
"""Resamples behind an interval: a table has hundreds of them."""
_WORDS = ("trial", "country", "outcome", "entity", "name", "type", "category", "language")
_SAID = ("canonical", "unlimited", "last_question", "final_guess", "guessed", "guessed_country")
_PLACES = ("continent", "region", "north_south", "west_east")


def frame_of(
    records: Iterable[Mapping[str, Any]],
    model: str = "",
    known: Mapping[str, Entity] | None = None,
    limits: Mapping[str, int] | None = None,
) -> pl.DataFrame:
    """Records of games as a frame, with the model's name and what is known of the target.

    `type` is "people" or "things", as the paper has them. Groups of the target's country and of
    the one guessed instead are added, and `views` and `frequency` from the entity table (`known`,
    or the shipped one): null where there is none.

    `canonical_limit` and `unlimited_limit` are the turns that a game of either setting may take,
    and `limit` those of the longest setting that the game was played in: the run's `limits`
    (`limits_of`); where nobody says, lost games tell, which end at the limit, and else they are
    the paper's. They are never below the turns that a game took.
    """
    import polars as pl

    known = entities() if known is None else known
    word, whole = pl.String, pl.Int64
    schema: dict[str, Any] = dict.fromkeys((*_WORDS, *_SAID, "first_place"), word)
    schema |= {
        field: whole
        for field in GameRecord.__struct_fields__
        if field not in schema and field != "probe"
    }
    columns: dict[str, list[Any]] = {name: [] for name in schema}
    added: dict[str, list[Any]] = {name: [] for name in (*_PLACES, "guessed_continent")}
    added |= {name: [] for name in ("guessed_region", "guessed_north_south", "model")}
    views, frequency = [], []
    for record in records:
        for name, column in columns.items():
            column.append(record.get(name))
        here = economies().get(record.get("country") or "")
        there = economies().get(record.get("guessed_country") or "")
        for name in _PLACES:
            added[name].append(getattr(here, name) if here else None)
        for name in ("continent", "region", "north_south"):
            added[f"guessed_{name}"].append(getattr(there, name) if there else None)
        added["model"].append(record.get("model", model))
        entity = known.get(record.get("entity") or "")
        views.append(entity.views if entity else None)
        frequency.append(entity.frequency if entity else None)
    return (
        pl.DataFrame(columns, schema=schema)
        .with_columns(
            pl.col("type").replace(TYPES),
            *(pl.Series(name, values, word) for name, values in added.items()),
            pl.Series("views", views, pl.Float64),
            pl.Series("frequency", frequency, pl.Float64),
        )
        .with_columns(_limit(setting, limits or {}) for setting in SETTINGS)
        .with_columns(
            limit=pl.max_horizontal(
                pl.when(pl.col(setting).fill_null("") != "").then(pl.col(f"{setting}_limit"))
                for setting in SETTINGS
            )
        )
        .select("model", pl.exclude("model"))
    )


def limits_of(settings: Mapping[str, Any]) -> dict[str, int]:
    """Turns that a game of each setting may take, as a run's manifest has them; a setting that is
    not in it is not in this.
    """
    names = {"canonical": "turns", "unlimited": "most_turns"}
    return {setting: settings[name] for setting, name in names.items() if settings.get(name)}


def _limit(setting: str, limits: Mapping[str, int]) -> pl.Expr:
    import polars as pl

    turns, ending = pl.col(f"{setting}_turns"), pl.col(setting)
    known = pl.lit(limits.get(setting), pl.Int64)
    lost = turns.filter(ending == "lost").max().over("model")
    found = pl.coalesce(known, lost, pl.lit(TURNS[setting], pl.Int64))
    return pl.max_horizontal(found, turns.max().over("model")).alias(f"{setting}_limit")


def by_setting(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each game and setting it was played in: `setting`, `ending`, `turns`, `won`.

    `won` is 1 or 0, null where the game broke off; `turns` is at which turn it ended, `limit` how
    many it may take.
    """
    import polars as pl

    parts = [
        frame.with_columns(
            setting=pl.lit(setting),
            ending=pl.col(setting),
            turns=pl.col(f"{setting}_turns"),
            limit=pl.col(f"{setting}_limit"),
        ).filter(pl.col("ending").fill_null("") != "")
        for setting in SETTINGS
    ]
    ended = pl.col("ending").is_in(ENDINGS)
    return pl.concat(parts).with_columns(
        won=pl.when(ended).then((pl.col("ending") == "won").cast(pl.Int64)),
    )


def broken_off(frame: pl.DataFrame) -> tuple[int, int]:
    """Games that broke off in every setting they were played in, and all games."""
    import polars as pl

    played = by_setting(frame).group_by("trial").agg(pl.col("won").is_null().all())
    return int(played["won"].sum()), played.height


def grouped(games: pl.DataFrame, by: By) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
    """Type, setting and group with their games, in a fixed order; games in no group are in none.

    "category" is of things and "profession" of people; a country goes by its name. Languages, of
    which no country is part, are groups of games like any other.
    """
    import polars as pl

    column = "category" if by == "profession" else by
    wanted = {"category": ["things"], "profession": ["people"]}.get(by, list(TYPES.values()))
    for kind in wanted:
        for setting in SETTINGS:
            part = games.filter(type=kind, setting=setting)
            if by == "all":
                if part.height:
                    yield {"type": kind, "setting": setting, "group": "all"}, part
                continue
            for (group,), own in part.filter(pl.col(column).fill_null("") != "").group_by(
                column, maintain_order=True
            ):
                name = str(group)
                if by == "country" and name in economies():
                    name = economies()[name].name
                yield {"type": kind, "setting": setting, "group": name}, own


def in_every_language(frame: pl.DataFrame) -> pl.DataFrame:
    """The games about entities that were played in every language of the frame.

    Not every entity has a name in every language, and those that have one everywhere are the better
    known: only on them can languages be compared.
    """
    import polars as pl

    spoken = frame["language"].n_unique()
    return frame.filter(pl.col("language").n_unique().over("entity") == spoken)


def on_the_same(frame: pl.DataFrame) -> str:
    """On which entities languages are compared, in a sentence."""
    shared, every = in_every_language(frame)["entity"].n_unique(), frame["entity"].n_unique()
    if not shared:
        return "No entity is played in every language: the rows are about different entities."
    if shared == every:
        return f"Every language has games about the same {every:,} entities."
    return (
        f"Only the {shared:,} of {every:,} entities that were played in every language, so that "
        "languages are compared on the same ones."
    )


def success(frame: pl.DataFrame, by: By = "all", *, seed: int = 0) -> pl.DataFrame:
    """Success of each type, setting and group, the highest first within type and setting.

    won, played        games won, among those that came to an end
    broken             games that broke off; in no denominator
    entities, countries  behind the number
    note               why there is no interval; "" where there is one
    """
    import polars as pl

    rows = []
    for group, part in grouped(by_setting(frame), by):
        played = part.filter(pl.col("won").is_not_null())
        found, units = share(played, "won", seed=seed)
        rows.append(
            group
            | found.columns("success")
            | {
                "won": int(played["won"].sum()),
                "played": played.height,
                "broken": part.height - played.height,
                "entities": played["entity"].n_unique(),
                "countries": played["country"].n_unique(),
                "units": units,
                "note": found.note,
            }
        )
    counts = ("won", "played", "broken", "entities", "countries")
    return _table(rows, ("success",), counts, ("units", "note"), order="success", descending=True)


def country_success(frame: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """`success` by country with its code and `pooled_success`, the lowest first within type and
    setting.
    """
    import polars as pl

    games, keys = by_setting(frame), ["type", "setting", "country"]
    parts = [
        pooled_success(games.filter(type=kind, setting=setting)).with_columns(
            type=pl.lit(kind), setting=pl.lit(setting)
        )
        for kind in TYPES.values()
        for setting in SETTINGS
    ]
    codes = {one.name: one.iso3 for one in economies().values()}
    table = success(frame, "country", seed=seed).rename({"group": "name"})
    coded = pl.Series("country", [codes.get(name, name) for name in table["name"]], pl.String)
    return (
        table.drop("countries")
        .with_columns(coded)
        .join(pl.concat(parts), on=keys, how="left", maintain_order="left")
        .select(*keys, "name", pl.col("^pooled.*$"), pl.exclude(*keys, "name", "^pooled.*$"))
        .sort("type", "setting", "pooled", "country", nulls_last=True)
    )


def pooled_success(games: pl.DataFrame) -> pl.DataFrame:
    """Each country's success in these games (`by_setting`) leaning on all countries, the more the
    fewer entities it has (`stats.pooling`). An entity that was played several times counts once,
    by the share it won; a country whose games all broke off is left out.
    """
    import polars as pl

    totals = _entities_won(games)
    found = pooled_rates(totals["won"].to_numpy(), totals["entities"].to_numpy())
    schema = dict.fromkeys(("pooled", "pooled_low", "pooled_high"), pl.Float64)
    rows = [one.columns("pooled") for one in found.groups]
    return totals.select("country").hstack(pl.DataFrame(rows, schema=schema))


def _entities_won(games: pl.DataFrame) -> pl.DataFrame:
    """Each country's entities, and how many of them were found; one played often, by its share."""
    import polars as pl

    return (
        games.filter(pl.col("won").is_not_null() & (pl.col("country") != ""))
        .group_by("country", "entity")
        .agg(pl.col("won").mean())
        .group_by("country")
        .agg(pl.col("won").sum(), pl.len().alias("entities"))
        .sort("country")
    )


def told_apart(frame: pl.DataFrame) -> tuple[int, int]:
    """Countries that can be told from the mean of all, and all countries with games that ended.

    Told apart is a country whose pooled interval (`pooled_success`) leaves out the mean over all
    countries, of people or of things, in either setting.
    """
    import polars as pl

    games, apart = by_setting(frame), set[str]()
    played = games.filter(pl.col("won").is_not_null() & (pl.col("country") != ""))
    for _, part in played.group_by("type", "setting"):
        each = _entities_won(part)
        middle = (each["won"] / each["entities"]).mean()
        outside = (pl.col("pooled_low") > middle) | (pl.col("pooled_high") < middle)
        apart |= set(pooled_success(part).filter(outside)["country"])
    return len(apart), played["country"].n_unique()


def turns(frame: pl.DataFrame, by: By = "all", *, seed: int = 0) -> pl.DataFrame:
    """Turns to success of games that were won, the fewest first within type and setting.

    `won` is how many games that is, of `played`. A group that wins only its easy games is fast:
    read it beside success.
    """
    import polars as pl

    rows = []
    for group, part in grouped(by_setting(frame), by):
        played = part.filter(pl.col("won").is_not_null())
        won = played.filter(won=1)
        found, units = mean(won, "turns", seed=seed, least=1)
        rows.append(
            group
            | found.columns("turns")
            | {
                "median_turns": float(won["turns"].median() or 0) if won.height else None,  # type: ignore[arg-type]
                "won": won.height,
                "played": played.height,
                "broken": part.height - played.height,
                "countries": won["country"].n_unique(),
                "units": units,
            }
        )
    counts = ("won", "played", "broken", "countries")
    return _table(rows, ("turns",), counts, ("units",), order="turns", plain=("median_turns",))


def give_ups(frame: pl.DataFrame, by: By = "all", *, seed: int = 0) -> pl.DataFrame:
    """How often the guesser gave up, and at which turn (Table 9: of games given up only)."""
    import polars as pl

    rows = []
    for group, part in grouped(by_setting(frame), by):
        played = part.filter(pl.col("won").is_not_null()).with_columns(
            gave=(pl.col("ending") == "gave_up").cast(pl.Int64)
        )
        gave = played.filter(gave=1)
        often, units = share(played, "gave", seed=seed)
        when, _ = mean(gave, "turns", seed=seed, least=1)
        rows.append(
            group
            | when.columns("turns_to_give_up")
            | often.columns("gave_up_share")
            | {
                "gave_up": gave.height,
                "played": played.height,
                "broken": part.height - played.height,
                "units": units,
            }
        )
    counts = ("gave_up", "played", "broken")
    return _table(
        rows, ("turns_to_give_up", "gave_up_share"), counts, ("units",), order="turns_to_give_up"
    )


def share(games: pl.DataFrame, column: str, *, seed: int = 0) -> tuple[Estimate, str]:
    """The mean of a column of 0 and 1, with its interval and the units that it comes from."""
    values = games[column].cast(float)
    unit, units = units_of(games)
    if unit == "games":
        return rate(int(values.sum()), len(values)), unit
    return (
        ratio_over_units(
            values.to_numpy(), [1.0] * len(values), units, draws=DRAWS, seed=seed, bounds=(0, 1)
        ),
        unit,
    )


def mean(
    games: pl.DataFrame, column: str, *, seed: int = 0, least: float = 0
) -> tuple[Estimate, str]:
    """The mean over games of a column that counts turns or questions, with its interval.

    Nothing in it is below `least`, or above the turns that a game may take (`limit`).
    """
    values = games[column].cast(float)
    most = max(games["limit"].to_list() + values.to_list(), default=math.inf)
    unit, units = units_of(games)
    if unit == "games":
        units = games["trial"].to_numpy()
    found = ratio_over_units(
        values.to_numpy(),
        [1.0] * len(values),
        units,
        draws=DRAWS,
        seed=seed,
        bounds=(least, most),
    )
    return found, unit


def per(
    games: pl.DataFrame, over: str, under: str, *, seed: int = 0, most: float = math.inf
) -> Estimate:
    """The total of one column for each of another's, with its interval over units."""
    unit, units = units_of(games)
    if unit == "games":
        units = games["trial"].to_numpy()
    return ratio_over_units(
        games[over].cast(float).to_numpy(),
        games[under].cast(float).to_numpy(),
        units,
        draws=DRAWS,
        seed=seed,
        bounds=(0, most),
    )


def units_of(games: pl.DataFrame) -> tuple[str, Any]:
    """What to resample: countries, or the entities of a single country, or its single games."""
    if games["country"].n_unique() > 1:
        return "countries", games["country"].to_numpy()
    if games["entity"].n_unique() < games.height:
        return "entities", games["entity"].to_numpy()
    return "games", None


def _table(
    rows: list[dict[str, Any]],
    estimates: tuple[str, ...],
    counts: tuple[str, ...],
    notes: tuple[str, ...] = (),
    *,
    order: str,
    descending: bool = False,
    plain: tuple[str, ...] = (),
) -> pl.DataFrame:
    """Rows of groups as a frame, sorted by type, setting, and then by one of the numbers."""
    import polars as pl

    numbers = [f"{name}{end}" for name in estimates for end in ("", "_low", "_high")]
    schema: dict[str, Any] = dict.fromkeys(("type", "setting", "group"), pl.String)
    schema |= dict.fromkeys((*numbers, *plain), pl.Float64) | dict.fromkeys(counts, pl.Int64)
    schema |= dict.fromkeys(notes, pl.String)
    return pl.DataFrame(rows, schema=schema).sort(
        ["type", "setting", order, "group"],
        descending=[False, False, descending, False],
        nulls_last=True,
    )


def endings(frame: pl.DataFrame) -> pl.DataFrame:
    """How many games of each type and setting were won, lost, given up, or broke off."""
    import polars as pl

    ends = (*ENDINGS, "broken")
    games = by_setting(frame)
    return (
        games.group_by("type", "setting")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            *((pl.col("ending") == end).sum().cast(pl.Int64).alias(end) for end in ends),
        )
        .sort("type", "setting")
    )


def repeats(frame: pl.DataFrame, by: By = "continent") -> pl.DataFrame:
    """Mean and SD (n − 1) over repeats of success and turns, as in Table 7.

    A repeat is every game once. One repeat has no SD; a repeat in which no game was won has no
    turns and is not counted in `turns_repeats`.
    """
    import polars as pl

    rows = []
    for group, part in grouped(by_setting(frame), by):
        played = part.filter(pl.col("won").is_not_null())
        each = played.group_by("repeat").agg(
            pl.col("won").mean().alias("success"),
            pl.col("turns").filter(pl.col("won") == 1).mean().alias("turns"),
        )
        row: dict[str, Any] = dict(group)
        for name in ("success", "turns"):
            values = each[name].drop_nulls().to_list()
            average, spread = mean_and_sd(values)
            row |= {f"{name}_mean": average, f"{name}_sd": spread, f"{name}_repeats": len(values)}
        rows.append(
            row | {"entities": played["entity"].n_unique(), "broken": part.height - played.height}
        )
    numbers = [f"{name}_{end}" for name in ("success", "turns") for end in ("mean", "sd")]
    schema: dict[str, Any] = dict.fromkeys(("type", "setting", "group"), pl.String)
    schema |= dict.fromkeys(numbers, pl.Float64)
    schema |= dict.fromkeys(("success_repeats", "turns_repeats", "entities", "broken"), pl.Int64)
    return pl.DataFrame(rows, schema=schema).sort("type", "setting", "group")


def mean_and_sd(values: list[float]) -> tuple[float | None, float | None]:
    """Mean and SD with n − 1; None where there are too few."""
    if not values:
        return None, None
    average = math.fsum(values) / len(values)
    if len(values) < 2:
        return average, None
    return average, math.sqrt(math.fsum((x - average) ** 2 for x in values) / (len(values) - 1))


def country_means(games: pl.DataFrame) -> pl.DataFrame:
    """Each country's success over its games (`by_setting`): country, value, games, its groups."""
    import polars as pl

    return (
        games.filter(pl.col("won").is_not_null() & (pl.col("country") != ""))
        .group_by("country", *_PLACES, maintain_order=True)
        .agg(pl.col("won").mean().alias("value"), pl.len().cast(pl.Int64).alias("games"))
    )


def over_countries(means: pl.DataFrame, *, seed: int = 0) -> Estimate:
    """The mean of country means (`value`, 0 to 1), with its interval over countries."""
    return ratio_over_units(
        means["value"].to_list(),
        [1.0] * means.height,
        means["country"].to_numpy(),
        draws=DRAWS,
        seed=seed,
        bounds=(0, 1),
    )
