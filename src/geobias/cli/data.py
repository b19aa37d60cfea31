"""`geobias data`: list and check the shipped data, and download further data."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import msgspec

from geobias.atlas.figures import Figures
from geobias.atlas.figures import import_worldbank as make_table
from geobias.atlas.indicators import indicators, read_indicators
from geobias.atlas.table import published_editions, sha256_of, shipped_table
from geobias.cli.options import FILE, JSON, out_option
from geobias.cli.progress import amounts
from geobias.cli.terminal import print_json
from geobias.results.formatting import counted
from geobias.sources.bbq import BBQ_SHA256, bbq_in_cache, cached_bbq
from geobias.sources.bbq import pull_bbq as fetch_bbq
from geobias.sources.cache import cache_folder
from geobias.sources.worldbank import pull as pull_figures
from geobias.sources.worldbank import wanted_indicators

OUT = out_option("figures.csv")
INDICATORS = click.option(
    "--indicators", "defined_in", type=FILE, help="TOML file that defines indicators of your own."
)


@click.group()
def pull() -> None:
    """Download data that geobias does not ship.

    \b
    geobias data pull worldbank
    geobias data pull bbq
    """


@pull.command("worldbank")
@click.option(
    "--indicator",
    "names",
    multiple=True,
    metavar="CODE",
    help="Id or World Bank code of a shipped indicator or of one of your own. Repeatable.",
)
@INDICATORS
@OUT
def pull_worldbank(names: tuple[str, ...], defined_in: Path | None, out: Path) -> None:
    """Download today's World Bank figures as a table.

    By default, the table has the eleven shipped indicators with all years. With --indicators, it
    has the indicators that the file defines.

    \b
    geobias data pull worldbank --out figures.csv
    geobias data pull worldbank --indicators mine.toml
    geobias data pull worldbank --indicator gdp --indicator population
    """
    wanted = wanted_indicators(names, read_indicators(defined_in) if defined_in else {})
    with amounts("series") as progress:
        needed = bool(names or defined_in)
        pulling = pull_figures(wanted, out, all_needed=needed, progress=progress)
        pulled = asyncio.run(pulling)
    click.echo(summary_of(pulled.figures, out))
    for sentence in pulled.missing:
        click.echo(f"geobias: left out: {sentence}", err=True)


@pull.command("bbq")
def pull_bbq() -> None:
    """Fetch BBQ's nationality items, for `--items bbq` of the Name-BBQ probe.

    The cache stores these 3,080 questions by Parrish et al. (2022, CC BY 4.0). A file with another
    hash than the published one is refused. If you have the file already, set GEOBIAS_BBQ to its
    path instead.

    \b
    geobias data pull bbq
    """
    path = cached_bbq() or asyncio.run(fetch_bbq())
    click.echo(f"{path}: BBQ's nationality items, SHA-256 {BBQ_SHA256[:12]}…")


def summary_of(figures: Figures, out: Path) -> str:
    series = figures.series.values()
    economies = {iso3 for one in series for iso3 in one.figures}
    editions = ", ".join(sorted({one.edition for one in series}))
    known = sum(len(own) for one in series for own in one.figures.values())
    return (
        f"{out}: {known:,} figures of {counted(len(series), 'indicators')} and "
        f"{counted(len(economies), 'countries')}, {figures.years[0]} to "
        f"{figures.years[-1]}, edition {editions}"
    )


@click.group()
def data() -> None:
    """List and check the shipped figures, and get others.

    \b
    geobias data list
    geobias data pull worldbank --out figures.csv
    geobias data import worldbank API_*.csv --out figures.csv
    """


data.add_command(pull)


@data.group("import")
def import_() -> None:
    """Make a table of figures from files that you have downloaded.

    \b
    geobias data import worldbank API_SP.POP.TOTL.csv API_NY.GDP.MKTP.CD.csv
    """


@import_.command("worldbank")
@click.argument("files", nargs=-1, required=True, type=FILE, metavar="FILE...")
@OUT
@INDICATORS
def import_worldbank(files: tuple[Path, ...], out: Path, defined_in: Path | None) -> None:
    """Make a table of figures from the World Bank's CSV files.

    "Download CSV" on data.worldbank.org gives a zip. Use the file in it whose name begins with
    API_. The table has the last eleven available years.

    \b
    geobias data import worldbank API_*.csv --out figures.csv
    geobias data import worldbank API_SP.DYN.LE00.IN.csv --indicators mine.toml
    """
    own = read_indicators(defined_in) if defined_in is not None else {}
    figures = make_table(files, out, among={**indicators(), **own})
    click.echo(summary_of(figures, out))


@data.command("list")
@JSON
def list_(as_json: bool) -> None:
    """List the shipped tables, with editions and hashes, and BBQ's items in the cache.

    \b
    geobias data list
    geobias data list --json
    """
    shipped = [
        msgspec.to_builtins(one) | {"bytes": _bytes(shipped_table(one.table))}
        for one in published_editions()
    ]
    bbq = bbq_in_cache()
    if as_json:
        print_json({"shipped": shipped, "bbq": str(bbq) if bbq else None})
        return
    click.echo("shipped")
    for row in shipped:
        click.echo(_line(row["table"], row["sha256"], row["bytes"], row["edition"]))
    click.echo(f"cache in {cache_folder()}{'' if bbq else ': empty'}")
    if bbq:
        click.echo(_line(bbq.name, sha256_of(bbq), _bytes(bbq), "Parrish et al. 2022"))


def _bytes(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def _line(name: str, sha256: str, size: int | None, edition: str) -> str:
    written = f"{size:>11,}" if size is not None else f"{'missing':>11}"
    return f"  {name:<38} {sha256[:12]} {written}  {edition}"


@data.command()
@JSON
def verify(as_json: bool) -> None:
    """Check the shipped tables and BBQ's items against their hashes. Exit code 1: one differs.

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
    """Each file with a hash: its place, its name, "ok" or the fault, and what to do about the
    fault."""
    rows = []
    advice = "the table differs from the published one: reinstall geobias."
    for one in published_editions():
        path = shipped_table(one.table)
        state = "missing"
        if path.is_file():
            state = "ok" if sha256_of(path) == one.sha256 else "changed"
        rows.append(("shipped", one.table, state, advice if state != "ok" else ""))
    if bbq := bbq_in_cache():
        advice = "the file has changed since it was stored: pull it again."
        rows.append(("cache", bbq.name, *(("ok", "") if cached_bbq() else ("changed", advice))))
    return [dict(zip(("where", "name", "state", "advice"), row, strict=True)) for row in rows]
