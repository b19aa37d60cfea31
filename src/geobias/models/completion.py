"""What a chat server answered, decoded strictly and taken apart: text, reasoning, tokens."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from geobias.untrusted import Undecodable, check_numbers, json_value

_THINKING = re.compile(r"\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.S)


class Message(msgspec.Struct):
    """The answer. Members are untyped: what providers put there is sorted out by `texts`."""

    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: Any = None


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


class Completion(msgspec.Struct):
    choices: list[Choice] = []
    usage: Usage | None = None
    model: str | None = None
    error: Any = None
    completion_probabilities: Any = None


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
