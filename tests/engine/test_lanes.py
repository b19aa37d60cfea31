"""Trials in an order, and in lanes, that let a model remember what it has read."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from geobias.engine.runner import by_beginning, lanes
from geobias.trials import Record, Steps, Trial
from tests.engine.runs import question


def names(trials: list[Trial]) -> list[str]:
    return [trial.name for trial in trials]


def test_trials_that_begin_the_same_keep_their_order() -> None:
    games = [question(name, "Let us play.") for name in "cab"]
    assert names(by_beginning(games)) == ["c", "a", "b"]


def test_a_trial_that_asks_nothing_is_done_too() -> None:
    def steps() -> Steps:
        return Record(trial="silent", probe="test", outcome="read")
        yield

    assert names(by_beginning([question("a", "words"), Trial("silent", steps)])) == ["silent", "a"]


def test_who_is_done_takes_half_of_what_the_other_has_left() -> None:
    trials = [question(str(n), str(n)) for n in range(8)]
    slow, quick = lanes(trials, 2)
    assert next(slow).name == "0"
    assert [next(quick).name for _ in range(6)] == ["4", "5", "6", "7", "2", "3"]
    assert names(list(slow)) == ["1"]
    assert names(list(quick)) == []


@given(st.integers(0, 40), st.integers(1, 6), st.randoms(use_true_random=False))
def test_every_trial_is_in_one_lane_once_whoever_is_quicker(
    count: int, number: int, dice: random.Random
) -> None:
    trials = [question(str(n), str(n)) for n in range(count)]
    queues, taken = lanes(trials, number), list[str]()
    while queues:
        queue = dice.choice(queues)
        trial = next(queue, None)
        if trial is None:
            queues.remove(queue)
        else:
            taken.append(trial.name)
    assert sorted(taken) == sorted(names(trials))
