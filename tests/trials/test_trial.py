"""Trials are plain generators: these tests use no engine, no model and no disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from geobias.probes import geo20q, worldbench
from geobias.probes.geo20q.game import GameRecord
from geobias.probes.worldbench.trials import WorldBenchRecord
from geobias.trials import Ask, Record, Reply, Trial


def play(trial: Trial, replies: Iterable[Reply | str]) -> tuple[Record, list[Ask]]:
    """Drive a trial with a list of replies."""
    steps = trial.start()
    asks = [next(steps)]
    for one in replies:
        try:
            asks.append(steps.send(Reply(one) if isinstance(one, str) else one))
        except StopIteration as end:
            return end.value, asks
    raise AssertionError("the trial wants more replies")


def population(country: str) -> Trial:
    [trial] = worldbench.plan(indicators=["population"], countries=[country]).trials()
    return trial


def game(turns: int = 20) -> Trial:
    """A game about the Taj Mahal."""
    plan = geo20q.plan(entities="Taj Mahal", turns=turns, setting="canonical", judge_questions=0)
    [trial] = plan.trials()
    return trial


def test_a_question_is_asked_and_its_answer_read() -> None:
    record, asks = play(population("KEN"), ["53 million"])
    assert isinstance(record, WorldBenchRecord)
    assert (record.outcome, record.value) == ("parsed", 53e6)
    assert len(asks) == 1
    assert "Kenya" in asks[0].dialogue.content


def test_a_game_is_won_by_naming_what_is_searched_for() -> None:
    record, asks = play(game(), ["Is it in Africa?", "No", "Is it the Taj Mahal?"])
    assert isinstance(record, GameRecord)
    assert (record.canonical, record.canonical_turns) == ("won", 2)
    assert [ask.role for ask in asks] == ["guesser", "judge", "guesser"]


def test_the_guesser_never_sees_the_name_and_the_judge_never_sees_the_game() -> None:
    _, asks = play(
        game(), ["Is it in Africa?", "No", "Is it in Asia?", "Yes", "Is it the Taj Mahal?"]
    )
    guesser = [ask.dialogue for ask in asks if ask.role == "guesser"]
    judge = [ask.dialogue for ask in asks if ask.role == "judge"]
    assert not any("Taj" in m.content for dialogue in guesser for m in dialogue.messages())
    assert [len(dialogue) for dialogue in judge] == [1, 1]
    assert [len(dialogue) for dialogue in guesser] == [1, 3, 5]


def test_a_game_is_lost_after_its_last_turn() -> None:
    record, _ = play(game(turns=6), [*["Is it big?", "No."] * 5, "Is it the Louvre?"])
    assert isinstance(record, GameRecord)
    assert (record.canonical, record.canonical_turns, record.outcome) == ("lost", 6, "played")


@pytest.mark.parametrize("outcome", ["filtered", "empty", "rejected"])
def test_a_judge_without_an_answer_ends_the_game_without_a_result(outcome: str) -> None:
    record, _ = play(game(), ["Is it big?", Reply("", outcome)])  # type: ignore[arg-type]
    assert isinstance(record, GameRecord)
    assert (record.canonical, record.outcome) == ("broken", outcome)


@pytest.mark.parametrize("made", [lambda: population("NGA"), game], ids=["question", "game"])
def test_starting_a_trial_twice_asks_the_same(made: Callable[[], Trial]) -> None:
    trial = made()
    first, second = next(trial.start()), next(trial.start())
    assert first.digest("m") == second.digest("m")


def test_what_a_refused_call_says_is_not_read_as_an_answer() -> None:
    record, _ = play(population("KEN"), [Reply("not available within 30 days", "rejected")])
    assert isinstance(record, WorldBenchRecord)
    assert (record.outcome, record.value, record.error) == ("rejected", None, None)
