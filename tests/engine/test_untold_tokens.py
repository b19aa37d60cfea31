"""Servers that do not say how many tokens they took: budgets hold, and unknown is not 0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from geobias.engine import Budget
from geobias.errors import BudgetReached
from geobias.models.catalogue import find_model
from geobias.runfile import RunReader
from tests.engine.runs import outcomes, question, run
from tests.servers import RawStart, completion, http

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
