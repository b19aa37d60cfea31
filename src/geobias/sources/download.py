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
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import urlsplit

import aiohttp
import msgspec

from geobias.errors import BadDownload, BadRequest, Unreachable
from geobias.http import (
    MAX_BODY_BYTES,
    Transient,
    body_of,
    explained,
    host_of,
    open_session,
    proxy_for,
    repeated,
)
from geobias.untrusted import seconds_to_wait
from geobias.version import __version__

USER_AGENT = f"geobias/{__version__} (audit of geographic bias in language models)"
RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
TIMEOUT_SECONDS = 60.0
"""Time limit of one attempt, from connecting to the last byte."""
LONGEST_RETRY_SECONDS = 60.0
"""If a server asks for a longer wait, geobias gives up."""
NOTHING_KEPT = "nothing was kept"


def service_address(variable: str, publisher: str) -> str:
    """The address in the environment variable `variable`, or else the address `publisher`."""
    url = os.environ.get(variable, "").strip() or publisher
    try:
        _ = urlsplit(url).port
    except ValueError as error:
        raise BadRequest(f"{variable} is not an address: {error}") from None
    return url.rstrip("/")


async def get_json(url: str, *, fallback: str) -> bytes:
    """The bytes at this address, which are complete, well-formed JSON, without a byte-order mark.

    A 400 or 404 with JSON is accepted too, since its JSON says what was wrong with the request.
    Raises `BadDownload` for any other response, and `Unreachable`, with `fallback` at the end of
    its message, without a response.
    """

    def accept(response: aiohttp.ClientResponse, raw: bytes) -> bytes:
        if host_of(url) != (sent_on := host_of(str(response.url))):
            raise BadDownload(
                f"{host_of(url)} redirects to {sent_on}: {NOTHING_KEPT}; a network login may be in "
                "the way."
            )
        raw = raw.removeprefix(codecs.BOM_UTF8).strip()
        if not (response.status in (400, 404) and raw[:1] in (b"[", b"{")):
            _refuse(response.status, raw, url)
        try:
            msgspec.json.decode(raw, type=msgspec.Raw)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            sent = f"{host_of(url)} sent {len(raw):,} bytes that are not complete JSON"
            raise Transient("malformed", sent) from None
        return raw

    return await _fetch(url, accept, fallback)


async def get_file(url: str, *, sha256: str, fallback: str) -> bytes:
    """Return the file with this hash. Raises `BadDownload` for another one, else `Unreachable`."""

    def accept(response: aiohttp.ClientResponse, raw: bytes) -> bytes:
        _refuse(response.status, raw, url)
        if (actual := hashlib.sha256(raw).hexdigest()) != sha256:
            raise BadDownload(
                f"{host_of(url)} sent another file than was asked for (SHA-256 {actual[:12]}…, not "
                f"{sha256[:12]}…): {NOTHING_KEPT}."
            )
        return raw

    return await _fetch(url, accept, fallback)


async def _fetch(
    url: str, accept: Callable[[aiohttp.ClientResponse, bytes], bytes], fallback: str
) -> bytes:
    async def attempt() -> bytes:
        with explained("download", url, TIMEOUT_SECONDS, str):
            async with (
                open_session({"User-Agent": USER_AGENT}, TIMEOUT_SECONDS) as session,
                session.get(url, proxy=proxy_for(url)) as response,
            ):
                if response.status in RETRIED_STATUSES:
                    raise _trouble(response, url)
                raw = await body_of(response)
        if len(raw) == MAX_BODY_BYTES:
            raise BadDownload(f"{host_of(url)} sent more than 16 MiB: {NOTHING_KEPT}.")
        return accept(response, raw)

    try:
        return await repeated(attempt)
    except Transient as trouble:
        again = f"check the connection and run the same command again, or {fallback}"
        raise Unreachable(f"{trouble}: {again}.") from None


def _trouble(response: aiohttp.ClientResponse, url: str) -> Transient:
    wait = seconds_to_wait(response.headers.get("Retry-After"))
    if wait and wait > LONGEST_RETRY_SECONDS:
        says = f"{host_of(url)} asks to wait {wait:,.0f} s: run the same command again then."
        raise Unreachable(says)
    says = f"{host_of(url)} answers {_status(response.status)}"
    return Transient(f"HTTP {response.status}", says, retry_after=wait)


def _refuse(status: int, raw: bytes, url: str) -> None:
    if status != HTTPStatus.OK:
        raise BadDownload(f"{host_of(url)} answers {_status(status)}: {NOTHING_KEPT}.")
    if raw.lstrip()[:1] == b"<":
        raise BadDownload(
            f"{host_of(url)} sent a web page instead of data: {NOTHING_KEPT}; open {url} in a "
            "browser to see whether the service is down or a network login is in the way."
        )


def _status(status: int) -> str:
    known = status in HTTPStatus.__members__.values()
    return f"{status} ({HTTPStatus(status).phrase})" if known else f"{status}"
