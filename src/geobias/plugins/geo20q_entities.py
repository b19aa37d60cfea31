"""`geobias entities`: the people and things that games are about."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click
import polars as pl

from geobias.atlas.economies import economies, economy
from geobias.atlas.entities import LANGUAGES, load_entities
from geobias.cli.options import FILE, JSON, out_option
from geobias.cli.terminal import print_json, print_tables
from geobias.errors import BadRequest
from geobias.probes.geo20q import entity_import
from geobias.probes.geo20q.choosing import TYPES
from geobias.probes.geo20q.entity_import import Imported
from geobias.results.formatting import one_line

SHOWN = 12


@click.group()
def entities() -> None:
    """The people and things that the games of Geo20Q+ are about.

    \b
    geobias entities list --country Kenya
    geobias entities import notable-people.csv --top 10 --per country --out people.csv
    """


@entities.command("list")
@click.option("--type", "kind", type=click.Choice(["people", "things", "both"]), default="both")
@click.option("--country", help="Name or code.")
@click.option("--language", default="en", show_default=True, help="Show names in this language.")
@click.option("--file", "path", type=FILE, help="A table of your own; default: ours.")
@click.option("--count", "counted", is_flag=True, help="How many there are in each country.")
@JSON
def list_entities(
    kind: str, country: str | None, language: str, path: Path | None, counted: bool, as_json: bool
) -> None:
    """List entities, or count them by country.

    \b
    geobias entities list --country Kenya --type people
    geobias entities list --count --json
    """
    table = load_entities(str(path) if path else None)
    if language not in LANGUAGES and not any(language in one.names for one in table.values()):
        raise BadRequest(f"no language {language!r}: there are {', '.join(LANGUAGES)}")
    iso3 = economy(country).iso3 if country else None
    frame = pl.DataFrame(
        [
            {
                "id": one.id,
                "name": one_line(one.name_in(language) or ""),
                "type": one.type,
                "category": one.category,
                "country": economies()[one.country].name,
                "continent": economies()[one.country].continent,
                "standard": one.standard,
                "views": one.views,
                "standing": one.standing,
                "aliases": one_line(" | ".join(one.spellings(language)[1:])),
            }
            for one in table.values()
            if one.type in TYPES[kind] and iso3 in (None, one.country)
        ],
        schema_overrides={"views": pl.Float64},
    )
    if counted:
        people, things = (pl.col("type") == kind for kind in TYPES["both"])
        frame = frame.group_by("country", "continent", maintain_order=True).agg(
            people=people.sum().cast(pl.Int64), things=things.sum().cast(pl.Int64)
        )
    print_tables({"entities": frame}, as_json=as_json)


@entities.command("import")
@click.argument("file", type=FILE)
@click.option("--top", type=click.IntRange(1), metavar="N", help="The N most viewed of each type …")
@click.option(
    "--per",
    type=click.Choice(["country", "continent"]),
    default="country",
    show_default=True,
    help="… in every country or continent.",
)
@click.option(
    "--edition", default="", help="Source of the file's page views, to be noted in the table."
)
@out_option("entities.csv")
@JSON
def import_entities(
    file: Path,
    top: int | None,
    per: Literal["country", "continent"],
    edition: str,
    out: Path,
    as_json: bool,
) -> None:
    """Make an entity table of Geo20Q+'s own CSV, or of the notable-people database.

    Geo20Q+: columns name, category (things) or primary_occupation (people), country; views if you
    have them. Notable people: the CSV of Laouenan et al. (2022), also as .gz.

    \b
    geobias entities import things.csv --out my-things.csv
    geobias entities import notable-people.csv.gz --top 100 --per continent --out people.csv
    geobias run geo20q MODEL --entities people.csv
    """
    if out.exists() and out.samefile(file):
        raise BadRequest("--out is the file that is read; name another")
    imported = entity_import.import_entities(file, top=top, per=per, edition=edition)
    lost = _not_understood(imported)
    if not imported.kept:
        raise BadRequest(f"no row of {file} could be placed; {lost or 'it has no rows'}")
    known = entity_import.write_entities(imported.kept, out)
    if as_json:
        facts = {
            "out": str(out),
            "read": imported.read,
            "written": len(imported.kept),
            "known": known,
            "unnamed": imported.unnamed,
            "doubles": imported.doubles,
            "below_the_top": imported.below_the_top,
            "unknown_countries": dict(imported.unknown_countries.most_common()),
            "unknown_categories": dict(imported.unknown_categories.most_common()),
        }
        print_json(facts)
        return
    click.echo(f"{len(imported.kept):,} of {imported.read:,} rows are in {out}")
    for count, reason in (
        (known, "are entities of ours: they keep their ids, spellings, names and standing"),
        (imported.below_the_top, "are not among the most viewed"),
        (imported.doubles, "stand there twice"),
        (imported.unnamed, "have no name"),
    ):
        if count:
            click.echo(f"{count:,} {reason}")
    if lost:
        click.echo(lost)


def _not_understood(imported: Imported) -> str:
    lines = []
    unknown = {"country": imported.unknown_countries, "category": imported.unknown_categories}
    for what, words in unknown.items():
        if not words:
            continue
        shown = ", ".join(
            f"{one_line(word) or '(empty)'} {n:,}" for word, n in words.most_common(SHOWN)
        )
        more = f" and {len(words) - SHOWN:,} other words" if len(words) > SHOWN else ""
        lines.append(f"{words.total():,} rows have a {what} that is not known: {shown}{more}")
    return "\n".join(lines)
