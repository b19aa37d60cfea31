"""Geo20Q+'s published entities, from an address that the user gives.

The paper names a site (sites.google.com/view/llmbias20q/home) and no address of a file, so there is
none to ship. Whatever is at the address given, its hash is recorded.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from geobias.errors import BadRequest
from geobias.sources.cache import Cache
from geobias.sources.download import LOOPBACK, Downloader, RequestLimits
from geobias.sources.unpacking import MAX_BYTES, table_in

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
