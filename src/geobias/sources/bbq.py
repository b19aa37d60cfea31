"""BBQ's 3,080 nationality items by Parrish et al. (2022), CC BY 4.0, which geobias does not ship.

The file is checked by its hash, so that everyone who pulls it asks the same questions. A file that
has changed at its source is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from geobias.sources.cache import Cache, CacheEntry
from geobias.sources.download import get_file, service_address


class PulledFile(NamedTuple):
    """A file in the cache, and whether it was downloaded just now."""

    path: Path
    entry: CacheEntry
    fetched: bool


BBQ_BASE = "https://raw.githubusercontent.com/nyu-mll/BBQ/main/data"
BBQ_FILE = "Nationality.jsonl"
BBQ_SHA256 = "a583e74666aec0341ded8aa3983e7cad694eb24de72c254d28b2df3035720090"
BBQ_NAME = "bbq-nationality"


def cached_bbq() -> Path | None:
    """The path of BBQ's items in the cache; None if they are missing or have changed."""
    cache = Cache()
    entry = cache.find(BBQ_NAME, sha256=BBQ_SHA256)
    return cache.path(entry) if entry else None


async def pull_bbq(*, refresh: bool) -> PulledFile:
    """Download BBQ's items from $GEOBIAS_BBQ_URL, by default from the authors' repository.

    The cache stays unchanged unless the right file arrives complete.
    """
    cache = Cache()
    if not refresh and (entry := cache.find(BBQ_NAME, sha256=BBQ_SHA256)):
        return PulledFile(cache.path(entry), entry, fetched=False)
    url = f"{service_address('GEOBIAS_BBQ_URL', BBQ_BASE).rstrip('/')}/{BBQ_FILE}"
    fallback = f"set GEOBIAS_BBQ to a copy of BBQ's {BBQ_FILE} that you have"
    content = await get_file(url, sha256=BBQ_SHA256, fallback=fallback)
    entry = cache.keep(BBQ_NAME, content, source=url, suffix=".jsonl")
    return PulledFile(cache.path(entry), entry, fetched=True)
