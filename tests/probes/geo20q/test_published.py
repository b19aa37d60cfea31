from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pytest

from geobias.probes.geo20q.published import beside_paper, published
from geobias.trials import StoredSettings
from tests.probes.geo20q.games import frame, game, games_of, planted

CONTINENTS = {"size": "paper", "design": "continents", "entities": "1200 (x)", "each": None}
COUNTRIES = {"size": "paper", "design": "countries", "entities": "3440 (x)", "each": None}


def beside(games: pl.DataFrame, settings: StoredSettings) -> Mapping[str, pl.DataFrame]:
    return beside_paper([games_of(games, None, settings)])


def test_published_numbers_are_as_printed_with_their_oddities_noted() -> None:
    asia = published().filter(
        table=6, setting="unlimited", type="people", model="Gemini-2.0-Flash", group="Asia"
    )
    assert asia.select("turns", "note").rows() == [(25.5, "Table 8 prints 28.5 turns")]
    odd = published().filter(pl.col("note").is_not_null(), table=5)
    assert odd.select("model", "success").rows() == [
        *(("Llama-3.3-70B", share) for share in (0.085, 0.029, 0.35, 0.177)),
        *(("Gemini-2.0-Flash", share) for share in (0.716, 0.839, 0.778, 0.702)),
    ]
    assert published().group_by("table").len().sort("table").rows() == [
        *((1, 6), (5, 48), (6, 96), (8, 504))
    ]


def test_a_run_stands_beside_the_papers_models_in_each_table() -> None:
    found = beside(planted(0.6, 0.3), CONTINENTS)
    for name in ("success", "turns to success"):
        rows = found[f"{name} by continent"].filter(type="people", setting="canonical")
        assert rows["here"].to_list() == [False] * 4 + [True]
        assert rows.width == 5 + 6
    [own] = beside(planted(0.6, 0.3), COUNTRIES)["halves of the world"].filter("here").to_dicts()
    assert own["Global North"] == pytest.approx(0.6, abs=0.12)
    assert own["Global South"] == pytest.approx(0.3, abs=0.12)


def test_a_run_stands_beside_the_papers_rows_in_its_language() -> None:
    games = [game("KEN", "won", 9, language="fr")]
    found = beside(frame(games), CONTINENTS)["success by continent"]
    assert set(found["language"]) == {"French"}
    assert found.filter(type="people", setting="canonical")["here"].to_list() == [False] * 3 + [
        True
    ]


def test_games_with_limits_of_their_own_do_not_stand_beside_the_paper() -> None:
    both = game("KEN", "won", 4, unlimited="won", unlimited_turns=4)
    found = beside(frame([both], turns=5), CONTINENTS)
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
    settings: StoredSettings,
) -> None:
    games = planted(0.6, 0.3)
    for title, table in beside(games, settings).items():
        assert not table["here"].any(), title


def test_games_stand_beside_the_paper_by_its_rule() -> None:
    named = [game("KEN", "lost", 20, canonical_mention="won", canonical_mention_turns=7)]
    [own] = beside(frame(named), CONTINENTS)["success by continent"].filter("here").to_dicts()
    assert own["Africa"] == 1
