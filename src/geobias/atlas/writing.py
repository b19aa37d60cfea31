"""A file appears whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from geobias.atlas.table import TableError


def write_whole(path: Path, content: bytes) -> None:
    """Write the file, or leave what was there exactly as it was and raise a `TableError`.

    The bytes go to a draft in the same folder, reach the disk, and only then take the name, so
    that neither a full disk nor a power cut leaves half a table under it.
    """
    draft = path.parent / f"{path.name}.{os.getpid()}.part"
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise TableError(path, None, f"cannot be written: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink()
