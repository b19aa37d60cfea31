"""Lines of batches: what comes from outside is a line, or a plain sentence says why not."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from geobias.models.batch.gathering import IN_MEMORY_BYTES, Results, Waiting
from geobias.models.batch.lines import DIALECTS, NotALine, id_of, request_line, result_line
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


ROWS = st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES))


@given(
    st.binary(max_size=200) | ROWS.map(lambda row: json.dumps({"custom_id": "i"} | row).encode())
)
def test_any_bytes_are_a_line_or_are_refused(raw: bytes) -> None:
    with suppress(NotALine):
        found = result_line(raw)
        assert found is None or found.id
        assert found is None or found.kind or 100 <= found.status < 600


def test_a_system_message_has_its_own_place_at_anthropic() -> None:
    body = CHAT.body(ASK)
    params = json.loads(request_line(DIALECTS["anthropic"], "i", body))["params"]
    assert params["system"] == "Be brief."
    assert params["messages"] == [{"role": "user", "content": "Why?"}]
    assert (params["max_tokens"], params["stop_sequences"]) == (9, ["\n"])


def waiting(count: int) -> list[Waiting]:
    loop = asyncio.get_running_loop()
    return [Waiting(bytes([n] * 16), CHAT, b"{}", loop.create_future()) for n in range(count)]


def line(ask: Waiting, tag: str, **response: Any) -> bytes:
    body = {"choices": [{"message": {"content": ask.digest.hex()}}]}
    made = {"response": {"status_code": 200, "body": body}} | response
    return json.dumps({"custom_id": id_of(ask.digest, tag)} | made).encode()


def test_an_error_counts_once_and_an_answer_from_any_batch_makes_it_good() -> None:
    async def work() -> tuple[list[int], list[int]]:
        failed, mended, told_before = asks = waiting(3)
        results = Results(asks, {"new": [failed.digest, mended.digest], "old": []})
        results.take(line(failed, "new", response=None, error={"code": 500}))
        results.take(line(mended, "new", response=None, error={"code": 500}))
        results.take(line(mended, "old"))
        results.take(line(told_before, "old", response=None, error={"code": 500}))
        return [one[0] for one in results.deliver()], [one[0] for one in results.errors]

    assert asyncio.run(work()) == ([1], [0])


def test_answers_of_a_hundred_mebibytes_do_not_stay_in_memory() -> None:
    digests = [number.to_bytes(16) for number in range(100)]
    text = json.dumps({"choices": [{"message": {"content": "x" * (1 << 20)}}]})

    async def taken() -> int:
        loop = asyncio.get_running_loop()
        asks = [Waiting(one, CHAT, b"", loop.create_future()) for one in digests]
        results = Results(asks, {"tag": set(digests)})
        tracemalloc.start()
        for one in digests:
            head = f'{{"custom_id":"{id_of(one, "tag")}","response":{{"status_code":200,"body":'
            results.take(f"{head}{text}}}}}".encode())
        assert len(results.deliver()) == len(digests)
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert all(json.loads(ask.came.result()().body) == json.loads(text) for ask in asks)
        return held

    assert asyncio.run(taken()) < IN_MEMORY_BYTES * 1.5
