"""`geobias PROBE …`: the tables of a probe's runs, made from what the probe declares, and whatever
other commands it brings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geobias.cli.opening import RUNS, opened
from geobias.cli.options import JSON, option_from, with_options
from geobias.cli.tables import print_tables
from geobias.probes.registry import AnyProbe, find_probe
from geobias.probes.settings import fields_of, settings_from
from geobias.probes.tables import TableSpec
from geobias.report.records import answers_of, labels
from geobias.results.text import one_line


def probe_group(name: str) -> click.Group:
    """The commands of a probe."""
    probe = find_probe(name)
    examples = "\n".join(f"    geobias {name} {table} RUN" for table in list(probe.tables)[:3])
    group = click.Group(name, help=f"{probe.about}\n\n\b\n{examples}")
    for table, spec in probe.tables.items():
        group.add_command(_table_command(probe, table, spec))
    for command in probe.commands():
        group.add_command(command)
    return group


def _table_command(probe: AnyProbe, name: str, spec: TableSpec[Any]) -> click.Command:
    @click.command(name, help=spec.help)
    @RUNS
    @JSON
    def command(runs: tuple[Path, ...], as_json: bool, **given: Any) -> None:
        own = {field.name for field in fields_of(spec.Options)}
        options = settings_from(
            spec.Options, {key: value for key, value in given.items() if key in own}, name
        )
        rest = {key: value for key, value in given.items() if key not in own}
        with opened(runs) as readers:
            answers = answers_of(probe, labels(readers), rest, spec.records)
        print_table(spec, answers, options, as_json=as_json)

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
    for note in spec.notes(answers, options):
        click.echo(one_line(note), err=True)
