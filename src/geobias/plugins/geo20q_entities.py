"""`geobias entities`: the people and things that games are about."""

from __future__ import annotations

from pathlib import Path

import click
import polars as pl

from geobias.atlas.economies import economies, economy
from geobias.atlas.entity_files import load_entities
from geobias.cli.options import FILE, JSON
from geobias.cli.terminal import print_tables
from geobias.probes.geo20q.choosing import TYPES
from geobias.results.formatting import one_line


@click.group()
def entities() -> None:
    """The people and things that the games of Geo20Q+ are about.

    \b
    geobias entities list --country Kenya
    """


@entities.command("list")
@click.option("--type", "kind", type=click.Choice(list(TYPES)), default="both")
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
                "views": one.views,
                "standing": one.standing,
                "aliases": one_line(" | ".join(one.aliases)),
            }
            for one in load_entities(str(path) if path else None).entities.values()
            if one.type in TYPES[kind] and iso3 in (None, one.country)
        ],
        schema_overrides={"views": pl.Float64},
    )
    print_tables({"entities": frame}, as_json=as_json)
