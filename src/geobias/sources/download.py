"""One polite request: says who is asking, waits its turn, tries again when that may help.

What can go wrong, and what is done about it:

    no connection, cut off, no answer in time, half a JSON     again, then given up
    408, 425, 429, 500, 502, 503, 504                          again, after Retry-After if given
    any other status, a web page, too many bytes, wrong hash   given up at once
    sent on to another server, where an answer was asked for   given up at once
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import msgspec

from geobias import __version__
from geobias.errors import BadDownload, BadRequest, Unreachable
from geobias.retry_after import seconds_to_wait
from geobias.sources.draft import Draft

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")

USER_AGENT = f"geobias/{__version__} (audit of geographic bias in language models)"
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def user_agent() -> str:
    """Who is asking, with $GEOBIAS_CONTACT, an address at which a service may complain."""
    contact = os.environ.get("GEOBIAS_CONTACT", "").strip()
    if not contact:
        return USER_AGENT
    if not contact.isascii() or not contact.isprintable() or len(contact) > 200:
        raise BadRequest("GEOBIAS_CONTACT should be an e-mail address or the address of a page.")
    return f"{USER_AGENT[:-1]}; {contact})"


class Manners(msgspec.Struct, frozen=True):
    """How much is asked of a server."""

    at_once: int = 4
    """Requests in flight."""
    attempts: int = 4
    timeout_seconds: float = 60.0
    """For one attempt, from connecting to the last byte."""
    apart_seconds: float = 0.0
    """Between the beginnings of two requests."""
    first_wait_seconds: float = 0.5
    """Before the second attempt; doubles each time, and half of it is left to chance."""
    longest_wait_seconds: float = 60.0
    """A server that asks for more patience than this is left alone."""
    most_bytes: int = 8 << 20
    """Of one answer, unpacked. A page of 1,000 World Bank figures is a quarter of a megabyte."""


class _Passing(Exception):
    """A failure that may not happen again; `wait` is how long the server asks to wait, in s."""

    def __init__(self, failure: BadDownload | Unreachable, wait: float | None = None) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.wait = wait


class Downloader:
    """Connections to one or more servers, shared by all requests of a pull.

    `otherwise` ends the message when a server cannot be reached: what can be done without it.
    `sleep` and `chance` are there for tests.
    """

    def __init__(
        self,
        manners: Manners | None = None,
        *,
        otherwise: str = "",
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.manners = manners or Manners()
        self._otherwise = f", or {otherwise}" if otherwise else ""
        self._sleep = sleep
        self._chance = chance
        self._turn = asyncio.Semaphore(self.manners.at_once)
        self._pace = asyncio.Lock()
        self._may_begin = 0.0
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> Downloader:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        for session in self._sessions.values():
            await session.close()

    async def json(
        self, url: str, *, sha256: str | None = None, post: Mapping[str, object] | None = None
    ) -> bytes:
        """The bytes at this address, which are whole, well-formed JSON (and have this hash).

        With `post`, what is answered to this JSON.

        A byte-order mark is dropped (the World Bank sends one at times). A 400 or 404 with JSON is
        an answer too: it says what was wrong with the question. Raises `BadDownload` where
        something else came, `Unreachable` where nothing did.
        """

        def check(status: int, raw: bytes) -> bytes:
            raw = raw.removeprefix(_BYTE_ORDER_MARK).strip()
            if not (status in (400, 404) and raw[:1] in (b"[", b"{")):
                _refuse_status(status, url)
            return checked_json(raw, url, sha256)

        return await self._checked(url, check, post=post, elsewhere=False)

    async def file(self, url: str, *, sha256: str | None = None) -> bytes:
        """The bytes at this address to the last one, which have this hash, if one is known.

        Raises as `json` does.
        """

        def check(status: int, raw: bytes) -> bytes:
            _refuse_status(status, url)
            if raw.lstrip()[:1] == b"<":
                _refuse_page(url)
            if sha256 is not None:
                _refuse_other(raw, url, sha256)
            return raw

        return await self._checked(url, check)

    async def save(
        self, url: str, draft: Draft, *, progress: Callable[[int], None] | None = None
    ) -> None:
        """Fetch a big file, going on behind what is there of it already.

        The draft stays as it is when the connection breaks off. Raises as `json` does, and drops
        the draft where something else came than was promised.
        """

        def tell() -> None:
            if progress:
                progress(draft.there())

        async def attempt() -> None:
            begin = draft.there()
            tell()
            if begin < draft.size:
                async with self._answer(url, begin=begin, whole=True) as response:
                    _refuse_other_part(response, url, begin)
                    if response.status == HTTPStatus.OK:
                        draft.drop()  # the server begins at the beginning
                    await _append(response, url, draft, tell)

        await self._patiently(url, attempt)

    async def _checked(
        self,
        url: str,
        check: Callable[[int, bytes], bytes],
        *,
        post: Mapping[str, object] | None = None,
        elsewhere: bool = True,
    ) -> bytes:
        """What `check` makes of status and body, asked for again where that may help."""

        async def attempt() -> bytes:
            async with self._answer(url, post=post) as response:
                if not elsewhere:
                    _refuse_elsewhere(url, response)
                return check(response.status, await self._read(response, host(url)))

        return await self._patiently(url, attempt)

    async def _patiently(self, url: str, attempt_once: Callable[[], Awaitable[T]]) -> T:
        """One request, made again where that may help."""
        wait = self.manners.first_wait_seconds
        for attempt in range(1, self.manners.attempts + 1):
            try:
                async with self._turn:
                    return await attempt_once()
            except _Passing as passing:
                if attempt == self.manners.attempts:
                    raise passing.failure from None
                pause = max(wait * (0.5 + self._chance() / 2), passing.wait or 0.0)
                if pause > self.manners.longest_wait_seconds:
                    raise Unreachable(
                        f"{host(url)} asks to wait {pause:,.0f} s: run the same command again then."
                    ) from None
                await self._sleep(pause)
                wait = min(wait * 2, self.manners.longest_wait_seconds)
        raise AssertionError("Manners.attempts is at least 1")

    @asynccontextmanager
    async def _answer(
        self,
        url: str,
        *,
        post: Mapping[str, object] | None = None,
        begin: int = 0,
        whole: bool = False,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer to one request while it is read; what goes wrong with that is sorted here."""
        import aiohttp

        name = host(url)
        again = "check the connection and run the same command again" + self._otherwise
        await self._wait_for_pace()
        headers = {"Range": f"bytes={begin}-"} if begin else {}
        if whole:
            headers["Accept-Encoding"] = "identity"  # bytes are counted as they lie there
        try:
            async with self._session(url).request(
                "GET" if post is None else "POST",
                url,
                json=post,
                headers=headers,
                max_redirects=5,
            ) as response:
                if response.status in PASSING:
                    words = _status(response.status)
                    raise _Passing(
                        Unreachable(f"{name} answers {words}: run the same command again later."),
                        seconds_to_wait(response.headers.get("Retry-After")),
                    )
                yield response
        except TimeoutError:
            seconds = self.manners.timeout_seconds
            raise _Passing(
                Unreachable(f"{name} gave no whole answer within {seconds:g} s: {again}.")
            ) from None
        except aiohttp.ClientSSLError as error:
            raise Unreachable(
                f"The connection to {name} cannot be trusted ({_words(error)}): {again}."
            ) from None
        except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError):
            raise _Passing(
                BadDownload(f"{name} broke off in the middle of its answer: {again}.")
            ) from None
        except (aiohttp.ClientError, OSError) as error:
            raise _Passing(
                Unreachable(f"Cannot reach {name} ({_words(error)}): {again}.")
            ) from None

    async def _wait_for_pace(self) -> None:
        """Begin no sooner after the last request than manners ask for."""
        if not self.manners.apart_seconds:
            return
        async with self._pace:
            now = asyncio.get_running_loop().time()
            if now < self._may_begin:
                await self._sleep(self._may_begin - now)
            self._may_begin = max(now, self._may_begin) + self.manners.apart_seconds

    async def _read(self, response: aiohttp.ClientResponse, name: str) -> bytes:
        """The body; reading stops where it is too long to be true."""
        parts: list[bytes] = []
        size = 0
        async for part in response.content.iter_chunked(1 << 16):
            parts.append(part)
            size += len(part)
            if size > self.manners.most_bytes:
                most = self.manners.most_bytes / (1 << 20)
                raise BadDownload(f"{name} sent more than {most:,.3g} MiB: nothing was kept.")
        return b"".join(parts)

    def _session(self, url: str) -> aiohttp.ClientSession:
        """Through the user's proxy (HTTPS_PROXY), except to this machine itself."""
        import aiohttp

        outside = urlsplit(url).hostname not in LOOPBACK
        if outside not in self._sessions:
            self._sessions[outside] = aiohttp.ClientSession(
                headers={"User-Agent": user_agent(), "Accept": "application/json, */*;q=0.5"},
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=self.manners.timeout_seconds),
                trust_env=outside,
            )
        return self._sessions[outside]


async def _append(
    response: aiohttp.ClientResponse, url: str, draft: Draft, tell: Callable[[], None]
) -> None:
    there = draft.there()
    async for part in response.content.iter_chunked(1 << 18):
        if not there and part.lstrip()[:1] == b"<":
            _refuse_page(url)
        there += len(part)
        if there > draft.size:
            draft.drop()
            raise BadDownload(f"{host(url)} sent more than {draft.size:,} bytes: nothing was kept.")
        draft.append(part)
        tell()
    if there < draft.size:
        raise _Passing(
            BadDownload(
                f"{host(url)} sent {there:,} of {draft.size:,} bytes: run the same command again, "
                "it goes on from there."
            )
        )


def _refuse_other_part(response: aiohttp.ClientResponse, url: str, begin: int) -> None:
    if response.status == HTTPStatus.PARTIAL_CONTENT:
        if not response.headers.get("Content-Range", "").startswith(f"bytes {begin}-"):
            raise BadDownload(f"{host(url)} sent another part of the file than was asked for.")
    else:
        _refuse_status(response.status, url)
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise BadDownload(f"{host(url)} sent the file packed another time: nothing was kept.")


def checked_json(raw: bytes, url: str, sha256: str | None) -> bytes:
    """The bytes if they are what was asked for; half a JSON may be whole at the next attempt."""
    if sha256 is not None:
        _refuse_other(raw, url, sha256)
    if raw[:1] == b"<":
        _refuse_page(url)
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise _Passing(
            BadDownload(
                f"{host(url)} sent {len(raw):,} bytes that are no whole JSON: nothing was kept; "
                "run the same command again."
            )
        ) from None
    return raw


def _refuse_elsewhere(url: str, response: aiohttp.ClientResponse) -> None:
    """A service that sends us on to another server is not the one that was asked."""
    asked, answered = urlsplit(url), urlsplit(str(response.url))
    if (asked.hostname, asked.port) != (answered.hostname, answered.port):
        raise BadDownload(
            f"{host(url)} sends on to {host(str(response.url))}: nothing was kept; a network login "
            "may be in the way."
        )


def _refuse_status(status: int, url: str) -> None:
    if status == HTTPStatus.FORBIDDEN and not os.environ.get("GEOBIAS_CONTACT", "").strip():
        raise BadDownload(
            f"{host(url)} answers {_status(status)}: nothing was kept; it may want to know who "
            "asks, so set GEOBIAS_CONTACT to your e-mail address."
        )
    if status != HTTPStatus.OK:
        raise BadDownload(f"{host(url)} answers {_status(status)}: nothing was kept.")


def _refuse_page(url: str) -> None:
    raise BadDownload(
        f"{host(url)} sent a web page instead of data: nothing was kept; open {url} in a browser "
        "to see whether the service is down or a network login is in the way."
    )


def _refuse_other(raw: bytes, url: str, sha256: str) -> None:
    if (found := hashlib.sha256(raw).hexdigest()) != sha256:
        raise BadDownload(
            f"{host(url)} sent another file than was asked for (SHA-256 {found[:12]}…, not "
            f"{sha256[:12]}…): nothing was kept."
        )


def host(url: str) -> str:
    """The server's name, with its port if it has one."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else f"{parts.hostname}"


def _status(status: int) -> str:
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return f"{status}"


def _words(error: Exception) -> str:
    """Why, in the system's words ("Connection refused"), which asyncio wraps in its own."""
    cause = getattr(error, "os_error", error)
    number = getattr(cause, "errno", None)
    if isinstance(number, int) and number > 0:
        return os.strerror(number)
    words = getattr(cause, "strerror", None) or str(cause) or type(error).__name__
    return str(words).splitlines()[0].rstrip(".")
