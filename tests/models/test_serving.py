"""`geobias serve`: the chat protocol, on this machine only."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import msgspec
import pytest

from geobias.probes.worldbench.simulated import AskedFigure
from tests.servers import ChatStart
from tests.waiting import PATIENCE

FIGURE = msgspec.to_builtins(AskedFigure("population", "KEN"))
MESSAGE = {"role": "user", "content": "How many people live in Kenya?"}


def asked(url: str, body: Any = None, path: str = "/chat/completions", **headers: str) -> Any:
    """Status and answer; without a body it is looked at."""
    raw = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    request = urllib.request.Request(url.removesuffix("/sim/served") + path, raw, headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_the_server_speaks_the_openai_protocol(chat_server: ChatStart) -> None:
    url, _ = chat_server("sim/?recall_sd=0")
    status, answer = asked(url, {"messages": [MESSAGE], "temperature": 0, "metadata": FIGURE})
    assert (status, answer["object"]) == (200, "chat.completion")
    [choice] = answer["choices"]
    assert choice["finish_reason"] == "stop"
    assert choice["message"]["content"].replace(",", "").isdigit()
    assert set(answer["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}


def test_the_model_is_listed(chat_server: ChatStart) -> None:
    _, answer = asked(chat_server("sim/biased")[0], path="/models")
    assert answer["data"][0]["id"] == "sim/biased"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nothing",
        b"[]",
        b'{"messages": []}',
        b'{"messages": [{"role": 3}]}',
        b'{"messages":' + b"[" * 5_000,
        json.dumps({"messages": [MESSAGE], "stream": True}).encode(),
        json.dumps({"messages": [MESSAGE], "logprobs": True}).encode(),
        json.dumps({"messages": [MESSAGE], "response_format": {"type": "json_schema"}}).encode(),
        json.dumps({"messages": [MESSAGE], "grammar": "root ::= [0-9]"}).encode(),
    ],
)
def test_what_makes_no_sense_or_is_not_offered_is_an_error_in_the_protocols_shape(
    chat_server: ChatStart, body: bytes
) -> None:
    status, answer = asked(chat_server()[0], body)
    assert status == 400
    assert answer["error"]["message"]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example"])
def test_a_name_that_was_made_to_point_here_is_refused(chat_server: ChatStart, host: str) -> None:
    url, server = chat_server()
    status, _ = asked(url, b"{}", Host=host)
    assert (status, server.calls) == (421, 0)
