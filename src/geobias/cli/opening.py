"""The run files that a command names: files, or folders that hold some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geobias.errors import BadRequest
from geobias.runfile.schema import SUFFIX

if TYPE_CHECKING:
    from geobias.runfile import RunReader

RUNS = click.argument(
    "runs", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="RUN..."
)


def run_files(named: Sequence[Path]) -> list[Path]:
    """The files named, each once; a folder stands for the run files in it, by name."""
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
    from geobias.api import open_run

    with ExitStack() as stack:
        yield [stack.enter_context(open_run(path)) for path in run_files(named)]
