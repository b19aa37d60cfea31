"""What a simulated judge knows is what was planted in it."""

from __future__ import annotations

import asyncio

import pytest

from geobias.atlas.entities import LANGUAGES, entities
from geobias.models.simulated import SimulatedModel
from geobias.probes.geo20q.guess_words import guess_words
from geobias.probes.geo20q.judging import choose_facts
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.simulated import parse_check
from geobias.trials import Ask, Dialogue


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_judge_errs_in_every_language_as_often_as_planted(language: str) -> None:
    spoken = load_language(language)
    found = choose_facts(entities().values(), language, count=700)
    model = SimulatedModel("sim/?judge_error=0.2")

    async def right_answers() -> int:
        right = 0
        for fact in found:
            called = fact.entity.name_in(language) or ""
            prompts = spoken.prompts(fact.entity.type)
            ask = Ask(dialogue=Dialogue().user(prompts.to_judge(called, fact.text)))
            right += (await model.answer(ask)).text == prompts.answer_word(fact.truth)
        return right

    assert len(found) > 500
    assert asyncio.run(right_answers()) / len(found) == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_tells_its_own_guess_from_another_turn_when_asked(code: str) -> None:
    asked = guess_words(code).question.replace("{entity}", "Kofi Annan")
    prompts = load_language(code).prompts("person")
    turns = ("Is it Kofi Annan?", "Is it old?")
    told = [parse_check(asked.replace("{text}", turn)) for turn in turns]
    assert told == [prompts.answer_word("yes"), prompts.answer_word("no")]
