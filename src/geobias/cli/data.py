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
from geobias.sources import bbq
from geobias.sources.bbq import bbq_in_cache, cached_bbq
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
    click.echo(f"{path}: BBQ's nationality items, SHA-256 {bbq.BBQ_SHA256[:12]}…")


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


class HashedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of data and its stored SHA-256. `state` is ok, changed or missing."""

    where: str
    name: str
    edition: str
    sha256: str
    bytes: int | None
    state: str
    advice: str


def _file(where: str, path: Path, edition: str, sha256: str, advice: str) -> HashedFile:
    there = path.is_file()
    fine = there and sha256_of(path) == sha256
    return HashedFile(
        where=where,
        name=path.name,
        edition=edition,
        sha256=sha256,
        bytes=path.stat().st_size if there else None,
        state="ok" if fine else "changed" if there else "missing",
        advice="" if fine else advice,
    )


def _files() -> list[HashedFile]:
    advice = "the table differs from the published one: reinstall geobias."
    files = [
        _file("shipped", shipped_table(one.table), one.edition, one.sha256, advice)
        for one in published_editions()
    ]
    if items := bbq_in_cache():
        advice = "the file has changed since it was stored: pull it again."
        files.append(_file("cache", items, "Parrish et al. 2022", bbq.BBQ_SHA256, advice))
    return files


@data.command("list")
@JSON
def list_(as_json: bool) -> None:
    """List the shipped tables, with editions and hashes, and BBQ's items in the cache.

    \b
    geobias data list
    geobias data list --json
    """
    files = _files()
    if as_json:
        print_json(files)
        return
    for one in files:
        size = "missing" if one.bytes is None else f"{one.bytes:,}"
        click.echo(f"{one.where:<8} {one.name:<38} {one.sha256[:12]} {size:>11}  {one.edition}")
    click.echo(f"cache in {cache_folder()}{'' if bbq_in_cache() else ': empty'}")


@data.command()
@JSON
def verify(as_json: bool) -> None:
    """Check the shipped tables and BBQ's items against their hashes. Exit code 1: one differs.

    \b
    geobias data verify && geobias audit
    """
    files = _files()
    differing = [one for one in files if one.state != "ok"]
    if as_json:
        print_json({"ok": not differing, "files": files})
    else:
        for one in files:
            click.echo(f"  {one.state:<8} {one.where:<8} {one.name}")
        for one in differing:
            click.echo(f"geobias: {one.name}: {one.advice}", err=True)
    if differing:
        raise click.exceptions.Exit(1)
