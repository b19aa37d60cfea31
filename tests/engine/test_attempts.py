"""What may be billed counts in every budget, over all sessions of a run: attempts that fail, and
answers of servers that do not say how many tokens they took. What is not known is not 0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from geobias.engine import Budget
from geobias.engine.runner import LONG_WAITS_IN_A_ROW
from geobias.errors import BadRequest, BudgetReached, ProviderSaysNo, Stopped
from geobias.models.catalogue import find_model
from geobias.runfile import RunReader, RunWriter
from geobias.running import Options
from tests.engine.runs import MANIFEST, outcomes, question, run
from tests.servers import RawStart, completion, error, http
from tests.waiting import PATIENCE

QUESTIONS = [question(str(n), f"q{n}") for n in range(40)]
GOOD = completion("fine")


def budget_of(path: Path, max_calls: int) -> Budget:
    """A budget that knows what earlier sessions used, as `geobias.run` makes it."""
    budget = Budget(max_calls=max_calls)
    if path.exists():
        writer = RunWriter.open(path, MANIFEST)
        budget.spent_before(writer.spent())
        writer.close()
    return budget


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (None, "cut off"),
        (http(200, GOOD.partition(b"\r\n\r\n")[2], length=9_999), "timeout"),
        (http(200, "garbage"), "malformed"),
        (error(502, "bad gateway"), "HTTP 502"),
    ],
)
def test_a_server_never_sees_more_calls_than_were_allowed(
    path: Path, raw_server: RawStart, bad: bytes | None, kind: str
) -> None:
    answers = [GOOD, GOOD, bad] * 40
    server = raw_server(*answers)
    # A good answer that is late on a busy machine would be a failure of another kind.
    model = find_model(server.url, timeout_seconds=0.3 if kind == "timeout" else PATIENCE)
    for _ in range(3):  # the same limit, session after session
        with pytest.raises(BudgetReached, match="--max-calls 12"):
            run(QUESTIONS, model, path, budget=budget_of(path, 12), concurrency=1)
    assert len(server.requests) == 12
    with RunReader(path) as reader:
        failed = reader.failed_attempts()
        answered = sum(one.calls for one in reader.spent().values())
    assert failed.keys() == {kind}
    assert answered + sum(failed.values()) == 12


def test_a_call_that_was_refused_is_not_counted(path: Path, raw_server: RawStart) -> None:
    server = raw_server(*[error(429, "slow down"), GOOD] * 5)
    run(QUESTIONS[:5], find_model(server.url), path, budget=Budget(max_calls=5), concurrency=1)
    assert len(server.requests) == 10
    with RunReader(path) as reader:
        assert reader.failed_attempts() == {}


def test_the_attempts_of_a_part_are_taken_over_once(tmp_path: Path) -> None:
    part = RunWriter.open(tmp_path / "part.geobias", MANIFEST)
    part.save_attempt("model", "timeout", (10, 20))
    part.close()
    whole = RunWriter.open(tmp_path / "whole.geobias", MANIFEST)
    for _ in range(2):
        whole.absorb(tmp_path / "part.geobias")
    used = whole.spent()["model"]
    assert (used.calls, used.tokens_in, used.tokens_out, used.counted) == (1, 10, 20, False)
    whole.close()


def test_long_waits_in_a_row_end_it(path: Path, raw_server: RawStart) -> None:
    wait = error(429, "later", "Retry-After: 1000000000")
    server = raw_server(GOOD, wait)
    with pytest.raises(ProviderSaysNo, match="rate-limited"):
        run(QUESTIONS[:6], find_model(server.url), path, concurrency=1)
    assert len(server.requests) == 1 + LONG_WAITS_IN_A_ROW


def test_one_long_wait_does_not_end_a_run_that_goes_on(path: Path, raw_server: RawStart) -> None:
    wait = error(429, "later", "Retry-After: 1000000000")
    url = raw_server(GOOD, wait, GOOD).url
    run(QUESTIONS[:1], find_model(url), path)
    run(QUESTIONS[:3], find_model(url), path, budget=budget_of(path, 9), concurrency=1)
    assert len(outcomes(path)) == 3


@pytest.mark.parametrize("limit", ["max_cost", "timeout"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_limit_that_is_no_number_is_refused(limit: str, value: float) -> None:
    given: dict[str, Any] = {limit: value}
    with pytest.raises(BadRequest, match=limit):
        Options(**given)


def test_a_budget_of_no_number_lets_nothing_through(path: Path, raw_server: RawStart) -> None:
    server = raw_server(GOOD)
    budget = Budget(max_cost=float("nan"), prices={"model": (1.0, 1.0)})
    with pytest.raises(Stopped):
        run(QUESTIONS, find_model(server.url), path, budget=budget)
    assert server.requests == []


TRIALS = [question(str(n), f"question {n:03}") for n in range(80)]
PRICES = {"model": (1000.0, 1000.0)}


def answer(usage: Any, text: str = "42", **choice: Any) -> bytes:
    """A completion with this usage, or with none."""
    body: dict[str, Any] = {"choices": [{"message": {"content": text}, **choice}]}
    return http(200, json.dumps(body if usage is None else body | {"usage": usage}))


UNTOLD = [
    None,
    {},
    {"prompt_tokens": -7, "completion_tokens": -3},
    {"prompt_tokens": "7", "completion_tokens": "3"},
    {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    {"total_tokens": 10},
]


@pytest.mark.parametrize("usage", UNTOLD)
@pytest.mark.parametrize(
    ("limit", "words"), [({"max_tokens": 1000}, "--max-tokens"), ({"max_cost": 0.5}, "--max-cost")]
)
def test_a_budget_is_kept_where_the_server_does_not_count(
    path: Path, raw_server: RawStart, usage: Any, limit: dict[str, Any], words: str
) -> None:
    server = raw_server(answer(usage))
    budget = Budget(**limit, prices=PRICES)
    with pytest.raises(BudgetReached, match=rf"{words} .* \(at most "):
        run(TRIALS, find_model(server.url), path, budget=budget)
    assert 3 < len(server.requests) < 15
    assert budget.totals.tokens <= 1000
    assert budget.totals.cost <= 1.0


def test_tokens_that_were_not_told_are_unknown_in_the_file(
    path: Path, raw_server: RawStart
) -> None:
    counts = run(TRIALS[:5], find_model(raw_server(answer(None)).url), path)
    with RunReader(path) as reader:
        spent = reader.spent()["model"]
        assert counts.counted is spent.counted is False
        assert (counts.tokens_in, counts.tokens_out) == (spent.tokens_in, spent.tokens_out)
        assert 5 * 8 < spent.tokens_in < 5 * 40
        assert spent.tokens_out == 5 * 64
        assert {reply.tokens_in for _, reply in reader.replies()} == {None}
        assert reader.replies_frame()["tokens_out"].null_count() == 5


def test_a_count_of_the_prompt_alone_is_kept(path: Path, raw_server: RawStart) -> None:
    run(TRIALS[:5], find_model(raw_server(answer({"prompt_tokens": 7})).url), path)
    with RunReader(path) as reader:
        spent = reader.spent()["model"]
    assert (spent.tokens_in, spent.tokens_out, spent.counted) == (35, 5 * 64, False)


def test_garbage_counts_against_the_budget(path: Path, raw_server: RawStart) -> None:
    server = raw_server(completion("42"), http(200, "<html>"))
    with pytest.raises(BudgetReached, match="--max-tokens"):
        run(TRIALS, find_model(server.url), path, budget=Budget(max_tokens=1000), concurrency=1)
    assert len(server.requests) < 20


def test_a_thought_of_untold_length_leaves_the_tokens_unknown(
    path: Path, raw_server: RawStart
) -> None:
    thinking = {"content": "", "reasoning": "hm"}
    cut = {"choices": [{"message": thinking, "finish_reason": "length"}]}
    server = raw_server(http(200, json.dumps(cut)), completion("42"))
    run(TRIALS[:1], find_model(server.url), path)
    with RunReader(path) as reader:
        assert not reader.spent()["model"].counted
    assert outcomes(path) == {"0": "ok"}


def test_a_question_that_was_refused_cost_nothing(path: Path, raw_server: RawStart) -> None:
    server = raw_server(http(413, "too large"))
    run(TRIALS[:1], find_model(server.url), path)
    with RunReader(path) as reader:
        assert (reader.spent()["model"].tokens_in, reader.spent()["model"].tokens_out) == (0, 0)
