"""Decide what a server's error means: try again, stop the run, or record it for the question.

The rules cover every provider. The status code decides; the words decide only if a code has several
meanings. An error is doubtful if its cause may be the account or the address instead of the
question (`Transient` with a `last_word`). The engine blames the question only while other questions
are being answered.
"""

from __future__ import annotations

import re

from geobias.errors import ProviderSaysNo
from geobias.http import Transient
from geobias.models.model import CUSTOM_KEY
from geobias.trials import Outcome, Reply
from geobias.untrusted import Undecodable, json_value, seconds_to_wait

MALFORMED_ATTEMPTS = 3
EXCERPT = 200
MOST_READ = 8000
MOST_ERROR_BYTES = 1 << 20
"""Maximum bytes read of an error. Decoding takes up to thirty times as much memory."""
MOST_KEPT = 64 << 10
"""Maximum bytes kept of a response that is not a completion."""
TRY_AGAIN = {408, 409, 424, 425, 429, 498}
"""Status codes to retry, besides 5xx. Some gateways send 424 and 498 for a busy upstream."""
OVERLOADED = {429, 498, 503, 529}

_ACCOUNT = re.compile(
    r"api[_ ]key|organi[sz]ation has been disabled|usage limits|account (is |has been )?(suspended|"
    r"deactivated|disabled)",
    re.I,
)
_QUOTA = re.compile(
    r"insufficient[_ ](quota|balance|credit|funds)|credit balance|out of credits|no credits|"
    r"more credits|spending limit|payment required|PerDay",
    re.I,
)
_TOO_LONG = re.compile(
    r"context[_ ]length|context[_ ](size|window)|maximum context|maximum model length|"
    r"too many (input )?tokens|(prompt|input) is too long|string_above_max_length|"
    r"`inputs` tokens|reduce the length",
    re.I,
)
_NO_MODEL = re.compile(r"invalid model name", re.I)
TOO_MANY_TOKENS = re.compile(
    r"\bmax_?(completion_?|output_?)?tokens\b.{0,60}?"
    r"(too large|maximum allowed number|must be less than or equal to|(valid|supported) range)",
    re.I | re.S,
)
_FILTERED = re.compile(
    r"content[_ ]?filter|content (management|filtering|usage) policy|content_policy|"
    r"responsible ?ai|flagged|SAFETY_CHECK|usage guidelines|requires moderation|"
    r"data_inspection|content exists risk|blocked by (our|the) (safety|content)",
    re.I,
)
_PARAMETERS = r"(max_tokens|temperature|seed|random_seed|stop)"
_REFUSED = (
    r"(unsupported|not supported|does not support|doesn't support|unrecognized|unknown|deprecated|"
    r"not allowed|not permitted|extra)"
)
_PARAMETER = re.compile(
    rf"{_REFUSED}.{{0,80}}?\b{_PARAMETERS}\b|\b{_PARAMETERS}\b.{{0,80}}?{_REFUSED}", re.I | re.S
)
_ASKED_FOR = re.compile(r"(?P<logprobs>\blog_?prob|top_logprobs)|\breasoning[_ .]effort\b", re.I)
"""Parameters that are sent only on request, so an error that names one is caused by it."""
_FORM = re.compile(
    r"response_format|json_schema|structured[_ ]output|guided_|\bgrammar\b|tool_choice|\btools\b",
    re.I,
)
_RETRY_DELAY = re.compile(r'"retryDelay":\s*"([\d.]+)s"|retry in ([\d.]+) ?s', re.I)


class UnsupportedParameter(Exception):
    """The provider does not accept this parameter; the client leaves it out and asks again.

    The parameter `thinking` means the tokens added for reasoning. `words` are the provider's.
    """

    def __init__(self, parameter: str, words: str = "") -> None:
        super().__init__(parameter)
        self.parameter = parameter
        self.words = words


def complaint(name: str, key_variable: str, status: int, body: bytes, retry: str | None) -> Reply:
    """Return the reply to record for an error response that certainly concerns this question.

    Raises Transient, ProviderSaysNo or UnsupportedParameter for every other error response.
    """
    words = message(body)
    brief = words[:EXCERPT]
    summary = f"{name}: HTTP {status}: {brief}" if brief else f"{name}: HTTP {status}"
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(words)):
        raise ProviderSaysNo(
            f"{name}: the account's quota or credit is used up ({brief}); add credit and resume"
        )
    if status == 401 or (status in (400, 403) and _ACCOUNT.search(words)):
        raise ProviderSaysNo(f"{name}: {_about_the_key(key_variable, status)}")
    if status == 404 or (status == 400 and _NO_MODEL.search(words)):
        raise ProviderSaysNo(f"{summary}; check the model's name and the address")
    if status in (400, 422) and TOO_MANY_TOKENS.search(words):
        raise UnsupportedParameter("thinking")
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(words)):
        return Reply(words, "too_long", tokens_in=0, tokens_out=0)
    if status in (400, 403, 422) and (asked_for := _ASKED_FOR.search(words)):
        what = "logprobs" if asked_for["logprobs"] else "reasoning_effort"
        raise UnsupportedParameter(what, brief)
    if status in (400, 422) and _FORM.search(words):
        raise UnsupportedParameter("answer_format", brief)
    if status in (400, 403, 422) and _FILTERED.search(words) and not _is_page(body):
        raise _doubtful("filtered", summary, words)
    if status == 403:
        raise ProviderSaysNo(f"{summary}; {_about_the_key(key_variable, status)}")
    if status in (400, 422):
        if parameter := _PARAMETER.search(words):
            raise UnsupportedParameter((parameter[2] or parameter[3]).lower())
        raise _doubtful("rejected", summary, words)
    if status in TRY_AGAIN or status >= 500:
        wait = seconds_to_wait(retry)
        wait = _delay_in(body) if wait is None else wait
        overloaded = status in OVERLOADED
        raise Transient(
            f"HTTP {status}",
            summary,
            overloaded=overloaded,
            retry_after=wait,
            may_be_billed=status >= 500 and not overloaded,  # a gateway may have lost the answer
        )
    raise ProviderSaysNo(f"{summary}; this is not how an OpenAI-style chat server answers")


def _about_the_key(key_variable: str, status: int) -> str:
    if key_variable:
        return (
            f"the key in {key_variable} was refused (HTTP {status}); check the key and what it may "
            "use"
        )
    return (
        f"the server wants a key or forbids the call (HTTP {status}); a key for a server that is "
        f"named by its address goes into {CUSTOM_KEY}"
    )


def _doubtful(outcome: Outcome, summary: str, words: str) -> Transient:
    refused = Reply(words, outcome, tokens_in=0, tokens_out=0)
    return Transient(outcome, summary, attempts=1, last_word=refused, may_be_billed=False)


def malformed(name: str, body: bytes, why: str) -> Transient:
    """Return the error for a response with status 200 that is not a chat completion.

    The response's text becomes the `last_word` of the error.
    """
    looks = "a web page" if _is_page(body) else why
    return Transient(
        "malformed",
        f"{name}: the server's answer is not a chat completion, but {looks}: "
        f"{one_line(body[:EXCERPT].decode(errors='replace'))[:80]!r}; check the address",
        attempts=MALFORMED_ATTEMPTS,
        last_word=Reply(body[:MOST_KEPT].decode(errors="replace"), "malformed"),
    )


def _is_page(body: bytes) -> bool:
    return re.match(rb"\s*<(!doctype|html)", body, re.I) is not None


def message(body: bytes) -> str:
    """Return the message in an error body of any shape, on one line."""
    try:
        words = _find_message(json_value(body, object))
    except Undecodable:
        words = re.sub(r"<[^>]{0,200}>", " ", body[:MOST_READ].decode(errors="replace"))
    return one_line(words)


def _find_message(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        return _find_message(value[0])
    if isinstance(value, dict):
        for key in ("error", "message", "detail", "msg"):
            if value.get(key):
                words = _find_message(value[key])
                if isinstance(place := value.get("loc"), list):  # which field FastAPI means
                    words = f"{'.'.join(str(part) for part in place)}: {words}"
                code = value.get("code") or value.get("type")
                return f"{words} ({code})" if isinstance(code, str) and key == "message" else words
    return ""


def one_line(text: str) -> str:
    """Return the text with only printable characters, on one line, cut to a limited length."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:MOST_READ]).split())


def _delay_in(body: bytes) -> float | None:
    """Return the seconds to wait that Google states in an error body, or None."""
    delay = _RETRY_DELAY.search(body[:MOST_READ].decode(errors="replace"))
    return seconds_to_wait(delay[1] or delay[2]) if delay else None
