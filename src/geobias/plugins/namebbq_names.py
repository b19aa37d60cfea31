"""`geobias names`: first names that point to a nationality."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
import polars as pl

from geobias.cli.options import FILE, JSON
from geobias.cli.terminal import print_tables
from geobias.errors import BadRequest
from geobias.probes.namebbq.names import (
    NamesByNationality,
    all_names,
    faults_of,
    named_in,
    read_names,
)
from geobias.probes.namebbq.names import names as shipped_names

TABLE = click.option(
    "--file",
    "path",
    type=FILE,
    help="A table of your own, with the columns of names.csv; default: the names of geobias.",
)


@click.group()
def names() -> None:
    """First names that point to a nationality, as the name version of Name-BBQ uses them.

    \b
    geobias names list --nationality Nigerian
    geobias names check
    """


@names.command("list")
@click.option("--nationality", "wanted", multiple=True, help="Only this one; may be repeated.")
@JSON
@TABLE
def list_names(wanted: tuple[str, ...], as_json: bool, path: Path | None) -> None:
    """Every name with its source and how much it points to one nationality alone.

    \b
    geobias names list --nationality Nigerian --nationality Irish
    geobias names list --json
    """
    every = _names(path)
    for nationality in wanted:
        if named_in(every, nationality) is None:
            raise BadRequest(
                f"there are no names for {nationality!r}: there are for {', '.join(every)}"
            )
    chosen = [named_in(every, one) or one for one in wanted] or list(every)
    shown = all_names({nationality: every[nationality] for nationality in chosen})
    rows = [msgspec.structs.asdict(name) for name in shown]
    print_tables({"names": pl.DataFrame(rows)}, as_json=as_json)


@names.command()
@JSON
@TABLE
@click.pass_context
def check(ctx: click.Context, as_json: bool, path: Path | None) -> None:
    """Look for overlaps, gaps, English words and public figures; exit 1 if any.

    \b
    geobias names check
    geobias names check --file mine.csv
    """
    every = _names(path)
    faults = faults_of(every)
    count = len(all_names(every))
    if as_json:
        answer = {"names": count, "nationalities": len(every), "faults": faults}
        click.echo(msgspec.json.encode(answer))
    else:
        for fault in faults:
            click.echo(f"{fault.kind:<8} {fault.nationality}: {fault.says}")
        wrong = f"{len(faults):,} faults" if faults else "nothing wrong"
        click.echo(f"{count:,} names of {len(every):,} nationalities: {wrong}")
    ctx.exit(1 if faults else 0)


def _names(path: Path | None) -> NamesByNationality:
    every = shipped_names() if path is None else read_names(path)
    if not every:
        raise BadRequest(f"{path} has no names")
    return every
