"""Polite downloads: each request identifies geobias, and is repeated if that may help.

What can go wrong, and what happens then:

    no connection, cut off, timeout, incomplete JSON           repeated, then given up
    408, 425, 429, 500, 502, 503, 504                          repeated, after Retry-After if given
    any other status, a web page, too many bytes, wrong hash   given up at once
    a redirect to another server, for an answer in JSON        given up at once
"""

from __future__ import annotations

import codecs
import hashlib
import os
import random
from asyncio import sleep
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

import aiohttp
import msgspec

from geobias.errors import BadDownload, BadRequest, Unreachable
from geobias.untrusted import seconds_to_wait
from geobias.version import __version__

USER_AGENT = f"geobias/{__version__} (audit of geographic bias in language models)"
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
NOTHING_KEPT = "nothing was kept"


def service_address(variable: str, publisher: str) -> str:
    """The address in the environment variable `variable`, or else the address `publisher`."""
    url = os.environ.get(variable, "").strip() or publisher
    try:
        _ = urlsplit(url).port
    except ValueError as error:
        raise BadRequest(f"{variable} is not an address: {error}") from None
    return url.rstrip("/")


class RequestLimits(msgspec.Struct, frozen=True):
    attempts: int = 4
    timeout_seconds: float = 60.0
    """Time limit of one attempt, from connecting to the last byte."""
    first_wait_seconds: float = 0.5
    """Wait before the second attempt. It doubles each time, and up to as much again is added at
    random.
    """
    longest_wait_seconds: float = 60.0
    """If a server asks for a longer wait, geobias gives up."""
    max_bytes: int = 16 << 20
    """Maximum size of an unpacked answer. A whole series of the World Bank has four megabytes."""


LIMITS = RequestLimits()


class _Retryable(Exception):
    """A failure that may not happen again; `wait` is how many seconds the server asks to wait."""

    def __init__(self, failure: BadDownload | Unreachable, wait: float = 0.0) -> None:
        self.failure, self.wait = failure, wait


async def get_json(url: str, *, fallback: str, limits: RequestLimits) -> bytes:
    """The bytes at this address, which are complete, well-formed JSON.

    A byte-order mark is dropped, since the World Bank sometimes sends one. A 400 or 404 with JSON
    is accepted too, since its JSON says what was wrong with the request. Raises `BadDownload` for
    any other response. Raises `Unreachable` without a response, with `fallback` at the end of its
    message.
    """

    def accept(response: aiohttp.ClientResponse, raw: bytes) -> bytes:
        if host(url) != (sent_on := host(str(response.url))):
            raise BadDownload(
                f"{host(url)} redirects to {sent_on}: {NOTHING_KEPT}; a network login may be in "
                "the way."
            )
        raw = raw.removeprefix(codecs.BOM_UTF8).strip()
        if not (response.status in (400, 404) and raw[:1] in (b"[", b"{")):
            _refuse(response.status, raw, url)
        try:
            msgspec.json.decode(raw, type=msgspec.Raw)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            sent = f"{host(url)} sent {len(raw):,} bytes that are not complete JSON"
            again = f"{NOTHING_KEPT}; run the same command again."
            raise _Retryable(BadDownload(f"{sent}: {again}")) from None
        return raw

    return await _fetch(url, accept, fallback, limits)


async def get_file(
    url: str, *, sha256: str, fallback: str, limits: RequestLimits = LIMITS
) -> bytes:
    """Return the bytes at this address, checked against `sha256`.

    Raises `BadDownload` if something else came, `Unreachable` if nothing did.
    """

    def accept(response: aiohttp.ClientResponse, raw: bytes) -> bytes:
        _refuse(response.status, raw, url)
        if (actual := hashlib.sha256(raw).hexdigest()) != sha256:
            raise BadDownload(
                f"{host(url)} sent another file than was asked for (SHA-256 {actual[:12]}…, not "
                f"{sha256[:12]}…): {NOTHING_KEPT}."
            )
        return raw

    return await _fetch(url, accept, fallback, limits)


async def _fetch(
    url: str,
    accept: Callable[[aiohttp.ClientResponse, bytes], bytes],
    fallback: str,
    limits: RequestLimits,
) -> bytes:
    """Request the address, repeatedly if needed, and return what `accept` makes of the answer."""
    again = "check the connection and run the same command again"
    again += f", or {fallback}" if fallback else ""
    for attempt in range(1, limits.attempts + 1):
        try:
            return await _attempt(url, accept, again, limits)
        except _Retryable as trouble:
            if attempt == limits.attempts:
                raise trouble.failure from None
            doubled = limits.first_wait_seconds * 2 ** (attempt - 1)
            wait = doubled + random.uniform(0, limits.first_wait_seconds)
            await sleep(max(trouble.wait, min(wait, limits.longest_wait_seconds)))
    raise AssertionError("there is at least one attempt")


async def _attempt(
    url: str,
    accept: Callable[[aiohttp.ClientResponse, bytes], bytes],
    again: str,
    limits: RequestLimits,
) -> bytes:
    name = host(url)
    # The user's proxy (HTTPS_PROXY) is used, except to this machine itself.
    session = aiohttp.ClientSession(
        headers={"User-Agent": USER_AGENT, "Accept": "application/json, */*;q=0.5"},
        timeout=aiohttp.ClientTimeout(total=limits.timeout_seconds),
        trust_env=urlsplit(url).hostname not in LOOPBACK,
    )
    try:
        async with session, session.get(url, max_redirects=5) as response:
            if response.status in RETRIED_STATUSES:
                wait = seconds_to_wait(response.headers.get("Retry-After")) or 0.0
                if wait > limits.longest_wait_seconds:
                    says = f"{name} asks to wait {wait:,.0f} s: run the same command again then."
                    raise Unreachable(says)
                says = f"answers {_status(response.status)}: run the same command again later."
                raise _Retryable(Unreachable(f"{name} {says}"), wait)
            body = bytearray()
            async for part in response.content.iter_chunked(1 << 16):
                body += part
                if len(body) > limits.max_bytes:
                    most = limits.max_bytes / (1 << 20)
                    raise BadDownload(f"{name} sent more than {most:,.3g} MiB: {NOTHING_KEPT}.")
            return accept(response, bytes(body))
    except TimeoutError:
        says = f"{name} gave no complete answer within {limits.timeout_seconds:g} s"
        raise _Retryable(Unreachable(f"{says}: {again}.")) from None
    except aiohttp.ClientSSLError as error:
        says = f"The connection to {name} cannot be trusted ({_words(error)})"
        raise Unreachable(f"{says}: {again}.") from None
    except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError):
        says = f"{name} broke off in the middle of its answer: {again}."
        raise _Retryable(BadDownload(says)) from None
    except (aiohttp.ClientError, OSError) as error:
        raise _Retryable(Unreachable(f"Cannot reach {name} ({_words(error)}): {again}.")) from None


def _refuse(status: int, raw: bytes, url: str) -> None:
    """Refuse an answer with another status than 200, and a web page."""
    if status != HTTPStatus.OK:
        raise BadDownload(f"{host(url)} answers {_status(status)}: {NOTHING_KEPT}.")
    if raw.lstrip()[:1] == b"<":
        raise BadDownload(
            f"{host(url)} sent a web page instead of data: {NOTHING_KEPT}; open {url} in a browser "
            "to see whether the service is down or a network login is in the way."
        )


def host(url: str) -> str:
    """The server's name, with its port if it has one."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else f"{parts.hostname}"


def _status(status: int) -> str:
    known = status in HTTPStatus.__members__.values()
    return f"{status} ({HTTPStatus(status).phrase})" if known else f"{status}"


def _words(error: Exception) -> str:
    """The reason of a failure as the system words it ("Connection refused"), without asyncio's
    text.
    """
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None)
    return os.strerror(number) if isinstance(number, int) and number > 0 else str(cause)
