"""Servers of the tests' own: of raw bytes that no well-behaved framework would send, and of
replies that are held back, so that a run lasts as long as a test needs it to."""

from __future__ import annotations

import asyncio
import json
import math
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from zlib import crc32

from aiohttp import web

from geobias.models import Model
from geobias.models.catalogue import find_model
from geobias.models.serving import ChatServer
from geobias.running import Display
from geobias.trials import Ask, Dialogue, Reply
from tests.waiting import PATIENCE

T = TypeVar("T")


class Loop:
    """An event loop on a thread of its own, where servers live while a test runs."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=PATIENCE)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(timeout=10)
        self.loop.close()


@contextmanager
def serving(application: web.Application) -> Iterator[int]:
    """An application on a thread of its own; its port."""

    async def start() -> web.AppRunner:
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner

    loop = Loop()
    runner = loop.do(start())
    yield runner.addresses[0][1]
    loop.do(runner.cleanup())
    loop.close()


Answer = bytes | Callable[[dict[str, Any]], bytes | None] | None
"""Bytes to send as they are, a function of the request's JSON, or None to cut the connection."""


def http(status: int, body: bytes | str, *headers: str, length: int | None = None) -> bytes:
    """A whole HTTP response."""
    if isinstance(body, str):
        body = body.encode()
    lines = [
        f"HTTP/1.1 {status} Whatever",
        "Content-Type: application/json",
        f"Content-Length: {len(body) if length is None else length}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def completion(text: Any, finish: str = "stop", tokens: int = 3, **message: Any) -> bytes:
    """A chat completion that says `text` in so many tokens."""
    choice = {"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 7, "completion_tokens": tokens, "total_tokens": 7 + tokens}
    return http(200, json.dumps({"model": "raw-1", "choices": [choice], "usage": usage}))


def error(status: int, message: str, *headers: str, **more: Any) -> bytes:
    """An error in OpenAI's shape."""
    return http(status, json.dumps({"error": {"message": message, **more}}), *headers)


def reply_of(spec: str, dialogue: Dialogue, **more: Any) -> Reply:
    """What a model replies when it is asked once."""

    async def work() -> Reply:
        model = find_model(spec)
        try:
            return await model.answer(Ask(dialogue=dialogue, **more))
        finally:
            await model.close()

    return asyncio.run(work())


class RawServer:
    """Answers request after request from a list; the last answer is repeated."""

    def __init__(self, answers: Sequence[Answer], *, threaded: bool = False) -> None:
        self._answers = list(answers)
        self._threaded = threaded  # answers that wait for each other need threads
        self._server: asyncio.Server | None = None
        self.requests: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self._open: set[asyncio.StreamWriter] = set()
        self.url = ""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1/raw"

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._open:  # a client may have left its side open
            writer.close()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                text = head.decode()
                length = int(text.lower().split("content-length:")[1].split("\r\n")[0])
                self.headers.append(text)
                self.requests.append(json.loads(await reader.readexactly(length)))
                answer = self._answers[min(len(self.requests), len(self._answers)) - 1]
                if callable(answer) and self._threaded:
                    answer = await asyncio.to_thread(answer, self.requests[-1])
                elif callable(answer):
                    answer = answer(self.requests[-1])
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._open.discard(writer)
            writer.close()


def thinker(
    least: int = 3000, most: int = 9000, answer: str = "42", *, most_allowed: int | None = None
) -> Callable[[dict[str, Any]], bytes]:
    """A model that thinks for so many tokens, more about some questions than about others, and
    answers in three more: like a real one, it says nothing where fewer are allowed. Its server
    refuses a limit above `most_allowed`."""

    def answered(request: dict[str, Any]) -> bytes:
        asked = json.dumps(request["messages"])
        needed = least + crc32(asked.encode()) % (most - least + 1)
        allowed = request.get("max_tokens") or request["max_completion_tokens"]
        if most_allowed is not None and allowed > most_allowed:
            return error(400, f"max_tokens is too large: {allowed}")
        said = answer if allowed >= needed + 3 else ""
        message = {"role": "assistant", "content": said, "reasoning_content": "hm " * 9}
        choice = {"index": 0, "message": message, "finish_reason": "stop" if said else "length"}
        used = min(allowed, needed + 3)
        usage = {"prompt_tokens": 20, "completion_tokens": used, "total_tokens": 20 + used}
        return _answered([choice], usage=usage)

    return answered


class HeldModel:
    """Another model, of which no more answers come than a test allows; the others wait. Each takes
    `latency` seconds."""

    def __init__(
        self, model: Model, answers: int, loop: asyncio.AbstractEventLoop, latency: float = 0.0
    ) -> None:
        self._model, self._loop, self.latency = model, loop, latency
        self._left: float = answers
        self._allowed = asyncio.Event()
        self.name, self.concurrency = model.name, model.concurrency
        self.adaptive, self.thinking = model.adaptive, model.thinking
        self.unsent_parameters = model.unsent_parameters

    def allow(self, answers: float = math.inf) -> None:
        """Let so many go that wait or come from now on."""
        self._loop.call_soon_threadsafe(self._allow, answers)

    def _allow(self, answers: float) -> None:
        self._left = answers
        self._allowed.set()

    async def answer(self, ask: Ask) -> Reply:
        while self._left < 1:
            self._allowed.clear()
            await self._allowed.wait()
        self._left -= 1
        await asyncio.sleep(self.latency)
        return await self._model.answer(ask)

    async def close(self) -> None:
        await self._model.close()


def chat_with_logprobs(*tokens: dict[str, float]) -> bytes:
    """A chat completion as OpenAI, vLLM and llama.cpp send it: each token with its alternatives.

    A token is a table from texts to log-probabilities, the one that was written first.
    """
    content = [
        {"token": next(iter(one)), "logprob": next(iter(one.values())), "bytes": None}
        | {"top_logprobs": [{"token": t, "logprob": p, "bytes": None} for t, p in one.items()]}
        for one in tokens
    ]
    text = "".join(next(iter(one)) for one in tokens)
    message = {"role": "assistant", "content": text, "refusal": None}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return _answered([choice | {"logprobs": {"content": content, "refusal": None}}])


def text_completion(text: str, *tokens: dict[str, float], **choice: Any) -> bytes:
    """A text completion as OpenAI, vLLM and Together send it: lists side by side."""
    lists: dict[str, Any] | None = None
    if tokens:
        lists = {
            "tokens": [next(iter(one)) for one in tokens],
            "token_logprobs": [next(iter(one.values())) for one in tokens],
            "top_logprobs": list(tokens),
            "text_offset": list(range(len(tokens))),
        }
    made = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": lists}
    return _answered([made | choice])


def _answered(choices: list[dict[str, Any]], **more: Any) -> bytes:
    facts = {"id": "1", "object": "chat.completion", "created": 0, "model": "raw-1"}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return http(200, json.dumps(facts | {"choices": choices, "usage": usage} | more))


RawStart = Callable[..., RawServer]
HeldStart = Callable[..., HeldModel]
ChatStart = Callable[..., tuple[str, ChatServer]]
"""What the fixtures `raw_server`, `held_model` and `chat_server` are."""


class Notes(Display):
    """A display that keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, sentence: str) -> None:
        self.said.append(sentence)
