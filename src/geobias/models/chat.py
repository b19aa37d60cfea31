"""A lean client for the OpenAI chat protocol.

Each message is encoded once (see `Dialogue.wire`), and each response is decoded once into a strict
shape, without SDK objects or middleware. If a server refuses a parameter, the client leaves it out
of later requests.

`TextModel` is the client for /completions, where a model continues a text.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any, cast

import aiohttp
import msgspec

from geobias.errors import ProviderSaysNo
from geobias.http import Transient, body_of, explained, open_session, proxy_for, timeout_of
from geobias.models.complaints import (
    MOST_ERROR_BYTES,
    UnsupportedParameter,
    complaint,
    malformed,
    one_line,
)
from geobias.models.completion import (
    Choice,
    Usage,
    decode,
    error_code,
    places_in,
    reasoned,
    storable,
    texts,
    tokens,
)
from geobias.models.forms import DOCUMENT_TOKENS, AnswerFormat, called, parameters, plain_answer
from geobias.models.layout import as_text, stops
from geobias.models.naming import ModelEntry
from geobias.models.thinking import Thinking
from geobias.redaction import Redactor, without_passwords
from geobias.trials import Ask, Reply
from geobias.trials.probabilities import Alternatives, kept
from geobias.untrusted import Undecodable

TIMEOUT_SECONDS = 300.0
"""Default time limit of a call."""
THINKING_SPEED = 20.0
"""Assumed minimum tokens per second, from which a reasoning model's time limit is computed."""
RENAMED = "max_tokens (sent as max_completion_tokens)"
"""Entry in the list of unsent parameters if a server accepts only the new name of the limit."""
MOST_ALTERNATIVES, FEWER_ALTERNATIVES = 20, 5
"""Alternatives to request for each token: first as many as most servers allow, then fewer."""

MOST_SAID = 1 << 18
"""Maximum characters stored of an answer, or of the reasoning before it.

32,768 tokens have about 150,000 characters. A longer text is not an answer, and would be sent again
with each question that follows.
"""

_encode = msgspec.json.Encoder().encode


class ChatModel:
    """A model behind an OpenAI-style /chat/completions.

    name             the label, or else the name that the user gave; part of every digest
    spec             the name that the user gave
    url              base address, up to and including /v1
    model            the server's name for the model
    key              sent as a bearer token; never stored, logged or shown
    max_tokens, seed, effort
                     names of these parameters at the server, empty for none
    temperature      whether to send a temperature; some reasoning models refuse it
    timeout_seconds  limit of one call; None means TIMEOUT_SECONDS, or more for a reasoning model
    """

    endpoint = "/chat/completions"
    said_as = b"messages"
    by_text = False

    def __init__(
        self,
        *,
        name: str,
        url: str,
        model: str,
        key: str = "",
        key_variable: str = "",
        max_tokens: str = "max_tokens",
        temperature: bool = True,
        thinking: int = 0,
        seed: str = "seed",
        effort: str = "reasoning_effort",
        concurrency: int = 64,
        adaptive: bool = True,
        timeout_seconds: float | None = None,
    ) -> None:
        self.name = self.spec = name
        self.concurrency = concurrency
        self.adaptive = adaptive
        self._thinking = Thinking(thinking)
        self._closes_thoughts = False
        self.unsent_parameters: set[str] = set() if temperature else {"temperature"}
        self._lessons = 0
        self.base = url.rstrip("/")
        self._url = self.base + self.endpoint
        self._head = b'{"model":' + _encode(model) + b',"' + self.said_as + b'":'
        self.model = model
        self.key = key
        self.redact = Redactor([key])
        self._key_variable = key_variable
        self._headers: dict[str, str] = {}
        self._extra: dict[str, object] = {}
        self._usual_effort = ""
        self._format: AnswerFormat = ""
        self._max_tokens = max_tokens
        self._seed = seed
        self._effort = effort
        self._alternatives = MOST_ALTERNATIVES
        self._has_probabilities = False
        self.timeout = timeout_seconds or TIMEOUT_SECONDS
        self._patient = timeout_seconds is None
        self._tails: dict[tuple[Any, ...], bytes] = {}
        self._session: aiohttp.ClientSession | None = None
        self.proxy = proxy_for(url)

    def adapt(self, entry: ModelEntry) -> None:
        self.name = entry.shown
        if (key := entry.key()) is not None:
            self.key, self._key_variable = key, entry.key_env
        self._headers = entry.filled_headers()
        secrets = [value for name, value in self._headers.items() if value != entry.headers[name]]
        self.redact = Redactor([self.key, *secrets])
        self._extra, self._usual_effort = entry.extra, entry.effort
        self._format = entry.answer_format
        if entry.effort and not self._effort:
            raise self._takes_no_effort()
        if entry.thinking is not None:
            self._thinking = Thinking(entry.thinking)

    @property
    def thinking(self) -> int:
        return self._thinking.tokens

    async def answer(self, ask: Ask) -> Reply:
        return await self.answer_by(self.post, ask)

    def allow_thinking(self, tokens: int) -> None:
        self._thinking.allow(tokens)

    def limit_thinking(self, tokens: int) -> None:
        self._thinking.most = tokens

    def kind(self, ask: Ask) -> tuple[object, ...]:
        """Return a key by which asks with equal request parameters are grouped."""
        sampling = ask.temperature > 0, bool(ask.stop), ask.seed is not None
        wanted = bool(ask.options), ask.form is None
        return *sampling, *wanted, ask.effort, ask.dialogue.length > 1

    async def answer_by(self, post: Callable[[Ask, int], Awaitable[Reply]], ask: Ask) -> Reply:
        """Call `post` until the server accepts the parameters, and return the reply.

        `post(ask, thinking)` sends `body` with `thinking` tokens for reasoning, and reads the
        response with `read`. Parameters that the server refuses are left out from then on.
        """
        while True:
            lessons = self._lessons
            try:
                return await self._thinking.answered(partial(post, ask), self.name)
            except UnsupportedParameter as unsupported:
                # Calls in flight together fail together; only the first counts.
                if unsupported.parameter == "thinking":
                    raise self._allows_too_few_tokens() from None
                if lessons == self._lessons:
                    self._learn(unsupported.parameter, unsupported.words)

    def _learn(self, parameter: str, words: str) -> None:
        if parameter == "logprobs":
            if self._alternatives == FEWER_ALTERNATIVES or self._has_probabilities:
                raise self.gives_no_probabilities(words)
            self._alternatives = FEWER_ALTERNATIVES
        elif parameter == "reasoning_effort":
            raise self._takes_no_effort(words)
        elif parameter == "answer_format":
            if self._format != "auto":
                raise ProviderSaysNo(
                    f"{self.name}: the server takes no --answer-format {self._format} ({words}); "
                    "leave it out to read answers as they come"
                )
            self._format = "text"
            self.unsent_parameters.add(parameter)
        elif parameter == "max_tokens" and self._max_tokens == "max_tokens":
            self.leave_out({RENAMED})
        elif parameter in self.unsent_parameters:
            raise ProviderSaysNo(
                f"{self.name}: the server refuses requests with and without {parameter!r}"
            )
        else:
            self.unsent_parameters.add(parameter)
        self._forget_tails()

    def leave_out(self, parameters: Collection[str]) -> None:
        """Stop sending parameters that the server has refused, now or in an earlier session."""
        self.unsent_parameters.update(parameters)
        if RENAMED in parameters:
            self._max_tokens = "max_completion_tokens"

    def gives_no_probabilities(self, words: str = "") -> ProviderSaysNo:
        why = f" ({words})" if words else ""
        return ProviderSaysNo(
            f"{self.name}: the server gives no log-probabilities{why}; leave out --read logprobs "
            "to read answers from their text"
        )

    def _takes_no_effort(self, words: str = "") -> ProviderSaysNo:
        why = f" ({words})" if words else ""
        return ProviderSaysNo(f"{self.name} does not take this --effort{why}; leave it out")

    def _allows_too_few_tokens(self) -> Transient:
        why = f"{self.name}: the server allows fewer tokens than are asked for"
        too_long = Reply("", "too_long", tokens_in=0, tokens_out=0)
        return Transient("rejected", why, attempts=1, last_word=too_long, may_be_billed=False)

    def _forget_tails(self) -> None:
        self._lessons += 1
        self._tails.clear()

    async def post(self, ask: Ask, thinking: int) -> Reply:
        session = self._session or self._open()
        body = self.body(ask, thinking)
        seconds = self.timeout + (thinking / THINKING_SPEED if self._patient else 0.0)
        began = time.monotonic()
        with explained(self.name, self._url, seconds, self.without_secrets):
            async with session.post(
                self._url,
                data=body,
                allow_redirects=False,
                proxy=self.proxy,
                timeout=timeout_of(seconds),
            ) as response:
                status = response.status
                raw = await body_of(response)
                retry = response.headers.get("Retry-After") if status != 200 else None
        return self.read(ask, status, raw, retry, time.monotonic() - began)

    def body(self, ask: Ask, thinking: int = 0) -> bytes:
        if ask.effort and not self._effort:
            raise self._takes_no_effort()
        return bytes(self._head + self._said(ask) + self._about(ask) + self._tail(ask, thinking))

    def _about(self, ask: Ask) -> bytes:
        """Return the part of a request that tells a simulated model what the ask is about."""
        if ask.about is None or not self.model.startswith("sim/"):
            return b""
        return b',"metadata":' + _encode(ask.about)

    def _said(self, ask: Ask) -> bytes | bytearray:
        return ask.dialogue.wire()

    def _stops(self, ask: Ask) -> tuple[str, ...]:
        return ask.stop

    def _wanting_probabilities(self, alternatives: int) -> dict[str, object]:
        return {"logprobs": True, "top_logprobs": alternatives}

    def _texts(self, choice: Choice, ask: Ask) -> tuple[str, str] | None:
        """Return answer and reasoning, or None if the choice has another shape."""
        if choice.message is None:
            return None
        if ask.form is None or self._format not in ("json", "auto"):
            return texts(choice.message)
        text, reasoning = texts(choice.message)
        return plain_answer(called(choice.message) or text), reasoning

    def read(
        self, ask: Ask, status: int, raw: bytes, retry: str | None = None, seconds: float = 0.0
    ) -> Reply:
        if status != 200:
            return self.complaint(status, raw, retry)
        return self._read(raw, ask, seconds)

    def complaint(self, status: int, raw: bytes, retry: str | None = None) -> Reply:
        # A server may echo the key.
        body = self.redact.in_bytes(raw[:MOST_ERROR_BYTES])
        return complaint(self.name, self._key_variable, status, body, retry)

    def without_secrets(self, error: Exception) -> str:
        """Return the error on one line, without the password that a proxy's address may contain."""
        words = one_line(str(error)) or type(error).__name__
        return self.redact(without_passwords(words))[:200]

    def _tail(self, ask: Ask, thinking: int) -> bytes:
        sampling = (
            *(ask.form, thinking, ask.temperature, ask.max_tokens, ask.stop, ask.seed),
            *(bool(ask.options), ask.effort),
        )
        tail = self._tails.get(sampling)
        if tail is None:
            settings: dict[str, object] = {
                "temperature": ask.temperature,
                self._max_tokens: ask.max_tokens + thinking + self._room(ask),
            }
            if stops := self._stops(ask):
                settings["stop"] = list(stops)
            if ask.seed is not None and self._seed:
                settings[self._seed] = ask.seed
            if ask.options:
                settings |= self._wanting_probabilities(self._alternatives)
            if effort := ask.effort or self._usual_effort:
                settings[self._effort] = effort
            settings = {k: v for k, v in settings.items() if k not in self.unsent_parameters}
            if ask.form is not None and not ask.options:
                settings |= parameters(ask.form, self._format, self.spec)
            settings |= self._extra
            tail = b"," + _encode(settings)[1:] if settings else b"}"
            self._tails[sampling] = tail
        return tail

    def _room(self, ask: Ask) -> int:
        as_json = self._format in ("json", "auto") and ask.form is not None and not ask.options
        return DOCUMENT_TOKENS if as_json else 0

    def _open(self) -> aiohttp.ClientSession:
        headers = {"Content-Type": "application/json", **self._headers}
        if self.key:
            headers["Authorization"] = "Bearer " + self.key
        self._session = open_session(headers, self.timeout)
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _read(self, raw: bytes, ask: Ask, seconds: float) -> Reply:
        try:
            completion = decode(raw)
        except Undecodable as error:
            raise malformed(self.name, self.redact.in_bytes(raw), self.redact(str(error))) from None
        if not completion.choices:
            if completion.error:  # some gateways report errors with status 200
                return self.complaint(error_code(completion.error), raw)
            raise malformed(self.name, self.redact.in_bytes(raw), "JSON without choices")
        choice = completion.choices[0]
        if choice.error:
            return self.complaint(error_code(choice.error), raw)
        said = self._texts(choice, ask)
        if said is None:
            what = f"a choice without {'text' if self.by_text else 'message'}"
            raise malformed(self.name, self.redact.in_bytes(raw), what)
        text, reasoning = (self.redact(one)[:MOST_SAID] for one in said)
        if reasoning and choice.message and not choice.message.reasoning_content:
            self._closes_thoughts |= "</think>" in str(choice.message.content)
        usage = completion.usage or Usage()
        finish = self.redact(choice.finish_reason or "")
        if finish == "length" and self._is_thought(choice, reasoning):
            text, reasoning = "", text
        tokens_in, tokens_out = tokens(usage)
        if text and not tokens_out:  # text always has tokens
            tokens_out = None
        outcome = "ok"
        if finish == "content_filter":
            outcome = "filtered"
        elif not text.strip():
            cut_off = finish == "length" and not self.by_text
            thought = cut_off and (bool(reasoning) or reasoned(usage))
            outcome = "still_thinking" if thought else "empty"
        places: tuple[Alternatives, ...] = ()
        if ask.options and outcome == "ok":
            places = self._places(places_in(choice.logprobs), ask)
        return Reply(
            text,
            cast(Any, outcome),
            reasoning,
            finish,
            tokens_in,
            tokens_out,
            self.redact(completion.model or ""),
            seconds,
            places=places,
        )

    def _is_thought(self, choice: Choice, reasoning: str) -> bool:
        """Whether an answer that was cut off is unfinished reasoning.

        Some chat templates write the start marker of reasoning themselves. Such a model is
        recognised by the end marker in its other replies.
        """
        content = choice.message and choice.message.content
        return self._closes_thoughts and not reasoning and "</think>" not in str(content)

    def _places(self, found: list[Alternatives], ask: Ask) -> tuple[Alternatives, ...]:
        """Return the log-probabilities that the ask's options need.

        A single reply may lack them. If no reply had any so far, the server does not give them, and
        an error is raised.
        """
        if any(len(place) > 1 for place in found):
            self._has_probabilities = True
        elif not self._has_probabilities:
            raise self.gives_no_probabilities()
        return kept(
            (tuple((self.redact(text), p) for text, p in place) for place in found), ask.options
        )


class TextModel(ChatModel):
    """A base model behind an OpenAI-style /completions.

    The answer is the ask's `lead` and what the model writes after it, without surrounding blanks.
    """

    endpoint = "/completions"
    said_as = b"prompt"
    by_text = True

    def __init__(self, **facts: Any) -> None:
        super().__init__(**facts | {"effort": ""})
        self.limit_thinking(0)

    def _said(self, ask: Ask) -> bytes:
        return _encode(as_text(ask.dialogue, ask.lead))

    def _stops(self, ask: Ask) -> tuple[str, ...]:
        return stops(ask)

    def _wanting_probabilities(self, alternatives: int) -> dict[str, object]:
        return {"logprobs": alternatives}

    def _texts(self, choice: Choice, ask: Ask) -> tuple[str, str] | None:
        if not isinstance(choice.text, str):
            return None
        written = storable(choice.text)
        for stop in self._stops(ask):  # a server may leave the string, or ignore it
            written = written.partition(stop)[0]
        return (ask.lead + written).strip() if written.strip() else "", ""
