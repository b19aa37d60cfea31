"""`geobias data`: which figures there are, and how to get others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geobias.cli.pulls import PULLS

if TYPE_CHECKING:
    from geobias.atlas.figures import Figures
    from geobias.sources.pulling import Pulled

FILE = click.Path(path_type=Path)
OUT = click.option(
    "--out", type=FILE, default=Path("figures.csv"), show_default=True, help="The table to write."
)
INDICATORS = click.option(
    "--indicators", "defined_in", type=FILE, help="TOML file that defines indicators of your own."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Machine-readable.")


@click.group()
def data() -> None:
    """The figures answers are held against: what is shipped, and how to get others.

    \b
    geobias data list
    geobias data pull worldbank --out figures.csv
    geobias data import worldbank API_*.csv --out figures.csv
    """


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
    from geobias.atlas.importing import import_worldbank as write_table
    from geobias.atlas.indicators import indicators, read_indicators

    own = read_indicators(defined_in) if defined_in is not None else {}
    click.echo(_summary(write_table(files, out, among={**indicators(), **own}), out))


@data.group()
def pull() -> None:
    """Get what geobias does not ship from those who publish it.

    \b
    geobias data pull worldbank
    geobias data pull bbq
    geobias data pull pageviews
    """


for _command in PULLS:
    pull.add_command(_command)


@pull.command("worldbank")
@click.option(
    "--indicator",
    "names",
    multiple=True,
    metavar="CODE",
    help='World Bank code, or id of a known indicator; "shipped" is the eleven. Repeatable.',
)
@click.option(
    "--phrase",
    "phrases",
    multiple=True,
    metavar="TEXT",
    help='What a question asks for: "What is the TEXT for the country Kenya?"',
)
@click.option("--unit", "units", multiple=True, metavar="TEXT", help="Of the figures.")
@INDICATORS
@OUT
@click.option("--refresh", is_flag=True, help="Ask again for what is in the cache.")
def pull_worldbank(
    names: tuple[str, ...],
    phrases: tuple[str, ...],
    units: tuple[str, ...],
    defined_in: Path | None,
    out: Path,
    refresh: bool,
) -> None:
    """Make a table of figures of what the World Bank's API has today.

    Without options it is the eleven shipped indicators in their current edition, all years. Any
    other series needs a phrase and a unit; its definition goes to a TOML file beside the table.
    What was pulled before comes from the cache.

    \b
    geobias data pull worldbank --out figures.csv
    geobias data pull worldbank --indicator SP.DYN.LE00.IN \\
        --phrase "life expectancy at birth in years" --unit years
    geobias data pull worldbank --indicators mine.toml --refresh
    """
    from geobias.cli.progress import AmountDisplay
    from geobias.sources.definitions import wanted_indicators
    from geobias.sources.pulling import pull as pull_figures

    wanted = wanted_indicators(names, phrases=phrases, units=units, file=defined_in)
    with AmountDisplay("pages") as display:
        made = asyncio.run(
            pull_figures(
                wanted,
                out,
                defined_in=defined_in,
                refresh=refresh,
                progress=lambda code, here, pages: display.at(here, pages, code),
            )
        )
    _print_pulled(made)


@pull.command("bbq")
@click.option("--refresh", is_flag=True, help="Fetch it again if it is in the cache.")
def pull_bbq(refresh: bool) -> None:
    """Fetch BBQ's nationality items, for `--items bbq` of the Name-BBQ probe.

    3,080 questions by Parrish et al. (2022), CC BY 4.0, kept in the cache. The file must be the
    one with the published hash. Have one already? Set GEOBIAS_BBQ to it instead.

    \b
    geobias data pull bbq
    """
    from geobias.sources.bbq import SHA256
    from geobias.sources.bbq import pull_bbq as fetch

    path, fetched = asyncio.run(fetch(refresh=refresh))
    click.echo(f"{path}: BBQ's nationality items, SHA-256 {SHA256[:12]}…")
    if not fetched:
        click.echo("from the cache; --refresh asks again", err=True)


def _print_pulled(made: Pulled) -> None:
    click.echo(_summary(made.figures, made.out))
    if made.definitions is not None:
        click.echo(f"{made.definitions}: definitions of the indicators that are not shipped")
    if made.aggregates:
        click.echo(f"left out: {_count(made.aggregates, 'aggregate')} (World, Arab World …)")
    if made.unknown:
        names = ", ".join(f"{code or '?'} {name}".rstrip() for code, name in made.unknown.items())
        count = _count(len(made.unknown), "econom", "y", "ies")
        click.echo(f"left out: {count} geobias does not know: {names}")
    if made.cached:
        oldest = min(made.entries[name].fetched_at for name in made.cached)
        click.echo(
            f"from the cache: {len(made.cached)} of {len(made.entries)}, the oldest of "
            f"{oldest[:10]}; --refresh asks again",
            err=True,
        )
    for sentence in made.missing:
        click.echo(f"geobias: left out: {sentence}", err=True)


def _summary(figures: Figures, out: Path) -> str:
    economies = {iso3 for rows in figures.rows.values() for iso3 in rows}
    editions = ", ".join(sorted(set(figures.editions.values())))
    known = sum(
        figure is not None
        for rows in figures.rows.values()
        for row in rows.values()
        for figure in row
    )
    return (
        f"{out}: {known:,} figures of {_count(len(figures.rows), 'indicator')} and "
        f"{_count(len(economies), 'econom', 'y', 'ies')}, {figures.years[0]} to "
        f"{figures.last_year}, edition {editions}"
    )


def _count(number: int, stem: str, one: str = "", more: str = "s") -> str:
    return f"{number:,} {stem}{one if number == 1 else more}"


@data.command("list")
@JSON
def list_(as_json: bool) -> None:
    """What is shipped and what is in the cache, with editions and hashes.

    \b
    geobias data list
    geobias data list --json
    """
    import msgspec

    from geobias.atlas.editions import published_editions
    from geobias.atlas.table import shipped_table
    from geobias.sources.cache import Cache

    cache = Cache()
    shipped = [
        msgspec.to_builtins(one) | {"bytes": _bytes(shipped_table(one.table))}
        for one in published_editions()
    ]
    cached = [msgspec.to_builtins(entry) for entry in cache.entries().values()]
    if as_json:
        facts = {"shipped": shipped, "cache": {"folder": str(cache.folder), "entries": cached}}
        click.echo(msgspec.json.encode(facts))
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
    """Hold the shipped tables and the cache against their hashes; exit 1 if one differs.

    \b
    geobias data verify && geobias audit
    """
    import msgspec

    states = _states()
    fine = all(row["state"] == "ok" for row in states)
    if as_json:
        click.echo(msgspec.json.encode({"ok": fine, "files": states}))
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
    from geobias.atlas.editions import edition_of, published_editions
    from geobias.atlas.table import shipped_table
    from geobias.sources.cache import BadCache, Cache

    states = []
    for one in published_editions():
        path = shipped_table(one.table)
        state = "missing"
        if path.is_file():
            state = "ok" if edition_of(path).sha256 == one.sha256 else "changed"
        advice = "the table is not as it was published: install geobias again."
        states.append({"where": "shipped", "name": one.table, "state": state, "advice": advice})
    try:
        checked = Cache().verify()
    except BadCache as error:
        row = {"where": "cache", "name": "index.json", "state": "damaged", "advice": str(error)}
        return [*states, row]
    for each in checked:
        advice = "the file is not as it was kept: pull it again, it will be asked for anew."
        states.append(
            {"where": "cache", "name": each.entry.name, "state": each.state, "advice": advice}
        )
    for row in states:
        if row["state"] == "ok":
            row["advice"] = ""
    return states
