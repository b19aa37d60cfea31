"""`geobias count`: how often entities stand in a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import click
import polars as pl
from click.core import ParameterSource

from geobias.atlas.entities import LANGUAGES, Entity
from geobias.atlas.table import sha256_of, shipped_table
from geobias.cli.data import load_table, pull_displayed
from geobias.cli.options import FILE, JSON, engine_option, out_option
from geobias.cli.progress import AmountDisplay
from geobias.cli.terminal import print_json, print_tables
from geobias.corpus.counting import Engine, local_engine
from geobias.corpus.counting import count as count_corpus
from geobias.corpus.results import COLUMNS, CorpusCounts, check_ending, write_table
from geobias.errors import BadRequest
from geobias.files import check_folder
from geobias.integrations.ray_count import cluster_engine
from geobias.results.formatting import one_line
from geobias.sources.infinigram import pull_counts

SHOWN = 10


@click.command()
@click.argument("paths", nargs=-1, type=FILE, metavar="PATH...")
@click.option(
    "--entities",
    "table",
    type=FILE,
    metavar="TABLE",
    help="A table of your own (its names in other languages in TABLE_names.csv); default: ours.",
)
@out_option(
    "counts.parquet",
    "The table to write, as .parquet or .csv; a note on how it was made goes beside it.",
)
@click.option(
    "--field", default="text", show_default=True, help="Where the text is in JSON and Parquet."
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    help="Look for names in this language only; may be repeated. Default: all the table has.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes; default: one for each core.")
@click.option("--again", is_flag=True, help="Count everything anew, whatever is there.")
@engine_option("ray: a cluster on which every node sees the files under the same path.")
@click.option("--address", help="Of the Ray cluster; default: one on this machine.")
@click.option(
    "--infinigram",
    "index",
    metavar="INDEX",
    help="Ask infini-gram's API about a corpus it has (v4_dolma-v1_7_llama …) instead of files.",
)
@JSON
@click.pass_context
def count(
    context: click.Context,
    paths: tuple[Path, ...],
    table: Path | None,
    out: Path,
    field: str,
    languages: tuple[str, ...],
    workers: int | None,
    again: bool,
    engine: str,
    address: str | None,
    index: str | None,
    as_json: bool,
) -> None:
    """Count how often each entity occurs in a corpus: the frequency that regressions use.

    PATH is a file or folder of .txt, .jsonl (all also .gz, .zst) or .parquet. All names are looked
    for in one pass, as whole words, as written or in capitals, with or without accents. A count
    that was stopped is resumed by the same command, file by file.

    \b
    geobias count dolma/ --out counts.parquet
    geobias count wiki.jsonl.zst --entities mine.csv --field content
    geobias count --infinigram v4_dolma-v1_7_llama --out dolma.parquet
    geobias table RUN regression --frequency counts.parquet
    """
    if bool(paths) == bool(index):
        raise click.UsageError("say what to count in: PATH, or --infinigram INDEX")
    _refuse_unused(context, "infinigram" if index else engine)
    entities = _entities(table, languages)
    if index:
        _count_by_index(entities, index, out, as_json, again=again)
        return

    with AmountDisplay("bytes") as display:
        counts = count_corpus(
            paths,
            entities,
            out,
            field=field,
            languages=languages or None,
            engine=_engine(engine, workers, address),
            again=again,
            start=display.begin,
            progress=display.advance,
            table_digest=sha256_of(table or shipped_table("entities.csv")),
        )
    _print_counts(counts, out, as_json)


_UNUSED = {
    "native": {"address": "--address is for --engine ray"},
    "ray": {"workers": "--workers is for --engine native; a cluster uses all the cores it has"},
    "infinigram": {
        "field": "--field is for files of yours; an index has its text already",
        "languages": "--language is for files; an index is asked for each name as the table has it",
        "workers": "--workers is for files; an index is counted by its own service",
        "engine": "--engine is for files; an index is counted by its own service",
        "address": "--address is for --engine ray; an index is counted by its own service",
    },
}
"""What an engine has no use for, and why; given all the same it would be dropped in silence."""


def _refuse_unused(context: click.Context, engine: str) -> None:
    for name, why in _UNUSED[engine].items():
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise click.UsageError(why)


def _entities(table: Path | None, languages: tuple[str, ...]) -> Mapping[str, Entity]:
    entities = load_table(table)
    known = {*LANGUAGES, *(code for one in entities.values() for code in one.names)}
    if wrong := [one for one in languages if one not in known]:
        raise BadRequest(f"no language {wrong[0]!r}: there are {', '.join(sorted(known))}")
    return entities


def _engine(engine: str, workers: int | None, address: str | None) -> Engine:
    if engine == "ray":
        return cluster_engine(address)
    return local_engine(workers)


def _print_counts(counts: CorpusCounts, out: Path, as_json: bool) -> None:
    frame, whole = counts.frame(), counts.total
    for path, why in counts.unread.items():
        click.echo(f"geobias: left out: {one_line(path)} {one_line(why)}", err=True)
    if as_json:
        print_json(counts.note() | {"out": str(out), "counts": frame.drop("spellings").to_dicts()})
    else:
        click.echo(
            f"{_mentions(frame, out)} in {whole.documents:,} documents, "
            f"{whole.bytes / 1e6:,.1f} MB of text, {len(counts.files):,} files"
        )
        _print_skipped(counts, frame)
        _print_top(frame)
    if counts.unread:
        raise click.exceptions.Exit(1)


def _mentions(frame: pl.DataFrame, out: Path) -> str:
    named = (frame["count"] > 0).sum()
    total = frame["count"].sum()
    return f"{out}: {total:,} mentions of {named:,} of {frame.height:,} entities"


def _print_skipped(counts: CorpusCounts, frame: pl.DataFrame) -> None:
    whole = counts.total
    skipped = {
        "lines that are no JSON": whole.broken,
        f"documents without text under {counts.field!r}": whole.without,
        "files that are no corpus": counts.others,
    }
    if counted := [f"{number:,} {what}" for what, number in skipped.items() if number]:
        click.echo(f"left out: {', '.join(counted)}")
    ambiguous = frame.filter(frame["shared"] > 0)
    if ambiguous.height:
        click.echo(
            f"ambiguous: {ambiguous.height:,} entities are counted under a name that another has "
            "too; the column shared says how often"
        )


def _print_top(frame: pl.DataFrame) -> None:
    top = frame.drop("spellings").sort("count", "id", descending=[True, False], nulls_last=True)
    print_tables({"most often": top.head(SHOWN)}, as_json=False)


def _count_by_index(
    entities: Mapping[str, Entity], index: str, out: Path, as_json: bool, *, again: bool
) -> None:
    """Count by infini-gram's API; `again` asks for counts that are in the cache too."""
    check_ending(out)
    check_folder(out)
    pulled = pull_displayed("queries", partial(pull_counts, entities, index, refresh=again))
    rows = []
    for one in entities.values():
        spelled = pulled.counts[one.id]
        rows.append(
            {name: getattr(one, name) for name in COLUMNS[:5]}
            | {"count": sum(spelled.values()), "documents": None, "shared": None}
            | {"spellings": [{"spelling": s, "count": n} for s, n in spelled.items()]}
        )
    whole = dict.fromkeys(COLUMNS[5:8], pl.Int64)
    frame = pl.DataFrame(rows, schema_overrides=whole).select(COLUMNS)
    note = {"source": pulled.source, "index": index, "queries": pulled.queries}
    note |= {"approximate": pulled.approximate, "fetched_at": pulled.fetched_at}
    write_table(frame, note, out)
    if as_json:
        print_json(note | {"counts": frame.drop("spellings").to_dicts()})
        return
    click.echo(
        f"{_mentions(frame, out)} in {index}, by {pulled.queries:,} queries, "
        f"{pulled.approximate:,} of them answered with an estimate"
    )
    _print_top(frame)
