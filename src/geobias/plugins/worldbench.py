"""Commands of `geobias worldbench`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.figures import Figures
from geobias.cli.options import FILE, JSON, Count, opened, options_of, with_options
from geobias.cli.terminal import print_json, print_tables
from geobias.errors import BadRequest
from geobias.measures.grouping import with_groups
from geobias.probes.settings import settings_from
from geobias.probes.worldbench.choosing import figures_from
from geobias.probes.worldbench.moving import floors, other_figures
from geobias.probes.worldbench.scores import ERROR, frame_of
from geobias.probes.worldbench.settings import WorldBenchSettings
from geobias.probes.worldbench.trials import plan
from geobias.probes.worldbench.years import years_table
from geobias.report.comparing import compare
from geobias.results.formatting import one_line, printable


@click.command()
@click.option("--figures", type=FILE, help="Your own table of figures (CSV).")
@click.option("--edition", type=FILE, help="Another edition, to be compared with --figures.")
@click.option("--by", metavar="COLUMN", help="Group by region, income or another column.")
@JSON
def years(figures: Path | None, edition: Path | None, by: str | None, as_json: bool) -> None:
    """How far one year's figures are from the ground truth: the paper's Table 3.

    \b
    geobias worldbench years
    geobias worldbench years --by income
    geobias worldbench years --figures figures-2026.csv --by region --json
    geobias worldbench years --edition figures-2026.csv --by income

    Needs no model. A model that knew 2018 by heart would still show the error of that column, and
    by group, means as in `geobias table RUN error`: a floor for each group. With --figures, or
    --edition, the column "other edition" is a model that knows the other edition by heart.
    """
    known = figures_from(figures)
    if by is None and edition is None:
        print_tables({"years": years_table(known, known.years[-5:])}, as_json=as_json)
        return
    grouping = by or "all"
    asked, column = with_groups(_every_question(known), ERROR, grouping)
    other = None if edition is None else figures_from(edition)
    table = floors(asked, other_figures(known, "average", other), column)
    print_tables({f"error of one who knows other figures, by {grouping}": table}, as_json=as_json)


def _every_question(known: Figures) -> pl.DataFrame:
    """All questions that a table of figures can answer."""
    places = economies()
    rows = [
        {"indicator": indicator, "country": iso3, "truth": truth, "error": 0.0}
        | {"region": places[iso3].region, "income": places[iso3].income}
        for indicator in known.rows
        for iso3, truth in known.truths(indicator, "average").items()
        if iso3 in places
    ]
    return frame_of(rows)


@click.command()
@click.argument("without", type=FILE)
@click.argument("with_it", type=FILE, metavar="WITH")
@JSON
def retrieval(without: Path, with_it: Path, as_json: bool) -> None:
    """What retrieval changes: two runs of one model, the second made with --retrieve.

    \b
    geobias run worldbench MODEL --out plain.geobias
    geobias run worldbench MODEL --retrieve 3 --out helped.geobias
    geobias worldbench retrieval plain.geobias helped.geobias
    """
    with opened([without, with_it]) as (first, second):
        mine, theirs = (run.manifest().probes.get("worldbench", {}) for run in (first, second))
        if mine.get("retrieve") or not theirs.get("retrieve"):
            raise BadRequest(
                "give the run without retrieval first, then the one made with --retrieve"
            )
        if first.manifest().models != second.manifest().models:
            raise BadRequest("only runs of one model show what retrieval does")
        if other := [k for k in mine if mine[k] != theirs.get(k) and k != "retrieve"]:
            click.echo(f"geobias: the runs differ in {', '.join(other)} too", err=True)
        (pair,) = compare([first, second], anyway=True, probes=["worldbench"]).pairs
    changes = pl.DataFrame(msgspec.to_builtins(pair.changes), infer_schema_length=None)
    of_groups = changes.filter(~pl.col("by").is_in(["country", "indicator"]))
    print_tables({"with retrieval minus without": of_groups}, as_json=as_json)


@click.command()
@click.option(
    "--n", "count", type=Count(1), default=3, show_default=True, help="Dialogues to show."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def preview(count: int, as_json: bool, **given: Any) -> None:
    """What a model would be asked, word for word. No model is asked.

    \b
    geobias worldbench preview --prompts paper --countries Egypt
    geobias worldbench preview --paraphrases 3 --countries Kenya --indicators gdp
    geobias worldbench preview --size paper --n 10000 --json > questions.jsonl

    Takes the settings of `geobias run worldbench`.
    """
    made = plan(settings_from(WorldBenchSettings, given, "worldbench"))
    shown = 0
    for trial in islice(made.trials(), count):
        steps = trial.start()
        ask = next(steps)
        steps.close()
        messages = ask.dialogue.messages()
        if as_json:
            said = [{"role": one.role, "content": one.content} for one in messages]
            print_json({"trial": trial.name, "messages": said})
        else:
            click.echo(click.style(one_line(trial.name), bold=True))
            for one in messages:
                text = printable(one.content).replace("\n", "\n  ")
                click.echo(f"  {click.style(one.role + ':', dim=True)} {text}")
            click.echo()
        shown += 1
    if not shown:
        raise BadRequest("nothing would be asked")
    if not as_json and made.count > shown:
        click.echo(f"{shown:,} of {made.count:,} questions; --n shows more", err=True)
    for note in made.notes:
        click.echo(one_line(note), err=True)


with_options(options_of(WorldBenchSettings), preview)
