"""Lines of batches: what comes from outside is a line, or a plain sentence says why not."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.models.batch.dialects import DIALECTS
from geobias.models.batch.exchange import look_at
from geobias.models.batch.gathering import Waiting
from geobias.models.batch.lines import NotALine, request_line, result_line
from geobias.models.batch.results import Results
from geobias.models.chat import ChatModel
from geobias.trials import Ask, Dialogue

ASK = Ask(dialogue=Dialogue().system("Be brief.").user("Why?"), max_tokens=9, stop=("\n",))
CHAT = ChatModel(name="m", url="http://127.0.0.1/v1", model="m")
KEYS = st.sampled_from(
    ("custom_id", "response", "error", "result", "body", "status_code", "type", "message", "code")
)
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
@given(value=st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES)))
def test_any_json_is_a_line_or_is_refused(provider: str, value: dict[str, Any]) -> None:
    for line in (value, {"metadata": {"key": "k"}} | value):
        with suppress(NotALine):
            found = result_line(DIALECTS[provider], json.dumps(line).encode())
            assert found.kind or 100 <= found.status < 600


@given(raw=st.binary(max_size=200))
def test_any_bytes_are_a_line_or_are_refused(raw: bytes) -> None:
    with suppress(NotALine):
        assert result_line(DIALECTS["openai"], raw).id


def test_a_system_message_has_its_own_place_at_anthropic_and_google() -> None:
    body = CHAT.body(ASK)
    params = json.loads(request_line(DIALECTS["anthropic"], "i", body))["params"]
    assert params["system"] == "Be brief."
    assert params["messages"] == [{"role": "user", "content": "Why?"}]
    assert (params["max_tokens"], params["stop_sequences"]) == (9, ["\n"])
    request = json.loads(request_line(DIALECTS["google"], "i", body))["request"]
    assert request["systemInstruction"] == {"parts": [{"text": "Be brief."}]}
    assert request["generationConfig"] == {
        "temperature": 0.0,
        "maxOutputTokens": 9,
        "stopSequences": ["\n"],
    }


def test_a_prompt_that_google_blocked_is_filtered_and_its_thoughts_are_set_apart() -> None:
    blocked = {"response": {"promptFeedback": {"blockReason": "SAFETY"}}, "metadata": {"key": "k"}}
    line = result_line(DIALECTS["google"], json.dumps(blocked).encode())
    assert CHAT.read(ASK, line.status, line.body, 0).outcome == "filtered"
    parts = [{"text": "hm", "thought": True}, {"text": "42"}]
    candidate = {"content": {"parts": parts}, "finishReason": "STOP"}
    said = {"response": {"candidates": [candidate]}, "metadata": {"key": "k"}}
    line = result_line(DIALECTS["google"], json.dumps(said).encode())
    reply = CHAT.read(ASK, line.status, line.body, 0)
    assert (reply.text, reply.reasoning, reply.finish) == ("42", "hm", "stop")


def test_lines_in_any_order_find_their_asks_and_equal_ones_may_come_twice() -> None:
    async def work() -> list[str]:
        loop = asyncio.get_running_loop()
        asks = [Waiting(bytes([n] * 16), CHAT, b"{}", loop.create_future()) for n in range(3)]
        results = Results(DIALECTS["openai"], asks, ())
        for one in [*reversed(asks), asks[0]]:
            body = {"choices": [{"message": {"content": one.id}}]}
            line = {"custom_id": one.id, "response": {"status_code": 200, "body": body}}
            results.take(json.dumps(line).encode())
        assert not list(results.complaints())
        assert not results.deliver()
        return [CHAT.read(ASK, 200, one.came.result().body, 0).text for one in asks]

    assert asyncio.run(work()) == [bytes([n] * 16).hex() for n in range(3)]


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("gemini-2.5-flash", {"thinkingBudget": 8192}),
        ("gemini-3-flash-preview", {"thinkingLevel": "medium"}),
    ],
)
def test_the_reasoning_effort_goes_to_google_in_its_own_words(
    model: str, thinking: dict[str, Any]
) -> None:
    chat = ChatModel(name="m", url="http://127.0.0.1/v1", model=model)
    ask = Ask(dialogue=Dialogue().user("Why?"), effort="medium")
    request = json.loads(request_line(DIALECTS["google"], "i", chat.body(ask)))["request"]
    assert request["generationConfig"]["thinkingConfig"] == thinking


@pytest.mark.parametrize(("kind", "status"), [(3, 400), (8, 429), (13, 500), (14, 503), (503, 503)])
def test_googles_kinds_of_error_are_the_status_of_a_single_call(kind: int, status: int) -> None:
    said = {"metadata": {"key": "i"}, "error": {"code": kind, "message": "no"}}
    assert result_line(DIALECTS["google"], json.dumps(said).encode()).status == status


@pytest.mark.parametrize("prefix", ["BATCH_STATE", "JOB_STATE"])
@pytest.mark.parametrize("place", ["response", "output"])
def test_google_says_in_several_ways_that_a_batch_is_done(prefix: str, place: str) -> None:
    output = {"inlinedResponses": {"inlinedResponses": [{"metadata": {"key": "i"}}]}}
    batch: dict[str, Any] = {"name": "batches/1", "metadata": {"state": f"{prefix}_SUCCEEDED"}}
    (batch if place == "response" else batch["metadata"])[place] = output
    found = look_at(DIALECTS["google"], "batches/1", batch, str)
    assert found is not None
    assert (found.state, found.ended, len(found.lines)) == ("succeeded", True, 1)
