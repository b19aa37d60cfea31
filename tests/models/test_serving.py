from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest

from geobias.models.serving import ChatServer
from tests.waiting import PATIENCE

ChatStart = Callable[..., tuple[str, ChatServer]]


def post(url: str, body: bytes) -> tuple[int, dict[str, object]]:
    request = urllib.request.Request(
        url.removesuffix("/sim") + "/chat/completions",
        body,
        {"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_the_server_speaks_the_openai_protocol(chat_server: ChatStart) -> None:
    url, _ = chat_server("sim/?recall_sd=0")
    question = "What is the total population for the country Kenya? Only the number!"
    body = {"model": "any", "messages": [{"role": "user", "content": question}], "temperature": 0}
    status, answer = post(url, json.dumps(body).encode())
    assert status == 200
    assert answer["object"] == "chat.completion"
    choice = answer["choices"][0]  # type: ignore[index]
    assert choice["finish_reason"] == "stop"
    assert choice["message"]["content"].replace(",", "").isdigit()
    assert set(answer["usage"]) == {  # type: ignore[call-overload]
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
    }


@pytest.mark.parametrize(
    "body", [b"", b"nothing", b"[]", b'{"messages": []}', b'{"messages": [{"role": 3}]}']
)
def test_a_request_that_makes_no_sense_gets_an_error_in_the_protocols_shape(
    chat_server: ChatStart, body: bytes
) -> None:
    url, _ = chat_server()
    status, answer = post(url, body)
    assert status == 400
    assert "message" in answer["error"]  # type: ignore[operator]


def test_a_dialogue_too_long_for_the_served_model_is_told_as_providers_do(
    chat_server: ChatStart,
) -> None:
    url, _ = chat_server("embedded?slots=1&context=256")
    body = {"messages": [{"role": "user", "content": "word " * 1000}]}
    status, answer = post(url, json.dumps(body).encode())
    assert status == 400
    assert answer["error"]["code"] == "context_length_exceeded"  # type: ignore[index]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example"])
def test_a_name_that_was_made_to_point_here_is_refused(chat_server: ChatStart, host: str) -> None:
    url, server = chat_server()
    address = url.removesuffix("/sim") + "/chat/completions"
    request = urllib.request.Request(address, b"{}", {"Host": host})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=PATIENCE)
    caught.value.close()
    assert (caught.value.code, server.calls) == (421, 0)


def test_a_request_that_is_nested_very_deep_is_a_bad_request(chat_server: ChatStart) -> None:
    url, _ = chat_server()
    assert post(url, b'{"messages":' + b"[" * 5_000)[0] == 400


def test_the_model_is_listed(chat_server: ChatStart) -> None:
    url, _ = chat_server("sim/biased")
    with urllib.request.urlopen(url.removesuffix("/sim") + "/models", timeout=PATIENCE) as response:
        assert json.load(response)["data"][0]["id"] == "sim/biased"


@pytest.mark.parametrize(("fault", "status"), [("fail_429", 429), ("fail_500", 500)])
def test_faults_come_when_asked_for(chat_server: ChatStart, fault: str, status: int) -> None:
    url, _ = chat_server("sim/fair", **{fault: 1.0})
    assert post(url, b'{"messages": [{"role": "user", "content": "x"}]}')[0] == status
