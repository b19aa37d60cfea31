"""The folder where downloads are kept: $GEOBIAS_CACHE, or `geobias` in the system's own cache."""

from __future__ import annotations

import os
from pathlib import Path

from geobias.errors import CannotWrite
from geobias.files import write_whole


def cache_folder() -> Path:
    """The cache's folder, which may not exist yet.

    A relative $XDG_CACHE_HOME is ignored, as its specification asks.
    """
    if own := os.environ.get("GEOBIAS_CACHE", "").strip():
        return Path(own).expanduser()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path("~/.cache").expanduser()) / "geobias"


def keep(name: str, content: bytes) -> Path:
    path = cache_folder() / name
    try:
        write_whole(path, content)
    except CannotWrite as error:
        raise CannotWrite(f"{error}; set GEOBIAS_CACHE to a folder that can be written.") from None
    return path
