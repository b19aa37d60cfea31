"""Polite downloads: each request identifies geobias, and is repeated if that may help.

What can go wrong, and what happens then:

    no connection, cut off, timeout, incomplete JSON           repeated, then given up
    408, 425, 429, 500, 502, 503, 504                          repeated, after Retry-After if given
    any other status, a web page, too many bytes, wrong hash   given up at once
    a redirect to another server, for an answer in JSON        given up at once
"""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TypeVar
from urllib.parse import urlsplit

import aiohttp
import msgspec
import tenacity

from geobias.errors import BadDownload, BadRequest, Unreachable
from geobias.untrusted import seconds_to_wait
from geobias.version import __version__

T = TypeVar("T")

USER_AGENT = f"geobias/{__version__} (audit of geographic bias in language models)"
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def user_agent() -> str:
    """The User-Agent header, with the contact address in $GEOBIAS_CONTACT if set."""
    contact = os.environ.get("GEOBIAS_CONTACT", "").strip()
    if not contact:
        return USER_AGENT
    if not contact.isascii() or not contact.isprintable() or len(contact) > 200:
        raise BadRequest("GEOBIAS_CONTACT should be an e-mail address or the address of a page.")
    return f"{USER_AGENT[:-1]}; {contact})"


def service_address(variable: str, publisher: str) -> str:
    """The address in this environment variable, or the publisher's own."""
    return os.environ.get(variable, "").strip() or publisher


class RequestLimits(msgspec.Struct, frozen=True):
    attempts: int = 4
    timeout_seconds: float = 60.0
    """Limit for one attempt, from connecting to the last byte."""
    interval_seconds: float = 0.0
    """Pause before each request."""
    first_wait_seconds: float = 0.5
    """Wait before the second attempt. It doubles each time, and up to as much again is added at
    random.
    """
    longest_wait_seconds: float = 60.0
    """A server that asks for a longer wait is given up."""
    max_bytes: int = 16 << 20
    """Maximum size of one answer, unpacked. A whole series of the World Bank has four megabytes."""


LIMITS = RequestLimits()
"""Limits for services that declare none."""


class _Retryable(Exception):
    """A failure that may not happen again; `wait` are the seconds that the server asks to wait."""

    def __init__(self, failure: BadDownload | Unreachable, wait: float = 0.0) -> None:
        self.failure, self.wait = failure, wait


class Downloader:
    """Connections to one or more servers, shared by all requests of a download.

    `fallback` ends the message when a server cannot be reached, and says what the user can do
    without it. `sleep` is replaced in tests.
    """

    def __init__(
        self,
        limits: RequestLimits = LIMITS,
        *,
        fallback: str = "",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.limits = limits
        self._again = "check the connection and run the same command again"
        self._again += f", or {fallback}" if fallback else ""
        self._sleep = sleep
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> Downloader:
        return self

    async def __aexit__(self, *_: object) -> None:
        for session in self._sessions.values():
            await session.close()

    async def json(self, url: str) -> bytes:
        """The bytes at this address, which are complete, well-formed JSON.

        A byte-order mark is dropped, since the World Bank sometimes sends one. A 400 or 404 with
        JSON is an answer too, which says what was wrong with the request. Raises `BadDownload` if
        something else came, `Unreachable` if nothing did.
        """

        def accept(response: aiohttp.ClientResponse, raw: bytes) -> bytes:
            if host(url) != (sent_on := host(str(response.url))):
                raise BadDownload(
                    f"{host(url)} sends on to {sent_on}: nothing was kept; a network login may be "
                    "in the way."
                )
            raw = raw.removeprefix(codecs.BOM_UTF8).strip()
            if not (response.status in (400, 404) and raw[:1] in (b"[", b"{")):
                _refuse(response.status, raw, url)
            try:
                msgspec.json.decode(raw, type=msgspec.Raw)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                _refuse(HTTPStatus.OK, raw, url)
                sent = f"{host(url)} sent {len(raw):,} bytes that are not whole JSON"
                again = "nothing was kept; run the same command again."
                raise _Retryable(BadDownload(f"{sent}: {again}")) from None
            return raw

        return await self._fetch(url, accept)

    async def file(self, url: str, *, sha256: str) -> bytes:
        """The bytes at this address, which have this hash. Raises the same errors as `json`."""

        def accept(response: aiohttp.ClientResponse, raw: bytes) -> bytes:
            _refuse(response.status, raw, url)
            if (actual := hashlib.sha256(raw).hexdigest()) != sha256:
                raise BadDownload(
                    f"{host(url)} sent another file than was asked for (SHA-256 {actual[:12]}…, "
                    f"not {sha256[:12]}…): nothing was kept."
                )
            return raw

        return await self._fetch(url, accept)

    async def _fetch(
        self, url: str, accept: Callable[[aiohttp.ClientResponse, bytes], bytes]
    ) -> bytes:
        """The result of `accept` for the answer and its bytes."""

        async def attempt() -> bytes:
            if self.limits.interval_seconds:
                await self._sleep(self.limits.interval_seconds)
            async with self._answer(url) as response:
                return accept(response, await self._body(response, url))

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(_Retryable),
            stop=tenacity.stop_after_attempt(self.limits.attempts),
            wait=self._pause,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except _Retryable as trouble:
            raise trouble.failure from None

    def _pause(self, state: tenacity.RetryCallState) -> float:
        """The wait before the next attempt: it doubles each time and is at least what the server
        asks for.
        """
        trouble = state.outcome.exception() if state.outcome else None
        asked = trouble.wait if isinstance(trouble, _Retryable) else 0.0
        first, longest = self.limits.first_wait_seconds, self.limits.longest_wait_seconds
        usual = tenacity.wait_exponential(first, longest) + tenacity.wait_random(0, first)
        return max(asked, usual(state))

    @asynccontextmanager
    async def _answer(self, url: str) -> AsyncIterator[aiohttp.ClientResponse]:
        """Send one request and yield its answer; raise errors by whether a repetition may help."""
        name = host(url)
        try:
            async with self._session(url).get(url, max_redirects=5) as response:
                if response.status in RETRIED_STATUSES:
                    wait = seconds_to_wait(response.headers.get("Retry-After")) or 0.0
                    if wait > self.limits.longest_wait_seconds:
                        says = (
                            f"{name} asks to wait {wait:,.0f} s: run the same command again then."
                        )
                        raise Unreachable(says)
                    says = f"answers {_status(response.status)}: run the same command again later."
                    raise _Retryable(Unreachable(f"{name} {says}"), wait)
                yield response
        except TimeoutError:
            says = f"{name} gave no whole answer within {self.limits.timeout_seconds:g} s"
            raise _Retryable(Unreachable(f"{says}: {self._again}.")) from None
        except aiohttp.ClientSSLError as error:
            says = f"The connection to {name} cannot be trusted ({_words(error)})"
            raise Unreachable(f"{says}: {self._again}.") from None
        except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError):
            says = f"{name} broke off in the middle of its answer: {self._again}."
            raise _Retryable(BadDownload(says)) from None
        except (aiohttp.ClientError, OSError) as error:
            says = f"Cannot reach {name} ({_words(error)}): {self._again}."
            raise _Retryable(Unreachable(says)) from None

    async def _body(self, response: aiohttp.ClientResponse, url: str) -> bytes:
        """The body of the answer, up to the maximum size."""
        body = bytearray()
        async for part in response.content.iter_chunked(1 << 16):
            body += part
            if len(body) > self.limits.max_bytes:
                most = self.limits.max_bytes / (1 << 20)
                raise BadDownload(f"{host(url)} sent more than {most:,.3g} MiB: nothing was kept.")
        return bytes(body)

    def _session(self, url: str) -> aiohttp.ClientSession:
        """A client session that uses the user's proxy (HTTPS_PROXY), except for this machine
        itself.
        """
        outside = urlsplit(url).hostname not in LOOPBACK
        if outside not in self._sessions:
            self._sessions[outside] = aiohttp.ClientSession(
                headers={"User-Agent": user_agent(), "Accept": "application/json, */*;q=0.5"},
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=self.limits.timeout_seconds),
                trust_env=outside,
            )
        return self._sessions[outside]


def _refuse(status: int, raw: bytes, url: str) -> None:
    """Raise if the answer has a status other than 200 or is a web page."""
    if status != HTTPStatus.OK:
        contact = ""
        if status == HTTPStatus.FORBIDDEN and user_agent() == USER_AGENT:
            contact = (
                "; it may want to know who asks, so set GEOBIAS_CONTACT to your e-mail address"
            )
        raise BadDownload(f"{host(url)} answers {_status(status)}: nothing was kept{contact}.")
    if raw.lstrip()[:1] == b"<":
        raise BadDownload(
            f"{host(url)} sent a web page instead of data: nothing was kept; open {url} in a "
            "browser to see whether the service is down or a network login is in the way."
        )


def decode_answer(raw: bytes, kind: type[T], service: str, what: str) -> T:
    """The JSON as a value of `kind`. Raises `BadDownload`, which names it `what`, for another
    shape.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadDownload(f"{service} sent something else than {what}: nothing kept.") from None


def host(url: str) -> str:
    """The server's name, with its port if it has one."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else f"{parts.hostname}"


def _status(status: int) -> str:
    known = status in HTTPStatus.__members__.values()
    return f"{status} ({HTTPStatus(status).phrase})" if known else f"{status}"


def _words(error: Exception) -> str:
    """The reason in the system's words ("Connection refused"), without asyncio's wrapping."""
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None)
    if isinstance(number, int) and number > 0:
        return os.strerror(number)
    words = getattr(cause, "strerror", None) or str(cause) or type(error).__name__
    return str(words).splitlines()[0].rstrip(".")
