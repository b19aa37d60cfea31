"""Geo20Q+'s published entities, from an address that the user gives.

The paper names a site (sites.google.com/view/llmbias20q/home) and no address of a file, so there is
none to ship. Whatever is at the address given, its hash is recorded.

A table out of what was downloaded, packed or not, with a limit on what it unpacks to.

Nothing is ever written where an archive says: a table comes out as bytes, and the cache names it.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import Path
from urllib.parse import urlsplit

from geobias.errors import BadDownload, BadRequest
from geobias.sources.cache import Cache
from geobias.sources.download import LOOPBACK, Downloader, RequestLimits

MAX_BYTES = 64 << 20
"""Of a table, unpacked. Geo20Q+'s entities are some thousand rows."""


def table_in(content: bytes, where: str) -> bytes:
    """The CSV in this content: itself, gzipped, or the only one in a zip.

    Raises `BadDownload` for anything that is no text, that unpacks to too much, or that does not
    say which of its files is meant.
    """
    if content[:2] == b"\x1f\x8b":
        table = _gunzipped(content, where)
    elif content[:4] == b"PK\x03\x04":
        table = _unzipped(content, where)
    else:
        table = content
    if len(table) > MAX_BYTES:
        most = MAX_BYTES >> 20
        raise BadDownload(f"{where} unpacks to more than {most} MiB: nothing was kept.")
    try:
        text = table.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadDownload(f"{where} is no table in UTF-8: nothing was kept.") from None
    if text.lstrip()[:1] in ("<", "{", "[", "") or "," not in text.split("\n", 1)[0]:
        raise BadDownload(f"{where} is no CSV: nothing was kept.")
    return table


def _gunzipped(content: bytes, where: str) -> bytes:
    unpack = zlib.decompressobj(wbits=31)
    try:
        table = unpack.decompress(content, MAX_BYTES + 1)
    except zlib.error as error:
        raise BadDownload(f"{where} is no whole gzip file ({error}): nothing was kept.") from None
    if not unpack.eof and len(table) <= MAX_BYTES:
        raise BadDownload(f"{where} is no whole gzip file: nothing was kept.")
    return table


def _unzipped(content: bytes, where: str) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            tables = [
                one
                for one in archive.infolist()
                if one.filename.lower().endswith(".csv") and "__MACOSX" not in one.filename
            ]
            if len(tables) != 1:
                raise BadDownload(
                    f"{where} is a zip with {len(tables)} CSV files instead of one: nothing was "
                    "kept; unpack it yourself and use `geobias entities import`."
                )
            with archive.open(tables[0]) as file:
                return file.read(MAX_BYTES + 1)  # what it says about its size may be a lie
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadDownload(f"{where} is no whole zip file ({error}): nothing was kept.") from None


NAME = "geo20q"
"""As `geobias data pull` calls it."""
SITE = "https://sites.google.com/view/llmbias20q/home"
LIMITS = RequestLimits(concurrency=1, max_bytes=MAX_BYTES)
FALLBACK = f"download the file from {SITE} in a browser and use `geobias entities import`"

_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
_LABEL = re.compile(r"[a-z0-9][a-z0-9-]{0,40}", re.ASCII)


async def pull_table(
    url: str,
    label: str,
    *,
    sha256: str | None = None,
    refresh: bool = False,
    limits: RequestLimits | None = None,
) -> tuple[Path, str, bool]:
    """A table of entities in the cache, its SHA-256, and whether it was fetched for that.

    `label` tells several apart ("people", "things"). With `sha256` another file is refused.
    """
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise BadRequest(f"{url!r} is no address of a file: it should begin with https://.")
    if not _LABEL.fullmatch(label):
        raise BadRequest(f"{label!r} is no label: use small letters, digits and hyphens.")
    if sha256 is not None and not _SHA256.fullmatch(sha256):
        raise BadRequest("A SHA-256 has 64 digits 0-9 and a-f.")
    cache = Cache()
    name = f"geo20q-{label}"
    kept = None if refresh else cache.get(name, source=url)
    if kept is not None:
        return cache.folder / kept[0].file, kept[0].sha256, False
    async with Downloader(limits or LIMITS, fallback=FALLBACK) as download:
        content = await download.file(url, sha256=sha256)
    table = table_in(content, url)
    entry = cache.keep(name, table, source=url, edition="", suffix=".csv")
    return cache.folder / entry.file, entry.sha256, True
