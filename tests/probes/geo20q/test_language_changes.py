"""What another language changes, entity by entity."""

from __future__ import annotations

import random

import pytest

from geobias.probes.geo20q.analyses import language_changes
from tests.probes.geo20q.games import frame, game, members


def test_a_language_that_finds_its_own_countries_better_is_seen() -> None:
    """Spanish wins more where it is official, and as much as English elsewhere."""
    dice, games = random.Random(1), []
    home = ["ARG", "CHL", "COL", "CRI", "CUB", "ECU", "ESP", "GTM", "HND", "MEX", "PER", "URY"]
    elsewhere = [one for one in members("Global South") if one not in home][:40]
    for country in (*home, *elsewhere):
        for number in range(4):
            chance = 0.2 + 0.6 * (country in home)
            for language, share in (("en", 0.2), ("es", chance)):
                ending = "won" if dice.random() < share else "lost"
                games.append(game(country, ending, 9, number=number, language=language))
    table = language_changes(frame(games))
    rows = {row["group"]: row for row in table.to_dicts()}
    assert rows["home"]["change_low"] > 0.3
    assert rows["elsewhere"]["change_low"] < 0 < rows["elsewhere"]["change_high"]
    assert rows["all"]["home_less"] == pytest.approx(0.6, abs=0.2)
    assert rows["all"]["home_p"] < 0.001
    assert rows["all"]["entities"] == 4 * len((*home, *elsewhere))
