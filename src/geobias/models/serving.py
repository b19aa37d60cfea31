"""`geobias serve`: a model behind the OpenAI protocol on loopback, with faults on request.

For trying out the client, other tools, and what happens when a server misbehaves.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from geobias.errors import GeobiasError
from geobias.models.model import GoesOn, Model, Transient
from geobias.models.protocol import ChatRequest, Request, TextRequest
from geobias.trials import Ask, Reply
from geobias.untrusted import json_value

MAX_REQUEST_BYTES = 16 << 20
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
        app.router.add_post("/v1/chat/completions", self.chat)
        app.router.add_post("/v1/completions", self.text)
        app.router.add_get("/v1/models", self.models)
        return app

    async def models(self, _: web.Request) -> web.Response:
        return _json({"object": "list", "data": [{"id": self._model.name, "object": "model"}]})

    async def chat(self, request: web.Request) -> web.StreamResponse:
        return await self._complete(request, ChatRequest, self._model.answer)

    async def text(self, request: web.Request) -> web.StreamResponse:
        if not isinstance(self._model, GoesOn):
            return _error(404, f"{self._model.name} takes no texts", type="invalid_request_error")
        return await self._complete(request, TextRequest, self._model.go_on)

    async def _complete(
        self,
        request: web.Request,
        shape: type[Request],
        answer: Callable[[Ask], Awaitable[Reply]],
    ) -> web.StreamResponse:
        """One completion, or one of the faults asked for."""
        self.calls += 1
        raw = await request.read()
        if self._faults.latency:
            await asyncio.sleep(self._faults.latency)
        if (fault := self._fault(request)) is not None:
            return fault
        try:
            asked: Request = json_value(raw, shape)
            ask = asked.ask(self.calls)
        except ValueError as error:
            return _error(400, str(error), type="invalid_request_error")
        try:
            reply = await answer(ask)
        except (Transient, GeobiasError) as error:
            return _error(503, str(error), type="server_error")
        if reply.outcome == "too_long":
            return _error(400, reply.text, code="context_length_exceeded")
        return _json(asked.answer(reply, self._model.name))

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
