"""Success and turns of runs beside the paper's Tables 5, 6 and 8 (Lalai et al., COLM 2025).

The paper plays about other entities, and its judge and guesser are always the same model. So a
difference of a few points between a run and a model of the paper means nothing. The order of
continents and of halves can be compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.table import shipped_table
from geobias.measures.measure import HALVES
from geobias.probes.geo20q.analyses import ended_games
from geobias.probes.geo20q.choosing import EACH, TYPES
from geobias.probes.geo20q.game import SETTINGS
from geobias.probes.geo20q.scores import (
    TURNS,
    Games,
    country_means,
    grouped,
    language_names,
    under_rule,
)
from geobias.probes.probe import run_of
from geobias.probes.tables import Frames
from geobias.trials import StoredSettings

NOTE = (
    "`here` marks a run's rows. A run has a row only if its games are like the paper's: about the "
    "100 best known of each continent (--size paper), or for halves the 10 best known of each "
    "country (--design countries), within 20 and 150 turns. The paper's rows are in the run's "
    "language. Any mention wins here, as in the paper."
)
_NEARLY = 0.9
"""Minimum share of the paper's number of entities, since some places have fewer."""
_HALVES = [name for half in HALVES.values() for name in half]
_INDEX = ["type", "setting", "language", "model", "here"]


def published() -> pl.DataFrame:
    return pl.read_csv(shipped_table("published_geo20q.csv"))


def beside_paper(answers: Sequence[Games]) -> Frames:
    own = [rows for one in answers for rows in _own(one)]
    languages = pl.concat(language_names(one.games)["language"] for one in answers)
    # Table 8 repeats Table 6 in English, for three of its four models.
    printed = published().filter(
        pl.col("language").is_in(languages.implode()),
        pl.col("table") > 1,
        (pl.col("table") == 8) != (pl.col("language") == "English"),
    )
    rows = pl.concat([printed.with_columns(here=False), *own], how="diagonal_relaxed")
    of_halves = pl.col("group").is_in(_HALVES)
    by_continent, by_half = rows.filter(~of_halves), rows.filter(of_halves)
    return {
        "success by continent": _across(by_continent, "success"),
        "turns to success by continent": _across(by_continent, "turns"),
        "halves of the world": _across(by_half, "success"),
    }


def _across(rows: pl.DataFrame, value: str) -> pl.DataFrame:
    wide = rows.pivot("group", index=_INDEX, values=value)
    return wide.sort("type", "setting", "language", "here", maintain_order=True)


def _own(answers: Games) -> Iterator[pl.DataFrame]:
    """Yield the success of a run by continent, with turns, and by half of the world."""
    games, settings = language_names(answers.games), run_of(answers).settings
    facts = {"language": games["language"].first(), "model": answers.model, "here": True}
    ended = ended_games(_alike(games, settings, "continents"))
    turns = pl.col("turns").filter("won").mean()
    yield (
        ended.group_by("type", "setting", group="continent", maintain_order=True)
        .agg(success=pl.col("won").mean(), turns=turns)
        .with_columns(**{name: pl.lit(fact) for name, fact in facts.items()})
    )
    for named, played in grouped(ended_games(_alike(games, settings, "countries"))):
        means = country_means(played)
        for half in HALVES:
            found = means.drop_nulls(half).group_by(group=half, maintain_order=True)
            of_half = {name: pl.lit(fact) for name, fact in (named | facts).items()}
            yield found.agg(success=pl.col("value").mean()).with_columns(**of_half)


def _alike(games: pl.DataFrame, settings: StoredSettings, design: str) -> pl.DataFrame:
    """Return the games with entities of the paper's design, scored by the paper's rule.

    A setting counts as not played if its limit of turns is not the paper's.
    """
    types = TYPES.get(settings.get("type", "both"), ())
    count = str(settings.get("entities", "")).partition(" ")[0]
    continents = {one.continent for one in economies().values()}
    wanted = EACH["continents"]["paper"] * len(continents) * len(types)
    chosen = (settings.get("design"), settings.get("size"), settings.get("each"))
    if chosen != (design, "paper", None) or not count.isdigit() or int(count) < _NEARLY * wanted:
        return games.clear()
    return under_rule(games, "mention").with_columns(
        pl.when(pl.col(f"{setting}_limit") == TURNS[setting])
        .then(pl.col(setting))
        .otherwise(pl.lit(""))
        for setting in SETTINGS
    )
