"""Servers that never come to an end are read within limits of size, lines and time.

Those that stumble or do not answer are asked again for a while.
"""

from __future__ import annotations

import asyncio
import gzip
import resource
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from geobias.errors import ProviderSaysNo, Unreachable
from geobias.http import Transient
from geobias.models.batch.gathering import Results
from geobias.models.batch.lines import DIALECTS
from geobias.models.batch.provider import Exchange, Look
from geobias.models.catalogue import find_model
from geobias.models.chat import ChatModel
from geobias.models.completion import decode
from geobias.models.model import answered
from geobias.trials import Ask, Dialogue, Reply
from geobias.untrusted import TooMuch
from tests.servers import RawStart, completion, error
from tests.sources.standin import at_once

ASK = Ask(dialogue=Dialogue().user("Are you there?"))
OK = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"


async def with_endless(
    head: bytes, part: bytes, work: Callable[[str], Awaitable[object]]
) -> object:
    """Do the work against a server that sends its head and then the same part without end."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head)
            while True:
                writer.write(part)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        return await work(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/m")


def chunk(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(body), body)


@contextmanager
def little_memory(most: int = 200 << 20) -> Iterator[None]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 < most


async def answer_of(url: str) -> Reply:
    model = find_model(url, timeout_seconds=3.0)
    try:
        return await model.answer(ASK)
    finally:
        await model.close()


EMPTY_BLOCKS = b"\x00\x00\x00\xff\xff" * 10_000
"""Of deflate: they unpack to nothing."""


@pytest.mark.parametrize(
    ("head", "part"),
    [
        (b"", b"HTTP/1.1 102 Processing\r\n\r\n" * 1000),
        (OK + b"Content-Encoding: gzip\r\n\r\n", chunk(gzip.compress(b"x" * 9) * 1000)),
        (OK + b"Content-Encoding: gzip\r\n\r\n", chunk(gzip.compress(bytes(1 << 29)))),
        (
            OK + b"Content-Encoding: gzip\r\n\r\n" + chunk(gzip.compress(b"")[:10]),
            chunk(EMPTY_BLOCKS),
        ),
        (OK + b"\r\n", chunk(b" " * 50_000)),
    ],
    ids=["provisional", "after the end", "unpacks to gigabytes", "unpacks to nothing", "blanks"],
)
def test_an_answer_without_end_is_given_up(head: bytes, part: bytes) -> None:
    ends = r"connection broke|not a chat completion|no answer within 3 s"
    with little_memory(), pytest.raises(Transient, match=ends):
        asyncio.run(with_endless(head, part, answer_of))


def test_an_error_without_end_takes_little_memory() -> None:
    head = OK.replace(b"200 OK", b"400 Bad Request") + b"\r\n"
    with little_memory(), pytest.raises(Transient, match="HTTP 400"):
        asyncio.run(with_endless(head, chunk(b'{"error":' * 7000), answer_of))


def test_countless_parts_before_half_an_emoji_take_little_memory() -> None:
    with little_memory(), pytest.raises(TooMuch):
        decode(b'{"x":[' + b"[]," * 5_000_000 + b'"\\ud83d"]}')


@pytest.mark.parametrize(
    "part",
    [b"\n" * 50_000, b'{"custom_id":"ffff","response":{"status_code":200}}\n' * 500, b"x" * 50_000],
    ids=["blank lines", "unknown asks", "one line"],
)
def test_results_without_end_are_refused(part: bytes) -> None:
    dialect = DIALECTS["openai"]

    async def download(url: str) -> None:
        chat = find_model(url)
        assert isinstance(chat, ChatModel)
        exchange = Exchange(chat, dialect, 0.01)
        results = Results([], {})
        try:
            async for line in exchange.results(Look("completed", ("files/1",)), 5):
                results.take(line)
        finally:
            await exchange.close()
            await chat.close()

    with little_memory(), pytest.raises(ProviderSaysNo, match="results of 5 asks cannot be right"):
        asyncio.run(with_endless(OK + b"\r\n", chunk(part), download))


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stumbles is asked again at once."""
    monkeypatch.setattr("geobias.http.sleep", at_once)


def reply_of(server: Any) -> str:
    async def once() -> str:
        model = find_model(server.url)
        try:
            ask = Ask(dialogue=Dialogue().user("Is it?"))
            return (await answered(model, ask)).text
        finally:
            await model.close()

    return asyncio.run(once())


def test_a_model_that_stumbles_is_asked_again(raw_server: RawStart) -> None:
    said = iter([error(503, "busy"), error(503, "busy"), completion("Yes.")])
    assert reply_of(raw_server(lambda request: next(said))) == "Yes."


def test_a_model_that_never_answers_is_said_to_be_out_of_reach(raw_server: RawStart) -> None:
    asked: list[object] = []

    def busy(request: object) -> bytes:
        asked.append(request)
        return error(503, "busy", "Retry-After: 0")

    with pytest.raises(Unreachable, match="busy"):
        reply_of(raw_server(busy))
    assert len(asked) == 4


def test_a_call_that_never_reached_the_server_is_not_billed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("geobias.http.CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port: int = full.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):  # it takes no other

            async def once() -> None:
                model = find_model(f"http://127.0.0.1:{port}/v1/m", timeout_seconds=77)
                try:
                    await model.answer(Ask(dialogue=Dialogue().user("Is it?")))
                finally:
                    await model.close()

            with pytest.raises(Transient, match=r"cannot reach .* within 0.2 s") as trouble:
                asyncio.run(once())
    assert (trouble.value.kind, trouble.value.may_be_billed) == ("no connection", False)
