"""How a provider accepts batches, and a line of a batch: one ask, or its result.

In every shape, asks are made from the body of a chat completion and answers are turned into one, so
that the client for single calls serves batches too. The differences between providers are a table
(`DIALECTS`), from their documentation of November 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from geobias.errors import BadRequest
from geobias.models.completion import error_code
from geobias.untrusted import Json, Undecodable, json_value

MAX_LINE_BYTES = 16 << 20
"""Maximum bytes of a line, as of a single response. A longer line is a fault."""
LONGEST_ID = 200
DISCOUNT = 0.5
"""The price factor of a batch at every provider here."""


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How one provider accepts batches. Paths are below its base address, with {id} filled in.

    upload   path for a file of lines; if empty, the lines are sent with `create`
    create   path to make a batch, to see one (`create`/ID) and to list all
    shape    format of ask and answer: OpenAI's chat completions, or Anthropic's messages
    files    where a batch holds the ids of result files
    results  path of results that are not files
    """

    shape: Literal["chat", "messages"] = "chat"
    upload: str = "files"
    create: str = "batches"
    state: str = "status"
    ended: frozenset[str] = frozenset({"completed", "failed", "expired", "cancelled"})
    files: tuple[str, ...] = ("output_file_id", "error_file_id")
    results: str = ""
    key_header: str = "Authorization"
    headers: Mapping[str, str] = {}
    most_lines: int = 50_000
    most_bytes: int = 190 << 20


_OPENAI = Dialect()
DIALECTS: Mapping[str, Dialect] = {
    "openai": _OPENAI,
    "groq": _OPENAI,
    "anthropic": Dialect(
        shape="messages",
        upload="",
        create="messages/batches",
        state="processing_status",
        ended=frozenset({"ended"}),
        files=(),
        results="messages/batches/{id}/results",
        key_header="x-api-key",
        headers={"anthropic-version": "2023-06-01"},
        most_lines=100_000,
        most_bytes=240 << 20,
    ),
}
"""Provider → dialect. A server named by its address is assumed to use OpenAI's."""


def dialect_of(spec: str) -> Dialect | None:
    """The dialect of this model's batches; None if it has no known batch endpoint."""
    if spec.startswith(("http://", "https://")):
        return _OPENAI
    return DIALECTS.get(spec.partition("/")[0])


def discount_of(spec: str) -> float:
    return 1.0 if dialect_of(spec) is None else DISCOUNT


def need_dialect(spec: str) -> Dialect:
    if (found := dialect_of(spec)) is None:
        raise BadRequest(
            f"{spec} has no batch endpoint ({', '.join(DIALECTS)} and servers named by their "
            "address have one); --batch-files FOLDER exchanges files instead"
        )
    return found


def at(value: Any, path: str) -> Any:
    """Return the value at a path such as `metadata.state`, or None."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def id_of(digest: bytes, tag: str) -> str:
    """The custom_id of an ask in a batch. It contains the batch's tag."""
    return f"{digest.hex()}-{tag}"


class Line(msgspec.Struct, frozen=True):
    """The result of one ask: the response that a single call would get, or why there is none.

    `kind` is "", "expired" or "cancelled".
    """

    id: str
    status: int
    body: bytes
    kind: str = ""

    @property
    def digest(self) -> bytes:
        """The ask's digest; empty if geobias did not make the id."""
        try:
            return bytes.fromhex(self.id.partition("-")[0])
        except ValueError:
            return b""

    @property
    def tag(self) -> str:
        return self.id.partition("-")[2]


class NotALine(Exception):
    """A line of a result file is not a result; the message says why."""


def request_line(dialect: Dialect, id: str, body: bytes) -> bytes:
    name = msgspec.json.encode(id)
    if dialect.shape == "chat":
        where = b'"method":"POST","url":"/v1/chat/completions",'
        return b'{"custom_id":' + name + b"," + where + b'"body":' + body + b"}"
    params = _messages_params(msgspec.json.decode(body))
    return msgspec.json.encode({"custom_id": id, "params": params})


def _messages_params(asked: Json) -> Json:
    system = [one["content"] for one in asked["messages"] if one["role"] == "system"]
    params: Json = {
        "model": asked["model"],
        "max_tokens": asked.get("max_tokens") or asked.get("max_completion_tokens"),
        "messages": [one for one in asked["messages"] if one["role"] != "system"],
        "system": "\n\n".join(system) or None,
        "temperature": asked.get("temperature"),
        "stop_sequences": asked.get("stop"),
        "metadata": asked.get("metadata"),
    }
    return {name: value for name, value in params.items() if value is not None}


def result_line(raw: bytes) -> Line | None:
    """The result in a line of a result file. Raises NotALine.

    None if the line is an ask, since files of both may lie in one folder.
    """
    if len(raw) > MAX_LINE_BYTES:
        raise NotALine(f"a line is longer than {MAX_LINE_BYTES >> 20} MiB")
    try:
        value = json_value(raw, object)
    except Undecodable as error:
        raise NotALine(f"a line is not JSON ({error})") from None
    id = at(value, "custom_id")
    if not isinstance(value, dict) or not isinstance(id, str) or not 0 < len(id) <= LONGEST_ID:
        raise NotALine("a line has no custom_id")
    if {"body", "params"} & value.keys():
        return None
    return _messages_result(id, value) if "result" in value else _chat_result(id, value)


def _chat_result(id: str, value: Json) -> Line:
    response, error = value.get("response"), value.get("error")
    if isinstance(response, dict):
        body = response if "choices" in response else response.get("body")
        status = response.get("status_code", 200)
        status = status if isinstance(status, int) and 100 <= status < 600 else 502
        return Line(id, status, msgspec.json.encode(body))
    code = at(error, "code")
    if code in ("batch_expired", "batch_cancelled"):
        return Line(id, 0, b"", code.removeprefix("batch_"))
    return Line(id, error_code(error), msgspec.json.encode({"error": error}))


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
"""Anthropic's kinds of error → the status that a single call gets for them."""
_NOT_EXECUTED = {"expired": "expired", "canceled": "cancelled"}
_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "refusal": "content_filter",
}


def _messages_result(id: str, value: Json) -> Line:
    kind = _word(at(value, "result.type"))
    if kind == "succeeded":
        return Line(id, 200, msgspec.json.encode(_from_message(at(value, "result.message"))))
    if kind in _NOT_EXECUTED:
        return Line(id, 0, b"", _NOT_EXECUTED[kind])
    error = at(value, "result.error.error") or at(value, "result.error")
    status = _STATUS.get(_word(at(error, "type")), 500)
    return Line(id, status, msgspec.json.encode({"error": error}))


def _from_message(message: Any) -> Any:
    """Anthropic's message as a chat completion; anything else unchanged."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    stopped = _word(message.get("stop_reason"))
    said = {"role": "assistant", "content": message["content"]}
    return {
        "model": message.get("model"),
        "choices": [{"message": said, "finish_reason": _FINISH.get(stopped, stopped)}],
        "usage": {
            "prompt_tokens": at(message, "usage.input_tokens"),
            "completion_tokens": at(message, "usage.output_tokens"),
        },
    }


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""
