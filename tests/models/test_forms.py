"""Answers in a form that the server sees to."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from geobias import Options, api
from geobias.errors import BudgetReached, ProviderSaysNo
from geobias.models.chat import ChatModel
from geobias.models.forms import DOCUMENT_TOKENS, UNKNOWN, parameters, plain_answer
from geobias.models.naming import ModelEntry
from geobias.probes import namebbq, worldbench
from geobias.trials import Ask, Dialogue
from tests.servers import RawServer, RawStart, completion, error

PLAN = worldbench.plan(indicators=["population"], countries=["KEN", "FRA"])


def texts(server: RawServer, path: Path, format: Any) -> list[str]:
    api.run([PLAN], server.url, path, options=Options(answer_format=format, fresh=True))
    with api.open_run(path) as run:
        assert run.manifest().asked == {"model": {"answer_format": format}}
        return [reply.text for _, reply in run.replies()]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ('{"answer": 53000000}', "53000000"),
        ('{"answer": 0.031}', "0.031"),
        ('{"answer": 1.4e9}', "1400000000"),
        ('{"answer": 2.5e-7}', "0.00000025"),
        ('{"answer": "b"}', "b"),
        ('{"answer": null}', UNKNOWN),
        ("53 million", "53 million"),
        ('{"answer": ', '{"answer": '),
        ('{"other": 5}', '{"other": 5}'),
        ('{"answer": [5]}', '{"answer": [5]}'),
    ],
)
def test_the_answer_is_taken_out_of_its_form(said: str, read: str) -> None:
    assert plain_answer(said) == read


def test_a_schema_asks_for_a_number_or_for_nothing(path: Path, raw_server: RawStart) -> None:
    server = raw_server(completion('{"answer": 53000000}'), completion('{"answer": null}'))
    assert texts(server, path, "json") == ["53000000", UNKNOWN]
    asked = server.requests[0]
    schema = asked["response_format"]["json_schema"]["schema"]
    assert asked["max_tokens"] == 48 + DOCUMENT_TOKENS
    assert schema["properties"]["answer"]["type"] == ["number", "null"]
    with api.open_run(path) as run:
        assert run.done()["worldbench"] == {"parsed": 1, "abstained": 1}


def test_a_grammar_has_the_letters_of_a_choice(path: Path, raw_server: RawStart) -> None:
    server, plan = raw_server(completion("b")), namebbq.plan(names=0)
    options = Options(answer_format="grammar", max_calls=1)
    with pytest.raises(BudgetReached):
        api.run([plan], server.url, path, options=options)
    assert server.requests[0]["grammar"] == f'root ::= "a" | "b" | "c" | "{UNKNOWN}"'
    pattern = server.requests[0]["structured_outputs"]["regex"]  # vLLM's, also at an address
    assert [one for one in "abcd" if re.fullmatch(pattern, one)] == ["a", "b", "c"]
    assert re.fullmatch(pattern, UNKNOWN)


def test_quotes_in_an_answer_are_escaped_in_a_grammar() -> None:
    grammar = parameters(('5"', "a\\b", "São"), "grammar", "http://127.0.0.1/v1/m")["grammar"]
    assert grammar == rf'root ::= "5\"" | "a\\b" | "São" | "{UNKNOWN}"'


def test_a_server_that_takes_no_form_is_told_of(path: Path, raw_server: RawStart) -> None:
    server = raw_server(error(400, "Unknown parameter: 'response_format'"))
    with pytest.raises(ProviderSaysNo, match="takes no --answer-format json"):
        texts(server, path, "json")


def test_auto_goes_back_to_text_and_the_run_says_so(path: Path, raw_server: RawStart) -> None:
    def picky(request: dict[str, Any]) -> bytes:
        if "response_format" in request:
            return error(400, "response_format is not supported by this model")
        return completion("53000000")

    assert texts(raw_server(picky), path, "auto") == ["53000000"] * 2
    with api.open_run(path) as run:
        assert run.not_sent() == ["answer_format"]


def test_at_anthropic_the_form_is_a_tool() -> None:
    model = ChatModel(name="m", url="http://127.0.0.1/v1", model="m")
    model.spec = "anthropic/m"
    model.adapt(ModelEntry("m", answer_format="json"))
    ask = Ask(dialogue=Dialogue().user("?"), form=("a", "b"))
    assert json.loads(model.body(ask))["tool_choice"]["function"] == {"name": "answer"}
    call = {"function": {"name": "answer", "arguments": '{"answer": "b"}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    raw = json.dumps({"choices": [{"message": message, "finish_reason": "tool_calls"}]}).encode()
    assert model.read(ask, 200, raw).text == "b"
