"""`geobias count`: how often entities occur in a corpus."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec
import polars as pl

from geobias.atlas.entities import LANGUAGES, load_entities
from geobias.atlas.table import sha256_of, shipped_table
from geobias.cli.options import FILE, JSON, out_option
from geobias.cli.progress import AmountDisplay
from geobias.cli.terminal import print_json, print_tables
from geobias.corpus.counting import count as count_corpus
from geobias.corpus.results import CountNote
from geobias.errors import BadRequest
from geobias.results.formatting import one_line

SHOWN = 10


@click.command()
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="PATH...")
@click.option(
    "--entities",
    "table",
    type=FILE,
    metavar="TABLE",
    help="Your own table (names in other languages in TABLE_names.csv); default: the shipped one.",
)
@out_option(
    "counts.parquet",
    "The table to write, as .parquet or .csv; a note on how it was made goes beside it.",
)
@click.option(
    "--field",
    default="text",
    show_default=True,
    help="The field with the text, in JSON and Parquet files.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    help="Count names in this language only. Repeatable. Default: all languages of the table.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes; default: one for each core.")
@click.option("--again", is_flag=True, help="Start over, without the counts so far.")
@JSON
def count(
    paths: tuple[Path, ...],
    table: Path | None,
    out: Path,
    field: str,
    languages: tuple[str, ...],
    workers: int | None,
    again: bool,
    as_json: bool,
) -> None:
    """Count how often each entity occurs in a corpus: the frequency that regressions use.

    PATH is a file or folder of .txt, .jsonl (both also .gz, .zst) or .parquet. A name counts as a
    whole word, as written or in capitals, with or without accents. To resume a stopped count, enter
    the same command again.

    \b
    geobias count dolma/ --out counts.parquet
    geobias count wiki.jsonl.zst --entities mine.csv --field content
    geobias table RUN regression --frequency counts.parquet
    """
    if table is not None and not table.is_file():
        raise BadRequest(f"there is no file {table}")
    entities = load_entities(None if table is None else str(table))
    known = {*LANGUAGES, *(code for one in entities.values() for code in one.names)}
    if wrong := [one for one in languages if one not in known]:
        raise BadRequest(f"no language {wrong[0]!r}: choose from {', '.join(sorted(known))}")
    with AmountDisplay("bytes") as display:
        frame, note = count_corpus(
            paths,
            entities,
            out,
            field=field,
            languages=languages or None,
            workers=workers,
            again=again,
            progress=display.at,
            table_digest=sha256_of(table or shipped_table("entities.csv")),
        )
    for path, why in note.unread.items():
        click.echo(f"geobias: left out: {one_line(path)} {one_line(why)}", err=True)
    if as_json:
        counts = {"out": str(out), "counts": frame.drop("spellings").to_dicts()}
        print_json(msgspec.to_builtins(note) | counts)
    else:
        _print_counts(frame, note, out)
    if note.unread:
        raise click.exceptions.Exit(1)


def _print_counts(frame: pl.DataFrame, note: CountNote, out: Path) -> None:
    named = (frame["count"] > 0).sum()
    click.echo(
        f"{out}: {frame['count'].sum():,} mentions of {named:,} of {frame.height:,} entities in "
        f"{note.documents:,} documents, {note.bytes / 1e6:,.1f} MB of text, "
        f"{len(note.files):,} files"
    )
    skipped = {
        "lines that are not JSON": note.broken_lines,
        f"documents without text under {note.field!r}": note.without_text,
        "other files": note.other_files,
    }
    if counted := [f"{number:,} {what}" for what, number in skipped.items() if number]:
        click.echo(f"left out: {', '.join(counted)}")
    if ambiguous := frame.filter(pl.col("shared") > 0).height:
        click.echo(
            f"ambiguous: {ambiguous:,} entities are counted under a name that another has too; the "
            "column shared says how often"
        )
    top = frame.drop("spellings").sort("count", "id", descending=[True, False], nulls_last=True)
    print_tables({"most often": top.head(SHOWN)}, as_json=False)
