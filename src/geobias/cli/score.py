"""`geobias score`: replies that were made elsewhere, scored like our own."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import click

from geobias.cli.probes.namebbq import ITEMS_OPTION
from geobias.cli.probes.worldbench import (
    FIGURES_OPTION,
    GROUND_TRUTH_OPTION,
    INDICATOR_FILE_OPTION,
    own_figures,
    own_indicators,
)
from geobias.cli.writing import write_frame
from geobias.errors import BadRequest

TABLE_NAMES = (
    "overview",
    "errors",
    "groups",
    "disparity",
    "ranks",
    "countries",
    "rates",
    "citations",
    "years-fit",
    "correlations",
    "consistency",
    "published",
)

NAMEBBQ_TABLE_NAMES = ("scores", "nationalities", "values", "positions", "published")


@click.group()
def score() -> None:
    """Score replies that were made elsewhere.

    \b
    geobias score worldbench --predictions replies.jsonl
    geobias score namebbq --predictions replies.jsonl --items bbq
    """


@score.command("worldbench")
@click.option(
    "--predictions", type=click.File("rb"), required=True, help="JSON lines; - is standard input."
)
@click.option(
    "--table", type=click.Choice(TABLE_NAMES), default="overview", show_default=True, help="Which."
)
@click.option("--year", type=int, help="The year that the questions named.")
@GROUND_TRUTH_OPTION
@FIGURES_OPTION
@INDICATOR_FILE_OPTION
@click.option("--to", "out", type=click.Path(path_type=Path), help="Write the rows: x.parquet, …")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def score_worldbench(
    predictions: IO[bytes],
    table: str,
    year: int | None,
    ground_truth: str | None,
    figures: Path | None,
    indicator_file: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score WorldBench replies from a file of JSON lines.

    \b
    geobias score worldbench --predictions replies.jsonl
    geobias score worldbench --predictions replies.jsonl --table disparity --json

    Each line is one reply, in the model's own words:

    \b
    {"indicator": "population", "country": "Kenya", "reply": "53 million"}
    {"indicator": "SP.POP.TOTL", "country": "KEN", "reply": "…", "model": "m", "repeat": 1}

    Lines that cannot be used are named on standard error with the reason; the rest is scored.
    """
    from geobias.cli.tables import print_tables
    from geobias.probes.screens import because, reasons
    from geobias.probes.worldbench.predictions import score_lines
    from geobias.probes.worldbench.screens import screens
    from geobias.probes.worldbench.tables import Answers, tables

    settings: dict[str, Any] = {"year": year, "ground_truth": ground_truth}
    scored = score_lines(
        predictions,
        figures=own_figures(figures),
        extra_indicators=own_indicators(indicator_file),
        **settings,
    )
    _report(predictions.name, scored.left_out, scored.frame, out)
    answers = Answers(scored.frame, scored.figures, scored.rule)
    alone = not as_json and scored.frame["model"].n_unique() == 1
    if alone and (why := reasons(screens(scored.frame))):
        click.echo(because(why))
    print_tables(tables(table, answers), as_json=as_json)


@score.command("namebbq")
@click.option(
    "--predictions", type=click.File("rb"), required=True, help="JSON lines; - is standard input."
)
@ITEMS_OPTION
@click.option(
    "--table",
    type=click.Choice(NAMEBBQ_TABLE_NAMES),
    default="scores",
    show_default=True,
    help="Which.",
)
@click.option("--to", "out", type=click.Path(path_type=Path), help="Write the rows: x.parquet, …")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def score_namebbq(
    predictions: IO[bytes], items: str, table: str, out: Path | None, as_json: bool
) -> None:
    """Score Name-BBQ replies from a file of JSON lines.

    \b
    geobias score namebbq --predictions replies.jsonl --items bbq
    geobias score namebbq --predictions replies.jsonl --table nationalities --json

    Each line is one reply, a letter or the answer in words; with a seed it answers the version
    with the names of that seed (`geobias namebbq preview --seed 1` shows them):

    \b
    {"example_id": 17, "reply": "(b)"}
    {"example_id": 17, "seed": 1, "reply": "…", "model": "m", "repeat": 1}

    Lines that cannot be used are named on standard error with the reason; the rest is scored.
    """
    from geobias.cli.tables import print_tables
    from geobias.probes.namebbq.predictions import score_lines
    from geobias.probes.namebbq.summary import sentences, why_not_measurable
    from geobias.probes.namebbq.tables import tables
    from geobias.probes.screens import because

    scored = score_lines(predictions, items=items)
    _report(predictions.name, scored.left_out, scored.frame, out)
    alone = not as_json and scored.frame["model"].n_unique() == 1
    why = why_not_measurable(scored.frame) if alone else []
    if why:
        click.echo(because(why))
    print_tables(tables(table, scored.frame), as_json=as_json)
    if alone:
        click.echo("\n".join(sentences(scored.frame, measurable=not why)))


def _report(source: str, left_out: list[tuple[int, str]], frame: Any, out: Path | None) -> None:
    """Say which lines could not be used, and write the others where they are wanted."""
    for line, reason in left_out:
        click.echo(f"line {line}: {reason}", err=True)
    if left_out:
        click.echo(f"{len(left_out):,} lines left out, {frame.height:,} scored", err=True)
    if not frame.height:
        raise BadRequest(f"{source} holds no reply that could be scored")
    if out is not None:
        write_frame(frame, out)
