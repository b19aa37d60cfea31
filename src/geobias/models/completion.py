"""A chat server's answer, decoded strictly: text, reasoning, tokens, log-probabilities.

Servers send log-probabilities in two shapes:

    chat            choices[0].logprobs.content: a list of tokens, each with its `top_logprobs`
                    (OpenAI, vLLM, DeepSeek, xAI; llama.cpp for chats and for texts)
    text            choices[0].logprobs with parallel lists: `tokens`, `token_logprobs` and
                    `top_logprobs`, whose items map texts to numbers
                    (OpenAI's completions, vLLM, Together)

Missing or meaningless log-probabilities are ignored, and the answer's text is still used.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from geobias.trials.probabilities import Alternatives
from geobias.untrusted import TooMuch, Undecodable, check_numbers, json_value

_THINKING = re.compile(r"\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.S)


class Message(msgspec.Struct):
    """The message of an answer. Its members are untyped, since providers differ; see `texts`."""

    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: Any = None
    tool_calls: Any = None


class Choice(msgspec.Struct):
    """One answer: a `message` of a chat, or the `text` that continues a text."""

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
    """Whether the server reports that some of the tokens were spent on reasoning."""
    told = count(_member(usage.completion_tokens_details, "reasoning_tokens")) or 0
    out = tokens(usage)[1] or 0
    return told > 0 or out > (count(usage.completion_tokens) or 0)


def tokens(usage: Usage) -> tuple[int | None, int | None]:
    """Return tokens in and out, each None if unknown.

    A prompt has at least one token, so 0 means unknown. Some providers count reasoning only in the
    total, from which tokens out are then computed.
    """
    tokens_in, tokens_out = count(usage.prompt_tokens) or None, count(usage.completion_tokens)
    total = count(usage.total_tokens)
    if tokens_in is not None and total is not None and total >= tokens_in:
        return tokens_in, max(tokens_out or 0, total - tokens_in)
    return tokens_in, tokens_out


def decode(raw: bytes) -> Completion:
    """Decode a response, even if its text has lone surrogates. Raises `Undecodable`."""
    try:
        return json_value(raw, Completion)
    except TooMuch:
        raise
    except Undecodable as error:
        # Half an emoji, if the tokens ran out, is JSON to Python only.
        if "utf-8" not in str(error).lower() and b"\\ud" not in raw.lower():
            raise
    try:
        value = json.loads(raw.decode(errors="replace"))
        check_numbers(value)
        return msgspec.convert(value, Completion)
    except (ValueError, RecursionError) as error:
        raise Undecodable(str(error)) from None


def texts(message: Message) -> tuple[str, str]:
    """Return answer and reasoning, in whichever members the provider sends them."""
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
    """Return the text without lone surrogates, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def count(tokens: Any) -> int | None:
    """Return a server's number of tokens, or None if the value is not a usable number."""
    return int(tokens) if isinstance(tokens, (int, float)) and 0 <= tokens < 1e12 else None


def error_code(error: Any) -> int:
    """Return the status that a gateway put into the body, as a number or text; otherwise 502."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code[:4])
    return code if isinstance(code, int) and 400 <= code < 600 else 502


MOST_ALTERNATIVES = 128


def places_in(logprobs: Any) -> list[Alternatives]:
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
    own = list(_pair(_member(one, "token"), _member(one, "logprob")))
    tops = _member(one, "top_logprobs")
    others = tops if isinstance(tops, list) else []
    pairs = ((_member(other, "token"), _member(other, "logprob")) for other in others)
    return _joined(own, (pair for one_pair in pairs for pair in _pair(*one_pair)))


def _joined(own: list[tuple[str, float]], others: Iterator[tuple[str, float]]) -> Alternatives:
    """Return the token, then each alternative once; empty if the token itself is missing."""
    if not own:
        return ()
    found = dict(own[:1])
    for text, number in others:
        if len(found) < MOST_ALTERNATIVES:
            found.setdefault(text, number)
    return tuple(found.items())


def _pair(token: Any, logprob: Any) -> Iterator[tuple[str, float]]:
    """Yield the token with its log-probability, or nothing if it has none.

    Some servers write −9999 for a missing log-probability.
    """
    usable = isinstance(logprob, int | float) and not isinstance(logprob, bool)
    if isinstance(token, str) and usable and not math.isnan(logprob) and logprob <= 1e-3:
        text = token.encode(errors="replace").decode()
        yield text, max(float(logprob), -9999.0)


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _at(values: Any, place: int) -> Any:
    return values[place] if isinstance(values, list) and place < len(values) else None
