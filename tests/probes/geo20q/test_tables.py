from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pytest

from geobias.errors import BadRequest
from geobias.probes.geo20q.judging import judge_frame_of
from geobias.probes.geo20q.scores import Games
from geobias.probes.geo20q.tables import TABLES
from tests.probes.geo20q.games import frame, game, games_of, judged, planted

FACTS = judge_frame_of(judged("en", 20))


def tables(name: str, *games: Games) -> Mapping[str, pl.DataFrame]:
    return TABLES[name].make(games, TABLES[name].Options())


@pytest.mark.parametrize("name", [name for name in TABLES if name != "repeats"])
def test_every_table_is_made_of_any_frame(name: str) -> None:
    small = frame([game("KEN", "won", 9)])
    for games in (frame([]), small, planted(0.5, 0.5, each=2, countries=5)):
        for table in tables(name, games_of(games, FACTS)).values():
            assert isinstance(table, pl.DataFrame)


def test_repeats_have_a_table_where_there_are_any() -> None:
    once, twice = (
        games_of(frame([game("KEN", "won", 9, repeat=n) for n in range(count)])) for count in (1, 2)
    )
    with pytest.raises(BadRequest, match="each game was played once"):
        tables("repeats", once)
    assert tables("repeats", twice)["repeats"].height == 1


def test_a_judge_that_was_asked_nothing_has_no_table() -> None:
    with pytest.raises(BadRequest, match="made: no known facts were asked"):
        tables("judging", games_of(frame([game("KEN", "won", 9)])))


def test_games_of_two_models_are_told_apart() -> None:
    other = planted(0.3, 0.6, each=2).with_columns(model=pl.lit("b"))
    settings = {"size": "paper", "design": "countries", "entities": "3440 (x)"}
    two = games_of(planted(0.6, 0.3, each=2), None, settings), games_of(other, None, settings)
    assert set(tables("success", *two)["success"]["model"]) == {"made", "b"}
    halves = tables("published", *two)["halves of the world"]
    assert set(halves.filter(pl.col("here"))["model"]) == {"made", "b"}
