"""The runs that a command names: run files, folders that hold some, logs of Inspect AI's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geobias.errors import BadRequest

if TYPE_CHECKING:
    from geobias.runfile import RunReader

RUNS = click.argument(
    "runs", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="RUN..."
)


def run_files(named: Sequence[Path]) -> list[Path]:
    """The files named, each once; a folder stands for the run files in it, by name."""
    from geobias.runfile.schema import SUFFIX

    found: list[Path] = []
    for path in named:
        if path.is_dir():
            inside = sorted(path.glob(f"*{SUFFIX}"))
            if not inside:
                raise BadRequest(f"there is no run file (*{SUFFIX}) in {path}")
            found += inside
        else:
            found.append(path)
    return list(dict.fromkeys(found))


@contextmanager
def opened(named: Sequence[Path]) -> Iterator[list[RunReader]]:
    """The runs, open for reading until the end of the block."""
    with ExitStack() as stack:
        yield [stack.enter_context(open_run(path)) for path in run_files(named)]


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
