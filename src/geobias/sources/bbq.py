"""BBQ's 3,080 nationality items by Parrish et al. (2022), CC BY 4.0, which geobias does not ship.

The file is checked by its hash, so that everyone who pulls it asks the same questions. A file that
has changed at its source is refused.
"""

from __future__ import annotations

from pathlib import Path

from geobias.atlas.table import sha256_of
from geobias.sources.cache import cache_folder, keep
from geobias.sources.download import get_file, service_address

BBQ_BASE = "https://raw.githubusercontent.com/nyu-mll/BBQ/main/data"
BBQ_FILE = "Nationality.jsonl"
BBQ_SHA256 = "a583e74666aec0341ded8aa3983e7cad694eb24de72c254d28b2df3035720090"
BBQ_NAME = "bbq-nationality.jsonl"


def bbq_in_cache() -> Path | None:
    """The path of BBQ's items in the cache, whatever they contain; None if they are missing."""
    path = cache_folder() / BBQ_NAME
    return path if path.is_file() else None


def cached_bbq() -> Path | None:
    """The path of BBQ's items in the cache; None if they are missing or have changed."""
    path = bbq_in_cache()
    return path if path and sha256_of(path) == BBQ_SHA256 else None


async def pull_bbq() -> Path:
    """Download BBQ's items from $GEOBIAS_BBQ_URL, by default from the authors' repository.

    The cache stays unchanged unless the right file arrives complete.
    """
    url = f"{service_address('GEOBIAS_BBQ_URL', BBQ_BASE)}/{BBQ_FILE}"
    fallback = f"set GEOBIAS_BBQ to a copy of BBQ's {BBQ_FILE} that you have"
    return keep(BBQ_NAME, await get_file(url, sha256=BBQ_SHA256, fallback=fallback))
