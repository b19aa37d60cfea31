"""Success and turns of games, of everything and of groups.

All functions take the frame that `frame_of` makes (one row per game) and return a frame. A game
serves one setting or both, so tables are made of `by_setting`, which has a row for each game and
setting it was played in. In the paper's words:

    success   games in which the guesser named the target, among those that came to an end
    turns     to success: of games that were won, and of no others

A game that broke off (a side gave no usable text) is no evidence and in no denominator; how many
there were stands beside every number. What is undefined is null. Intervals are 95% and over
countries, because games about one country stand and fall together; where a group has a single
country they are over its entities, and where those are single games, over games. `units` says
which.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Literal

import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, entities
from geobias.measures.frames import parts_of
from geobias.probes.geo20q.game import GameRecord
from geobias.probes.geo20q.settings import Rule
from geobias.probes.probe import Answers
from geobias.probes.tables import fields_of_record, frame_from
from geobias.stats.estimates import Estimate, rate
from geobias.stats.over_units import rate_over_units, ratio_over_units, share_over_units
from geobias.stats.pooling import pooled_rates

PlaceBy = Literal["all", "continent", "region", "north_south", "west_east", "country", "language"]
By = Literal[PlaceBy, "category", "profession"]
"""What games are grouped by."""
SETTINGS = ("canonical", "unlimited")
TURNS = {"canonical": 20, "unlimited": 150}
"""The paper's limits, which are ours too unless one says otherwise."""
RULES: tuple[Rule, ...] = ("guess", "mention")
TYPES = {"person": "people", "thing": "things"}
ENDINGS = ("won", "lost", "gave_up")
"""The ends of a game that was played to its end."""
PLACES = ("continent", "region", "north_south", "west_east")
_GROUP = ("type", "setting", "group")
_UNIT_COLUMNS = {"countries": "country", "entities": "entity", "games": "trial"}


# -- frames of games -------------------------------------------------------------------------------


class Games(Answers, frozen=True, kw_only=True):
    """`frame` has the games, `judge` the judge's answers to known facts."""

    judge: pl.DataFrame


def frame_of(
    records: Iterable[Mapping[str, Any]],
    model: str = "",
    known: Mapping[str, Entity] | None = None,
    limits: Mapping[str, int] | None = None,
    rule: Rule = "guess",
) -> pl.DataFrame:
    """Records of games as a frame, with the model's name and what is known of the target.

    `type` is "people" or "things", as the paper has them. Groups of the target's country and of
    the one guessed instead are added, and `views`, `standing` and `frequency` from the entity table
    (`known`, or the shipped one): null where there is none.

    `canonical_limit` and `unlimited_limit` are the turns that a game of either setting may take,
    and `limit` those of the longest setting that the game was played in: the run's `limits`
    (`limits_of`); where nobody says, lost games tell, which end at the limit, and else they are
    the paper's. They are never below the turns that a game took.

    `canonical` and `unlimited` are by `rule`; `under_rule` gives the same games by the other.
    `knows` says whether the guesser knows the target (`knowledge.with_knowledge`), null where that
    is not known.
    """
    known = entities() if known is None else known
    frame = frame_from(records, fields_of_record(GameRecord), model, PLACES)
    by_guess = [
        pl.col(f"{setting}{what}").alias(f"{setting}_guess{what}")
        for setting, what in product(SETTINGS, ("", "_turns"))
    ]
    frame = under_rule(frame.with_columns(by_guess), rule)
    targets = [known.get(id_ or "") for id_ in frame["entity"]]
    guessed = [economies().get(iso3 or "") for iso3 in frame["guessed_country"]]
    return (
        frame.with_columns(
            pl.col("type").replace(TYPES),
            pl.lit(None, pl.Boolean).alias("knows"),
            *(_attribute(targets, name, name, pl.Float64) for name in ("views", "frequency")),
            _attribute(targets, "standing", "standing", pl.String).replace("", None),
            *(
                _attribute(guessed, name, f"guessed_{name}", pl.String)
                for name in ("continent", "region", "north_south")
            ),
        )
        .with_columns(_limit(setting, limits or {}) for setting in SETTINGS)
        .with_columns(
            limit=pl.max_horizontal(
                pl.when(pl.col(setting) != "").then(pl.col(f"{setting}_limit"))
                for setting in SETTINGS
            )
        )
    )


def under_rule(frame: pl.DataFrame, rule: Rule) -> pl.DataFrame:
    """The same games as they end by one of the two rules for a win."""
    return frame.with_columns(
        pl.col(f"{setting}_{rule}{what}").alias(f"{setting}{what}")
        for setting, what in product(SETTINGS, ("", "_turns"))
    )


def _attribute(things: Sequence[Any], attribute: str, column: str, dtype: Any) -> pl.Series:
    return pl.Series(column, [getattr(thing, attribute, None) for thing in things], dtype)


def limits_of(settings: Mapping[str, Any]) -> dict[str, int]:
    """Turns that a game of each setting may take, as a run's manifest has them; a setting that is
    not in it is not in this.
    """
    names = {"canonical": "turns", "unlimited": "most_turns"}
    return {setting: settings[name] for setting, name in names.items() if settings.get(name)}


def _limit(setting: str, limits: Mapping[str, int]) -> pl.Expr:
    turns, ending = pl.col(f"{setting}_turns"), pl.col(setting)
    known = pl.lit(limits.get(setting), pl.Int64)
    lost = turns.filter(ending == "lost").max().over("model")
    limit = pl.coalesce(known, lost, pl.lit(TURNS[setting], pl.Int64))
    return pl.max_horizontal(limit, turns.max().over("model")).alias(f"{setting}_limit")


def by_setting(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each game and setting it was played in: `setting`, `ending`, `turns`, `won`.

    `won` is 1 or 0, null where the game broke off; `turns` is at which turn it ended, `limit` how
    many it may take.
    """
    parts = [
        frame.with_columns(
            setting=pl.lit(setting),
            ending=pl.col(setting),
            turns=pl.col(f"{setting}_turns"),
            limit=pl.col(f"{setting}_limit"),
        ).filter(pl.col("ending") != "")
        for setting in SETTINGS
    ]
    ended = pl.col("ending").is_in(ENDINGS)
    return pl.concat(parts).with_columns(
        won=pl.when(ended).then((pl.col("ending") == "won").cast(pl.Int64)),
    )


def ended_games(frame: pl.DataFrame) -> pl.DataFrame:
    return by_setting(frame).drop_nulls("won")


def count_broken(frame: pl.DataFrame) -> tuple[int, int]:
    """Games that broke off in every setting they were played in, and all games."""
    played = by_setting(frame).group_by("trial").agg(pl.col("won").is_null().all())
    return int(played["won"].sum()), played.height


def grouped(games: pl.DataFrame, by: By) -> Iterator[tuple[dict[str, str], pl.DataFrame]]:
    """Type, setting and group with their games, in a fixed order; games in no group are in none.

    "category" is of things and "profession" of people; a country goes by its name. Languages, of
    which no country is part, are groups of games like any other.
    """
    types = {"category": ["things"], "profession": ["people"]}.get(by, list(TYPES.values()))
    for type_, setting in product(types, SETTINGS):
        part = games.filter(type=type_, setting=setting)
        if part.is_empty():  # most runs have games of one type or setting
            continue
        for name, own in groups_of(part, "category" if by == "profession" else by):
            yield {"type": type_, "setting": setting, "group": name}, own


def groups_of(frame: pl.DataFrame, by: str) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of each group of a column, or "all"; a country goes by its name."""
    if frame.is_empty():
        return
    if by == "all":
        yield "all", frame.with_columns(group=pl.lit("all"))
        return
    named = frame.with_columns(group=pl.col(by)).filter(pl.col("group") != "")
    for (group,), rows in parts_of(named, "group").items():
        name = str(group)
        is_country = by == "country" and name in economies()
        yield economies()[name].name if is_country else name, rows


def in_every_language(frame: pl.DataFrame) -> pl.DataFrame:
    """The games about entities that were played in every language of the frame; all games, where
    there is no such entity.

    Not every entity has a name in every language, and those that have one everywhere are the better
    known: only on them can languages be compared.
    """
    languages = frame["language"].n_unique()
    shared = frame.filter(pl.col("language").n_unique().over("entity") == languages)
    return shared if shared.height else frame


def languages_note(frame: pl.DataFrame) -> str:
    """On which entities languages are compared, in a sentence."""
    languages = pl.col("language").n_unique()
    shared = frame.group_by("entity").agg(languages).filter(language=frame["language"].n_unique())
    every = frame["entity"].n_unique()
    if not shared.height:
        return "No entity is played in every language: the rows are about different entities."
    if shared.height == every:
        return f"Every language has games about the same {every:,} entities."
    return (
        f"Only the {shared.height:,} of {every:,} entities that were played in every language, so "
        "that languages are compared on the same ones."
    )


# -- tables ----------------------------------------------------------------------------------------


def success(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Success of each type, setting and group, the highest first within type and setting.

    won, played        games won, among those that came to an end
    broken             games that broke off; in no denominator
    entities, countries  behind the number
    note               why there is no interval; "" where there is one
    """
    rows = []
    for group, games in grouped(by_setting(frame), by):
        won = share(games.drop_nulls("won"), "won")
        rows.append(group | won.columns("success") | _counts(games) | {"note": won.note})
    counts = ("won", "played", "broken", "entities", "countries")
    table = table_frame(rows, _GROUP, estimates=["success"], counts=counts, notes=("units", "note"))
    return table.sort(
        "type", "setting", "success", "group",
        descending=[False, False, True, False], nulls_last=True,
    )  # fmt: skip


def _counts(games: pl.DataFrame) -> dict[str, Any]:
    played = games.drop_nulls("won")
    return {
        "won": int(played["won"].sum()),
        "played": played.height,
        "broken": games.height - played.height,
        "entities": played["entity"].n_unique(),
        "countries": played["country"].n_unique(),
        "units": units_of(played),
    }


def country_success(frame: pl.DataFrame) -> pl.DataFrame:
    """`success` by country with its code and `pooled_success`, the lowest first within type and
    setting.
    """
    games, keys = by_setting(frame), ["type", "setting", "country"]
    pooled = pl.concat(
        pooled_success(games.filter(type=type_, setting=setting)).with_columns(
            type=pl.lit(type_), setting=pl.lit(setting)
        )
        for type_, setting in product(TYPES.values(), SETTINGS)
    )
    codes = {one.name: one.iso3 for one in economies().values()}
    return (
        success(frame, "country")
        .drop("countries")
        .rename({"group": "name"})
        .with_columns(country=pl.col("name").replace(codes))
        .join(pooled, on=keys, how="left", maintain_order="left")
        .select(*keys, "name", pl.col("^pooled.*$"), pl.exclude(*keys, "name", "^pooled.*$"))
        .sort("type", "setting", "pooled", "country", nulls_last=True)
    )


def pooled_success(games: pl.DataFrame) -> pl.DataFrame:
    """Each country's success in these games (`by_setting`) leaning on all countries, the more the
    fewer entities it has (`stats.pooling`). An entity that was played several times counts once,
    by the share it won; a country whose games all broke off is left out.
    """
    totals = _entities_won(games)
    pooled = pooled_rates(totals["won"].to_numpy(), totals["entities"].to_numpy()).groups
    rows = [one.columns("pooled") for one in pooled]
    return totals.select("country").hstack(table_frame(rows, estimates=["pooled"]))


def _entities_won(games: pl.DataFrame) -> pl.DataFrame:
    """Each country's entities, and how many of them were found; one played often, by its share."""
    return (
        games.drop_nulls("won")
        .filter(pl.col("country") != "")
        .group_by("country", "entity")
        .agg(pl.col("won").mean())
        .group_by("country")
        .agg(pl.col("won").sum(), pl.len().alias("entities"))
        .sort("country")
    )


def count_apart(frame: pl.DataFrame) -> tuple[int, int]:
    """Countries that can be told from the mean of all, and all countries with games that ended.

    Told apart is a country whose pooled interval (`pooled_success`) leaves out the mean over all
    countries, of people or of things, in either setting.
    """
    apart: set[str] = set()
    played = ended_games(frame).filter(pl.col("country") != "")
    for _, part in played.group_by("type", "setting"):
        countries = _entities_won(part)
        mean = (countries["won"] / countries["entities"]).mean()
        outside = (pl.col("pooled_low") > mean) | (pl.col("pooled_high") < mean)
        apart |= set(pooled_success(part).filter(outside)["country"])
    return len(apart), played["country"].n_unique()


def turns(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """Turns to success of games that were won, the fewest first within type and setting.

    `won` is how many games that is, of `played`. A group that wins only its easy games is fast:
    read it beside success.
    """
    rows = []
    for group, games in grouped(by_setting(frame), by):
        won = games.filter(won=1)
        rows.append(
            group
            | mean(won, "turns", least=1).columns("turns")
            | _counts(games)
            | {
                "median_turns": won["turns"].median(),
                "countries": won["country"].n_unique(),
                "units": units_of(won),
            }
        )
    counts = ("won", "played", "broken", "countries")
    return table_frame(
        rows, _GROUP, estimates=["turns"], numbers=["median_turns"], counts=counts, notes=["units"]
    ).sort("type", "setting", "turns", "group", nulls_last=True)


def give_ups(frame: pl.DataFrame, by: By = "all") -> pl.DataFrame:
    """How often the guesser gave up, and at which turn (Table 9: of games given up only)."""
    rows = []
    for group, games in grouped(by_setting(frame), by):
        played = games.drop_nulls("won").with_columns(
            gave_up=(pl.col("ending") == "gave_up").cast(pl.Int64)
        )
        given_up = played.filter(gave_up=1)
        rows.append(
            group
            | mean(given_up, "turns", least=1).columns("turns_to_give_up")
            | share(played, "gave_up").columns("gave_up_share")
            | _counts(games)
            | {"gave_up": given_up.height}
        )
    return table_frame(
        rows,
        _GROUP,
        estimates=("turns_to_give_up", "gave_up_share"),
        counts=("gave_up", "played", "broken"),
        notes=["units"],
    ).sort("type", "setting", "turns_to_give_up", "group", nulls_last=True)


def rules(frame: pl.DataFrame) -> pl.DataFrame:
    """Games won by each rule: a turn proposes the target, or names it in any role.

    only_mention   games won by mention and not by guess
    doubtful       turns for the referee, whether there was one or not
    """
    by_rule = {one: by_setting(under_rule(frame, one)) for one in RULES}
    rows = []
    for group, mentioned in grouped(by_rule["mention"], "all"):
        own = by_rule["guess"].filter(type=group["type"], setting=group["setting"])
        both = mentioned.join(own.select("trial", by_guess="won"), on="trial", how="left")
        played = {"guess": own.drop_nulls("won"), "mention": mentioned.drop_nulls("won")}
        row: dict[str, Any] = dict(group)
        for rule, games in played.items():
            row |= share(games, "won").columns(rule) | {f"played_{rule}": games.height}
            row[f"won_{rule}"] = int(games["won"].sum())
        row["only_mention"] = both.filter((pl.col("won") == 1) & (pl.col("by_guess") == 0)).height
        row["doubtful"] = int(mentioned["doubtful"].sum())
        rows.append(row)
    counts = [f"{what}_{rule}" for rule in RULES for what in ("won", "played")]
    return table_frame(
        rows,
        ("type", "setting"),
        estimates=RULES,
        counts=[*counts, "only_mention", "doubtful"],
    ).sort("type", "setting")


def endings(frame: pl.DataFrame) -> pl.DataFrame:
    """How many games of each type and setting were won, lost, given up, or broke off."""
    ends = (*ENDINGS, "broken")
    return (
        by_setting(frame)
        .group_by("type", "setting")
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
    rows = []
    for group, games in grouped(by_setting(frame), by):
        by_repeat = (
            games.drop_nulls("won")
            .group_by("repeat", maintain_order=True)
            .agg(
                pl.col("won").mean().alias("success"),
                pl.col("turns").filter(pl.col("won") == 1).mean().alias("turns"),
            )
        )
        row = group | _counts(games)
        for name in ("success", "turns"):
            values = by_repeat[name]
            row |= {f"{name}_mean": values.mean(), f"{name}_sd": values.std()}
            row[f"{name}_repeats"] = values.count()
        rows.append(row)
    return table_frame(
        rows,
        _GROUP,
        numbers=("success_mean", "success_sd", "turns_mean", "turns_sd"),
        counts=("success_repeats", "turns_repeats", "entities", "broken"),
    ).sort("type", "setting", "group")


def table_frame(
    rows: Sequence[Mapping[str, Any]],
    text: Iterable[str] = (),
    *,
    estimates: Iterable[str] = (),
    numbers: Iterable[str] = (),
    counts: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> pl.DataFrame:
    """Rows as a frame with these columns, whatever else the rows hold; an estimate has its bounds
    beside it.
    """
    bounded = [f"{name}{end}" for name in estimates for end in ("", "_low", "_high")]
    schema: dict[str, Any] = dict.fromkeys(text, pl.String)
    schema |= dict.fromkeys((*bounded, *numbers), pl.Float64)
    schema |= dict.fromkeys(counts, pl.Int64) | dict.fromkeys(notes, pl.String)
    return pl.DataFrame(rows, schema=schema)


# -- estimates -------------------------------------------------------------------------------------


ONE_GAME = "no interval from a single game"


def units_of(games: pl.DataFrame) -> str:
    """What varies: countries, or the entities of a single country, or its single games."""
    if games["country"].n_unique() > 1:
        return "countries"
    return "entities" if games["entity"].n_unique() < games.height else "games"


def units_column(games: pl.DataFrame) -> Any:
    return games[_UNIT_COLUMNS[units_of(games)]].to_numpy()


def share(games: pl.DataFrame, column: str) -> Estimate:
    """The mean of a column of 0 and 1, with its interval."""
    if games.height == 1:
        return Estimate(float(games[column].item()), None, None, 1, ONE_GAME)
    if units_of(games) == "games":
        return rate(int(games[column].sum()), games.height)
    values = games[column].cast(float).to_numpy()
    return rate_over_units(values, units_column(games))


def mean(games: pl.DataFrame, column: str, *, least: float = 0) -> Estimate:
    """The mean over games of a column that counts turns or questions, with its interval.

    Nothing in it is below `least`, or above the turns that a game may take (`limit`).
    """
    most = max(games["limit"].to_list() + games[column].to_list(), default=math.inf)
    return _ratio(games, games[column], [1.0] * games.height, (least, most))


def ratio(games: pl.DataFrame, over: str, under: str) -> Estimate:
    """The total of one column for each of another's, which is never less, with its interval."""
    return _ratio(games, games[over], games[under].cast(float).to_numpy(), (0, 1))


def _ratio(
    games: pl.DataFrame, over: pl.Series, under: Any, bounds: tuple[float, float]
) -> Estimate:
    return ratio_over_units(over.cast(float).to_numpy(), under, units_column(games), bounds=bounds)


def country_means(games: pl.DataFrame) -> pl.DataFrame:
    """Each country's success (`by_setting`): country, value, entities, games, its groups.

    The mean over its entities of the mean over their games: an entity that is played in more
    languages, or more often, weighs no more.
    """
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


def over_countries(means: pl.DataFrame, counted: str = "entities") -> Estimate:
    """The mean of countries' shares (`value`), each from as many trials as `counted` says, with its
    interval over countries."""
    return share_over_units(means["value"].to_numpy(), means[counted].to_numpy())
