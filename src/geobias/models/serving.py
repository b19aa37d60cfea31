"""`geobias serve`: a simulated model behind the OpenAI chat protocol, on loopback."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from geobias.errors import GeobiasError
from geobias.http import Transient
from geobias.models.model import Model
from geobias.trials import Ask, Dialogue, Reply
from geobias.trials.dialogue import Role
from geobias.untrusted import Json, json_value

MAX_REQUEST_BYTES = 16 << 20
_ROLES: dict[str, Role] = {"assistant": "assistant", "system": "system", "developer": "system"}


class Message(msgspec.Struct):
    role: str
    content: str | None = ""


class ChatRequest(msgspec.Struct, kw_only=True):
    """A request for one answer. `metadata` tells a simulated model what the question is about."""

    messages: list[Message]
    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    metadata: Json | None = None
    stream: bool | None = False
    n: int | None = None
    logprobs: bool | None = None
    response_format: Json | None = None
    grammar: str | None = None

    def ask(self, call: int) -> Ask:
        """Turn the request into an ask; `call` distinguishes draws without a seed.

        Raises ValueError for parameters that are not supported.
        """
        if self.grammar or (self.response_format or {"type": "text"}).get("type") != "text":
            kind = "grammar" if self.grammar else "response_format"
            raise ValueError(f"{kind} is not supported: answers are text")
        if self.stream or self.n not in (None, 1) or self.logprobs:
            raise ValueError("not offered: stream, logprobs, and n above 1")
        if not self.messages:
            raise ValueError("messages must not be empty")
        dialogue = Dialogue()
        for message in self.messages:
            dialogue = dialogue.append(_ROLES.get(message.role, "user"), message.content or "")
        return Ask(
            dialogue=dialogue,
            temperature=1.0 if self.temperature is None else self.temperature,
            max_tokens=self.max_completion_tokens or self.max_tokens or 256,
            stop=(self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ()),
            seed=self.seed,
            about=self.metadata,
            draw="" if self.seed is not None else str(call),
        )


def _completion(reply: Reply, model: str) -> Json:
    message = {"role": "assistant", "content": reply.text}
    tokens_in, tokens_out = reply.tokens_in or 0, reply.tokens_out or 0
    return {
        "id": f"chatcmpl-{time.time_ns():x}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


@web.middleware
async def _of_this_machine(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse requests under foreign host names, as a web page sends them after DNS rebinding."""
    if urlsplit(f"//{request.headers.get('Host', '')}").hostname not in ("127.0.0.1", "localhost"):
        return _error(421, "this address is not served here", type="invalid_request_error")
    return await handler(request)


class ChatServer:
    """Serves one model. `calls` counts sampled asks, so that equal asks get different draws."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.calls = 0

    def application(self) -> web.Application:
        app = web.Application(client_max_size=MAX_REQUEST_BYTES, middlewares=[_of_this_machine])
        app.router.add_post("/v1/chat/completions", self.chat)
        app.router.add_get("/v1/models", self.models)
        return app

    async def models(self, _: web.Request) -> web.Response:
        return _json({"object": "list", "data": [{"id": self._model.name, "object": "model"}]})

    async def chat(self, request: web.Request) -> web.Response:
        self.calls += 1
        try:
            asked = json_value(await request.read(), ChatRequest)
            ask = asked.ask(self.calls)
        except ValueError as error:
            return _error(400, str(error), type="invalid_request_error")
        try:
            reply = await self._model.answer(ask)
        except (Transient, GeobiasError) as error:
            return _error(503, str(error), type="server_error")
        return _json(_completion(reply, asked.model or self._model.name))


def _json(value: Any, status: int = 200) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(value), status=status, content_type="application/json"
    )


def _error(status: int, message: str, **about: str) -> web.Response:
    return _json({"error": {"message": message} | about}, status)


async def serve(server: ChatServer, port: int) -> tuple[web.AppRunner, int]:
    """Start on 127.0.0.1 (port 0: any free port); return the runner, to clean up, and the port."""
    runner = web.AppRunner(server.application(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    bound: int = runner.addresses[0][1]
    return runner, bound
