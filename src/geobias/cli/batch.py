"""`geobias batch`: a run's asks as files, for whoever executes them."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from geobias import api
from geobias.cli.opening import open_run
from geobias.cli.options import FILE, RUN
from geobias.cli.suggesting import Suggesting
from geobias.errors import AsksWait
from geobias.probes.repeating import plans_from

PRICES = click.option("--prices", type=FILE, help="Your own price table (CSV).")


@click.group(cls=Suggesting)
def batch() -> None:
    """Ask through files that somebody else runs, round after round.

    \b
    geobias run worldbench vllm/my-model --out RUN --batch-files FOLDER
    vllm run-batch -i FOLDER/round-001-vllm-my-model.jsonl -o FOLDER/done-001.jsonl --model my-model
    geobias batch read RUN FOLDER
    geobias batch write RUN --to FOLDER          the next round, where there is one

    For a provider's own batch endpoint, give --batch to `geobias run` or `geobias audit`.
    """


@batch.command()
@RUN
@click.option("--to", "folder", type=FILE, required=True, help="Where the files go.")
@PRICES
def write(run: Path, folder: Path, prices: Path | None) -> None:
    """Write what a run would ask next, as a batch file for each model.

    \b
    geobias batch write RUN --to FOLDER

    Results that lie in the folder are taken first.
    """
    _exchange(run, folder, prices, writing=True)


@batch.command()
@RUN
@click.argument("folder", type=FILE)
@PRICES
def read(run: Path, folder: Path, prices: Path | None) -> None:
    """Take the results that lie in a folder (*.jsonl) into a run.

    \b
    geobias batch read RUN FOLDER
    """
    _exchange(run, folder, prices, writing=False)


@batch.command()
@RUN
def forget(run: Path) -> None:
    """Give up the batches that a run waits for; what they hold is asked again.

    \b
    geobias batch forget RUN

    The provider goes on with them, and bills them.
    """
    from geobias.runfile import RunWriter

    with open_run(run) as reader:
        manifest = reader.manifest()
    file = RunWriter.open(run, manifest)
    try:
        count = sum(map(len, file.batches().values()))
        file.give_up_batches()
    finally:
        file.close()
    click.echo(f"{count:,} asks without a reply are given up and will be asked again")


def _exchange(run: Path, folder: Path, prices: Path | None, *, writing: bool) -> None:
    from geobias.cli.progress import RunDisplay
    from geobias.cli.summary import print_summary

    with open_run(run) as reader:
        manifest, before = reader.manifest(), _calls(reader.path)
    options = api.Options(batch_files=folder, write_files=writing, prices=prices)
    try:
        with RunDisplay() as display:
            done = api.run(
                plans_from(manifest),
                manifest.models,
                run,
                options=options,
                display=display,
                command=manifest.command,
            )
    except AsksWait as wait:
        print_waiting(wait, run, folder, taken=_calls(run) - before)
    else:
        print_summary(done)


def _calls(run: Path) -> int:
    with api.open_run(run) as reader:
        return sum(one.calls for one in reader.spent().values())


def print_waiting(wait: AsksWait, run: Path, folder: Path, taken: int = 0) -> None:
    """What was taken, what waits, and the command that comes next."""
    if taken:
        click.echo(f"{taken:,} replies taken")
    click.echo(f"{wait}")
    where, there = shlex.quote(str(run)), shlex.quote(str(folder))
    if wait.files:
        click.echo(f"Execute them, put the results into {there} (*.jsonl), and take them:")
        click.echo(f"  geobias batch read {where} {there}")
    else:
        click.echo(f"Write them down:\n  geobias batch write {where} --to {there}")
