"""The tables of a run: of any games, and what they count."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pytest

from geobias.atlas.entities import Entity
from geobias.probes.geo20q.analyses import by_language, entities_by, fame_ranks
from geobias.probes.geo20q.scores import Games
from geobias.probes.geo20q.tables import TABLES
from tests.probes.geo20q.games import frame, game, games_of, planted


def tables(name: str, *games: Games) -> Mapping[str, pl.DataFrame]:
    return TABLES[name].make(games, TABLES[name].Options())


@pytest.mark.parametrize("name", [name for name in TABLES if name != "repeats"])
def test_every_table_is_made_of_any_frame(name: str) -> None:
    small = frame([game("KEN", "won", 9)])
    for games in (frame([]), small, planted(0.5, 0.5, each=2, countries=5)):
        for table in tables(name, games_of(games)).values():
            assert isinstance(table, pl.DataFrame)


def test_games_of_two_models_are_told_apart() -> None:
    other = planted(0.3, 0.6, each=2).with_columns(model=pl.lit("b"))
    settings = {"size": "paper", "design": "countries", "entities": "3440 (x)"}
    two = games_of(planted(0.6, 0.3, each=2), None, settings), games_of(other, None, settings)
    assert set(tables("rules", *two)["Games won by each rule"]["model"]) == {"made", "b"}
    halves = tables("published", *two)["halves of the world"]
    assert set(halves.filter(pl.col("here"))["model"]) == {"made", "b"}


def test_an_entity_that_is_played_often_counts_once() -> None:
    games = [
        game("KEN", "won", 9, repeat=i, language=code) for i in (0, 1) for code in ["en", "fr"]
    ]
    games += [game("FRA", "lost", 20, category="film"), game("FRA", "won", 9, type="thing")]
    table = entities_by(frame(games))
    found = {(row["type"], row["group"]): row for row in table.iter_rows(named=True)}
    assert {key: row["entities"] for key, row in found.items()} == {
        ("people", "sport"): 1,
        ("people", "film"): 1,
        ("things", "sport"): 1,
    }
    assert found["people", "film"]["share"] == 0.5
    countries = entities_by(frame(games), "country")
    assert set(countries["group"]) == {"Kenya", "France"}


def test_ranks_are_of_those_whose_fame_is_known() -> None:
    known = [
        Entity(id=f"ken-person-{i}", name=f"P{i}", type="person", category="sport", country="KEN",
               views=views)
        for i, views in enumerate([50.0, None, 900.0])
    ]  # fmt: skip
    table = fame_ranks(frame([game("KEN", "won", 3, number=i) for i in range(3)], known))
    assert table.select("rank", "figure", "of").rows() == [(1, 900, 2), (2, 50, 2)]


def test_languages_are_compared_on_entities_that_all_of_them_have() -> None:
    games = [game("KEN", "won", 4, language="en"), game("KEN", "lost", 20, language="ar")]
    games += [game("KEN", "won", 9, language="en", number=1)]
    table = by_language(frame(games))
    rows = {row["language"]: row for row in table.iter_rows(named=True)}
    assert (rows["en"]["played"], rows["en"]["success"], rows["en"]["turns"]) == (1, 1, 4)
    assert (rows["ar"]["played"], rows["ar"]["success"], rows["ar"]["turns"]) == (1, 0, None)
    assert set(table["group"]) == {"all", "Africa"}
