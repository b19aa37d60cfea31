"""`geobias score`: score replies that were made elsewhere."""

from __future__ import annotations

from inspect import cleandoc
from pathlib import Path
from typing import IO, Any

import click
import polars as pl

from geobias.api.rereading import pointed_lines
from geobias.cli.options import FILE, JSON, options_of, with_options
from geobias.cli.probes import group_per_probe
from geobias.cli.table import measured, tabled
from geobias.cli.terminal import print_tables, say_left_out, write_frame
from geobias.errors import BadRequest
from geobias.probes import derived
from geobias.probes.predictions import Lines, Predictions, Scored, json_lines
from geobias.probes.registry import AnyProbe
from geobias.probes.replay import answers_of, replayed, save_runs
from geobias.probes.settings import settings_from
from geobias.reading.again import LEAVE
from geobias.results.findings import because, reasons
from geobias.results.formatting import one_line
from geobias.runfile import Elsewhere
from geobias.runfile.schema import SUFFIX

FILES = (
    'The file may also be a CSV table with these columns. "prompt" is optional: the question, '
    "shown beside the reply. --to run.geobias writes a run file.\n\nLines that cannot be used are "
    "listed on standard error with the reason. The other lines are scored."
)


def _command(probe: AnyProbe) -> click.Command:
    how: Predictions = probe.elsewhere.predictions or replayed(probe)

    @click.command(probe.name, help=f"{cleandoc(how.help)}\n\n{FILES}")
    @click.option(
        "--predictions",
        type=click.File("rb"),
        required=True,
        help="The replies; - is standard input.",
    )
    @click.option(
        "--to",
        "out",
        type=FILE,
        help="Write a run file (x.geobias) for report, compare, gate and view, or the rows "
        "(x.parquet, …).",
    )
    @click.option(
        "--unread",
        default=LEAVE,
        metavar="MODEL|leave",
        help="The model that reads replies which the rules cannot read.",
    )
    @JSON
    def command(
        predictions: IO[bytes], out: Path | None, unread: str, as_json: bool, **about: Any
    ) -> None:
        lines = Lines(predictions)
        options = settings_from(how.Options, about, probe.name)
        if unread == LEAVE:
            scored = how.read(json_lines(lines), options)
        elif not how.sought:
            raise BadRequest(f"replies to {probe.name} are read by rules alone: leave out --unread")
        else:
            kept = [*json_lines(lines)]
            pointed = pointed_lines(kept, how.read(kept, options), how, unread)
            scored = how.read(pointed, options)
        say_left_out(predictions.name, scored.left_out, len(scored.told))
        answers = answers_of(probe, scored, options)
        if out is not None and out.suffix != SUFFIX:
            write_frame(pl.concat(one.frame for one in answers), out)
        elif out is not None:
            _write(probe.name, predictions.name, lines, scored, out)
        if len(answers) == 1 and (why := reasons(probe.screens(answers[0]))):
            click.echo(because(why), err=as_json)
        own = {one.name: one for one in derived.all_measures(probe)}
        if how.table in own:
            whole = [derived.with_outcome_columns(probe, one) for one in answers]
            frames, notes = measured(probe, whole, own[how.table], "all", None)
            print_tables(frames, as_json=as_json)
        elif how.table:
            spec = probe.tables[how.table]
            frames, notes = tabled(probe, answers, spec, spec.Options())
            print_tables(frames if as_json else spec.people(frames), as_json=as_json)
        else:
            notes = []
        for note in notes:
            click.echo(one_line(note), err=True)

    return with_options(options_of(how.Options), command)


@group_per_probe(_command)
def score() -> None:
    """Score replies that were made elsewhere.

    \b
    geobias score PROBE --predictions replies.jsonl
    geobias score PROBE --predictions replies.jsonl --to run.geobias
    geobias score PROBE --help                        what a line looks like

    Prints the probe's main table. For other tables, write a run file (--to) and use `geobias
    table`.
    """


def _write(probe: str, source: str, lines: Lines, scored: Scored, out: Path) -> None:
    name = "standard input" if source in ("-", "<stdin>") else Path(source).name
    told = Elsewhere(
        file=one_line(name), sha256=lines.sha256, lines=lines.count, left_out=len(scored.left_out)
    )
    command = f"geobias score {probe} --predictions {name} --to {out.name}"
    for path in save_runs(probe, scored, out, told, command):
        click.echo(f"run file {path}", err=True)
