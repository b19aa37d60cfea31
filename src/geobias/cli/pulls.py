"""`geobias data pull`: what belongs to entities, from those who publish it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from geobias.errors import BadRequest
from geobias.results.text import one_line
from geobias.sources.published_entities import NAME as PUBLISHED_ENTITIES

if TYPE_CHECKING:
    from geobias.atlas.entities import Entity

FILE = click.Path(path_type=Path)
REFRESH = click.option("--refresh", is_flag=True, help="Ask again for what is in the cache.")
ENTITIES = click.option(
    "--entities", "table", type=FILE, metavar="TABLE", help="A table of your own; default: ours."
)
TITLES = click.option(
    "--titles",
    type=FILE,
    metavar="FILE",
    help="CSV (id,title) for entities whose name does not lead to their article.",
)
JSON = click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
SHOWN = 5


@click.command("pageviews")
@ENTITIES
@click.option(
    "--from", "first", default="2024-01", show_default=True, metavar="MONTH", help="First month."
)
@click.option(
    "--to", "last", default="2024-12", show_default=True, metavar="MONTH", help="Last month."
)
@TITLES
@click.option(
    "--out", type=FILE, default=Path("pageviews.csv"), show_default=True, help="Table to write."
)
@REFRESH
@JSON
def pull_pageviews(
    table: Path | None,
    first: str,
    last: str,
    titles: Path | None,
    out: Path,
    refresh: bool,
    as_json: bool,
) -> None:
    """How often the entities' articles in English Wikipedia were read, from Wikimedia.

    Views by people, summed over whole months. An entity whose name leads to no article of its own,
    or to a choice of articles, has no figure, and the table says why. Some 4,000 articles take a
    quarter of an hour at the pace Wikimedia asks for; stopped, the same command goes on. Set
    GEOBIAS_CONTACT to your e-mail address, as Wikimedia asks.

    \b
    geobias data pull pageviews --out pageviews.csv
    geobias data pull pageviews --entities mine.csv --from 2023-07 --to 2024-06
    geobias geo20q regression RUN --views pageviews.csv
    """
    import msgspec

    from geobias.cli.progress import AmountDisplay
    from geobias.sources.pageviews import months, pull_views, read_titles

    when = months(first, last)
    _mention_contact()
    with AmountDisplay("articles") as display:
        rows = asyncio.run(
            pull_views(
                _table(table),
                out,
                when,
                titles=read_titles(titles) if titles else None,
                refresh=refresh,
                start=display.begin,
                progress=display.advance,
            )
        )
    if as_json:
        click.echo(msgspec.json.encode(rows))
        return
    with_figure = sum(row.views is not None for row in rows)
    click.echo(f"{out}: views of {with_figure:,} of {len(rows):,} entities, {when.edition}")
    _print_reasons({row.id: row.note for row in rows if row.views is None})


@click.command("names")
@ENTITIES
@click.option(
    "--languages",
    default="hi,zh,es,ja,tr,fr",
    show_default=True,
    help="Those of Geo20Q+ but English, or some of them.",
)
@TITLES
@click.option("--out", type=FILE, help="Table to write; default: TABLE_names.csv beside the table.")
@REFRESH
@JSON
def pull_names(
    table: Path | None,
    languages: str,
    titles: Path | None,
    out: Path | None,
    refresh: bool,
    as_json: bool,
) -> None:
    """The entities' names in other languages: Wikidata's labels, and aliases as other spellings.

    A table `my.csv` of entities is read together with `my_names.csv`. Wikidata's names are made by
    volunteers and machines: look them through before you play with them.

    \b
    geobias data pull names --entities my.csv --languages hi,zh
    """
    import msgspec

    from geobias.cli.progress import AmountDisplay
    from geobias.sources.pageviews import read_titles
    from geobias.sources.wikidata import pull_names as fetch

    wanted = list(dict.fromkeys(one.strip() for one in languages.split(",") if one.strip()))
    if not wanted:
        raise BadRequest("name a language: --languages hi,zh")
    beside = table or Path("entities.csv")
    _mention_contact()
    with AmountDisplay("entities") as display:
        made = asyncio.run(
            fetch(
                _table(table),
                wanted,
                out or beside.with_name(f"{beside.stem}_names.csv"),
                titles=read_titles(titles) if titles else None,
                refresh=refresh,
                start=display.begin,
                progress=display.advance,
            )
        )
    if as_json:
        click.echo(msgspec.json.encode({"names": made.names, "without": made.without}))
        return
    count = Counter(language for named in made.names.values() for language in named)
    said = ", ".join(f"{one} {count[one]:,}" for one in wanted)
    click.echo(f"{made.out}: names of {len(made.names):,} entities ({said})")
    _print_reasons(made.without)


@click.command(PUBLISHED_ENTITIES)
@click.option("--url", required=True, help="Address of the CSV itself (also .csv.gz, or a .zip).")
@click.option("--label", default="entities", show_default=True, help="To tell several apart.")
@click.option("--sha256", help="Refuse any other file.")
@REFRESH
def pull_published_entities(url: str, label: str, sha256: str | None, refresh: bool) -> None:
    """Fetch a table of Geo20Q+'s entities from an address that you give.

    The paper names a site, https://sites.google.com/view/llmbias20q/home, and no address of a file,
    so geobias has none either: copy the link of the CSV from there. The hash of what came is
    recorded; with --sha256 another file is refused.

    \b
    geobias data pull geo20q --label things --url https://…/things.csv
    geobias entities import FILE --out things.csv
    """
    from geobias.sources.published_entities import pull_table

    path, digest, fetched = asyncio.run(
        pull_table(url, label, sha256=sha256 and sha256.lower(), refresh=refresh)
    )
    click.echo(f"{path}: {path.stat().st_size:,} bytes, SHA-256 {digest}")
    if not fetched:
        click.echo("from the cache; --refresh asks again", err=True)
    click.echo(f"next: geobias entities import {path} --out {label}.csv", err=True)


@click.command("notable-people")
@REFRESH
def pull_notable(refresh: bool) -> None:
    """Fetch the cross-verified database of notable people (Laouenan et al. 2022; 260 MB).

    From Sciences Po's repository, doi:10.21410/7E4/RDAG3O, checked against the checksum it gives.
    Broken off, the same command goes on where it was.

    \b
    geobias data pull notable-people
    geobias entities import FILE --top 100 --per continent --out people.csv
    """
    from geobias.cli.progress import AmountDisplay
    from geobias.sources.notable import pull_people

    with AmountDisplay("bytes") as display:
        path, edition, fetched = asyncio.run(pull_people(refresh=refresh, progress=display.at))
    click.echo(f"{path}: {path.stat().st_size:,} bytes, {edition}")
    if not fetched:
        click.echo("from the cache; --refresh asks again", err=True)


PULLS = (pull_pageviews, pull_names, pull_published_entities, pull_notable)


def _table(path: Path | None) -> Mapping[str, Entity]:
    from geobias.atlas.entities import load_entities

    if path is not None and not path.is_file():
        raise BadRequest(f"there is no file {path}")
    return load_entities(None if path is None else str(path))


def _mention_contact() -> None:
    if sys.stderr.isatty() and not os.environ.get("GEOBIAS_CONTACT", "").strip():
        click.echo("Wikimedia asks who is asking: set GEOBIAS_CONTACT to your e-mail.", err=True)


def _print_reasons(without: Mapping[str, str]) -> None:
    """Why entities have nothing, each reason with how many and which."""
    by_reason: dict[str, list[str]] = {}
    for id_, why in without.items():
        general = "is part of another article" if why.startswith("is part of") else why
        by_reason.setdefault(general, []).append(id_)
    for why, ids in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        click.echo(f"without: {len(ids):,} ({one_line(why)}): {_some(ids)}")


def _some(ids: Iterable[str]) -> str:
    every = list(ids)
    more = f" and {len(every) - SHOWN:,} more" if len(every) > SHOWN else ""
    return one_line(", ".join(every[:SHOWN])) + more
