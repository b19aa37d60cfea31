"""One polite request: says who is asking, waits its turn, tries again when that may help.

What can go wrong, and what is done about it:

    no connection, cut off, no answer in time, half a JSON     again, then given up
    408, 425, 429, 500, 502, 503, 504                          again, after Retry-After if given
    any other status, a web page, too many bytes, wrong hash   given up at once
    sent on to another server, where an answer was asked for   given up at once

pooch holds no limit on size, resumes nothing and blocks the event loop; tenacity would replace the
ten lines of the loop in `_with_retries` and none of these rules. So both are done without.
"""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from http.client import responses
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import aiohttp
import msgspec

from geobias.errors import BadDownload, BadRequest, CannotWrite, Unreachable
from geobias.untrusted import seconds_to_wait
from geobias.version import __version__

T = TypeVar("T")

USER_AGENT = f"geobias/{__version__} (audit of geographic bias in language models)"
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def user_agent() -> str:
    """Who is asking, with $GEOBIAS_CONTACT, an address at which a service may complain."""
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
    concurrency: int = 4
    attempts: int = 4
    timeout_seconds: float = 60.0
    """For one attempt, from connecting to the last byte."""
    interval_seconds: float = 0.0
    """Between the beginnings of two requests."""
    first_wait_seconds: float = 0.5
    """Before the second attempt; doubles each time, and half of it is left to chance."""
    longest_wait_seconds: float = 60.0
    """A server that asks for more patience than this is left alone."""
    max_bytes: int = 8 << 20
    """Of one answer, unpacked. A page of 1,000 World Bank figures is a quarter of a megabyte."""


LIMITS = RequestLimits()
"""Of a service that has none of its own."""


class PartialFile(NamedTuple):
    """A big file while it comes, of known size: what is there of it stays when the line breaks."""

    path: Path
    size: int

    def length(self) -> int:
        """Bytes that have come; more than there can be are thrown away."""
        length = self.path.stat().st_size if self.path.exists() else 0
        if length > self.size:
            self.drop()
            return 0
        return length

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)

    def append(self, part: bytes) -> None:
        try:
            with self.path.open("ab") as file:
                file.write(part)
        except OSError as error:
            raise CannotWrite(
                f"Cannot write {self.path} ({error.strerror}): set GEOBIAS_CACHE to a folder with "
                "room for it; what has come is kept."
            ) from None


class _Retryable(Exception):
    """A failure that may not happen again; `wait` is how long the server asks to wait, in s."""

    def __init__(self, failure: BadDownload | Unreachable, wait: float | None = None) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.wait = wait


class Downloader:
    """Connections to one or more servers, shared by all requests of a pull.

    `fallback` ends the message when a server cannot be reached: what can be done without it.
    `sleep` and `chance` are there for tests.
    """

    def __init__(
        self,
        limits: RequestLimits | None = None,
        *,
        fallback: str = "",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.limits = limits or LIMITS
        self._fallback = f", or {fallback}" if fallback else ""
        self._sleep = sleep
        self._chance = chance
        self._slots = asyncio.Semaphore(self.limits.concurrency)
        self._pace = asyncio.Lock()
        self._next_start = 0.0
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> Downloader:
        return self

    async def __aexit__(self, *_: object) -> None:
        for session in self._sessions.values():
            await session.close()

    async def json(self, url: str, *, post: Mapping[str, object] | None = None) -> bytes:
        """The bytes at this address, which are whole, well-formed JSON.

        With `post`, what is answered to this JSON.

        A byte-order mark is dropped (the World Bank sends one at times). A 400 or 404 with JSON is
        an answer too: it says what was wrong with the question. Raises `BadDownload` where
        something else came, `Unreachable` where nothing did.
        """

        def accept(response: aiohttp.ClientResponse, raw: bytes) -> bytes:
            _refuse_another_server(url, response)
            raw = raw.removeprefix(codecs.BOM_UTF8).strip()
            if not (response.status in (400, 404) and raw[:1] in (b"[", b"{")):
                _refuse_status(response.status, url)
            _refuse_web_page(raw, url)
            try:
                msgspec.json.decode(raw, type=msgspec.Raw)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                sent = f"{host(url)} sent {len(raw):,} bytes that are no whole JSON"
                again = "nothing was kept; run the same command again."
                raise _Retryable(BadDownload(f"{sent}: {again}")) from None
            return raw

        return await self._fetch(url, accept, post)

    async def file(self, url: str, *, sha256: str | None = None) -> bytes:
        """The bytes at this address to the last one, which have this hash, if one is known.

        Raises as `json` does.
        """

        def accept(response: aiohttp.ClientResponse, raw: bytes) -> bytes:
            _refuse_status(response.status, url)
            _refuse_web_page(raw, url)
            if sha256 is not None and (actual := hashlib.sha256(raw).hexdigest()) != sha256:
                raise BadDownload(
                    f"{host(url)} sent another file than was asked for (SHA-256 {actual[:12]}…, "
                    f"not {sha256[:12]}…): nothing was kept."
                )
            return raw

        return await self._fetch(url, accept)

    async def save(
        self, url: str, partial: PartialFile, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Fetch a big file, going on behind what is there of it already.

        `progress` is called with the bytes that are here and the bytes there are. The file stays
        as it is when the connection breaks off. Raises as `json` does, and drops the file where
        something else came than was promised.
        """

        async def attempt() -> None:
            begin = partial.length()
            if progress:
                progress(begin, partial.size)
            if begin < partial.size:
                async with self._request(url, begin=begin, packed=False) as response:
                    _refuse_another_part(response, url, begin)
                    if response.status == HTTPStatus.OK:
                        partial.drop()  # the server begins at the beginning
                    await _append(response, url, partial, progress)

        await self._with_retries(url, attempt)

    async def _fetch(
        self,
        url: str,
        accept: Callable[[aiohttp.ClientResponse, bytes], bytes],
        post: Mapping[str, object] | None = None,
    ) -> bytes:
        """What `accept` makes of the answer and its bytes."""

        async def attempt() -> bytes:
            async with self._request(url, post=post) as response:
                return accept(response, await self._body(response, url))

        return await self._with_retries(url, attempt)

    async def _with_retries(self, url: str, attempt_once: Callable[[], Awaitable[T]]) -> T:
        wait = self.limits.first_wait_seconds
        for attempt in range(1, self.limits.attempts + 1):
            try:
                async with self._slots:
                    return await attempt_once()
            except _Retryable as trouble:
                if attempt == self.limits.attempts:
                    raise trouble.failure from None
                pause = max(wait * (0.5 + self._chance() / 2), trouble.wait or 0.0)
                if pause > self.limits.longest_wait_seconds:
                    raise Unreachable(
                        f"{host(url)} asks to wait {pause:,.0f} s: run the same command again then."
                    ) from None
                await self._sleep(pause)
                wait = min(wait * 2, self.limits.longest_wait_seconds)
        raise AssertionError("RequestLimits.attempts is at least 1")

    @asynccontextmanager
    async def _request(
        self,
        url: str,
        *,
        post: Mapping[str, object] | None = None,
        begin: int = 0,
        packed: bool = True,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer to one request while it is read; what goes wrong with that is sorted here."""
        name = host(url)
        again = "check the connection and run the same command again" + self._fallback
        await self._wait_for_pace()
        headers = {"Range": f"bytes={begin}-"} if begin else {}
        if not packed:
            headers["Accept-Encoding"] = "identity"  # bytes are counted as they lie there
        method = "GET" if post is None else "POST"
        ask = self._session(url).request(method, url, json=post, headers=headers, max_redirects=5)
        try:
            async with ask as response:
                if response.status in RETRIED_STATUSES:
                    says = f"answers {_status(response.status)}: run the same command again later."
                    wait = seconds_to_wait(response.headers.get("Retry-After"))
                    raise _Retryable(Unreachable(f"{name} {says}"), wait)
                yield response
        except TimeoutError:
            says = f"{name} gave no whole answer within {self.limits.timeout_seconds:g} s: {again}."
            raise _Retryable(Unreachable(says)) from None
        except aiohttp.ClientSSLError as error:
            says = f"The connection to {name} cannot be trusted ({_words(error)}): {again}."
            raise Unreachable(says) from None
        except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError):
            says = f"{name} broke off in the middle of its answer: {again}."
            raise _Retryable(BadDownload(says)) from None
        except (aiohttp.ClientError, OSError) as error:
            says = f"Cannot reach {name} ({_words(error)}): {again}."
            raise _Retryable(Unreachable(says)) from None

    async def _wait_for_pace(self) -> None:
        """Begin no sooner after the last request than the limits ask for."""
        if not self.limits.interval_seconds:
            return
        async with self._pace:
            now = asyncio.get_running_loop().time()
            if now < self._next_start:
                await self._sleep(self._next_start - now)
            self._next_start = max(now, self._next_start) + self.limits.interval_seconds

    async def _body(self, response: aiohttp.ClientResponse, url: str) -> bytes:
        """Reading stops where it is too long to be true."""
        body = bytearray()
        async for part in response.content.iter_chunked(1 << 16):
            body += part
            if len(body) > self.limits.max_bytes:
                most = self.limits.max_bytes / (1 << 20)
                raise BadDownload(f"{host(url)} sent more than {most:,.3g} MiB: nothing was kept.")
        return bytes(body)

    def _session(self, url: str) -> aiohttp.ClientSession:
        """Through the user's proxy (HTTPS_PROXY), except to this machine itself."""
        outside = urlsplit(url).hostname not in LOOPBACK
        if outside not in self._sessions:
            self._sessions[outside] = aiohttp.ClientSession(
                headers={"User-Agent": user_agent(), "Accept": "application/json, */*;q=0.5"},
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=self.limits.timeout_seconds),
                trust_env=outside,
            )
        return self._sessions[outside]


async def _append(
    response: aiohttp.ClientResponse,
    url: str,
    partial: PartialFile,
    progress: Callable[[int, int], None] | None,
) -> None:
    length = partial.length()
    async for part in response.content.iter_chunked(1 << 18):
        if not length:
            _refuse_web_page(part, url)
        length += len(part)
        if length > partial.size:
            partial.drop()
            most = f"{partial.size:,} bytes"
            raise BadDownload(f"{host(url)} sent more than {most}: nothing was kept.")
        partial.append(part)
        if progress:
            progress(length, partial.size)
    if length < partial.size:
        sent = f"{host(url)} sent {length:,} of {partial.size:,} bytes"
        again = "run the same command again, it goes on from there."
        raise _Retryable(BadDownload(f"{sent}: {again}"))


def _refuse_another_part(response: aiohttp.ClientResponse, url: str, begin: int) -> None:
    if response.status == HTTPStatus.PARTIAL_CONTENT:
        if not response.headers.get("Content-Range", "").startswith(f"bytes {begin}-"):
            raise BadDownload(f"{host(url)} sent another part of the file than was asked for.")
    else:
        _refuse_status(response.status, url)
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise BadDownload(f"{host(url)} sent the file packed another time: nothing was kept.")


def _refuse_another_server(url: str, response: aiohttp.ClientResponse) -> None:
    """A service that sends us on to another server is not the one that was asked."""
    asked, answered = urlsplit(url), urlsplit(str(response.url))
    if (asked.hostname, asked.port) != (answered.hostname, answered.port):
        raise BadDownload(
            f"{host(url)} sends on to {host(str(response.url))}: nothing was kept; a network login "
            "may be in the way."
        )


def _refuse_status(status: int, url: str) -> None:
    if status == HTTPStatus.OK:
        return
    contact = ""
    if status == HTTPStatus.FORBIDDEN and not os.environ.get("GEOBIAS_CONTACT", "").strip():
        contact = "; it may want to know who asks, so set GEOBIAS_CONTACT to your e-mail address"
    raise BadDownload(f"{host(url)} answers {_status(status)}: nothing was kept{contact}.")


def _refuse_web_page(raw: bytes, url: str) -> None:
    if raw.lstrip()[:1] == b"<":
        raise BadDownload(
            f"{host(url)} sent a web page instead of data: nothing was kept; open {url} in a "
            "browser to see whether the service is down or a network login is in the way."
        )


def decode_answer(raw: bytes, kind: type[T], service: str, what: str) -> T:
    """JSON in the shape of `kind`, which a `BadDownload` calls `what` where it is another."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadDownload(f"{service} sent something else than {what}: nothing kept.") from None


async def gather_or_cancel(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results; where one fails, the others are stopped."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def host(url: str) -> str:
    """The server's name, with its port if it has one."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else f"{parts.hostname}"


def _status(status: int) -> str:
    phrase = responses.get(status)
    return f"{status} ({phrase})" if phrase else f"{status}"


def _words(error: Exception) -> str:
    """Why, in the system's words ("Connection refused"), which asyncio wraps in its own."""
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None)
    if isinstance(number, int) and number > 0:
        return os.strerror(number)
    words = getattr(cause, "strerror", None) or str(cause) or type(error).__name__
    return str(words).splitlines()[0].rstrip(".")
