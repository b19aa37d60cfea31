"""The runs that a command names: run files, folders that hold some, logs of Inspect AI's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from os.path import realpath  # of a link to itself, too
from pathlib import Path

import click

from geobias import api
from geobias.errors import BadRequest
from geobias.runfile import RunReader
from geobias.runfile.schema import SUFFIX, run_files_at


def run_files(named: Sequence[Path]) -> list[Path]:
    """The files named, each once; a folder stands for the run files in it, by name."""
    files: list[Path] = []
    for path in named:
        inside = run_files_at(path)
        if not inside:
            raise BadRequest(f"there is no run file (*{SUFFIX}) in {path}")
        files += inside
    once = {realpath(file): file for file in reversed(files)}  # "a" and "./a" are one run
    return [file for file in dict.fromkeys(files) if once[realpath(file)] is file]


@contextmanager
def opened(named: Sequence[Path]) -> Iterator[list[RunReader]]:
    with ExitStack() as stack:
        yield [stack.enter_context(open_run(path)) for path in run_files(named)]


@contextmanager
def open_run(path: Path) -> Iterator[RunReader]:
    """The run for reading. A log is made into a run file that lives as long as it is read."""
    if path.suffix != ".eval":
        from geobias.report.records import blaming

        with (
            api.open_run(path) as run,
            blaming(run, click.ClickException, click.exceptions.Exit),
        ):
            yield run
        return
    from geobias.integrations.inspect_logs import run_from_log

    with (
        tempfile.TemporaryDirectory(prefix="geobias-") as folder,
        run_from_log(path, Path(folder) / (path.stem + ".geobias")) as run,
    ):
        yield run
