"""Lines of batches: what comes from outside is a line, or a plain sentence says why not."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.models.batch.gathering import Results, Waiting
from geobias.models.batch.lines import DIALECTS, NotALine, request_line, result_line
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


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@given(value=st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES)))
def test_any_json_is_a_line_or_is_refused(provider: str, value: dict[str, Any]) -> None:
    with suppress(NotALine):
        found = result_line(DIALECTS[provider], json.dumps({"custom_id": "i"} | value).encode())
        assert found.kind or 100 <= found.status < 600


@given(raw=st.binary(max_size=200))
def test_any_bytes_are_a_line_or_are_refused(raw: bytes) -> None:
    with suppress(NotALine):
        assert result_line(DIALECTS["openai"], raw).id


def test_a_system_message_has_its_own_place_at_anthropic() -> None:
    body = CHAT.body(ASK)
    params = json.loads(request_line(DIALECTS["anthropic"], "i", body))["params"]
    assert params["system"] == "Be brief."
    assert params["messages"] == [{"role": "user", "content": "Why?"}]
    assert (params["max_tokens"], params["stop_sequences"]) == (9, ["\n"])


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
        return [CHAT.read(ASK, 200, one.came.result().body).text for one in asks]

    assert asyncio.run(work()) == [bytes([n] * 16).hex() for n in range(3)]
