"""HTTP to servers that may be broken or hostile: every response is limited in size and time.

A failure that may pass is a `Transient`.

aiohttp unpacks a body in pieces of limited size, and only as fast as they are read. But a server
may send any number of provisional responses (1xx) before the final one, which aiohttp reads
without a limit; `BoundedProtocol` counts them.
"""

from __future__ import annotations

import asyncio
from asyncio import sleep
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

from geobias.errors import BadRequest
from geobias.trials import Reply
from geobias.untrusted import Lines, TooMuch

T = TypeVar("T")
MAX_BODY_BYTES = 16 << 20
"""Maximum size of an unpacked body, more than any model writes. Longer bodies are cut off."""
CONNECT_SECONDS = 15.0
MOST_HEADS = 100
"""Maximum number of responses to one request, including provisional ones."""


class Transient(Exception):
    """This attempt failed, but another may succeed.

    kind           a short word under which the failure is counted
    overloaded     whether the server asks for fewer calls
    retry_after    the seconds that the server asks to wait; None if it names none
    attempts       maximum number of attempts after this failure; None for the engine's default
    last_word      the reply to record if all attempts fail; None leaves the trial open until the
                   run is resumed
    may_be_billed  whether the server may charge for the attempt
    used           the tokens in and out that the server is known to have charged; the next attempt
                   then starts without a wait
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        overloaded: bool = False,
        retry_after: float | None = None,
        attempts: int | None = None,
        last_word: Reply | None = None,
        may_be_billed: bool = True,
        used: tuple[int | None, int | None] | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.overloaded = overloaded
        self.retry_after = retry_after
        self.attempts = attempts
        self.last_word = last_word
        self.may_be_billed = may_be_billed
        self.used = used


ATTEMPTS = 4
LONGEST_WAIT = 30.0
"""Maximum seconds between two attempts of `repeated`, since a person waits."""
BACKOFF_SECONDS = 0.25


async def repeated(work: Callable[[], Awaitable[T]]) -> T:
    """Return the result of `work`, which is repeated after temporary failures.

    Raises Transient after ATTEMPTS failures, or after fewer if the failure sets a maximum.
    """
    attempt = 1
    while True:
        try:
            return await work()
        except Transient as trouble:
            if attempt >= min(ATTEMPTS, trouble.attempts or ATTEMPTS):
                raise
            if trouble.used is None:
                pause = trouble.retry_after or BACKOFF_SECONDS * 2**attempt
                await sleep(min(LONGEST_WAIT, pause))
                attempt += 1


class BoundedProtocol(ResponseHandler):
    """aiohttp's connection protocol, with a limit of MOST_HEADS responses to a request."""

    _heads = 0

    def set_response_params(self, **params: Any) -> None:
        self._heads = 0  # of the next request
        super().set_response_params(**params)

    def feed_data(self, data: Any, size: int = 0) -> None:
        self._heads += 1
        if self._heads <= MOST_HEADS:
            super().feed_data(data, size)
        elif self.transport is not None:
            self.set_exception(HttpProcessingError(message="provisional answers without end"))
            self.transport.abort()


def open_session(headers: Mapping[str, str], timeout: float) -> aiohttp.ClientSession:
    """Open a session without cookies, and without a limit of connections."""
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=60)
    connector._factory = partial(BoundedProtocol, asyncio.get_running_loop())  # type: ignore[assignment]
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"Accept-Encoding": "gzip, deflate", **headers},
        timeout=timeout_of(timeout),
    )


@lru_cache
def timeout_of(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, sock_connect=min(CONNECT_SECONDS, seconds))


async def body_of(response: aiohttp.ClientResponse) -> bytes:
    """Read the body, up to MAX_BODY_BYTES."""
    body = bytearray()
    async for part in response.content.iter_any():
        body += part
        if len(body) > MAX_BODY_BYTES:
            break
    return bytes(body[:MAX_BODY_BYTES])


async def lines_of(
    response: aiohttp.ClientResponse, *, most: int, most_lines: int, most_line: int
) -> AsyncIterator[bytes]:
    """Yield the lines of the body. Raises `TooMuch` if it exceeds a limit."""
    lines, size = Lines(most_lines, most_line), 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > most:
            raise TooMuch(f"there are more than {most >> 20:,} MiB")
        for line in lines.feed(part):
            yield line
    for line in lines.end():
        yield line


@contextmanager
def explained(
    name: str, url: str, timeout: float, words: Callable[[Exception], str]
) -> Iterator[None]:
    """Turn network errors and timeouts into `Transient`, with the model's name.

    `words` returns the description of an error without secrets.
    """
    try:
        yield
    except TooMuch:
        raise
    except aiohttp.ConnectionTimeoutError:  # nothing was sent
        why = f"{name}: cannot reach {host_of(url)} within {timeout_of(timeout).sock_connect:g} s"
        raise Transient("no connection", why, may_be_billed=False) from None
    except (TimeoutError, aiohttp.ServerTimeoutError):
        raise Transient("timeout", f"{name}: no answer within {timeout:g} s") from None
    except aiohttp.ClientConnectorError as error:
        why = f"{name}: cannot reach {host_of(url)}: {error.os_error}"
        raise Transient("no connection", why, may_be_billed=False) from None
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
        raise BadRequest(f"{name}: not an address: {words(error)}") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise Transient("cut off", f"{name}: the connection broke: {words(error)}") from None


def host_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")


def proxy_for(url: str) -> str | None:
    """Return the user's proxy for an address, or None.

    The proxy is looked up once, since reading the environment for every call takes time.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in ("127.0.0.1", "localhost", "::1") or proxy_bypass(host):
        return None
    return getproxies().get(parts.scheme)
