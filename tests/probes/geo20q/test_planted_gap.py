"""What is planted in the simulated guesser and judge is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, entities, read_entities
from geobias.probes import geo20q
from geobias.probes.geo20q.judging import choose_facts
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.simulated import AskedCheck, AskedJudge, Player, SimulatedPlay
from geobias.simulated import SimulatedModel, parse
from geobias.trials import Ask, Dialogue
from tests.probes.answering import simulated_reply, simulated_rows
from tests.probes.geo20q.made import write_table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table(tmp_path_factory.mktemp("made") / "made.csv", 1, countries=100)


PLANTED = "sim/?play=0.8&play_gap=0.3&seed=3"


@pytest.fixture(scope="module")
def planted(table: Path) -> list[dict[str, Any]]:
    """Games about a person and a thing of a hundred countries, by a model with a gap."""
    return games(PLANTED, table, setting="canonical")


def games(spec: str, table: Path, **settings: Any) -> list[dict[str, Any]]:
    plan = geo20q.plan(entities=str(table), judge_questions=0, **settings)
    records = simulated_rows(plan, f"{spec}&entities={table}")
    return [one for one in records if one["probe"] == "geo20q"]


def halves(found: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    return {
        half: [g for g in found if economies()[g["country"]].north_south == half]
        for half in ("Global North", "Global South")
    }


def test_every_game_ends_as_the_draw_says(planted: list[dict[str, Any]], table: Path) -> None:
    chosen = parse(f"{PLANTED}&entities={table}")["geo20q"]
    assert isinstance(chosen, SimulatedPlay)
    player = Player(chosen)
    made = read_entities(table)
    assert len(planted) == len(made)
    for game in planted:
        assert (game["canonical"] == "won") == player.thinks_of(made[game["entity"]])


def test_a_judge_that_errs_more_in_the_south_loses_the_souths_games(tmp_path: Path) -> None:
    table = write_table(tmp_path / "made.csv", 1, countries=50)
    spec = "sim/?play=1&judge_gap=0.15"
    settings = {"setting": "canonical", "type": "people", "design": "countries", "each": 1}
    found = halves(games(spec, table, **settings))
    north, south = (
        sum(g["canonical"] == "won" for g in part) / len(part) for part in found.values()
    )
    assert north == 1.0
    assert south < 0.6


@pytest.mark.parametrize("language", ["hi", "zh", "es", "ja", "tr", "fr"])
def test_it_plays_in_every_language(tmp_path: Path, table: Path, language: str) -> None:
    """The made names are in Latin letters; prompts and answers are the language's own."""
    few = tmp_path / "few.csv"
    lines = table.read_text("utf-8").splitlines()[:9]
    few.write_text("\n".join(lines), "utf-8")
    names = ["id,language,name,aliases"]
    names += [f"{line.split(',')[0]},{language},{line.split(',')[1]}," for line in lines[1:]]
    few.with_name("few_names.csv").write_text("\n".join(names), "utf-8")
    found = games("sim/?play=1", few, language=language)
    assert [g["canonical"] for g in found] == ["won"] * 8
    assert all(g["unread"] == 0 for g in found)


def told(model: SimulatedModel, about: object) -> str:
    """What it says to a question whose words it does not read."""
    return simulated_reply(model, Ask(dialogue=Dialogue().user("?"), about=about)).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_judge_errs_in_every_language_as_often_as_planted(language: str) -> None:
    spoken = load_language(language)
    found = choose_facts(entities().values(), language, seed=0, count=700)
    model = SimulatedModel("sim/?judge_error=0.2")

    right = 0
    for fact in found:
        prompts = spoken.prompts(fact.entity.type)
        about = AskedJudge(language, fact.entity.type, fact.entity.id, fact.text, fact.truth)
        right += told(model, about) == prompts.answer_word(fact.truth)
    assert len(found) > 500
    assert right / len(found) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_tells_its_own_guess_from_other_turns(code: str) -> None:
    model = SimulatedModel("sim/fair")
    yes, no = map(load_language(code).prompts("person").answer_word, ("yes", "no"))
    checks = {
        AskedCheck(code, "Is it Kofi Annan?", "Kofi Annan"): yes,
        AskedCheck(code, "Is it old?", "Kofi Annan"): no,
        AskedCheck(code, "Is it old?"): no,
    }
    for about, right in checks.items():
        assert told(model, about) == right


@pytest.mark.parametrize(
    ("question", "right"),
    [("Is it in Europe?", "yes"), ("Is it in Africa?", "no"), ("Is it a landmark?", "maybe")],
)
def test_the_judge_answers_the_questions_of_the_search(question: str, right: str) -> None:
    about = AskedJudge("en", "thing", "eiffel-tower", question)
    said = told(SimulatedModel("sim/fair"), about)
    prompts = load_language("en").prompts("thing")
    assert said == (prompts.maybe if right == "maybe" else prompts.answer_word(right))
