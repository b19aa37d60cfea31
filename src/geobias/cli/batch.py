"""`geobias batch`: write a run's asks to files, and read results from files."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from msgspec.structs import replace

from geobias import api
from geobias.cli import Suggesting
from geobias.cli.options import FILE, RUN, open_run
from geobias.cli.progress import RunDisplay
from geobias.cli.summary import print_summary
from geobias.errors import AsksWait
from geobias.models.naming import entry_of
from geobias.probes.registry import plans_from
from geobias.results.formatting import one_line
from geobias.runfile import RunWriter


@click.group(cls=Suggesting)
def batch() -> None:
    """Exchange questions and replies as files with whoever runs the model.

    \b
    geobias run worldbench vllm/my-model --out RUN --batch-files FOLDER
    vllm run-batch -i FOLDER/round-001-vllm-my-model.jsonl -o FOLDER/done-001.jsonl --model my-model
    geobias batch read RUN FOLDER
    geobias batch write RUN --to FOLDER          the next round, if there is one

    To use a provider's batch endpoint, run `geobias run` or `geobias audit` with --batch.
    """


@batch.command()
@RUN
@click.option("--to", "folder", type=FILE, required=True, help="The folder to write the files to.")
def write(run: Path, folder: Path) -> None:
    """Write a run's next questions as a batch file for each model.

    \b
    geobias batch write RUN --to FOLDER

    Reads the results in the folder first. Each question is written once, since somebody may be
    answering it, and again only if it came back with an error. If a file is lost, run `geobias
    batch forget RUN` first.
    """
    _exchange(run, folder, writing=True)


@batch.command()
@RUN
@click.argument("folder", type=FILE)
def read(run: Path, folder: Path) -> None:
    """Read the results in a folder (*.jsonl) into a run.

    \b
    geobias batch read RUN FOLDER
    """
    _exchange(run, folder, writing=False)


@batch.command()
@RUN
def forget(run: Path) -> None:
    """Give up the batches and files that a run waits for, and ask their questions again.

    \b
    geobias batch forget RUN

    The provider still completes these batches and bills them. Results of files can still be read.
    """
    with open_run(run) as reader:
        manifest = reader.manifest()
    file = RunWriter.open(run, manifest)
    try:
        waiting = {one: asks for one, asks in file.batches().items() if asks}
        file.give_up_batches()
    finally:
        file.close()
    if not waiting:
        click.echo(f"{run} waits for no batch and no file: there is nothing to give up")
        return
    for one, asks in waiting.items():
        name = one_line(one.batch or one.file) or "a batch that was not confirmed"
        number = "1 ask" if len(asks) == 1 else f"{len(asks):,} asks"
        click.echo(f"gave up {number} without a reply, in {name}")
    click.echo("The same command as before asks them again.")


def _exchange(run: Path, folder: Path, *, writing: bool) -> None:
    with open_run(run) as reader:
        manifest, before = reader.manifest(), _calls(reader.path)
    entries = {
        name: replace(entry_of(name, manifest.asked.get(role, {})), price=manifest.prices.get(role))
        for role, name in manifest.models.items()
    }
    options = api.Options(batch_files=folder, write_files=writing, entries=entries)
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
    """Print how many results were read, how many the run waits for, and the next command."""
    if taken:
        click.echo(f"{taken:,} replies read")
    click.echo(f"{wait}")
    where, there = shlex.quote(str(run)), shlex.quote(str(folder))
    read = f"  geobias batch read {where} {there}"
    write = f"  geobias batch write {where} --to {there}"
    if wait.files:
        lines = [f"Execute them, put the results into {there} (*.jsonl), and read them:", read]
    elif wait.count > wait.handed_out:
        lines = ["Write them to files:", write]
    else:
        lines = [
            f"When there are results, put them into {there} (*.jsonl), and read them:",
            read,
            "If the files are lost, give them up, and write the questions again:",
            f"  geobias batch forget {where}",
            write,
        ]
    click.echo("\n".join(lines))
