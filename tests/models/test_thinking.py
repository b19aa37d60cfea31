"""Models that think before they answer get as many tokens for it as they need, within a limit, and
their reasoning is kept apart from the answer, whichever way a provider sends it."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.engine import Budget
from geobias.errors import BudgetReached
from geobias.models.catalogue import find_model
from geobias.models.complaints import UnsupportedParameter
from geobias.models.completion import Message, texts
from geobias.models.thinking import MOST_TOKENS, Thinking
from geobias.runfile import RunReader
from geobias.trials import Reply
from tests.engine.runs import outcomes, question, run
from tests.servers import RawStart, completion, error, http, thinker

QUESTIONS = [question(str(n), f"What is {n}?") for n in range(30)]


def test_every_question_gets_the_thought_it_needs(path: Path, raw_server: RawStart) -> None:
    server = raw_server(thinker(3000, 9000))
    budget = Budget(max_calls=100)
    run(QUESTIONS, find_model(server.url), path, budget=budget, concurrency=4)
    assert set(outcomes(path).values()) == {"ok"}
    assert budget.totals.calls == len(server.requests)
    with RunReader(path) as reader:
        assert reader.spent()["model"].tokens_out == budget.totals.tokens - 20 * budget.totals.calls


def test_a_thought_without_end_has_an_outcome_of_its_own(path: Path, raw_server: RawStart) -> None:
    server = raw_server(thinker(60_000, 60_000))
    run(QUESTIONS[:2], find_model(server.url), path, concurrency=1)
    assert set(outcomes(path).values()) == {"still_thinking"}
    asked = [one["max_tokens"] - 64 for one in server.requests]
    assert asked == [0, 4096, 8192, 16384, MOST_TOKENS, MOST_TOKENS]


def test_a_server_that_allows_fewer_tokens_is_asked_with_fewer(
    path: Path, raw_server: RawStart
) -> None:
    def small(request: dict[str, Any]) -> bytes:
        if request["max_tokens"] > 5000:
            return error(400, f"max_tokens is too large: {request['max_tokens']}")
        return thinker(4500, 4500)(request)

    server = raw_server(small)
    run(QUESTIONS[:1], find_model(server.url), path)
    asked = [one["max_tokens"] - 64 for one in server.requests]
    assert asked == [0, 4096, 8192, 6144, 5120, 4608]
    assert outcomes(path) == {"0": "ok"}


def test_calls_that_are_refused_together_lower_the_limit_once() -> None:
    thinking, asked = Thinking(4096), list[int]()

    async def post(tokens: int) -> Reply:
        asked.append(tokens)
        await asyncio.sleep(0)
        if tokens > 5000:
            raise UnsupportedParameter("thinking")
        return Reply("4")

    async def ask_together() -> None:
        await thinking.answered(post, "m")
        thinking.allow(8192)
        await asyncio.gather(*(thinking.answered(post, "m") for _ in range(10)))

    asyncio.run(ask_together())
    assert asked.count(8192) == 10
    assert thinking.tokens == 4608


def test_a_long_dialogue_leaves_less_room_to_think(path: Path, raw_server: RawStart) -> None:
    def full(request: dict[str, Any]) -> bytes:
        long = len(request["messages"][0]["content"]) > 1000
        if long and request["max_tokens"] > 2500:
            return error(400, "This model's maximum context length is 8192 tokens.")
        return thinker(1000, 2000)(request)

    server = raw_server(full)
    trials = [*QUESTIONS[:2], question("long", "Why? " * 300), *QUESTIONS[2:4]]
    run(trials, find_model(server.url), path, concurrency=1)
    assert set(outcomes(path).values()) == {"ok"}
    assert server.requests[-1]["max_tokens"] == 64 + 4096  # the others think as long as before


def test_a_thought_that_the_template_opens_is_no_answer_where_it_is_cut_off(
    path: Path, raw_server: RawStart
) -> None:
    cut = completion("It may be 41, or perhaps", "length", 64)
    server = raw_server(completion("Let me see.</think>42"), cut, completion("x</think>43"))
    run(QUESTIONS[:2], find_model(server.url), path, concurrency=1)
    with RunReader(path) as reader:
        assert [reply.text for _, reply in reader.replies()] == ["42", "43"]


def test_a_model_that_writes_blanks_is_given_room_once(path: Path, raw_server: RawStart) -> None:
    server = raw_server(lambda request: completion("\n" * 9, "length", request["max_tokens"]))
    run(QUESTIONS[:2], find_model(server.url), path, concurrency=1)
    assert set(outcomes(path).values()) == {"empty"}
    assert [one["max_tokens"] - 64 for one in server.requests] == [0, 4096, 4096]


def test_a_model_that_reasons_in_secret_is_believed_what_it_counts(
    path: Path, raw_server: RawStart
) -> None:
    def secret(request: dict[str, Any]) -> bytes:
        if request["max_tokens"] > 9000:
            return completion("42")
        choice = {"message": {"content": ""}, "finish_reason": "length"}
        used = request["max_tokens"]
        usage = {"prompt_tokens": 9, "completion_tokens": used}
        usage |= {"completion_tokens_details": {"reasoning_tokens": used}}
        return http(200, json.dumps({"choices": [choice], "usage": usage}))

    run(QUESTIONS[:1], find_model(raw_server(secret).url), path)
    assert outcomes(path) == {"0": "ok"}


@pytest.mark.parametrize("limit", [9_000, 300_000])
def test_a_limit_of_tokens_is_kept_however_long_a_model_thinks(
    path: Path, raw_server: RawStart, limit: int
) -> None:
    server = raw_server(thinker(9000, 9000))
    budget = Budget(max_tokens=limit)
    with suppress(BudgetReached):
        run(QUESTIONS[:10], find_model(server.url), path, budget=budget, concurrency=4)
    assert budget.totals.tokens <= limit


@pytest.mark.parametrize(
    "message",
    [
        {"content": "42", "reasoning_content": "let me think"},
        {"content": "42", "reasoning": "let me think"},
        {"content": "<think>let me think</think>42"},
        {"content": "\n<thinking>let me think</thinking>42"},
        {"content": "let me think</think>42"},
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "let me think"}]},
                {"type": "text", "text": "42"},
            ]
        },
    ],
)
def test_the_answer_comes_without_the_thinking(message: dict[str, Any]) -> None:
    assert texts(Message(**message)) == ("42", "let me think")


def test_thinking_that_never_ends_leaves_no_answer() -> None:
    assert texts(Message(content="<think>on and on")) == ("", "on and on")


def test_a_tag_in_the_middle_of_an_answer_is_part_of_it() -> None:
    text = "The tag is written <think> and means nothing."
    assert texts(Message(content=text)) == (text, "")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_content_of_any_shape_yields_text(content: object) -> None:
    answer, reasoning = texts(Message(content=content))
    answer.encode()
    reasoning.encode()
