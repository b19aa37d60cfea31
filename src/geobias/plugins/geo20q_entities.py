"""`geobias entities`: the people and things that games are about."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click
import polars as pl

from geobias.atlas.economies import economies, economy
from geobias.atlas.entities import load_entities
from geobias.cli.options import FILE, JSON, out_option
from geobias.cli.terminal import print_json, print_tables
from geobias.errors import BadRequest
from geobias.probes.geo20q import entity_import
from geobias.probes.geo20q.choosing import TYPES
from geobias.results.formatting import one_line

SHOWN = 12


@click.group()
def entities() -> None:
    """The people and things that the games of Geo20Q+ are about.

    \b
    geobias entities list --country Kenya
    geobias entities import things.csv --out my-things.csv
    """


@entities.command("list")
@click.option("--type", "kind", type=click.Choice(["people", "things", "both"]), default="both")
@click.option("--country", help="Name or code.")
@click.option("--file", "path", type=FILE, help="Your own table; default: the shipped one.")
@JSON
def list_entities(kind: str, country: str | None, path: Path | None, as_json: bool) -> None:
    """List entities.

    \b
    geobias entities list --country Kenya --type people
    """
    iso3 = economy(country).iso3 if country else None
    frame = pl.DataFrame(
        [
            {
                "id": one.id,
                "name": one_line(one.name),
                "type": one.type,
                "category": one.category,
                "country": economies()[one.country].name,
                "continent": economies()[one.country].continent,
                "standard": one.standard,
                "views": one.views,
                "standing": one.standing,
                "aliases": one_line(" | ".join(one.aliases)),
            }
            for one in load_entities(str(path) if path else None).values()
            if one.type in TYPES[kind] and iso3 in (None, one.country)
        ],
        schema_overrides={"views": pl.Float64},
    )
    print_tables({"entities": frame}, as_json=as_json)


@entities.command("import")
@click.argument("file", type=FILE)
@out_option("entities.csv")
@JSON
def import_entities(file: Path, out: Path, as_json: bool) -> None:
    """Make an entity table from a CSV file with Geo20Q+'s columns.

    The columns are name, country, and category (for things) or primary_occupation (for people).
    Views, aliases and gender are optional.

    \b
    geobias entities import things.csv --out my-things.csv
    geobias run geo20q MODEL --entities my-things.csv
    """
    if out.exists() and out.samefile(file):
        raise BadRequest("--out is the file that is read; name another")
    imported = entity_import.import_entities(file)
    lost = "\n".join(_not_understood(what, words) for what, words in imported.unknown.items())
    if not imported.kept:
        raise BadRequest(f"no row of {file} can be used; {lost or 'it has no rows'}")
    known = entity_import.write_entities(imported.kept, out)
    if as_json:
        facts = {"out": str(out), "read": imported.read, "written": len(imported.kept)}
        unknown = {f"unknown_{what}": dict(words) for what, words in imported.unknown.items()}
        print_json(facts | {"known": known, "doubles": imported.doubles} | unknown)
        return
    click.echo(
        f"{len(imported.kept):,} of {imported.read:,} rows are in {out}. {known:,} are entities of "
        "ours, which keep their ids, spellings, names and standing; "
        f"{imported.doubles:,} rows repeat an entity."
    )
    if lost:
        click.echo(lost)


def _not_understood(what: str, words: Counter[str]) -> str:
    named = [f"{one_line(word) or '(empty)'} {n:,}" for word, n in words.most_common(SHOWN)]
    more = f" and {len(words) - SHOWN:,} other words" if len(words) > SHOWN else ""
    return f"{words.total():,} rows have a {what} that is not known: {', '.join(named)}{more}"
