"""`geobias probes`, and `geobias PROBE …`: the tables of a probe's runs, made from what it
declares, and the commands that packages add. Groups the other way round: `geobias COMMAND PROBE`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click

from geobias.cli import Suggesting
from geobias.cli.options import FILE, JSON, RUNS, opened, option_from, with_options
from geobias.cli.terminal import check_suffix, print_json, print_tables, write_tables
from geobias.probes.registry import AnyProbe, all_probes, broken_probes, find_probe, probe_names
from geobias.probes.settings import fields_of, settings_from
from geobias.probes.tables import TableSpec
from geobias.report.findings import short_names
from geobias.report.records import answers_of, labelled
from geobias.results.formatting import one_line

PROBE_COMMANDS = "geobias.probe_commands"
"""Entry points: commands beside a probe's tables, called "PROBE.COMMAND"."""


def group_per_probe(
    command_of: Callable[[AnyProbe], click.Command],
    fits: Callable[[AnyProbe], bool] = lambda probe: True,
) -> Callable[[Callable[[], None]], click.Group]:
    """A group of commands with one for each probe that fits, made when it is called; and whatever
    is added to it."""

    class PerProbe(Suggesting):
        def list_commands(self, ctx: click.Context) -> list[str]:
            own = [name for name, probe in all_probes().items() if fits(probe)]
            return own + super().list_commands(ctx)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            if cmd_name not in probe_names():
                return super().get_command(ctx, cmd_name)
            probe = find_probe(cmd_name)
            return command_of(probe) if fits(probe) else None

    return click.group(cls=PerProbe)


def probe_group(name: str) -> click.Group:
    probe = find_probe(name)
    examples = "\n".join(f"    geobias {name} {table} RUN" for table in list(probe.tables)[:3])
    about = f"{probe.about}\n\n\b\n{examples}" if examples else f"{probe.about} It has no tables."
    group = Suggesting(name, help=about)
    for table, spec in probe.tables.items():
        group.add_command(_table_command(probe, table, spec))
    for entry in entry_points(group=PROBE_COMMANDS):
        if entry.name.startswith(f"{name}."):
            group.add_command(entry.load())
    return group


def _table_command(probe: AnyProbe, name: str, spec: TableSpec[Any]) -> click.Command:
    @click.command(name, help=spec.help)
    @RUNS
    @click.option(
        "--to", "out", type=FILE, help="Write the whole table as .csv, .parquet, .jsonl or .tex."
    )
    @JSON
    def command(runs: tuple[Path, ...], out: Path | None, as_json: bool, **given: Any) -> None:
        if out is not None:
            check_suffix(out)
        own = {field.name: given.pop(field.name) for field in fields_of(spec.Options)}
        options = settings_from(spec.Options, own, name)
        with opened(runs) as readers:
            named = labelled(readers)
            if out is None and not as_json:
                short = short_names([label for _, label in named])
                named = [(run, short[label]) for run, label in named]
            answers = answers_of(probe, named, given, spec.records)
            if out is None:
                print_table(spec, answers, options, as_json=as_json)
            else:
                write_tables(spec.make(answers, options), out)
                print_notes(spec, answers, options)

    fields = [*fields_of(spec.Options), *fields_of(probe.Reading)]
    return with_options([option_from(field) for field in fields], command)


def print_table(spec: TableSpec[Any], answers: list[Any], options: Any, *, as_json: bool) -> None:
    """A table and its notes; programs get every row, people what they can read."""
    frames = spec.make(answers, options)
    if as_json:
        print_tables(frames, as_json=True)
    else:
        limit = getattr(options, spec.limit) if spec.limit else None
        print_tables(spec.people(frames), as_json=False, limit=limit)
    # Where a table has no rows, a note has the reason: it stands in the table's place.
    empty = not as_json and not all(frame.height for frame in frames.values())
    print_notes(spec, answers, options, beside=not empty)


def print_notes(
    spec: TableSpec[Any], answers: list[Any], options: Any, *, beside: bool = True
) -> None:
    for note in spec.notes(answers, options):
        click.echo(one_line(note), err=beside)


@click.command()
@JSON
def probes(as_json: bool) -> None:
    """Which probes are installed, and what they measure.

    \b
    geobias probes
    geobias probes --json

    A package adds a probe by an entry point (docs/extending.md).
    """
    rows = [
        {
            "name": probe.name,
            "title": probe.title,
            "about": probe.about,
            "tables": list(probe.tables),
            "papers": [f"{one.title} ({one.where}), {one.link}" for one in probe.papers],
        }
        for probe in all_probes().values()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(click.style(f"{row['name']:<12}", bold=True) + f" {row['about']}")
        for paper in row["papers"]:
            click.echo(f"{'':<12} {paper}")
    for why in broken_probes().values():
        click.echo(why, err=True)
