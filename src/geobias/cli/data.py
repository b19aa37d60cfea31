"""`geobias data`: which figures there are, and how to get others."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from geobias.atlas import importing
from geobias.atlas.editions import published_editions, sha256_of
from geobias.atlas.indicators import indicators, read_indicators
from geobias.atlas.table import shipped_table
from geobias.cli.options import FILE, JSON, print_json
from geobias.cli.pulls import INDICATORS, OUT, pull, summary_of
from geobias.cli.suggesting import Suggesting
from geobias.sources.cache import BadCache, Cache


@click.group(cls=Suggesting)
def data() -> None:
    """The figures that answers are compared with: what is shipped, and how to get others.

    \b
    geobias data list
    geobias data pull worldbank --out figures.csv
    geobias data import worldbank API_*.csv --out figures.csv
    """


data.add_command(pull)


@data.group("import")
def import_() -> None:
    """Make a table of figures of files you have downloaded.

    \b
    geobias data import worldbank API_SP.POP.TOTL.csv API_NY.GDP.MKTP.CD.csv
    """


@import_.command("worldbank")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@OUT
@INDICATORS
def import_worldbank(files: tuple[Path, ...], out: Path, defined_in: Path | None) -> None:
    """Make a table of figures of the World Bank's CSV files.

    On data.worldbank.org, "Download CSV" gives a zip; the file named API_… in it is the one. The
    table has the last eleven years there are. The shipped table was made by this command.

    \b
    geobias data import worldbank API_*.csv --out figures.csv
    geobias data import worldbank API_SP.DYN.LE00.IN.csv --indicators mine.toml
    """
    own = read_indicators(defined_in) if defined_in is not None else {}
    figures = importing.import_worldbank(files, out, among={**indicators(), **own})
    click.echo(summary_of(figures, out))


@data.command("list")
@JSON
def list_(as_json: bool) -> None:
    """What is shipped and what is in the cache, with editions and hashes.

    \b
    geobias data list
    geobias data list --json
    """
    cache = Cache()
    shipped = [
        msgspec.to_builtins(one) | {"bytes": _bytes(shipped_table(one.table))}
        for one in published_editions()
    ]
    cached = [msgspec.to_builtins(entry) for entry in cache.entries().values()]
    if as_json:
        entries = {"folder": str(cache.folder), "entries": cached}
        print_json({"shipped": shipped, "cache": entries})
        return
    click.echo("shipped")
    for row in shipped:
        click.echo(_line(row["table"], row["sha256"], row["bytes"], row["edition"]))
    click.echo(f"cache in {cache.folder}{'' if cached else ': empty'}")
    for row in cached:
        when = f"{row['edition'] or 'no edition'}, fetched {row['fetched_at'][:10]}"
        click.echo(_line(row["name"], row["sha256"], row["bytes"], when))


def _bytes(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def _line(name: str, sha256: str, size: int | None, edition: str) -> str:
    written = f"{size:>11,}" if size is not None else f"{'missing':>11}"
    return f"  {name:<38} {sha256[:12]} {written}  {edition}"


@data.command()
@JSON
def verify(as_json: bool) -> None:
    """Check the shipped tables and the cache against their hashes; exit 1 if one differs.

    \b
    geobias data verify && geobias audit
    """
    states = _states()
    fine = all(row["state"] == "ok" for row in states)
    if as_json:
        print_json({"ok": fine, "files": states})
    else:
        for row in states:
            click.echo(f"  {row['state']:<8} {row['where']:<8} {row['name']}")
        for row in states:
            if row["state"] != "ok":
                click.echo(f"geobias: {row['name']}: {row['advice']}", err=True)
    if not fine:
        raise click.exceptions.Exit(1)


def _states() -> list[dict[str, str]]:
    """Every file that has a hash: where it is, its name, "ok" or what is wrong, what to do."""
    rows = []
    advice = "the table is not as it was published: install geobias again."
    for one in published_editions():
        path = shipped_table(one.table)
        state = "missing"
        if path.is_file():
            state = "ok" if sha256_of(path) == one.sha256 else "changed"
        rows.append(("shipped", one.table, state, advice if state != "ok" else ""))
    advice = "the file is not as it was kept: pull it again, it will be asked for anew."
    try:
        for file in Cache().verify():
            why = advice if file.state != "ok" else ""
            rows.append(("cache", file.entry.name, file.state, why))
    except BadCache as error:
        rows.append(("cache", "index.json", "damaged", str(error)))
    return [dict(zip(("where", "name", "state", "advice"), row, strict=True)) for row in rows]
