"""How each provider takes batches: a table of differences.

Read from the providers' documentation in November 2026: OpenAI's Batch API, Anthropic's Message
Batches, Mistral's batch jobs, Groq's and Together's batch APIs, Google's Gemini batch mode. What
differs is where a batch is made and looked for, what its state is called, where results lie and
how much goes into one; the shape of a single question and answer is in `lines`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from geobias.errors import BadRequest

Shape = Literal["chat", "messages", "generate"]
"""Of a question and its answer: OpenAI's chat completions, Anthropic's messages, Gemini's."""


class Submission(msgspec.Struct, frozen=True):
    """What is known of a batch before it is made. `file` is the uploaded one's id, if any."""

    tag: str
    model: str
    file: str
    count: int
    at: float


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """Paths are below the provider's base address; {id}, {model} are filled in.

    upload      where a file of lines goes; empty: the lines go along with `create`
    purpose     of the uploaded file, in the provider's word
    create      where a batch is made; `body` is what is sent there
    look        where its state is
    listed      where all of them are, under `among`; `ours` tells whether one is the submission's
    created     where the batch stands in the answer to `create`; empty: it is the answer
    id, state   where they stand in a batch; dots lead into it. Of BATCH_STATE_FAILED or
                JOB_STATE_FAILED, as Google writes it, the last word is the state
    ended       states in which nothing more will happen
    refused     of these, the one in which nothing was executed
    cancelled   of these, the one somebody asked for
    files       where the ids of result files stand in a batch; `content` is where a file lies
    results     where results lie that are no files; empty: in the batch itself, at the
                first of `inline` that is there
    bare        lines without method and address
    discount    what it costs, times the usual price
    """

    shape: Shape = "chat"
    upload: str = "files"
    purpose: str = "batch"
    create: str = "batches"
    body: Callable[[Submission, list[bytes]], bytes]
    look: str = "batches/{id}"
    listed: str = "batches?limit=100"
    among: str = "data"
    ours: Callable[[Mapping[str, Any], Submission], bool]
    created: str = ""
    id: str = "id"
    state: str = "status"
    ended: frozenset[str] = frozenset({"completed", "failed", "expired", "cancelled"})
    refused: str = "failed"
    cancelled: str = "cancelled"
    files: tuple[str, ...] = ("output_file_id", "error_file_id")
    content: str = "files/{id}/content"
    results: str = ""
    inline: tuple[str, ...] = ()
    bare: bool = False
    key_header: str = "Authorization"
    headers: Mapping[str, str] = {}
    most_lines: int = 50_000
    most_bytes: int = 190 << 20
    discount: float = 0.5


def _of_file(more: Mapping[str, Any]) -> Callable[[Submission, list[bytes]], bytes]:
    def body(made: Submission, _: list[bytes]) -> bytes:
        return msgspec.json.encode({"input_file_id": made.file, **more})

    return body


def _mistral_body(made: Submission, _: list[bytes]) -> bytes:
    about = {"input_files": [made.file], "model": made.model, "metadata": {"geobias": made.tag}}
    return msgspec.json.encode(about | {"endpoint": "/v1/chat/completions", "timeout_hours": 24})


def _anthropic_body(_: Submission, lines: list[bytes]) -> bytes:
    return b'{"requests":[' + b",".join(lines) + b"]}"


def _google_body(made: Submission, lines: list[bytes]) -> bytes:
    name = msgspec.json.encode(made.tag)
    head = b'{"batch":{"displayName":' + name + b',"inputConfig":{"requests":{"requests":['
    return head + b",".join(lines) + b"]}}}}"


def _by_file(one: Mapping[str, Any], made: Submission) -> bool:
    return bool(made.file) and made.file in (one.get("input_file_id"), *_list(one, "input_files"))


def _by_count(one: Mapping[str, Any], made: Submission) -> bool:
    """Anthropic keeps no name of ours: as many requests, made since. Its results tell for sure."""
    counts = one.get("request_counts")
    numbers = counts.values() if isinstance(counts, dict) else ()
    total = sum(number for number in numbers if isinstance(number, int))
    return total == made.count and _seconds(one.get("created_at")) > made.at - CLOCKS_DIFFER


def _by_name(one: Mapping[str, Any], made: Submission) -> bool:
    return bool(at(one, "metadata.displayName") == made.tag)


CLOCKS_DIFFER = 300.0
"""Seconds between a provider's clock and ours, at most."""


def _seconds(moment: Any) -> float:
    from datetime import datetime

    try:
        return datetime.fromisoformat(moment).timestamp()
    except (TypeError, ValueError):
        return 0.0


def _list(one: Mapping[str, Any], name: str) -> list[Any]:
    value = one.get(name)
    return value if isinstance(value, list) else []


def at(value: Any, path: str) -> Any:
    """What stands at a place like `metadata.state`; None where there is no such place."""
    for name in path.split(".") if path else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value


_CHAT = {"endpoint": "/v1/chat/completions", "completion_window": "24h"}
_OPENAI = Dialect(body=_of_file(_CHAT), ours=_by_file)

DIALECTS: Mapping[str, Dialect] = {
    "openai": _OPENAI,
    "groq": _OPENAI,
    "together": Dialect(
        upload="files/upload",
        purpose="batch-api",
        body=_of_file(_CHAT),
        ours=_by_file,
        listed="batches",
        among="",
        created="job",
        bare=True,
        most_bytes=95 << 20,
        discount=1.0,  # documented for selected models only
    ),
    "mistral": Dialect(
        create="batch/jobs",
        body=_mistral_body,
        look="batch/jobs/{id}",
        listed="batch/jobs?page_size=100",
        ours=_by_file,
        ended=frozenset({"success", "failed", "timeout_exceeded", "cancelled"}),
        files=("output_file", "error_file"),
        bare=True,
        most_lines=1_000_000,
    ),
    "anthropic": Dialect(
        shape="messages",
        upload="",
        create="messages/batches",
        body=_anthropic_body,
        look="messages/batches/{id}",
        listed="messages/batches?limit=100",
        ours=_by_count,
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
    "google": Dialect(
        shape="generate",
        upload="",
        create="models/{model}:batchGenerateContent",
        body=_google_body,
        look="{id}",
        listed="batches?pageSize=100",
        among="operations",
        ours=_by_name,
        id="name",
        state="metadata.state",
        ended=frozenset({"succeeded", "failed", "cancelled", "expired"}),
        files=(),
        inline=(
            "response.inlinedResponses.inlinedResponses",
            "metadata.output.inlinedResponses.inlinedResponses",
        ),
        key_header="x-goog-api-key",
        most_bytes=18 << 20,
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
