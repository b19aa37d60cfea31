"""HTTP to servers that may be broken or hostile: every response is limited in size and time.

A server may send any number of provisional responses (1xx) before the final one. aiohttp reads them
without a limit, so `BoundedProtocol` counts them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import HttpProcessingError

from geobias.models.model import Transient
from geobias.untrusted import ENCODINGS, Lines, TooMuch, Undecodable, Unpacker

MAX_BODY_BYTES = 16 << 20
"""Maximum size of an unpacked body, more than any model writes. Longer bodies are cut off."""
CONNECT_SECONDS = 15.0
MOST_HEADS = 100
"""Maximum number of responses to one request, including provisional ones."""


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
        headers={"Accept-Encoding": ", ".join(ENCODINGS), **headers},
        auto_decompress=False,  # `Unpacker` does it, and counts what comes out
        timeout=timeout_of(timeout),
    )


@lru_cache
def timeout_of(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds, sock_connect=min(CONNECT_SECONDS, seconds))


async def body_of(response: aiohttp.ClientResponse) -> bytes:
    """Read the body, up to MAX_BODY_BYTES. Raises `Undecodable` if it ends too soon."""
    encoding = response.headers.get("Content-Encoding", "")
    length = response.content_length
    if not encoding and length is not None and length <= MAX_BODY_BYTES:
        return await response.read()  # nearly every answer
    content, body = bytearray(), Unpacker(encoding, MAX_BODY_BYTES)
    async for piece in _pieces(response, body):
        content += piece
    return bytes(content)


async def lines_of(
    response: aiohttp.ClientResponse, *, most: int, most_lines: int, most_line: int
) -> AsyncIterator[bytes]:
    """Yield the lines of the body.

    Raises `Undecodable` if the body ends too soon, `TooMuch` if it exceeds a limit.
    """
    body = Unpacker(response.headers.get("Content-Encoding", ""), most)
    lines = Lines(most_lines, most_line)
    async for piece in _pieces(response, body):
        for line in lines.feed(piece):
            yield line
    if body.full:
        raise TooMuch(f"there are more than {most >> 20:,} MiB")
    for line in lines.end():
        yield line


async def _pieces(response: aiohttp.ClientResponse, body: Unpacker) -> AsyncIterator[bytes]:
    async for part in response.content.iter_any():
        for piece in body.feed(part):
            yield piece
        if body.over:
            break
    if not body.full and not body.whole:
        raise Undecodable("the packed answer ends too soon")


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
