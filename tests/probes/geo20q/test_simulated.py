"""What a simulated judge knows is what was planted in it."""

from __future__ import annotations

import pytest

from geobias.atlas.entities import LANGUAGES, entities
from geobias.probes.geo20q.judging import choose_facts
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.simulated import AskedCheck, AskedJudge
from geobias.simulated import SimulatedModel
from geobias.trials import Ask, Dialogue
from tests.probes.answering import simulated_reply


def told(model: SimulatedModel, about: object) -> str:
    """What it says to a question whose words it does not read."""
    return simulated_reply(model, Ask(dialogue=Dialogue().user("?"), about=about)).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_judge_errs_in_every_language_as_often_as_planted(language: str) -> None:
    spoken = load_language(language)
    found = choose_facts(entities().values(), language, count=700)
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
    [
        ("Is it in Europe?", "yes"),
        ("Is it in Africa?", "no"),
        ("Is it a landmark?", "maybe"),
    ],
)
def test_the_judge_answers_the_questions_of_the_search(question: str, right: str) -> None:
    about = AskedJudge("en", "thing", "eiffel-tower", question)
    said = told(SimulatedModel("sim/fair"), about)
    prompts = load_language("en").prompts("thing")
    assert said == (prompts.maybe if right == "maybe" else prompts.answer_word(right))
