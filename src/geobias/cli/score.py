"""`geobias score`: replies that were made elsewhere, scored like our own."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import click

from geobias.cli.options import FILE, JSON, Option, option_from, options_of, with_options
from geobias.cli.probe_group import group_per_probe, print_table
from geobias.cli.tables import write_frame
from geobias.errors import BadRequest
from geobias.probes.lazy import pl
from geobias.probes.predictions import Predictions, Scored
from geobias.probes.registry import AnyProbe
from geobias.probes.settings import Field, fields_of, settings_from
from geobias.results.screens import because, reasons


def _command(probe: AnyProbe) -> click.Command:
    how = probe.predictions
    assert how is not None

    @click.command(probe.name, help=how.help)
    @click.option(
        "--predictions",
        type=click.File("rb"),
        required=True,
        help="The replies; - is standard input.",
    )
    @click.option(
        "--table",
        type=click.Choice(how.tables),
        default=how.tables[0],
        show_default=True,
        help="Which.",
    )
    @click.option("--to", "out", type=FILE, help="Write the rows: x.parquet, …")
    @JSON
    def command(
        predictions: IO[bytes], table: str, out: Path | None, as_json: bool, **given: Any
    ) -> None:
        spec = probe.tables[table]
        asked = {field.name for field in fields_of(how.Options)} & given.keys()
        about = {name: given.pop(name) for name in asked}
        chosen = {name: value for name, value in given.items() if value is not None}
        scored = how.read(predictions, settings_from(how.Options, about, probe.name))
        _write_scored(predictions.name, scored, out)
        answers = list(scored.answers)
        if len(answers) == 1 and (why := reasons(probe.screens(answers[0]))):
            click.echo(because(why), err=as_json)
        print_table(spec, answers, settings_from(spec.Options, chosen, table), as_json=as_json)

    return with_options([*options_of(how.Options), *_table_options(probe, how)], command)


@group_per_probe(_command, lambda probe: probe.predictions is not None)
def score() -> None:
    """Score replies that were made elsewhere.

    \b
    geobias score PROBE --predictions replies.jsonl
    geobias score PROBE --help                        what a line looks like
    """


def _table_options(probe: AnyProbe, how: Predictions[Any]) -> list[Option]:
    """What can be chosen for any of the tables; what is not given is left to the table."""
    merged: dict[str, Field] = {}
    for table in how.tables:
        for field in fields_of(probe.tables[table].Options):
            before = merged.get(field.name, field)
            choices = tuple(dict.fromkeys((*before.choices, *field.choices)))
            merged[field.name] = field._replace(choices=choices, default=None)
    return [option_from(field) for field in merged.values()]


def _write_scored(source: str, scored: Scored[Any], out: Path | None) -> None:
    for line, reason in scored.left_out:
        click.echo(f"line {line}: {reason}", err=True)
    count = sum(one.frame.height for one in scored.answers)
    if scored.left_out:
        click.echo(f"{len(scored.left_out):,} lines left out, {count:,} scored", err=True)
    if not count:
        raise BadRequest(f"{source} holds no reply that could be scored")
    if out is not None:
        write_frame(pl.concat(one.frame for one in scored.answers), out)
