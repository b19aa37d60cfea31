"""`geobias count`: how often entities occur in a corpus."""

from __future__ import annotations

from pathlib import Path

import click

from geobias.atlas.entity_files import load_entities
from geobias.cli.options import FILE, JSON, out_option
from geobias.cli.progress import amounts
from geobias.cli.terminal import print_json, print_tables
from geobias.corpus.counting import count as count_corpus
from geobias.errors import BadRequest, Interrupted
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
@out_option("counts.parquet", "The table to write, as .parquet or .csv.")
@click.option(
    "--field",
    default="text",
    show_default=True,
    help="The field with the text, in JSON and Parquet files.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes; default: one for each core.")
@JSON
def count(
    paths: tuple[Path, ...],
    table: Path | None,
    out: Path,
    field: str,
    workers: int | None,
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
    entities = load_entities(None if table is None else str(table)).entities
    try:
        with amounts("bytes") as progress:
            frame, read, unread = count_corpus(
                paths, entities, out, field=field, workers=workers, progress=progress
            )
    except KeyboardInterrupt:
        raise Interrupted("stopped as you asked: the same command resumes") from None
    for path, why in unread.items():
        click.echo(f"geobias: left out: {one_line(str(path))} {one_line(why)}", err=True)
    if as_json:
        facts = {"documents": read.documents, "bytes": read.bytes, "broken_lines": read.broken}
        left_out = {"without_text": read.without, "unread": {str(k): v for k, v in unread.items()}}
        print_json({"out": str(out), **facts, **left_out, "counts": frame.to_dicts()})
    else:
        named, shared = ((frame[column] > 0).sum() for column in ("count", "shared"))
        click.echo(
            f"{out}: {frame['count'].sum():,} mentions of {named:,} of {frame.height:,} entities "
            f"in {read.documents:,} documents, {read.bytes / 1e6:,.1f} MB of text. {shared:,} "
            "entities share a name with another (column shared)."
        )
        if read.broken or read.without:
            click.echo(
                f"left out: {read.broken:,} lines that are not JSON, {read.without:,} documents "
                f"without text under {field!r}"
            )
        top = frame.sort("count", "id", descending=[True, False])
        print_tables({"most often": top.head(SHOWN)}, as_json=False)
    if unread:
        raise click.exceptions.Exit(1)
