"""OpenAI's protocol from the server's side: what is asked for, and what is handed back.

/v1/chat/completions    messages, and a message with its tokens' log-probabilities
/v1/completions         a text, and how it goes on, with the same in lists side by side
"""

from __future__ import annotations

import time
from abc import abstractmethod
from itertools import accumulate
from typing import Any, ClassVar

import msgspec

from geobias.trials import Ask, Dialogue, Reply
from geobias.trials.dialogue import Role
from geobias.trials.probabilities import Alternatives

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
