"""`geobias serve`: a model behind the OpenAI chat protocol on loopback, with faults on request.

For trying out the client, other tools, and what happens when a server misbehaves.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from geobias.errors import GeobiasError
from geobias.models.model import Model, Transient
from geobias.outside import json_value
from geobias.trials import Ask, Dialogue, Reply
from geobias.trials.dialogue import Role

MAX_REQUEST_BYTES = 16 << 20
_ROLES: dict[str, Role] = {"assistant": "assistant", "system": "system", "developer": "system"}
_GARBAGE = (
    b"<!DOCTYPE html><html><body>502 Bad Gateway</body></html>",
    b'{"choices": []}',
    b'{"choices": [{"message": {"role": "assistant", "content": null}}]}',
    b'{"choices": "none"',
    b'{"choices": [{"message": {"content": "caf\xe9 \xff\xfe"}}]}',
    b"",
)


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """How often (0 to 1) and how the server misbehaves; `latency` in seconds for every answer."""

    latency: float = 0.0
    fail_429: float = 0.0
    fail_500: float = 0.0
    drop: float = 0.0
    garbage: float = 0.0
    retry_after: float = 0.0
    seed: int = 0


class _Message(msgspec.Struct):
    role: str
    content: str | list[dict[str, Any]] | None = ""


class _Request(msgspec.Struct):
    messages: list[_Message]
    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    stream: bool | None = False


@web.middleware
async def _of_this_machine(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse names that were made to point here (DNS rebinding): a page of elsewhere uses those."""
    if urlsplit(f"//{request.headers.get('Host', '')}").hostname not in ("127.0.0.1", "localhost"):
        return _error(421, "this address is not served here", type="invalid_request_error")
    return await handler(request)


class ChatServer:
    """Serves one model. `calls` numbers the sampled asks, so that equal ones differ."""

    def __init__(self, model: Model, faults: Faults | None = None) -> None:
        self._model = model
        self._faults = faults or Faults()
        self._dice = random.Random(self._faults.seed)
        self.calls = 0

    def application(self) -> web.Application:
        app = web.Application(client_max_size=MAX_REQUEST_BYTES, middlewares=[_of_this_machine])
        app.router.add_post("/v1/chat/completions", self.complete)
        app.router.add_get("/v1/models", self.models)
        return app

    async def models(self, _: web.Request) -> web.Response:
        return _json({"object": "list", "data": [{"id": self._model.name, "object": "model"}]})

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """One chat completion, or one of the faults asked for."""
        self.calls += 1
        raw = await request.read()
        if self._faults.latency:
            await asyncio.sleep(self._faults.latency)
        if (fault := self._fault(request)) is not None:
            return fault
        try:
            asked: _Request = json_value(raw, _Request)
            ask = self._ask(asked)
        except ValueError as error:
            return _error(400, str(error), type="invalid_request_error")
        if asked.stream:
            words = "streaming is not offered; set stream to false"
            return _error(400, words, type="invalid_request_error")
        try:
            reply = await self._model.answer(ask)
        except (Transient, GeobiasError) as error:
            return _error(503, str(error), type="server_error")
        if reply.outcome == "too_long":
            return _error(400, reply.text, code="context_length_exceeded")
        return _completion(reply, asked.model or self._model.name)

    def _fault(self, request: web.Request) -> web.Response | None:
        faults, roll = self._faults, self._dice.random()
        if roll < faults.fail_429:
            response = _error(429, "rate limit reached", type="requests")
            if faults.retry_after:
                response.headers["Retry-After"] = f"{faults.retry_after:g}"
            return response
        roll -= faults.fail_429
        if roll < faults.fail_500:
            return _error(500, "internal error", type="server_error")
        roll -= faults.fail_500
        if roll < faults.drop:
            if request.transport is not None:
                request.transport.abort()
            return web.Response()
        if roll - faults.drop < faults.garbage:
            return web.Response(body=self._dice.choice(_GARBAGE), content_type="application/json")
        return None

    def _ask(self, asked: _Request) -> Ask:
        dialogue = Dialogue()
        for message in asked.messages:
            dialogue = dialogue.append(_ROLES.get(message.role, "user"), _plain(message.content))
        if not len(dialogue):
            raise ValueError("messages must not be empty")
        stop = (asked.stop,) if isinstance(asked.stop, str) else tuple(asked.stop or ())
        return Ask(
            dialogue=dialogue,
            temperature=1.0 if asked.temperature is None else asked.temperature,
            max_tokens=asked.max_completion_tokens or asked.max_tokens or 256,
            stop=stop,
            seed=asked.seed,
            draw="" if asked.seed is not None else str(self.calls),
        )


def _plain(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content or ""


def _completion(reply: Reply, model: str) -> web.Response:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    completion: dict[str, Any] = {
        "id": f"chatcmpl-{reply.digest.hex() or 'geobias'}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish or "stop"}],
    }
    if reply.tokens_in is not None and reply.tokens_out is not None:
        completion["usage"] = {
            "prompt_tokens": reply.tokens_in,
            "completion_tokens": reply.tokens_out,
            "total_tokens": reply.tokens_in + reply.tokens_out,
        }
    return _json(completion)


def _json(value: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json"
    )


def _error(status: int, message: str, **about: str) -> web.Response:
    return _json({"error": {"message": message} | about}, status)


async def serve(server: ChatServer, port: int) -> tuple[web.AppRunner, int]:
    """Start on 127.0.0.1; port 0 takes a free one. Returns runner (to clean up) and port."""
    runner = web.AppRunner(server.application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    assert site._server is not None
    bound: int = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
    return runner, bound
