"""How a provider takes batches, and a line of a batch: one ask, or what came back for it.

Whatever the shape, an ask begins as the body of a chat completion and an answer ends as one, so
that the client for single calls reads both. What providers do differently is a table (`DIALECTS`),
read from their documentation in November 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from geobias.errors import BadRequest
from geobias.untrusted import Undecodable, json_value

MAX_LINE_BYTES = 16 << 20
"""As `geobias.models.chat` has it for an answer. What is longer is a fault."""
LONGEST_ID = 200


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """Paths are below the provider's base address; {id} is filled in.

    shape       of a question and its answer: OpenAI's chat completions, or Anthropic's messages
    upload      where a file of lines goes; empty: the lines go along with `create`
    purpose     of the uploaded file, in the provider's word
    create      where a batch is made, looked at (`create`/ID) and listed
    listed      what is added to `create` for a list of all batches, which stands under `among`
    created     where the batch stands in the answer to `create`; empty: it is the answer
    state       where the state stands in a batch
    ended       states in which nothing more will happen
    refused     of these, the one in which nothing was executed
    cancelled   of these, the one somebody asked for
    files       where the ids of result files stand in a batch
    results     where results lie that are no files
    bare        lines without method and address
    discount    what it costs, times the usual price
    """

    shape: Literal["chat", "messages"] = "chat"
    upload: str = "files"
    purpose: str = "batch"
    create: str = "batches"
    listed: str = "?limit=100"
    among: str = "data"
    created: str = ""
    state: str = "status"
    ended: frozenset[str] = frozenset({"completed", "failed", "expired", "cancelled"})
    refused: str = "failed"
    cancelled: str = "cancelled"
    files: tuple[str, ...] = ("output_file_id", "error_file_id")
    results: str = ""
    bare: bool = False
    key_header: str = "Authorization"
    headers: Mapping[str, str] = {}
    most_lines: int = 50_000
    most_bytes: int = 190 << 20
    discount: float = 0.5


_OPENAI = Dialect()
DIALECTS: Mapping[str, Dialect] = {
    "openai": _OPENAI,
    "groq": _OPENAI,
    "together": Dialect(
        upload="files/upload",
        purpose="batch-api",
        listed="",
        among="",
        created="job",
        bare=True,
        most_bytes=95 << 20,
        discount=1.0,  # documented for selected models only
    ),
    "anthropic": Dialect(
        shape="messages",
        upload="",
        create="messages/batches",
        state="processing_status",
        ended=frozenset({"ended"}),
        refused="",
        cancelled="",
        files=(),
        results="messages/batches/{id}/results",
        key_header="x-api-key",
        headers={"anthropic-version": "2023-06-01"},
        most_lines=100_000,
        most_bytes=240 << 20,
    ),
}
"""By provider. A server that is named by its address is taken to do as OpenAI does."""


def dialect_of(spec: str) -> Dialect | None:
    """How batches of this model are taken; None where it has no batch endpoint that is known."""
    if spec.startswith(("http://", "https://")):
        return _OPENAI
    return DIALECTS.get(spec.partition("/")[0])


def discount_of(spec: str) -> float:
    """What a batch costs there, times the usual price."""
    found = dialect_of(spec)
    return 1.0 if found is None else found.discount


def need_dialect(spec: str) -> Dialect:
    if (found := dialect_of(spec)) is None:
        raise BadRequest(
            f"{spec} has no batch endpoint (there is one at {', '.join(DIALECTS)}, and at servers "
            "named by their address); --batch-files FOLDER exchanges files instead"
        )
    return found


def at(value: Any, path: str) -> Any:
    """What stands at a place like `metadata.state`; None where there is no such place."""
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value


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
_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "refusal": "content_filter",
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
    params = _messages_params(msgspec.json.decode(body))
    return msgspec.json.encode({"custom_id": id, "params": params})


def _messages_params(asked: dict[str, Any]) -> dict[str, Any]:
    system = [one["content"] for one in asked["messages"] if one["role"] == "system"]
    params: dict[str, Any] = {
        "model": asked["model"],
        "max_tokens": asked.get("max_tokens") or asked.get("max_completion_tokens"),
        "messages": [one for one in asked["messages"] if one["role"] != "system"],
        "system": "\n\n".join(system) or None,
        "temperature": asked.get("temperature"),
        "stop_sequences": asked.get("stop"),
        "metadata": asked.get("metadata"),
    }
    return {name: value for name, value in params.items() if value is not None}


def opened(raw: bytes) -> tuple[str, dict[str, Any]]:
    """The custom_id of a line, and what stands in it. Raises NotALine."""
    if len(raw) > MAX_LINE_BYTES:
        raise NotALine(f"a line is longer than {MAX_LINE_BYTES >> 20} MiB")
    try:
        value = json_value(raw)
    except Undecodable as error:
        raise NotALine(f"a line is no JSON ({error})") from None
    id = at(value, "custom_id")
    if not isinstance(id, str) or not 0 < len(id) <= LONGEST_ID:
        raise NotALine("a line has no custom_id")
    return id, value


def is_request(value: Mapping[str, Any]) -> bool:
    """Whether a line asks rather than answers: files of both may lie in one folder."""
    return bool({"body", "params"} & value.keys())


def result_line(dialect: Dialect, raw: bytes) -> Line:
    """What a line of a result file says. Raises NotALine."""
    id, value = opened(raw)
    return _chat_result(id, value) if dialect.shape == "chat" else _messages_result(id, value)


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


def _from_message(message: Any) -> Any:
    """Anthropic's message as a chat completion; whatever else came, as it is."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), list):
        return message
    stopped = _word(message.get("stop_reason"))
    return {
        "model": message.get("model"),
        "choices": [
            {
                "message": {"role": "assistant", "content": message["content"]},
                "finish_reason": _FINISH.get(stopped, stopped),
            }
        ],
        "usage": {
            "prompt_tokens": at(message, "usage.input_tokens"),
            "completion_tokens": at(message, "usage.output_tokens"),
        },
    }


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _code(code: Any) -> int:
    if isinstance(code, str) and code.isascii() and code.isdigit():
        code = int(code[:4])
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(value)
