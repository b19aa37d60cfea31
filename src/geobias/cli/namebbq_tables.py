"""The tables of `geobias namebbq`: what runs of the probe found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geobias.errors import BadRequest

if TYPE_CHECKING:
    import polars as pl

RUNS = click.argument(
    "runs", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="RUN..."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Machine-readable.")


@click.command()
@RUNS
@JSON
def scores(runs: tuple[Path, ...], as_json: bool) -> None:
    """Accuracy, bias and error retention, with intervals over templates and the SD over seeds.

    \b
    geobias namebbq scores RUN
    """
    _print("scores", runs, as_json)


@click.command()
@RUNS
@JSON
def nationalities(runs: tuple[Path, ...], as_json: bool) -> None:
    """Bias against each nationality, and by region of the world.

    \b
    geobias namebbq nationalities RUN --json
    """
    _print("nationalities", runs, as_json)


@click.command()
@RUNS
@JSON
def values(runs: tuple[Path, ...], as_json: bool) -> None:
    """Bias by what the stereotype is about, and by template.

    \b
    geobias namebbq values RUN
    """
    _print("values", runs, as_json)


@click.command()
@RUNS
@JSON
def positions(runs: tuple[Path, ...], as_json: bool) -> None:
    """How often (a), (b) and (c) were chosen, beside how often each was right.

    \b
    geobias namebbq positions RUN
    """
    _print("positions", runs, as_json)


@click.command()
@RUNS
@JSON
def published(runs: tuple[Path, ...], as_json: bool) -> None:
    """Runs beside the six models of the paper.

    \b
    geobias namebbq published RUN RUN
    """
    _print("published", runs, as_json)


COMMANDS: tuple[click.Command, ...] = (scores, nationalities, values, positions, published)
"""What this module adds to the group."""


def _print(name: str, runs: Sequence[Path], as_json: bool) -> None:
    from geobias.cli.tables import print_tables
    from geobias.probes.namebbq.tables import tables

    print_tables(tables(name, frame_of_runs(runs)), as_json=as_json)


def frame_of_runs(runs: Sequence[Path]) -> pl.DataFrame:
    """The trials of the runs in one frame; runs of one model are told apart by their files."""
    import polars as pl

    from geobias.cli.opening import open_run
    from geobias.probes.namebbq.scores import frame_of

    frames, names = [], set()
    for run in runs:
        with open_run(run) as reader:
            manifest = reader.manifest()
            if "namebbq" not in manifest.probes:
                raise BadRequest(f"{run} holds {', '.join(manifest.probes)} and no namebbq")
            name = manifest.models["model"]
            name = f"{name} ({run})" if name in names else name
            names.add(name)
            frames.append(frame_of(reader.records("namebbq"), name))
    return pl.concat(frames)
