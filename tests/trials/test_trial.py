"""Trials are plain generators: these tests use no engine, no model and no disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from geobias.probes import geo20q, worldbench
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


@pytest.mark.parametrize("made", [lambda: population("NGA"), game], ids=["question", "game"])
def test_starting_a_trial_twice_asks_the_same(made: Callable[[], Trial]) -> None:
    trial = made()
    first, second = next(trial.start()), next(trial.start())
    assert first.digest("m") == second.digest("m")


def test_what_a_refused_call_says_is_not_read_as_an_answer() -> None:
    record, _ = play(population("KEN"), [Reply("not available within 30 days", "rejected")])
    assert isinstance(record, WorldBenchRecord)
    assert (record.outcome, record.value, record.error) == ("rejected", None, None)
