"""`geobias score`: replies that were made elsewhere, scored like our own."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import click

from geobias.cli.options import JSON, Option, option_from, options_of, with_options
from geobias.cli.probe_group import print_table
from geobias.cli.tables import write_frame
from geobias.errors import BadRequest
from geobias.probes.predictions import Predictions, Scored
from geobias.probes.registry import AnyProbe, all_probes
from geobias.probes.settings import Field, fields_of, settings_from
from geobias.results.screens import because, reasons


class PerProbe(click.Group):
    """A command for each probe that takes replies from elsewhere."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The probes' names."""
        return [name for name, probe in all_probes().items() if probe.predictions is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command for one probe."""
        probe = all_probes().get(cmd_name)
        if probe is None or probe.predictions is None:
            return None
        return _command(probe, probe.predictions)


@click.group(cls=PerProbe)
def score() -> None:
    """Score replies that were made elsewhere.

    \b
    geobias score PROBE --predictions replies.jsonl
    geobias score PROBE --help                        what a line looks like
    """


def _command(probe: AnyProbe, how: Predictions[Any]) -> click.Command:
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
    @click.option(
        "--to", "out", type=click.Path(path_type=Path), help="Write the rows: x.parquet, …"
    )
    @JSON
    def command(
        predictions: IO[bytes], table: str, out: Path | None, as_json: bool, **given: Any
    ) -> None:
        asked = {field.name for field in fields_of(how.Options)}
        about = {name: value for name, value in given.items() if name in asked}
        spec = probe.tables[table]
        chosen = {name: value for name, value in given.items() if name not in asked}
        chosen = {name: value for name, value in chosen.items() if value is not None}
        scored = how.read(predictions, settings_from(how.Options, about, probe.name))
        _report(predictions.name, scored, out)
        answers = list(scored.answers)
        if not as_json and len(answers) == 1 and (why := reasons(probe.screens(answers[0]))):
            click.echo(because(why))
        print_table(spec, answers, settings_from(spec.Options, chosen, table), as_json=as_json)

    return with_options([*options_of(how.Options), *_table_options(probe, how)], command)


def _table_options(probe: AnyProbe, how: Predictions[Any]) -> list[Option]:
    """What can be chosen for any of the tables; what is not given is left to the table."""
    found: dict[str, Field] = {}
    for table in how.tables:
        for field in fields_of(probe.tables[table].Options):
            before = found.get(field.name, field)
            choices = tuple(dict.fromkeys((*before.choices, *field.choices)))
            found[field.name] = field._replace(choices=choices, default=None)
    return [option_from(field) for field in found.values()]


def _report(source: str, scored: Scored[Any], out: Path | None) -> None:
    """Say which lines could not be used, and write the others where they are wanted."""
    import polars as pl

    for line, reason in scored.left_out:
        click.echo(f"line {line}: {reason}", err=True)
    count = sum(one.frame.height for one in scored.answers)
    if scored.left_out:
        click.echo(f"{len(scored.left_out):,} lines left out, {count:,} scored", err=True)
    if not count:
        raise BadRequest(f"{source} holds no reply that could be scored")
    if out is not None:
        write_frame(pl.concat(one.frame for one in scored.answers), out)
