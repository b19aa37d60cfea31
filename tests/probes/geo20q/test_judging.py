from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.atlas.entities import CATEGORIES, LANGUAGES, PROFESSIONS, Entity, LocalName
from geobias.atlas.places import names_in
from geobias.probes.geo20q.judging import (
    JUDGE_RECORDS,
    accuracy_of,
    choose_facts,
    judge_frame_of,
    judge_trials,
)
from geobias.probes.geo20q.languages import load_language
from geobias.trials import Ask, Reply, Trial


@cache
def world() -> tuple[Entity, ...]:
    """A woman, a man, a landmark and a river of every country."""
    found: list[Entity] = []
    for index, country in enumerate(economies()):
        for kind, gender, category in (
            ("person", "F", PROFESSIONS[index % len(PROFESSIONS)]),
            ("person", "M", "politics"),
            ("thing", "", "landmark"),
            ("thing", "", CATEGORIES[index % len(CATEGORIES)]),
        ):
            called = f"{country}{len(found)}"
            found.append(
                Entity(
                    id=called.lower(),
                    name=called,
                    type=kind,  # type: ignore[arg-type]
                    category=category,
                    country=country,
                    gender=gender,  # type: ignore[arg-type]
                    names={code: LocalName(called) for code in LANGUAGES[1:]},
                )
            )
    return tuple(found)


def judged(
    answer: Callable[[str, str], str], count: int = 400, language: str = "en"
) -> pl.DataFrame:
    """The frame of a judge that answers (country, the right answer) so."""
    records = []
    for fact, trial in zip(*_asked(count, language), strict=True):
        steps = trial.start()
        ask = next(steps)
        assert isinstance(ask, Ask)
        assert (ask.role, ask.temperature) == ("judge", 0)
        assert fact.text in ask.dialogue.content
        try:
            steps.send(Reply(answer(fact.entity.country, fact.truth)))
        except StopIteration as done:
            records.append(msgspec.to_builtins(done.value))
    return judge_frame_of(records, "made")


def _asked(count: int, language: str) -> tuple[list[Any], list[Trial]]:
    facts = choose_facts(world(), language, count=count)
    return facts, list(judge_trials(facts, load_language(language)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_balanced_unique_and_spread(language: str) -> None:
    facts, trials = _asked(300, language)
    assert len(facts) == 300
    assert sum(fact.truth == "yes" for fact in facts) == 150
    assert len({trial.name for trial in trials}) == 300
    assert all(trial.name.startswith(f"{JUDGE_RECORDS}/{language}/") for trial in trials)
    assert len({economies()[fact.entity.country].region for fact in facts}) == 7
    assert {"continent", "country", "gender", "type"} <= {fact.question for fact in facts}
    assert not any("{" in fact.text for fact in facts)


def test_the_same_seed_chooses_the_same_questions_and_another_does_not() -> None:
    first, again = (choose_facts(world(), "en", seed=1, count=60) for _ in range(2))
    assert first == again
    assert first != choose_facts(world(), "en", seed=2, count=60)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_member_state_has_a_name_in_every_language_and_a_neighbour(language: str) -> None:
    states = [one for one in economies().values() if one.north_south is not None]
    assert all(names_in(language, one.iso3) for one in states)
    assert min(Counter(one.region for one in states).values()) > 1


def test_where_there_are_few_facts_all_of_them_are_asked() -> None:
    woman = next(one for one in world() if one.country == "KEN")
    facts = choose_facts([woman], "en", count=500)
    assert len(facts) == len({(fact.question, fact.truth) for fact in facts}) == 10


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
    known = judged(answer).filter("read")
    assert (known.height, accuracy_of(known).value) == (read, accuracy)


def test_a_judge_that_knows_less_about_the_south_is_found_out() -> None:
    def answer(country: str, truth: str) -> str:
        return truth if economies()[country].north_south == "Global North" else "no"

    frame = judged(answer, 1200)
    north, south = (
        accuracy_of(frame.filter(north_south=half)).value
        for half in ("Global North", "Global South")
    )
    assert (north, south) == (1, 0.5)
