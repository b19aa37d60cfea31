"""What another language changes, entity by entity: does a language find its own part of the world?

Each entity that was played in every language is one pair: its share of games won in English (in the
first language, where none is English) and in the other one. Countries are the units. `home` are
entities of economies where the other language is official.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from geobias.atlas.groupings import official_languages
from geobias.probes.geo20q.analyses import ended_games
from geobias.probes.geo20q.scores import in_every_language, table_frame
from geobias.stats.contrasts import difference, welch_f
from geobias.stats.paired import paired
from geobias.stats.pooling import holm

HOME, ELSEWHERE = "home", "elsewhere"


def language_changes(frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each language and group of entities: all, each continent, home and elsewhere.

    change          share won in the language minus that in the first, of the same entities; with
                    its interval over countries, and p; p_holm allows for all rows
    p_continents    of Welch's F test that the change is the same on every continent
    home_less       the change at home minus that elsewhere (Welch), with its interval and p
    """
    games = ended_games(in_every_language(frame))
    languages = sorted(games["language"].unique(), key=lambda code: (code != "en", code))
    if len(languages) < 2:
        return _table([])
    first, *others = languages
    keys = ["type", "setting", "entity", "country", "continent"]
    shares = games.group_by(*keys, "language").agg(pl.col("won").mean())
    wide = shares.pivot("language", index=keys, values="won").sort(keys)
    rows: list[dict[str, Any]] = []
    for (type_, setting), part in wide.group_by("type", "setting", maintain_order=True):
        for language in others:
            at_home = [
                HOME if language in official_languages().get(one, ()) else ELSEWHERE
                for one in part["country"]
            ]
            own = part.with_columns(
                home=pl.Series(at_home), moved=pl.col(language) - pl.col(first)
            ).drop_nulls("moved")
            if own.height:
                named = {"type": type_, "setting": setting, "language": language, "from": first}
                rows += [named | row for row in _rows(own, first, language)]
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p
    return _table(rows)


def _rows(games: pl.DataFrame, first: str, second: str) -> list[dict[str, Any]]:
    groups = [("all", games)]
    for column in ("continent", "home"):
        groups += [(str(name), own) for (name,), own in sorted(games.group_by(column))]
    rows = []
    for name, own in groups:
        found = paired(
            own[first].to_numpy(), own[second].to_numpy(), own["country"].to_numpy(), bounds=(-1, 1)
        )
        row: dict[str, Any] = {"group": name, "entities": own["entity"].n_unique(), "p": found.p}
        row |= {"countries": found.difference.n} | found.difference.columns("change")
        rows.append(row | {"first": found.first, "second": found.second})
    means = games.group_by("country", "continent", "home").agg(pl.col("moved").mean())
    means = means.sort("country")
    sides = [means.filter(home=side)["moved"].to_numpy() for side in (HOME, ELSEWHERE)]
    at_home = difference(*sides, most=2)
    rows[0]["p_continents"] = welch_f(means["moved"].to_numpy(), means["continent"].to_list()).p
    rows[0] |= at_home.estimate.columns("home_less") | {"home_p": at_home.p}
    return rows


def _table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return table_frame(
        rows,
        ("type", "setting", "language", "from", "group"),
        estimates=("change", "home_less"),
        numbers=("first", "second", "p", "p_holm", "p_continents", "home_p"),
        counts=("entities", "countries"),
    )
