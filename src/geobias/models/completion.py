"""What a chat server answered, decoded strictly and taken apart: text, reasoning, tokens.

Log-probabilities of an answer's tokens, in the shapes that servers send them.

    chat            choices[0].logprobs.content: a list of tokens, each with its `top_logprobs`
                    (OpenAI, vLLM, DeepSeek, xAI; llama.cpp for chats and for texts)
    text            choices[0].logprobs with lists side by side: `tokens`, `token_logprobs` and
                    `top_logprobs`, where each of the last maps texts to numbers
                    (OpenAI's completions, vLLM, Together)

What has none of them, or makes no sense, gives nothing: the answer's text is there all the same.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from geobias.trials.probabilities import Alternatives
from geobias.untrusted import Undecodable, check_numbers, json_value

_THINKING = re.compile(r"\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.S)


class Message(msgspec.Struct):
    """The answer. Members are untyped: what providers put there is sorted out by `texts`."""

    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: Any = None
    tool_calls: Any = None


class Choice(msgspec.Struct):
    """One answer: a `message` of a chat, or the `text` that goes on from a text."""

    message: Message | None = None
    text: Any = None
    finish_reason: str | None = None
    logprobs: Any = None
    error: Any = None


class Usage(msgspec.Struct):
    prompt_tokens: Any = None
    completion_tokens: Any = None
    total_tokens: Any = None
    completion_tokens_details: Any = None


class Completion(msgspec.Struct):
    choices: list[Choice] = []
    usage: Usage | None = None
    model: str | None = None
    error: Any = None


def reasoned(usage: Usage) -> bool:
    """Whether some of the tokens are told to be reasoning."""
    told = count(_member(usage.completion_tokens_details, "reasoning_tokens")) or 0
    out = tokens(usage)[1] or 0
    return told > 0 or out > (count(usage.completion_tokens) or 0)


def tokens(usage: Usage) -> tuple[int | None, int | None]:
    """In and out, each None where it was not told; no prompt has 0 tokens.

    Some providers count reasoning in the total and not in the completion.
    """
    tokens_in, tokens_out = count(usage.prompt_tokens) or None, count(usage.completion_tokens)
    total = count(usage.total_tokens)
    if tokens_in is not None and total is not None and total >= tokens_in:
        return tokens_in, max(tokens_out or 0, total - tokens_in)
    return tokens_in, tokens_out


def decode(raw: bytes) -> Completion:
    """The response, however its text is damaged. Raises `Undecodable`."""
    try:
        return _completion(raw)
    except Undecodable as error:
        if "utf-8" in str(error).lower():
            return _completion(raw.decode(errors="replace"))
        if b"\\ud" in raw or b"\\uD" in raw:  # half an emoji, where the tokens ran out
            return _with_lone_halves(raw)
        raise


def _completion(raw: bytes | str) -> Completion:
    return json_value(raw, Completion)  # type: ignore[no-any-return]


def _with_lone_halves(raw: bytes) -> Completion:
    try:
        value = json.loads(raw)
        check_numbers(value)
        return msgspec.convert(value, Completion)
    except (ValueError, RecursionError) as error:
        raise Undecodable(str(error)) from None


def texts(message: Message) -> tuple[str, str]:
    """Answer and reasoning, kept apart whichever way the provider sends them."""
    content = message.content
    if type(content) is str and content.isascii() and "think" not in content:
        reasoning = message.reasoning_content or message.reasoning
        if content and not reasoning:
            return content, ""  # nearly every answer of nearly every model
    reasoning = _text(message.reasoning_content) or _text(message.reasoning)
    if isinstance(content, list):  # typed parts: Mistral's thinking models, some gateways
        parts = [part for part in content if isinstance(part, dict)]
        thinking = [p for p in parts if p.get("type") in ("thinking", "reasoning")]
        reasoning = reasoning or "".join(_text(p.get("thinking")) or _text(p) for p in thinking)
        content = "".join(_text(p) for p in parts if p not in thinking)
    text = _text(content) or _text(message.refusal)
    if not reasoning and "<think" in text[:64] and (thinking_block := _THINKING.match(text)):
        reasoning, text = thinking_block[1], text[thinking_block.end() :]
    elif not reasoning and "</think>" in text:  # some templates open the block themselves
        reasoning, _, text = text.partition("</think>")
    return storable(text), storable(reasoning)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _text(value.get("text"))
    if isinstance(value, list):
        return "".join(_text(part) for part in value)
    return ""


def storable(text: str) -> str:
    """Text that a file can hold: lone halves of signs have no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def count(tokens: Any) -> int | None:
    """A count from outside, or None if it is none."""
    return int(tokens) if isinstance(tokens, (int, float)) and 0 <= tokens < 1e12 else None


def error_code(error: Any) -> int:
    """The status a gateway put into the body, as a number or as text; 502 if it has none."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code[:4])
    return code if isinstance(code, int) and 400 <= code < 600 else 502


MOST_ALTERNATIVES = 128


def places_in(logprobs: Any) -> list[Alternatives]:
    """The tokens of an answer, each with its alternatives."""
    content = _member(logprobs, "content")
    if isinstance(content, list):
        return [place for one in content if (place := _place(one))]
    tokens = _member(logprobs, "tokens")
    if not isinstance(tokens, list):
        return []
    numbers, tops = (_member(logprobs, name) for name in ("token_logprobs", "top_logprobs"))
    found = []
    for at, token in enumerate(tokens):
        own = list(_pair(token, _at(numbers, at)))
        others = _at(tops, at)
        pairs = others.items() if isinstance(others, dict) else ()
        if place := _joined(own, (pair for text, number in pairs for pair in _pair(text, number))):
            found.append(place)
    return found


def _place(one: Any) -> Alternatives:
    """A token of a list of tokens."""
    own = list(_pair(_member(one, "token"), _member(one, "logprob")))
    tops = _member(one, "top_logprobs")
    others = tops if isinstance(tops, list) else []
    pairs = ((_member(other, "token"), _member(other, "logprob")) for other in others)
    return _joined(own, (pair for one_pair in pairs for pair in _pair(*one_pair)))


def _joined(own: list[tuple[str, float]], others: Iterator[tuple[str, float]]) -> Alternatives:
    """The token first, and each alternative once; nothing where the token itself is missing."""
    if not own:
        return ()
    found = dict(own[:1])
    for text, number in others:
        if len(found) < MOST_ALTERNATIVES:
            found.setdefault(text, number)
    return tuple(found.items())


def _pair(token: Any, logprob: Any) -> Iterator[tuple[str, float]]:
    """Nothing where it is no token with a number; a server's −9999 stands for none at all."""
    usable = isinstance(logprob, int | float) and not isinstance(logprob, bool)
    if isinstance(token, str) and usable and not math.isnan(logprob) and logprob <= 1e-3:
        text = token.encode(errors="replace").decode()
        yield text, max(float(logprob), -9999.0)


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _at(values: Any, place: int) -> Any:
    return values[place] if isinstance(values, list) and place < len(values) else None
