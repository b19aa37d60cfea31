from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest

from geobias.measures.estimates import group_table
from geobias.measures.measure import Measure
from geobias.probes.geo20q.analyses import (
    curve,
    give_ups,
    halves,
    questions,
    repeats,
    rules,
    wrong_guesses,
)
from geobias.probes.geo20q.measured import MEASURES
from geobias.probes.geo20q.scores import Games, by_setting, under_rule
from geobias.probes.geo20q.tables import TABLES
from tests.probes.geo20q.games import frame, game, games_of, planted


def measure(name: str) -> Measure:
    return next(one for one in MEASURES if one.name == name)


def table(games: list[dict[str, Any]] | pl.DataFrame, name: str, by: str = "all") -> pl.DataFrame:
    """A measure of these games by a group."""
    played = games if isinstance(games, pl.DataFrame) else frame(games)
    return group_table(by_setting(played), measure(f"{name}_canonical"), by)


def test_success_is_of_games_that_came_to_an_end() -> None:
    games = [
        game("KEN", "won", 8),
        game("KEN", "lost", 20, number=1),
        game("KEN", "gave_up", 15, number=2),
        game("KEN", "broken", 3, number=3, outcome="filtered"),
        game("FRA", "won", 12),
    ]
    row = table(games, "success").row(0, named=True)
    assert (row["mean"], row["answered"], row["asked"], row["countries"]) == (0.5, 4, 5, 2)
    row = table([game("KEN", "broken", 1)], "success").row(0, named=True)
    assert (row["mean"], row["mean_low"], row["answered"], row["asked"]) == (None, None, 0, 1)


def test_turns_are_of_won_games_only() -> None:
    games = [game("KEN", "won", 8), game("FRA", "won", 12), game("FRA", "lost", 20, number=1)]
    row = table(games, "turns").row(0, named=True)
    assert (row["mean"], row["answered"]) == (10, 2)
    assert table([game("KEN", "lost", 20)], "turns").height == 0


def test_both_settings_of_one_game_are_two_rows() -> None:
    games = by_setting(frame([game("KEN", "lost", 20, unlimited="won", unlimited_turns=44)]))
    assert games.select("setting", "won", "turns").rows() == [
        ("canonical", False, 20),
        ("unlimited", True, 44),
    ]


def test_kinds_of_things_and_of_people_are_not_mixed() -> None:
    games = [
        game("KEN", "won", 9, type="thing", category="river"),
        game("FRA", "lost", 20, category="music"),
    ]
    assert table(games, "success_things", "category")["group"].to_list() == ["river"]
    assert table(games, "success_people", "category")["group"].to_list() == ["music"]


def test_territories_belong_to_no_half_and_to_their_continent() -> None:
    games = [game("PRI", "won", 9), game("KEN", "lost", 20)]
    assert table(games, "success", "north_south")["group"].to_list() == ["Global South"]
    assert set(table(games, "success", "continent")["group"]) == {"North America", "Africa"}


def test_giving_up_is_counted_with_its_turn() -> None:
    games = [
        game("KEN", unlimited="gave_up", unlimited_turns=30),
        game("FRA", unlimited="gave_up", unlimited_turns=50),
        game("FRA", unlimited="won", unlimited_turns=9, number=1),
        game("FRA", unlimited="lost", unlimited_turns=150, number=2),
    ]
    row = give_ups(frame(games)).row(0, named=True)
    assert (row["turns_to_give_up"], row["gave_up_share"], row["gave_up"]) == (40, 0.5, 2)


def test_success_against_allowed_turns_counts_a_win_from_its_turn_on() -> None:
    games = [
        game("KEN", unlimited="won", unlimited_turns=3),
        game("FRA", unlimited="won", unlimited_turns=10),
        game("IND", unlimited="lost", unlimited_turns=150),
        game("IND", unlimited="broken", unlimited_turns=4, number=1),
    ]
    found = curve(frame(games))
    at = dict(zip(found["allowed_turns"], found["success"], strict=True))
    assert [at[one] for one in (1, 5, 10, 150)] == pytest.approx((0, 1 / 3, 2 / 3, 2 / 3))
    assert set(found["played"]) == {3}
    assert (found["success_low"] <= found["success"]).all()
    assert (found["success_high"] >= found["success"]).all()
    assert found.filter(allowed_turns=1)["success_high"].item() > 0.3


def test_halves_by_hand() -> None:
    """North means 1 and 0.5, South 0.5 and 0: of 4 pairs 3 above and 1 tied, U = 3.5."""
    games = [
        game("FRA", "won", 5),
        game("JPN", "won", 5),
        game("JPN", "lost", 20, number=1),
        game("KEN", "won", 5),
        game("KEN", "lost", 20, number=1),
        game("IND", "lost", 20),
    ]
    row = halves(frame(games)).filter(halves="north_south").row(0, named=True)
    assert (row["first"], row["second"], row["u"], row["effect"]) == (0.75, 0.25, 3.5, 0.75)
    assert (row["first_countries"], row["second_countries"]) == (2, 2)
    assert (row["first_games"], row["second_games"]) == (3, 3)


def test_a_curve_ends_at_the_limit_of_its_games() -> None:
    games = [game("KEN", "lost", 30), game("FRA", "won", 25)]
    assert curve(frame(games, turns=35))["allowed_turns"].max() == 35


def test_a_curve_ends_with_the_success_of_the_table_and_its_interval() -> None:
    repeated = [
        game(iso3, "lost", 20, repeat=repeat)
        for iso3 in ("KEN", "FRA", "IND")
        for repeat in range(9)
    ]
    one_country = [game("KEN", "won" if n else "lost", 9 if n else 20, number=n) for n in range(5)]
    varied = planted(0.6, 0.3, each=2, countries=15)
    for games in (frame(repeated), frame(one_country), varied):
        last = curve(games).filter(allowed_turns=20).row(0, named=True)
        whole = table(games, "success").row(0, named=True)
        for end in ("", "_low", "_high"):
            assert last[f"success{end}"] == pytest.approx(whole[f"mean{end}"])


def test_a_half_without_games_is_undefined() -> None:
    row = halves(frame([game("KEN", "won", 5)])).row(0, named=True)
    assert (row["first"], row["p"], row["p_holm"]) == (None,) * 3


def test_what_was_guessed_instead_is_counted_by_region() -> None:
    games = [
        game("KEN", "lost", 20, guessed="x;y;nobody known", guessed_country="FRA;NGA;"),
        game("NGA", "gave_up", 9, guessed="z", guessed_country="DEU"),
        game("NGA", "lost", 20, number=1),
        game("NGA", "won", 9, number=2, guessed="x", guessed_country="FRA"),
        game("NGA", "lost", 20, number=3, unlimited="won", guessed="x", guessed_country="FRA"),
    ]
    [row] = wrong_guesses(frame(games)).to_dicts()
    counts = {"ECS": 2, "SSF": 1, "unplaced": 1}
    assert row == {"type": "people", "target": "Sub-Saharan Africa"} | counts


def test_questions_are_shared_out_by_hand() -> None:
    games = [
        game("KEN", "won", 9, yes=4, no=4, repeated=2, not_yes_no=1, contradicted=1),
        game("FRA", "lost", 20, yes=5, no=5, maybe=1, unread=1, repeated=2),
    ]
    row = questions(frame(games)).row(0, named=True)
    assert (row["questions"], row["games"], row["asked_per_game"]) == (20, 2, 10)
    assert (row["repeated"], row["not_yes_no"], row["contradicted"]) == (0.2, 0.05, 0.05)


def test_questions_outside_the_right_place_are_counted_until_it_is_entered() -> None:
    games = [
        game("KEN", "won", 9, first_place="Europe", first_place_turn=2, outside=3, entered=6),
        game("NGA", "lost", 20, first_place="Asia", first_place_turn=4, outside=5),
        game("NGA", "lost", 20, number=1),
    ]
    row = questions(frame(games)).row(0, named=True)
    assert (row["outside"], row["entered"], row["entered_turn"]) == (4, 0.5, 6)
    assert (row["looked"], row["games"]) == (2, 3)


def test_repeats_have_a_mean_and_an_sd() -> None:
    """Repeat 0 wins 1 of 2, repeat 1 wins 2 of 2: mean 0.75, SD 0.3536; turns 10 and 12."""
    games = [
        game("KEN", "won", 10, repeat=0),
        game("NGA", "lost", 20, repeat=0),
        game("KEN", "won", 10, repeat=1),
        game("NGA", "won", 14, repeat=1),
    ]
    row = repeats(frame(games)).row(0, named=True)
    assert (row["success_mean"], row["success_sd"]) == pytest.approx((0.75, 0.35355), abs=1e-5)
    assert (row["turns_mean"], row["turns_sd"]) == pytest.approx((11, 1.41421), abs=1e-5)
    once = repeats(frame(games[:2])).row(0, named=True)
    assert (once["success_mean"], once["success_sd"], once["success_repeats"]) == (0.5, None, 1)


def test_a_game_can_be_read_by_either_rule() -> None:
    named = game("KEN", "lost", 20, canonical_mention="won", canonical_mention_turns=7)
    [by_guess] = by_setting(frame([named])).to_dicts()
    [by_mention] = by_setting(under_rule(frame([named]), "mention")).to_dicts()
    assert (by_guess["won"], by_guess["turns"]) == (0, 20)
    assert (by_mention["won"], by_mention["turns"]) == (1, 7)
    [row] = rules(frame([named])).to_dicts()
    assert (row["won_guess"], row["won_mention"], row["only_mention"]) == (0, 1, 1)


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
