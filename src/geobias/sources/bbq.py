"""BBQ's nationality items, from its authors' repository: fetched, never shipped.

3,080 items by Parrish et al. (2022), CC BY 4.0. The file is known by its hash, so that everyone who
pulls it asks the same questions; one that changed at the source is refused.
"""

from __future__ import annotations

from pathlib import Path

from geobias.sources.cache import Cache
from geobias.sources.download import Downloader, RequestLimits, service_address

BASE = "https://raw.githubusercontent.com/nyu-mll/BBQ/main/data"
FILE = "Nationality.jsonl"
SHA256 = "a583e74666aec0341ded8aa3983e7cad694eb24de72c254d28b2df3035720090"
CACHE_NAME = "bbq-nationality"
FALLBACK = f"set GEOBIAS_BBQ to a copy of BBQ's {FILE} that you have"


def bbq_url() -> str:
    """Where the file is: under $GEOBIAS_BBQ_URL, or where its authors publish it."""
    return f"{service_address('GEOBIAS_BBQ_URL', BASE).rstrip('/')}/{FILE}"


def kept_path() -> Path | None:
    """The file in the cache; None if it was not pulled, or is not as it was."""
    return Cache().path(CACHE_NAME, sha256=SHA256)


async def pull_bbq(
    *, refresh: bool = False, limits: RequestLimits | None = None
) -> tuple[Path, bool]:
    """The file in the cache, and whether it was fetched for that.

    What is there stays as it is unless the right file has come whole.
    """
    if not refresh and (kept := kept_path()) is not None:
        return kept, False
    url = bbq_url()
    async with Downloader(limits, fallback=FALLBACK) as download:
        content = await download.file(url, sha256=SHA256)
    cache = Cache()
    entry = cache.keep(CACHE_NAME, content, source=url, edition="", suffix=".jsonl")
    return cache.folder / entry.file, True
