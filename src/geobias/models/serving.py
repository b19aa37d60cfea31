"""`geobias serve`: a model behind the OpenAI protocol on loopback, with faults on request.

For trying out the client, other tools, and what happens when a server misbehaves.

/v1/chat/completions    messages, and a message with its tokens' log-probabilities
/v1/completions         a text, and how it goes on, with the same in lists side by side
"""

from __future__ import annotations

import asyncio
import random
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from itertools import accumulate
from typing import Any, ClassVar
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from geobias.errors import GeobiasError
from geobias.models.model import GoesOn, Model, Transient
from geobias.trials import Ask, Dialogue, Reply
from geobias.trials.dialogue import Role
from geobias.trials.probabilities import Alternatives
from geobias.untrusted import json_value

MOST_ALTERNATIVES = 20
_ROLES: dict[str, Role] = {"assistant": "assistant", "system": "system", "developer": "system"}


class Request(msgspec.Struct, kw_only=True):
    """What both endpoints take. Raises ValueError for what is not offered here."""

    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    stream: bool | None = False
    n: int | None = None
    metadata: dict[str, Any] | None = None
    """What the ask is about, for simulated models (`Ask.about`)."""

    id: ClassVar[str]
    kind: ClassVar[str]

    def ask(self, call: int) -> Ask:
        """The request as the model is asked it; `call` tells draws apart that have no seed."""
        if self.stream:
            raise ValueError("streaming is not offered; set stream to false")
        if self.n not in (None, 1):
            raise ValueError("one answer a call is offered; set n to 1")
        if not 0 <= self.alternatives() <= MOST_ALTERNATIVES:
            raise ValueError(f"0 to {MOST_ALTERNATIVES} alternatives of a token are offered")
        return Ask(
            dialogue=self.dialogue(),
            temperature=1.0 if self.temperature is None else self.temperature,
            max_tokens=self.most_tokens(),
            stop=(self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ()),
            seed=self.seed,
            about=self.metadata,
            draw="" if self.seed is not None else str(call),
            # Two at least: of one alone nobody could say whether the model gives any.
            alternatives=max(2, self.alternatives()) if self.wants_probabilities() else 0,
        )

    @abstractmethod
    def dialogue(self) -> Dialogue:
        """What was said before the answer."""

    def most_tokens(self) -> int:
        return self.max_tokens or 256

    @abstractmethod
    def alternatives(self) -> int:
        """Of each token, as many as are asked for."""

    @abstractmethod
    def wants_probabilities(self) -> bool:
        """Whether log-probabilities are asked for, be it of the tokens alone."""

    @abstractmethod
    def choice(self, reply: Reply) -> dict[str, Any]:
        """The reply in the shape of the endpoint."""

    def answer(self, reply: Reply, model: str) -> dict[str, Any]:
        body: dict[str, Any] = {
            "id": f"{self.id}-{reply.digest.hex() or 'geobias'}",
            "object": self.kind,
            "created": int(time.time()),
            "model": self.model or model,
            "choices": [{"index": 0, "finish_reason": reply.finish or "stop"} | self.choice(reply)],
        }
        if reply.tokens_in is not None and reply.tokens_out is not None:
            body["usage"] = {
                "prompt_tokens": reply.tokens_in,
                "completion_tokens": reply.tokens_out,
                "total_tokens": reply.tokens_in + reply.tokens_out,
            }
        return body


class _Message(msgspec.Struct):
    role: str
    content: str | list[dict[str, Any]] | None = ""


class ChatRequest(Request, kw_only=True):
    """Messages."""

    messages: list[_Message]
    max_completion_tokens: int | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None

    id: ClassVar[str] = "chatcmpl"
    kind: ClassVar[str] = "chat.completion"

    def dialogue(self) -> Dialogue:
        dialogue = Dialogue()
        for message in self.messages:
            dialogue = dialogue.append(_ROLES.get(message.role, "user"), _plain(message.content))
        if not len(dialogue):
            raise ValueError("messages must not be empty")
        return dialogue

    def most_tokens(self) -> int:
        return self.max_completion_tokens or super().most_tokens()

    def alternatives(self) -> int:
        return self.top_logprobs or 0

    def wants_probabilities(self) -> bool:
        if self.top_logprobs and not self.logprobs:
            raise ValueError("top_logprobs goes with logprobs: true")
        return bool(self.logprobs)

    def choice(self, reply: Reply) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if not self.logprobs:
            return {"message": message}
        tokens = [
            _token(*place[0])
            | {"top_logprobs": [_token(*one) for one in _likeliest(place, self.alternatives())]}
            for place in reply.places
        ]
        return {"message": message, "logprobs": {"content": tokens}}


class TextRequest(Request, kw_only=True):
    """A text to go on from."""

    prompt: str | list[str]
    logprobs: int | None = None
    echo: bool | None = False

    id: ClassVar[str] = "cmpl"
    kind: ClassVar[str] = "text_completion"

    def dialogue(self) -> Dialogue:
        if self.echo:
            raise ValueError("the prompt is not repeated; set echo to false")
        texts = [self.prompt] if isinstance(self.prompt, str) else self.prompt
        if len(texts) != 1 or not texts[0]:
            raise ValueError("prompt is one text, and not empty")
        return Dialogue().user(texts[0])

    def alternatives(self) -> int:
        return self.logprobs or 0

    def wants_probabilities(self) -> bool:
        return self.logprobs is not None

    def choice(self, reply: Reply) -> dict[str, Any]:
        if not self.wants_probabilities():
            return {"text": reply.text, "logprobs": None}
        chosen = [place[0] for place in reply.places]
        most = self.alternatives()
        return {
            "text": reply.text,
            "logprobs": {
                "tokens": [token for token, _ in chosen],
                "token_logprobs": [logprob for _, logprob in chosen],
                "top_logprobs": [dict(_likeliest(place, most)) for place in reply.places],
                "text_offset": list(accumulate((len(one) for one, _ in chosen[:-1]), initial=0))
                if chosen
                else [],
            },
        }


def _plain(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return content or ""


def _likeliest(place: Alternatives, most: int) -> list[tuple[str, float]]:
    return sorted(place, key=lambda one: -one[1])[:most]


def _token(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}


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
