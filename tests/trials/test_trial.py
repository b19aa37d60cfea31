"""Trials are plain generators: these tests use no engine, no model and no disk."""

from __future__ import annotations

from collections.abc import Iterable

from geobias.probes.pilot import PilotRecord, plan
from geobias.trials import Ask, Record, Reply, Trial


def play(trial: Trial, replies: Iterable[str]) -> tuple[Record, list[Ask]]:
    """Drive a trial with a list of strings."""
    steps = trial.start()
    asks = [next(steps)]
    for text in replies:
        try:
            asks.append(steps.send(Reply(text)))
        except StopIteration as end:
            return end.value, asks
    raise AssertionError("the trial wants more replies")


def pilot(name: str) -> Trial:
    return next(trial for trial in plan().trials() if trial.name == name)


def test_a_question_is_asked_and_its_answer_read() -> None:
    record, asks = play(pilot("pilot/place/KEN/0"), ["Africa."])
    assert isinstance(record, PilotRecord)
    assert (record.outcome, record.answer, record.right) == ("read", "Africa", True)
    assert len(asks) == 1
    assert "Kenya" in asks[0].dialogue.content


def test_a_game_is_won_by_naming_the_continent() -> None:
    record, asks = play(
        pilot("pilot/game/PER/0"),
        ["Is it in Africa?", "No", "Is it in South America?"],
    )
    assert isinstance(record, PilotRecord)
    assert (record.right, record.turns) == (True, 2)
    assert [ask.role for ask in asks] == ["guesser", "judge", "guesser"]


def test_the_guesser_never_sees_the_country_and_the_judge_never_sees_the_game() -> None:
    _, asks = play(
        pilot("pilot/game/PER/0"),
        ["Is it in Africa?", "No", "Is it in Asia?", "No", "South America?"],
    )
    guesser = [ask.dialogue for ask in asks if ask.role == "guesser"]
    judge = [ask.dialogue for ask in asks if ask.role == "judge"]
    assert not any("Peru" in m.content for dialogue in guesser for m in dialogue.messages())
    assert [len(dialogue) for dialogue in judge] == [1, 1]
    assert [len(dialogue) for dialogue in guesser] == [1, 3, 5]


def test_a_game_is_lost_after_six_questions() -> None:
    record, _ = play(pilot("pilot/game/PER/0"), ["Is it big?", "No."] * 6)
    assert isinstance(record, PilotRecord)
    assert (record.right, record.turns, record.outcome) == (False, 6, "read")


def test_a_judge_that_rambles_ends_the_game_unread() -> None:
    record, _ = play(pilot("pilot/game/PER/0"), ["Is it big?", "Well, that depends."])
    assert isinstance(record, PilotRecord)
    assert (record.right, record.outcome) == (None, "unread")


def test_starting_a_trial_twice_asks_the_same() -> None:
    trial = pilot("pilot/choice/NGA/0")
    first, second = next(trial.start()), next(trial.start())
    assert first.digest("m") == second.digest("m")


def test_what_a_refused_call_says_is_not_read_as_an_answer() -> None:
    steps = pilot("pilot/place/KEN/0").start()
    next(steps)
    try:
        steps.send(Reply("not available in Africa", "rejected"))
    except StopIteration as end:
        record = end.value
    assert (record.outcome, record.answer, record.right) == ("rejected", "", None)
