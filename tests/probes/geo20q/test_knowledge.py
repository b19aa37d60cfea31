"""Questions beside the games: what the judge knows, and whether the guesser knows its targets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import geobias
from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, entities
from geobias.atlas.places import names_in
from geobias.probes import geo20q
from geobias.probes.geo20q.judging import (
    JUDGE_RECORDS,
    Fact,
    choose_facts,
    judge_frame_of,
    judge_trials,
)
from geobias.probes.geo20q.knowledge import (
    COUNTRIES,
    KNOWLEDGE_RECORDS,
    UNKNOWN,
    chosen,
    options,
    truth_of,
)
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.scores import share
from geobias.report.findings import collect
from geobias.runfile import RunReader
from geobias.trials import Trial
from tests.defined import defined
from tests.labelled import table_beside
from tests.probes.answering import drive, rows
from tests.probes.geo20q.made import write_table


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


def test_one_option_of_eight_is_right_and_one_more_says_that_it_does_not_know() -> None:
    for one in [*entities().values()][::40]:
        offered = options(one, 0)
        assert offered[-1] == UNKNOWN
        assert len(set(offered)) == len(offered) == 2 * COUNTRIES + 1
        assert offered.count(truth_of(one)) == 1
        assert options(one, 0) == offered


def test_the_wrong_countries_are_as_near_as_the_right_one() -> None:
    person = entities()["wangari-maathai"]
    places = {one.rpartition(", ")[2] for one in options(person, 0)[:-1]}
    by_name = {one.name: one for one in economies().values()}
    assert {by_name[name].continent for name in places} == {"Africa"}


@pytest.mark.parametrize(
    ("target", "other"),
    [("george-weah", "politics"), ("omar-khayyam", "literature"), ("lusail-stadium", "sport")],
)
def test_a_field_that_a_target_has_too_is_no_wrong_answer(target: str, other: str) -> None:
    offered = [one for seed in range(40) for one in options(entities()[target], seed)]
    assert not any(one.startswith(f"{other},") for one in offered)


OFFERED = ["film, Tunisia", "activism, Kenya", UNKNOWN]


@pytest.mark.parametrize("row", table_beside(__file__, "options.csv"))
def test_a_reply_is_an_option_or_unread(row: dict[str, str]) -> None:
    read = UNKNOWN if row["read"] == "unknown" else row["read"]
    assert chosen(row["reply"], OFFERED) == read


def test_who_loses_what_it_does_not_know_has_no_gap_among_what_it_knows(tmp_path: Path) -> None:
    table, out = write_table(tmp_path / "made.csv", 1), tmp_path / "r.geobias"
    plan = geo20q.plan(entities=str(table), type="people", setting="canonical", judge_questions=2)
    geobias.run([plan], f"sim/?play=0.8&unknown_gap=0.5&seed=3&entities={table}", out)
    with RunReader(out) as run:
        assert len(list(run.records(KNOWLEDGE_RECORDS))) == plan.parts[KNOWLEDGE_RECORDS] == 218
        (section,) = collect([run]).sections
    found = {one.name.removeprefix("geo20q.north_south_"): one for one in section.metrics}
    among = found["gap_known_people_canonical"]
    assert among.primary
    assert defined(among.low) < 0 < defined(among.high)
    rows = section.tables["success_people_canonical_by_north_south"].rows
    north, south = (float(str(row["mean"])) for row in rows)
    assert north - south > 0.1
    assert "(0 won)" in among.note
