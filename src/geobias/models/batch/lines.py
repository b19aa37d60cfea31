"""A line of a batch: one ask, or what came back for it, in each provider's shape.

Whatever the shape, an ask begins as the body of a chat completion and an answer ends as one, so
that the client for single calls reads both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from geobias.models.batch.dialects import Dialect, at
from geobias.untrusted import Undecodable, json_value

MAX_LINE_BYTES = 16 << 20
"""As `geobias.models.chat` has it for an answer. What is longer is a fault."""
LONGEST_ID = 200
NOT_EXECUTED = {"batch_expired": "expired", "batch_cancelled": "cancelled"}
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
    "api_error": 500,
    "timeout_error": 504,
}
"""Anthropic's kinds of error as the status that a single call gets for them."""
_RPC = {1: 499, 3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 14: 503, 16: 401}
"""Google's: a `google.rpc.Status` has the number of a kind (8 is RESOURCE_EXHAUSTED)."""
_BUDGETS = {"low": 1024, "medium": 8192, "high": 24576}
"""Tokens of thinking that Google's OpenAI-style endpoint gives Gemini 2.5 for each effort."""
_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "refusal": "content_filter",
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(
        ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), "content_filter"
    ),
}


class Line(msgspec.Struct, frozen=True):
    """What came back for one ask: as a single call would have got it, or why nothing was done.

    `kind` is "", "expired" or "cancelled"; `known` is an error that was counted before.
    """

    id: str
    status: int
    body: bytes
    kind: str = ""
    known: bool = False


class NotALine(Exception):
    """What stands in a result file and is no result; says why."""


def request_line(dialect: Dialect, id: str, body: bytes) -> bytes:
    """The line that asks for one chat completion."""
    name = msgspec.json.encode(id)
    if dialect.shape == "chat":
        where = b"" if dialect.bare else b'"method":"POST","url":"/v1/chat/completions",'
        return b'{"custom_id":' + name + b"," + where + b'"body":' + body + b"}"
    asked = msgspec.json.decode(body)
    if dialect.shape == "messages":
        return msgspec.json.encode({"custom_id": id, "params": _messages_params(asked)})
    return msgspec.json.encode({"request": _generate_request(asked), "metadata": {"key": id}})


def _messages_params(asked: dict[str, Any]) -> dict[str, Any]:
    system = [one["content"] for one in asked["messages"] if one["role"] == "system"]
    params: dict[str, Any] = {
        "model": asked["model"],
        "max_tokens": _most_tokens(asked),
        "messages": [one for one in asked["messages"] if one["role"] != "system"],
        "system": "\n\n".join(system) or None,
        "temperature": asked.get("temperature"),
        "stop_sequences": asked.get("stop"),
        "metadata": asked.get("metadata"),
    }
    return {name: value for name, value in params.items() if value is not None}


def _generate_request(asked: dict[str, Any]) -> dict[str, Any]:
    system = [one["content"] for one in asked["messages"] if one["role"] == "system"]
    settings = {
        "temperature": asked.get("temperature"),
        "maxOutputTokens": _most_tokens(asked),
        "stopSequences": asked.get("stop"),
        "seed": asked.get("seed"),
        "thinkingConfig": _thinking(asked["model"], asked.get("reasoning_effort")),
    }
    request: dict[str, Any] = {
        "contents": [
            {
                "role": "model" if one["role"] == "assistant" else "user",
                "parts": [{"text": one["content"]}],
            }
            for one in asked["messages"]
            if one["role"] != "system"
        ],
        "generationConfig": {name: one for name, one in settings.items() if one is not None},
    }
    if system:
        request["systemInstruction"] = {"parts": [{"text": "\n\n".join(system)}]}
    return request


def _thinking(model: str, effort: str | None) -> dict[str, Any] | None:
    """Models before Gemini 3 are given a number of tokens, later ones a word."""
    if effort is None:
        return None
    budget = _BUDGETS.get(effort) if model.startswith("gemini-2") else None
    return {"thinkingLevel": effort} if budget is None else {"thinkingBudget": budget}


def _most_tokens(asked: dict[str, Any]) -> Any:
    return asked.get("max_tokens") or asked.get("max_completion_tokens")


def opened(raw: bytes) -> tuple[str, dict[str, Any]]:
    """The custom_id of a line, and what stands in it. Raises NotALine."""
    if len(raw) > MAX_LINE_BYTES:
        raise NotALine(f"a line is longer than {MAX_LINE_BYTES >> 20} MiB")
    try:
        value = json_value(raw)
    except Undecodable as error:
        raise NotALine(f"a line is no JSON ({error})") from None
    id = at(value, "metadata.key") or at(value, "key") or at(value, "custom_id")
    if not isinstance(id, str) or not 0 < len(id) <= LONGEST_ID:
        raise NotALine("a line has no custom_id")
    return id, value


def is_request(value: Mapping[str, Any]) -> bool:
    """Whether a line asks rather than answers: files of both may lie in one folder."""
    return bool({"body", "params", "request"} & value.keys())


def result_line(dialect: Dialect, raw: bytes) -> Line:
    """What a line of a result file says. Raises NotALine."""
    id, value = opened(raw)
    return _READ[dialect.shape](id, value)


def _chat_result(id: str, value: dict[str, Any]) -> Line:
    response, error = value.get("response"), value.get("error")
    if isinstance(response, dict):
        body = response if "choices" in response else response.get("body")
        status = response.get("status_code", 200)
        status = status if isinstance(status, int) and 100 <= status < 600 else 502
        return Line(id, status, _encoded(body))
    if kind := NOT_EXECUTED.get(_word(at(error, "code")), ""):
        return Line(id, 0, b"", kind)
    return Line(id, _code(at(error, "code")), _encoded({"error": error}))


def _messages_result(id: str, value: dict[str, Any]) -> Line:
    kind = at(value, "result.type")
    if kind == "succeeded":
        return Line(id, 200, _encoded(_from_message(at(value, "result.message"))))
    if kind in ("expired", "canceled"):
        return Line(id, 0, b"", "expired" if kind == "expired" else "cancelled")
    error = at(value, "result.error.error") or at(value, "result.error")
    return Line(id, _STATUS.get(_word(at(error, "type")), 500), _encoded({"error": error}))


def _generate_result(id: str, value: dict[str, Any]) -> Line:
    if isinstance(value.get("response"), dict):
        return Line(id, 200, _encoded(_from_candidates(value["response"])))
    error = value.get("error")
    code = at(error, "code")
    status = _RPC.get(code) if isinstance(code, int) else None
    return Line(id, status or _code(code), _encoded({"error": error}))


_READ = {"chat": _chat_result, "messages": _messages_result, "generate": _generate_result}


def _from_message(message: Any) -> Any:
    """Anthropic's message as a chat completion; whatever else came, as it is."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    return {
        "model": message.get("model"),
        "choices": [
            {
                "message": {"role": "assistant", "content": message["content"]},
                "finish_reason": _finish(message.get("stop_reason")),
            }
        ],
        "usage": {
            "prompt_tokens": at(message, "usage.input_tokens"),
            "completion_tokens": at(message, "usage.output_tokens"),
        },
    }


def _from_candidates(response: dict[str, Any]) -> Any:
    """Gemini's response as a chat completion. A prompt that was blocked has no candidate."""
    candidates = response.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    if first is None and not isinstance(response.get("promptFeedback"), dict):
        return response
    parts = at(first, "content.parts")
    content = [
        {"type": "thinking" if at(part, "thought") else "text", "text": at(part, "text")}
        for part in (parts if isinstance(parts, list) else ())
    ]
    finish = "content_filter" if first is None else _finish(at(first, "finishReason"))
    return {
        "model": response.get("modelVersion"),
        "choices": [
            {"message": {"role": "assistant", "content": content}, "finish_reason": finish}
        ],
        "usage": {
            "prompt_tokens": at(response, "usageMetadata.promptTokenCount"),
            "completion_tokens": at(response, "usageMetadata.candidatesTokenCount"),
            "total_tokens": at(response, "usageMetadata.totalTokenCount"),
        },
    }


def _finish(word: Any) -> str:
    return _FINISH.get(_word(word), _word(word))


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _code(code: Any) -> int:
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code[:4])
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(value)
