from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.engine import Budget, Counts, Runner
from geobias.engine.budget import Call
from geobias.engine.runner import by_beginning, lanes
from geobias.errors import BudgetReached, Interrupted
from geobias.runfile import RunReader, RunWriter
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, Trial
from tests.engine.runs import MANIFEST, CountingModel, game, question, run


def test_equal_greedy_questions_are_paid_once(path: Path) -> None:
    model = CountingModel()
    counts = run([question(str(n), "same") for n in range(20)], model, path)
    assert (model.calls, counts.done, counts.shared) == (1, 20, 19)


def test_sampled_questions_are_drawn_each_for_itself(path: Path) -> None:
    model = CountingModel()
    trials = [question(str(n), "same", temperature=0.8, draw=str(n)) for n in range(20)]
    run(trials, model, path)
    assert model.calls == 20


def test_games_with_the_same_history_share_every_turn(path: Path) -> None:
    model = CountingModel()
    run([game(str(n), 12, "begin") for n in range(10)], model, path)
    assert model.calls == 12


def test_never_more_calls_in_flight_than_allowed(path: Path) -> None:
    model = CountingModel(concurrency=64)
    trials = [question(str(n), f"q{n}") for n in range(200)]
    run(trials, model, path, concurrency=3)
    assert model.most_in_flight == 3


def test_trials_are_made_only_when_it_is_their_turn(path: Path) -> None:
    model = CountingModel(concurrency=4)
    ahead = 0

    def trials() -> Iterator[Trial]:
        nonlocal ahead
        for made in range(1, 201):
            ahead = max(ahead, made - model.calls)
            yield question(str(made), f"q{made}")

    run(trials(), model, path)
    assert ahead <= 5


def test_a_finished_run_loads_no_model_and_asks_nothing_when_started_again(path: Path) -> None:
    trials = [game(str(n), 3, f"g{n}") for n in range(10)]
    run(trials, CountingModel(), path)
    model = RememberingModel()
    counts = run(trials, model, path)
    assert (model.loads, model.calls, counts.reused, counts.done) == (0, 0, 10, 0)


def test_a_game_that_was_cut_off_replays_what_it_has(path: Path) -> None:
    with pytest.raises(BudgetReached):
        run([game("g", 10, "begin")], CountingModel(), path, budget=Budget(max_calls=4))
    model = CountingModel()
    counts = run([game("g", 10, "begin")], model, path)
    assert (model.calls, counts.shared, counts.done) == (6, 4, 1)


def spent(path: Path, budget: Budget, **ask: Any) -> CountingModel:
    """The model after more questions than the budget pays for."""
    model = CountingModel()
    with pytest.raises(BudgetReached):
        run([question(str(n), f"q{n}", **ask) for n in range(500)], model, path, budget=budget)
    return model


@pytest.mark.parametrize("calls", [1, 7, 20])
def test_the_budget_of_calls_is_kept_exactly(path: Path, calls: int) -> None:
    assert spent(path, Budget(max_calls=calls)).calls == calls


def test_the_budget_of_tokens_is_not_exceeded_by_calls_in_flight(path: Path) -> None:
    budget = Budget(max_tokens=400)
    spent(path, budget)
    assert 300 < budget.totals.tokens <= 400


@pytest.mark.parametrize("role", ["model", "judge"])
def test_the_budget_of_money_counts_by_the_price_of_the_role_or_of_the_model(
    path: Path, role: str
) -> None:
    budget = Budget(max_cost=0.001, prices={"model": (1.0, 2.0)})
    model = spent(path, budget, role=role)
    assert budget.totals.cost == pytest.approx(model.calls * 20e-6)
    assert 0.0008 < budget.totals.cost <= 0.001


def test_a_role_whose_own_price_is_unknown_is_not_billed_at_the_models() -> None:
    budget = Budget(prices={"model": (1.0, 2.0), "judge": None})
    call = Call(budget, Ask(dialogue=Dialogue().user("q"), role="judge"), CountingModel())
    assert call.settle((10, 1)).cost is None
    assert budget.totals.cost == 0.0


def test_a_model_with_slots_keeps_them_however_slow_it_becomes(path: Path) -> None:
    class Slower(CountingModel):
        async def answer(self, ask: Ask) -> Reply:
            reply = await super().answer(ask)
            await asyncio.sleep(0.0001 * self.calls)
            return reply

    model = Slower(concurrency=4)
    run([question(str(n), f"q{n}") for n in range(200)], model, path)
    with RunReader(path) as reader:
        assert len(list(reader.records())) == 200
    assert model.most_in_flight == 4


def test_a_run_stopped_in_the_middle_keeps_what_was_in_flight(path: Path) -> None:

    runners: list[Runner] = []

    class Slow(CountingModel):
        async def answer(self, ask: Ask) -> Reply:
            self.calls += 1
            if self.calls == 10:
                runners[0].stop()
            await asyncio.sleep(0.05)
            return Reply("late")

    model = Slow()

    async def work() -> None:
        file = RunWriter.open(path, MANIFEST)
        runners.append(Runner({"model": model}, file))
        try:
            await runners[0].run((question(str(n), f"q{n}") for n in range(1000)), Counts())
        finally:
            file.close()

    with pytest.raises(Interrupted):
        asyncio.run(work())
    with RunReader(path) as reader:
        assert reader.spent()["model"].calls == model.calls


def test_two_trials_of_one_name_are_refused_since_one_would_be_lost(path: Path) -> None:
    trials = [question("same", "one"), question("same", "two")]
    file = RunWriter.open(path, MANIFEST)

    async def work() -> None:
        await Runner({"model": CountingModel()}, file).run(trials, Counts())

    asyncio.run(work())
    file.close()
    assert "same name" in str(file.failure)


def test_an_error_in_a_probe_stops_the_run_and_shows_itself(path: Path) -> None:
    def broken() -> Iterator[Ask]:
        raise ZeroDivisionError("a bug in a probe")
        yield

    with pytest.raises(ZeroDivisionError, match="a bug in a probe"):
        run([Trial("t", broken)], CountingModel(), path)  # type: ignore[arg-type]


class RememberingModel(CountingModel):
    """A model with slots: it finds out when it is loaded that one call at a time is fastest."""

    def __init__(self) -> None:
        super().__init__(concurrency=4)
        self.asked: list[str] = []
        self.loads = 0

    async def load(self) -> None:
        self.loads += 1
        self.concurrency = 1

    async def answer(self, ask: Ask) -> Reply:
        self.asked.append(ask.dialogue.content)
        return await super().answer(ask)


def test_a_model_with_slots_is_asked_in_the_order_of_beginnings(path: Path) -> None:
    model = RememberingModel()
    run([question(n, n) for n in ("b2", "a1", "b1", "a2")], model, path)
    assert model.asked == ["a1", "a2", "b1", "b2"]


def test_a_model_with_slots_has_as_many_calls_at_once_as_it_found_best(path: Path) -> None:
    model = RememberingModel()
    run([question(str(n), str(n)) for n in range(9)], model, path)
    assert (model.loads, model.most_in_flight) == (1, 1)


def test_a_run_that_was_begun_in_another_order_is_resumed(path: Path) -> None:
    trials = [question(str(n), str(n)) for n in range(6)]
    run([trials[4], trials[1]], CountingModel(), path)
    model = RememberingModel()
    counts = run(trials, model, path)
    assert model.asked == ["0", "2", "3", "5"]
    assert (counts.reused, counts.done) == (2, 4)


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
