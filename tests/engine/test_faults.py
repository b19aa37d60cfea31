"""The engine against servers that misbehave, over real sockets."""

from __future__ import annotations

import gzip
import json
import threading
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from geobias.engine import runner
from geobias.errors import ProviderSaysNo, Stopped, Unreachable
from geobias.models import Model
from geobias.models.catalogue import find_model
from geobias.models.chat import MOST_SAID
from geobias.probes.registry import find_probe, plan_of
from geobias.redaction import WITHHELD
from geobias.runfile import RunReader
from geobias.running import Options
from geobias.running import run as api_run
from tests.engine.runs import outcomes, question, run
from tests.servers import ChatStart, Notes, RawStart, completion, error, http

QUESTIONS = [question(str(n), f"q{n}") for n in range(30)]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (error(401, "Incorrect API key provided: sk-abc"), "wants a key.*GEOBIAS_API_KEY"),
        (error(403, "Country not supported"), "Country not supported"),
        (error(403, "Requests to this API method are blocked."), "are blocked"),
        (error(400, "API key expired. Please renew the API key."), "wants a key"),
        (error(400, "This organization has been disabled."), "wants a key"),
        (error(404, "The model `x` does not exist"), "check the model's name"),
        (error(400, "Invalid model name passed in model=x."), "check the model's name"),
        (error(402, "Payment required"), "quota or credit"),
        (error(429, "You exceeded your current quota", code="insufficient_quota"), "quota"),
        (error(429, "later", "Retry-After: 86400"), "rate-limited for 24.0 hours"),
        (http(302, "", "Location: http://127.0.0.1/elsewhere"), "not how an OpenAI-style"),
        (http(403, "<html>you are blocked by the content policy</html>"), "blocked by"),
    ],
)
def test_what_is_refused_for_good_stops_the_run_at_once(
    path: Path, raw_server: RawStart, answer: bytes, words: str
) -> None:
    server = raw_server(answer)
    with pytest.raises(ProviderSaysNo, match=words) as caught:
        run(QUESTIONS, find_model(server.url), path, concurrency=1)
    assert len(server.requests) == 1
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (error(400, "This model's maximum context length is 4096 tokens"), "too_long"),
        (error(400, "request (5031 tokens) exceeds the available context size"), "too_long"),
        (error(413, "too large"), "too_long"),
        (error(400, "triggering our content management policy", code="content_filter"), "filtered"),
        (completion(""), "empty"),
        (completion(None), "empty"),
        (completion("   \n"), "empty"),
        (completion(None, refusal="I cannot help with that."), "ok"),
        (error(400, "no"), "rejected"),
    ],
)
def test_what_concerns_one_question_is_the_outcome_of_its_trial(
    path: Path, raw_server: RawStart, answer: bytes, outcome: str
) -> None:
    server = raw_server(completion("fine"), answer, completion("fine"))
    run(QUESTIONS[:4], find_model(server.url), path, concurrency=1)
    assert list(outcomes(path).values()) == ["ok", outcome, "ok", "ok"]


GARBAGE = [
    b"not JSON at all",
    b"",
    b"null",
    b"[1, 2",
    b'{"choices": []}',
    b'{"choices": 3}',
    b'{"choices": [{"message": "text"}]}',
    b'{"choices": [{"no message": {}}]}',
    b"<html><body>Sign in to the hotel Wi-Fi</body></html>",
    b"\xff\xfe\x00",
    b'{"a":' * 10_000,
]


@pytest.mark.parametrize("body", GARBAGE)
def test_an_answer_that_makes_no_sense_is_asked_again_and_then_kept(
    path: Path, raw_server: RawStart, body: bytes
) -> None:
    bad = http(200, body)
    server = raw_server(completion("fine"), bad, bad, bad, completion("fine"))
    run(QUESTIONS[:3], find_model(server.url), path, concurrency=1)
    assert list(outcomes(path).values()) == ["ok", "malformed", "ok"]
    with RunReader(path) as reader:
        kept = [reply for _, reply in reader.replies() if reply.outcome == "malformed"]
    assert kept[0].text == body.decode(errors="replace")


def test_a_server_that_never_makes_sense_stops_the_run(path: Path, raw_server: RawStart) -> None:
    server = raw_server(http(200, "<!DOCTYPE html><html>a home page</html>"))
    with pytest.raises(ProviderSaysNo, match=r"a web page.*check the address"):
        run(QUESTIONS, find_model(server.url), path, concurrency=1)
    assert outcomes(path) == {}


def said(text: bytes) -> bytes:
    """A completion that says this, byte for byte."""
    return http(200, b'{"choices": [{"message": {"content": "' + text + b'"}}]}')


PLAIN = completion("fine").partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (said(b"caf\xe9 42"), "caf\ufffd 42"),
        (said(rb"a\u0000b \u001b[31m"), "a\0b \x1b[31m"),
        (said(rb"42 \ud83d"), "42 ?"),
        (completion("0123456789" * 1_000_000), ("0123456789" * 1_000_000)[:MOST_SAID]),
        (http(200, gzip.compress(PLAIN), "Content-Encoding: gzip"), "fine"),
        (http(200, zlib.compress(PLAIN), "Content-Encoding: deflate"), "fine"),
        (completion("the fastest test"), "the fastest test"),
    ],
    ids=["no UTF-8", "signs", "half an emoji", "10 MB", "gzip", "deflate", "holds a dummy key"],
)
def test_what_was_said_is_kept_as_it_was_said(
    path: Path, raw_server: RawStart, monkeypatch: pytest.MonkeyPatch, answer: bytes, text: str
) -> None:
    monkeypatch.setenv("GEOBIAS_API_KEY", "test")
    server = raw_server(answer)
    run(QUESTIONS[:1], find_model(server.url), path)
    with RunReader(path) as reader:
        assert [reply.text for _, reply in reader.replies()] == [text]
    assert "Accept-Encoding: gzip, deflate" in server.headers[0]


ENDLESS = http(200, b"x" * (17 << 20))
BOMB = http(
    200,
    gzip.compress(completion("x" * (20 << 20)).partition(b"\r\n\r\n")[2], 1),
    "Content-Encoding: gzip",
)


@pytest.mark.parametrize("answer", [ENDLESS, BOMB], ids=["endless", "bomb"])
def test_an_answer_of_very_much_is_no_answer(
    path: Path, raw_server: RawStart, answer: bytes
) -> None:
    server = raw_server(completion("fine"), answer)
    run(QUESTIONS[:2], find_model(server.url), path, concurrency=1)
    assert list(outcomes(path).values()) == ["ok", "malformed"]
    assert path.stat().st_size < 1 << 20


def test_a_server_that_is_not_there_is_named(path: Path) -> None:
    with pytest.raises(Unreachable, match=r"cannot reach http://127\.0\.0\.1:9"):
        run(QUESTIONS, find_model("http://127.0.0.1:9/v1/x"), path)


def test_a_question_that_always_fails_is_left_open_while_others_are_answered(
    path: Path, raw_server: RawStart
) -> None:
    def poison(request: dict[str, Any]) -> bytes:
        asked = request["messages"][-1]["content"]
        return error(500, "crash") if asked == "q3" else completion("fine")

    model = find_model(raw_server(poison).url)
    counts = run([question(str(n), f"q{n}") for n in range(400)], model, path, concurrency=2)
    assert counts.unanswered == 1
    assert "3" not in outcomes(path)
    assert len(outcomes(path)) == 399


QUOTA = {
    "message": "You exceeded your current quota, check billing",
    "details": [{"retryDelay": "0.3s"}],
}
"""How a limit a minute is told that is no quota: it says when to come again."""


@pytest.mark.parametrize(
    "wait",
    [error(429, "slow down", "Retry-After: 0.3"), http(429, json.dumps({"error": QUOTA}))],
    ids=["in the head", "in the body"],
)
def test_a_wait_that_is_asked_for_is_kept(path: Path, raw_server: RawStart, wait: bytes) -> None:
    server = raw_server(wait, completion("fine"))
    began = time.monotonic()
    run(QUESTIONS[:1], find_model(server.url), path)
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize("parameter", ["temperature", "max_tokens"])
def test_many_calls_in_flight_learn_a_quirk_together(
    path: Path, chat_server: ChatStart, raw_server: RawStart, parameter: str
) -> None:
    gathered = threading.Barrier(4, timeout=5)

    def picky(request: dict[str, Any]) -> bytes:
        if parameter in request:
            with suppress(threading.BrokenBarrierError):
                gathered.wait()
            return error(400, f"Unsupported parameter: '{parameter}' is not supported.")
        return completion("fine")

    server = raw_server(picky, threaded=True)
    run(QUESTIONS, find_model(server.url), path, concurrency=4)
    assert set(outcomes(path).values()) == {"ok"}


def test_many_calls_in_flight_find_out_together_that_a_model_reasons(
    path: Path, raw_server: RawStart
) -> None:
    gathered = threading.Barrier(4, timeout=5)

    def reasoner(request: dict[str, Any]) -> bytes:
        if request["max_tokens"] > 1000:
            return completion("42")
        with suppress(threading.BrokenBarrierError):
            gathered.wait()
        choice = {"message": {"content": ""}, "finish_reason": "length"}
        usage = {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 74}
        return http(200, json.dumps({"choices": [choice], "usage": usage}))

    server = raw_server(reasoner, threaded=True)
    run(QUESTIONS, find_model(server.url), path, concurrency=4)
    assert set(outcomes(path).values()) == {"ok"}
    with RunReader(path) as reader:
        # What was thought in vain is part of the price.
        assert reader.failed_attempts() == {"out of thought": 4}
        assert reader.spent()["model"].tokens_out == 30 * 3 + 4 * 64


def test_a_key_that_expires_in_the_middle_takes_back_what_it_spoiled(
    path: Path, raw_server: RawStart
) -> None:
    server = raw_server(*[completion("fine")] * 8, error(400, "something about your account"))
    with pytest.raises(ProviderSaysNo, match="10 times in a row"):
        run(QUESTIONS, find_model(server.url), path, concurrency=1)
    assert list(outcomes(path).values()) == ["ok"] * 8
    good = raw_server(completion("fine"))
    counts = run(QUESTIONS, Renamed(find_model(good.url), find_model(server.url).name), path)
    assert (counts.done, len(outcomes(path))) == (22, 30)


class Renamed:
    """A model under another name: the same server at a new port, as after a restart."""

    def __init__(self, model: Model, name: str) -> None:
        self._model = model
        self.name = name
        self.concurrency = model.concurrency
        self.adaptive = model.adaptive
        self.thinking = 0
        self.unsent_parameters = ()
        self.answer = model.answer
        self.close = model.close


def test_retry_after_zero_is_not_a_leave_to_hammer(path: Path, raw_server: RawStart) -> None:
    server = raw_server(*[error(429, "no", "Retry-After: 0")] * 6, completion("fine"))
    began = time.monotonic()
    run(QUESTIONS[:1], find_model(server.url), path)
    assert time.monotonic() - began > 0.01


def test_failures_of_one_kind_do_not_use_up_the_patience_for_another(
    path: Path, raw_server: RawStart
) -> None:
    busy, garbled = error(429, "busy"), http(200, "{")
    server = raw_server(completion("fine"), busy, busy, busy, garbled, completion("fine"))
    run(QUESTIONS[:2], find_model(server.url), path, concurrency=1)
    assert list(outcomes(path).values()) == ["ok", "ok"]


def test_a_gateways_error_inside_a_completion_is_an_error(path: Path, raw_server: RawStart) -> None:
    broken = {"message": {"content": ""}, "error": {"code": "502", "message": "upstream died"}}
    server = raw_server(http(200, json.dumps({"choices": [broken]})), completion("fine"))
    counts = run(QUESTIONS[:1], find_model(server.url), path)
    assert outcomes(path) == {"0": "ok"}
    assert counts.failures == {"HTTP 502": 1}


def test_the_password_of_a_proxy_is_not_shown(
    path: Path, raw_server: RawStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = raw_server(http(407, "who are you?")).url.split("/")[2]
    monkeypatch.setenv("https_proxy", f"http://alice:hunter2@{proxy}")
    with pytest.raises(Unreachable) as caught:
        run(QUESTIONS[:1], find_model("https://model.example/v1/m"), path)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-secret-0123456789", 'sk-"quo\\ted"/0123', "sk-a+b=c&d=0123"])
@pytest.mark.parametrize("where", ["content", "reasoning_content", "model", "finish_reason"])
@pytest.mark.parametrize("whole", [True, False])
def test_a_key_that_is_echoed_escaped_is_not_kept(
    path: Path,
    raw_server: RawStart,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    where: str,
    whole: bool,
) -> None:
    monkeypatch.setenv("GEOBIAS_API_KEY", key)
    echo = "".join(f"\\u{ord(one):04x}" for one in key)
    message = {"role": "assistant", "content": "42"}
    answer: dict[str, Any] = {"model": "m", "choices": [{"message": message, "finish_reason": ""}]}
    place = {"model": answer, "finish_reason": answer["choices"][0]}.get(where, message)
    place[where] = f"{key} ECHO {key}"
    body = json.dumps(answer).replace("ECHO", echo)[: None if whole else -1]
    with suppress(ProviderSaysNo):
        run(QUESTIONS[:2], find_model(raw_server(completion("ok"), http(200, body)).url), path)
    with RunReader(path) as reader:
        kept = [str(reply) for _, reply in reader.replies()]
    assert len(kept) == 2
    written = path.read_bytes().decode(errors="replace") + "".join(kept)
    for spelled in (key, echo, json.dumps(key)[1:-1]):
        assert spelled not in written
    assert ("[key]" if whole else WITHHELD) in written


@pytest.mark.parametrize("packing", ["br", "gzip, gzip", "zstd"])
def test_a_packing_that_nobody_asked_for_is_a_broken_answer(
    path: Path, raw_server: RawStart, packing: str
) -> None:
    server = raw_server(http(200, b"\x00\x01\x02", f"Content-Encoding: {packing}"))
    with pytest.raises(Stopped, match=r"connection broke|not a chat completion"):
        run(QUESTIONS[:5], find_model(server.url), path)


def test_the_key_is_not_in_error_messages(
    path: Path, raw_server: RawStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-secret-0123456789"
    monkeypatch.setenv("GEOBIAS_API_KEY", key)
    server = raw_server(error(400, f"no such thing for {key}"))
    with pytest.raises(ProviderSaysNo) as caught:
        run(QUESTIONS, find_model(server.url), path, concurrency=1)
    assert key not in str(caught.value)
    assert "[key]" in str(caught.value)


def test_requests_are_well_formed(path: Path, raw_server: RawStart) -> None:
    server = raw_server(completion("fine"))
    trial = question("t", 'a "quoted" question\n', temperature=0.5, seed=7, stop=("\n",), draw="d")
    run([trial], find_model(server.url), path)
    assert server.requests == [
        {
            "model": "raw",
            "messages": [{"role": "user", "content": 'a "quoted" question\n'}],
            "temperature": 0.5,
            "max_tokens": 64,
            "stop": ["\n"],
            "seed": 7,
        }
    ]


def test_a_server_that_goes_away_is_told_of_and_waited_for(
    path: Path, raw_server: RawStart, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "AWAY_SECONDS", 0.005)
    monkeypatch.setattr(runner, "BACKOFF_SECONDS", 0.0002)
    server, heard = raw_server(completion("1"), *[None] * 12, completion("1")), Notes()
    plan = plan_of(find_probe("worldbench"), {"indicators": "population", "unread": "leave"})
    options = Options(concurrency=1, fresh=True)
    done = api_run([plan], server.url, path, options=options, display=heard)
    assert done.counts["worldbench"].done == plan.count
    assert any("no answer for" in one and "the connection broke" in one for one in heard.said)
