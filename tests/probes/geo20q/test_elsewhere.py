"""Guesses of people and things beyond the entity table."""

from __future__ import annotations

import pytest

from geobias.atlas.entities import entities
from geobias.probes.geo20q.elsewhere import guessed_elsewhere
from geobias.probes.geo20q.naming import shipped_names
from tests.probes.geo20q.scripts import Play, Script


@pytest.mark.parametrize(
    ("text", "final", "guess"),
    [
        ("Is it Abel Tasman?", False, ("Abel Tasman", "NLD")),
        ("My guess is Abel Tasman.", True, ("Abel Tasman", "NLD")),
        ("I am ready. Abel Tasman", True, ("Abel Tasman", "NLD")),
        ("Is it Aaron Stanford?", False, ("Aaron Stanford", "")),
        ("Is he Aaron Stanford of Stanford University?", False, ("", "")),
        ("Is she taller than Abel Tasman?", False, ("", "")),
        ("Is he a South African President?", False, ("", "")),
        ("Is he Christian?", False, ("", "")),
        ("Is she African American?", False, ("", "")),
        ("Is she the CEO of Microsoft?", False, ("", "")),
        ("Was he born in Delft?", False, ("", "")),
        ("他是阿贝尔·塔斯曼吗？", False, ("", "")),
    ],
)
def test_a_guess_beyond_the_table_has_a_country_or_its_name_alone(
    text: str, final: bool, guess: tuple[str, str]
) -> None:
    target, names = entities()["wangari-maathai"], shipped_names("en")
    assert guessed_elsewhere(text, target, names, final=final) == guess


def test_wrong_guesses_of_every_turn_are_noted(play: Play) -> None:
    lines = ["Is it Abel Tasman?", "Is he a man?", "Is it Aaron Stanford?", "Is he old?"]
    game = play(Script(lines), "jack-ma", turns=4)
    assert game["guessed"] == "Abel Tasman;Aaron Stanford"
    assert game["guessed_country"] == "NLD;"
