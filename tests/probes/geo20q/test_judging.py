from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, entities
from geobias.atlas.places import names_in
from geobias.probes.geo20q.judging import (
    JUDGE_RECORDS,
    Fact,
    choose_facts,
    judge_frame_of,
    judge_trials,
)
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.scores import share
from geobias.trials import Trial
from tests.probes.answering import drive, rows


def asked(count: int, language: str = "en") -> list[tuple[Fact, Trial]]:
    facts = choose_facts(entities().values(), language, seed=0, count=count)
    return list(zip(facts, judge_trials(facts, load_language(language)), strict=True))


def judged(answer: Callable[[str, str], str], count: int = 400) -> pl.DataFrame:
    """The frame of a judge that answers (country, the right answer) so."""

    def record(fact: Fact, trial: Trial) -> Any:
        return drive(trial, lambda _: answer(fact.entity.country, fact.truth))

    return judge_frame_of(rows([record(*one) for one in asked(count)]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_balanced_unique_and_spread(language: str) -> None:
    facts, trials = zip(*asked(300, language), strict=True)
    assert len(facts) == 300
    assert sum(fact.truth == "yes" for fact in facts) == 150
    assert len({trial.name for trial in trials}) == 300
    assert all(trial.name.startswith(f"{JUDGE_RECORDS}/{language}/") for trial in trials)
    assert len({economies()[fact.entity.country].region for fact in facts}) == 7
    assert {fact.question for fact in facts} == {"continent", "country", "type"}
    assert not any("{" in fact.text for fact in facts)
    for fact, trial in zip(facts, trials, strict=True):
        ask = next(trial.start())
        assert (ask.role, ask.temperature) == ("judge", 0)
        assert fact.text in ask.dialogue.content


def test_the_same_seed_chooses_the_same_questions_and_another_does_not() -> None:
    first, again, other = (
        choose_facts(entities().values(), "en", seed=seed, count=60) for seed in (1, 1, 2)
    )
    assert first == again != other


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_member_state_has_a_name_in_every_language_and_a_neighbour(language: str) -> None:
    states = [one for one in economies().values() if one.north_south is not None]
    assert all(names_in(language, one.iso3) for one in states)
    assert min(Counter(one.region for one in states).values()) > 1


def test_where_there_are_few_facts_all_of_them_are_asked() -> None:
    facts = choose_facts([entities()["wangari-maathai"]], "en", seed=0, count=500)
    assert len(facts) == len({(fact.question, fact.truth) for fact in facts}) == 6


@pytest.mark.parametrize(
    ("answer", "read", "accuracy"),
    [
        (lambda _, truth: f"{truth.capitalize()}.", 400, 1),
        (lambda *_: "Yes.", 400, 0.5),
        (lambda *_: "Dunno.", 400, 0),
        (lambda *_: "xyzzy", 0, None),
    ],
)
def test_a_judge_is_as_right_as_its_answers_that_can_be_read(
    answer: Callable[[str, str], str], read: int, accuracy: float | None
) -> None:
    known = judged(answer)
    assert (known["correct"].count(), share(known, "correct").value) == (read, accuracy)
