"""A run, from whatever a user names: a run file, or a log of Inspect AI's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geobias.runfile import RunReader


@contextmanager
def open_run(path: Path) -> Iterator[RunReader]:
    """The run for reading. A log is made into a run file that lives as long as it is read."""
    from geobias import api

    if path.suffix != ".eval":
        with api.open_run(path) as run:
            yield run
        return
    from geobias.integrations.inspect_logs import run_from_log

    with (
        tempfile.TemporaryDirectory(prefix="geobias-") as folder,
        run_from_log(path, Path(folder) / (path.stem + ".geobias")) as run,
    ):
        yield run
