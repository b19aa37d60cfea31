from __future__ import annotations

import polars as pl
import pytest

from geobias.probes.geo20q.published import (
    CONTINENTS_TABLE,
    HALVES_TABLE,
    LANGUAGES_TABLE,
    REGRESSION_TABLE,
    published,
    rows_among_published,
)
from tests.probes.geo20q.games import frame, game, planted

CONTINENTS = {"size": "paper", "design": "continents", "entities": "1200 (x)", "each": None}
COUNTRIES = {"size": "paper", "design": "countries", "entities": "3440 (x)", "each": None}


def test_published_numbers_are_as_printed_with_their_oddities_noted() -> None:
    asia = published(CONTINENTS_TABLE).filter(
        max_turns=150, entity_type="people", model="Gemini-2.0-Flash", continent="Asia"
    )
    assert (asia["turns_to_success"].item(), asia["note"].item()) == (
        25.5,
        "Table 8 prints 28.5 turns",
    )
    odd = published(HALVES_TABLE).filter(pl.col("note").is_not_null())
    assert odd.select("model", "north", "south", "west", "east").rows() == [
        ("Llama-3.3-70B", 8.5, 2.9, 35.0, 17.7),
        ("Gemini-2.0-Flash", 71.6, 83.9, 77.8, 70.2),
    ]
    assert published(LANGUAGES_TABLE).height == 504
    assert published(REGRESSION_TABLE).height == 24


def test_a_run_stands_beside_the_papers_models_in_each_table() -> None:
    found = rows_among_published(planted(0.6, 0.3), CONTINENTS)
    continents = found["success by continent"].filter(type="people", setting="canonical")
    assert continents["here"].to_list() == [False] * 4 + [True]
    by_country = rows_among_published(planted(0.6, 0.3), COUNTRIES)
    halves = by_country["halves of the world"].filter(pl.col("here"))
    assert halves["north"].item() == pytest.approx(0.6, abs=0.12)
    assert halves["north_south_sig"].item() == "***"
    assert found["fame"].filter(pl.col("here"))["odds_ratio_sig"].unique().to_list() == [
        "undefined"
    ]
    assert "repeats" not in found


def test_repeats_and_languages_stand_beside_the_papers_where_a_run_has_them() -> None:
    games = [
        game(c, "won" if (r + i) % 2 else "lost", 9, repeat=r, language=code)
        for i, c in enumerate(("KEN", "FRA", "IND"))
        for r in range(2)
        for code in ("en", "fr")
    ]
    found = rows_among_published(frame(games, canonical=20), CONTINENTS)
    assert found["repeats"].filter(pl.col("here")).height == 3
    french = found["success by language"].filter(pl.col("here"))
    assert french["French"].null_count() == 0
    assert french["Hindi"].null_count() == 3


def test_only_english_games_stand_beside_the_papers_english_rows() -> None:
    games = [
        game("KEN", "won" if code == "en" else "lost", 9 if code == "en" else 20, language=code)
        for code in ("en", "fr")
    ]
    found = rows_among_published(frame(games), CONTINENTS)
    own = found["success by continent"].filter(pl.col("here")).row(0, named=True)
    assert own["Africa"] == 1
    by_language = found["success by language"].filter(pl.col("here")).row(0, named=True)
    assert (by_language["English"], by_language["French"]) == (1, 0)


def test_games_with_limits_of_their_own_do_not_stand_beside_the_paper() -> None:
    both = game("KEN", "won", 4, unlimited="won", unlimited_turns=4)
    found = rows_among_published(frame([both], canonical=5, unlimited=150), CONTINENTS)
    own = found["success by continent"].filter(pl.col("here"))
    assert own["setting"].to_list() == ["unlimited"]


@pytest.mark.parametrize(
    "settings",
    [
        {"size": "standard", "design": "matched", "entities": "640 (x)"},
        CONTINENTS | {"each": 25, "entities": "300 (x)"},
        CONTINENTS | {"entities": "5 (x)"},
        {"size": "standard", "design": "", "entities": "300 (x)"},
        {},
    ],
)
def test_entities_chosen_in_another_way_do_not_stand_beside_the_paper(
    settings: dict[str, object],
) -> None:
    games = planted(0.6, 0.3)
    for title, table in rows_among_published(games, settings).items():
        assert not table["here"].any(), title


def test_games_stand_beside_the_paper_by_its_rule_and_give_ups_if_asked_as_there() -> None:
    named = [game("KEN", "lost", 20, canonical_mention="won", canonical_mention_turns=7)]
    settings = CONTINENTS | {"rule": "guess", "give_up": "phrases", "temperature": 0.0}
    tables = rows_among_published(frame(named, canonical=20), settings)
    [own] = tables["success by continent"].filter("here").to_dicts()
    assert own["Africa"] == 1
    assert tables["turns to give up"].filter("here").height == 0
