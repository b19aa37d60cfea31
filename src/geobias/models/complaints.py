"""What a server means when it does not answer: try again, stop, or take it as the outcome.

One place for every provider's way of putting it. Status codes first, words only where the same
code means different things.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from geobias.errors import ProviderSaysNo
from geobias.models.model import Transient
from geobias.trials import Reply

MALFORMED_ATTEMPTS = 3
EXCERPT = 200

_TOO_LONG = re.compile(
    r"context[_ ]length|context[_ ](size|window)|maximum context|too many (input )?tokens|"
    r"prompt is too long|input is too long|exceed\w* the (available|maximum|model)|"
    r"string_above_max_length|too long for",
    re.I,
)
_FILTERED = re.compile(
    r"content[_ ]?(filter|policy|management)|responsible ?ai|safety|blocked|moderation|"
    r"data_inspection|inappropriate",
    re.I,
)
_QUOTA = re.compile(
    r"insufficient[_ ](quota|balance|credit|funds)|exceeded your current quota|billing|"
    r"credit balance|payment|out of credits|spending limit",
    re.I,
)
_PARAMETER = re.compile(
    r"(unsupported|unrecognized|unknown|not support|does not support|deprecated|not allowed|"
    r"extra inputs|invalid).{0,80}?\b(max_tokens|temperature|seed|random_seed|stop)\b|"
    r"\b(max_tokens|temperature|seed|random_seed|stop)\b.{0,80}?"
    r"(unsupported|not supported|unrecognized|not support|deprecated|not allowed|extra|only)",
    re.I | re.S,
)


class UnsupportedParameter(Exception):
    """The provider does not take this parameter; the client leaves it out and asks again."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


def complaint(name: str, key_variable: str, status: int, body: bytes, retry: str | None) -> Reply:
    """The outcome that an error response stands for, where it concerns this question alone.

    Raises Transient, ProviderSaysNo or UnsupportedParameter for everything else.
    """
    words = message(body)
    said = f"{name}: HTTP {status}: {words}" if words else f"{name}: HTTP {status}"
    if status == 401 or (status == 403 and not _FILTERED.search(words)):
        if key_variable:
            raise ProviderSaysNo(
                f"{name}: the key in {key_variable} was refused (HTTP {status}); check the key and "
                "what it may use"
            )
        raise ProviderSaysNo(f"{said}; it wants a key or forbids the call")
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(words)):
        raise ProviderSaysNo(f"{name}: the account's quota or credit is used up ({words})")
    if status == 404:
        raise ProviderSaysNo(f"{said}; check the model's name and the address")
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(words)):
        return Reply(words, "too_long")
    if status in (400, 403, 422) and _FILTERED.search(words):
        return Reply(words, "filtered")
    if status in (400, 422):
        if found := _PARAMETER.search(words):
            raise UnsupportedParameter((found[2] or found[3]).lower())
        raise Transient("rejected", said, attempts=1, last_word=Reply(words, "rejected"))
    if status in (408, 409, 425, 429) or status >= 500:
        overloaded = status in (429, 503, 529)
        raise Transient(
            f"HTTP {status}", said, overloaded=overloaded, retry_after=seconds_to_wait(retry)
        )
    raise ProviderSaysNo(f"{said}; this is not how an OpenAI-style chat server answers")


def malformed(name: str, body: bytes, why: str) -> Transient:
    """A response that says 200 and is not a chat completion; its text is the last word."""
    text = body.decode(errors="replace")
    looks = "a web page" if re.match(r"\s*<(!doctype|html)", text, re.I) else f"{why}"
    return Transient(
        "malformed",
        f"{name}: the server's answer is not a chat completion, but {looks}: "
        f"{_one_line(text)[:80]!r}; check the address",
        attempts=MALFORMED_ATTEMPTS,
        last_word=Reply(text, "malformed"),
    )


def message(body: bytes) -> str:
    """The human words in an error body, whatever its shape, on one line and not too long."""
    try:
        found = _find_message(msgspec.json.decode(body))
    except (msgspec.DecodeError, RecursionError, ValueError):
        found = body[: 8 * EXCERPT].decode(errors="replace")
        found = re.sub(r"<[^>]{0,200}>", " ", found)
    return _one_line(found)[:EXCERPT]


def _find_message(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        return _find_message(value[0])
    if isinstance(value, dict):
        for key in ("error", "message", "detail", "msg"):
            if value.get(key):
                words = _find_message(value[key])
                code = value.get("code") or value.get("type")
                return f"{words} ({code})" if isinstance(code, str) and key == "message" else words
    return ""


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text[:2000]).split())


def seconds_to_wait(header: str | None) -> float | None:
    """Retry-After, as seconds or as a date; None if absent or not understood."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except (TypeError, ValueError):
            return None
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        seconds = (date - datetime.now(UTC)).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None
