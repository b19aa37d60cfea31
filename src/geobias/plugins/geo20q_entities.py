"""`geobias entities`: the people and things that games are about."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Literal

import click
import polars as pl

from geobias import api
from geobias.atlas.economies import economies, economy
from geobias.atlas.entities import LANGUAGES, load_entities
from geobias.cli.options import FILE, JSON, out_option
from geobias.cli.progress import RunDisplay
from geobias.cli.terminal import print_json, print_tables
from geobias.errors import BadRequest
from geobias.probes.geo20q import agreement as agreeing
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
    geobias entities agree candidates.csv --models openai/gpt-4o-mini,google/gemini-2.0-flash
    """


@entities.command("list")
@click.option("--type", "kind", type=click.Choice(["people", "things", "both"]), default="both")
@click.option("--country", help="Name or code.")
@click.option("--continent", help="Africa, Asia, Europe, North America, South America, Oceania.")
@click.option("--category", help="A profession or a kind of thing.")
@click.option("--standard", is_flag=True, help="Only the standard set.")
@click.option("--language", default="en", show_default=True, help="Show names in this language.")
@click.option("--file", "path", type=FILE, help="A table of your own; default: ours.")
@click.option("--count", "counted", is_flag=True, help="How many there are in each country.")
@JSON
def list_entities(
    kind: str,
    country: str | None,
    continent: str | None,
    category: str | None,
    standard: bool,
    language: str,
    path: Path | None,
    counted: bool,
    as_json: bool,
) -> None:
    """List entities, or count them by country.

    \b
    geobias entities list --country Kenya --type people
    geobias entities list --standard --language ja
    geobias entities list --count --json
    """
    table = load_entities(str(path) if path else None)
    if language not in LANGUAGES and not any(language in one.names for one in table.values()):
        raise BadRequest(f"no language {language!r}: there are {', '.join(LANGUAGES)}")
    iso3 = economy(country).iso3 if country else None
    places = {one.continent.casefold(): one.continent for one in economies().values()}
    if continent and continent.casefold() not in places:
        raise BadRequest(f"no continent {continent!r}: there are {', '.join(places.values())}")
    chosen = [
        one
        for one in table.values()
        if one.type in TYPES[kind]
        and iso3 in (None, one.country)
        and category in (None, one.category)
        and (not continent or economies()[one.country].continent == places[continent.casefold()])
        and (one.standard or not standard)
    ]
    if counted:
        cells = Counter((one.country, one.type) for one in chosen)
        rows: list[dict[str, Any]] = [
            {
                "country": economies()[code].name,
                "continent": economies()[code].continent,
                "people": cells[code, "person"],
                "things": cells[code, "thing"],
            }
            for code in sorted({code for code, _ in cells})
        ]
    else:
        rows = [
            {
                "id": one.id,
                "name": one_line(one.name_in(language) or ""),
                "type": one.type,
                "category": one.category,
                "country": economies()[one.country].name,
                "standard": one.standard,
                "views": one.views,
                "standing": one.standing,
                "aliases": one_line(" | ".join(one.spellings(language)[1:])),
            }
            for one in chosen
        ]
    frame = pl.DataFrame(rows, schema_overrides={} if counted else {"views": pl.Float64})
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


@entities.command()
@click.argument("file", type=FILE)
@click.option("--models", required=True, metavar="A,B,C", help="The models that have to agree.")
@out_option("agreed.csv")
@click.option("--run", "run_file", type=FILE, help="The run file; default: beside --out.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Entities without agreement to show; 0: none.",
)
@JSON
def agree(
    file: Path, models: str, out: Path, run_file: Path | None, limit: int, as_json: bool
) -> None:
    """Ask models for the primary country of each entity, and keep what all agree on.

    FILE is a CSV with the columns name and countries (candidates parted by |). Entities with one
    candidate are kept without asking. The same command again resumes.

    \b
    geobias entities agree candidates.csv --models openai/gpt-4o-mini,google/gemini-2.0-flash
    """
    rows = agreeing.read_candidates(file)
    if not rows:
        raise BadRequest(f"{file} has no rows")
    roles = agreeing.roles_of([name.strip() for name in models.split(",") if name.strip()])
    path = run_file or out.with_suffix(".geobias")
    plan = agreeing.plan(rows, list(roles))
    records: list[dict[str, Any]] = []
    if plan.count:
        with RunDisplay() as display:
            api.run([plan], roles, path, display=display)
        with api.open_run(path) as reader:
            records = list(reader.records("agree"))
    agreed = agreeing.agreement(rows, records)
    agreeing.write_kept(agreed, out)
    called = {role: one_line(model) for role, model in roles.items()}
    left_out = [
        {called.get(key, key): value for key, value in row.items()} for row in agreed.left_out
    ]
    if as_json:
        facts = {
            "kept": len(agreed.kept),
            "of": len(rows),
            **agreed.share.columns("share"),
            "asked": agreed.asked,
            "one_candidate": agreed.single,
            "left_out": left_out,
            "out": str(out),
        }
        print_json(facts)
        return
    click.echo(
        f"kept {len(agreed.kept):,} of {len(rows):,} entities: {agreed.share}; "
        f"{agreed.single:,} have one candidate only"
    )
    if left_out and limit:
        shown = [{key: one_line(value) for key, value in row.items()} for row in left_out]
        print_tables({"no agreement": pl.DataFrame(shown)}, as_json=False, limit=limit)
    click.echo(f"written to {out}; every reply is in {path}")
