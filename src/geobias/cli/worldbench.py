"""`geobias worldbench`: the tables of the WorldBench probe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from geobias.cli.answers import answers_of, frame_of_runs, manifest_of, settings_of
from geobias.cli.probes.worldbench import FIGURES_OPTION, own_figures
from geobias.errors import BadRequest

if TYPE_CHECKING:
    import polars as pl

RUN = click.Path(path_type=Path)
Command = TypeVar("Command", bound=Callable[..., Any])


@click.group()
def worldbench() -> None:
    """The tables of the WorldBench probe.

    \b
    geobias worldbench years                      how much figures move: needs no model
    geobias worldbench groups RUN --by income     errors with intervals
    geobias worldbench disparity RUN --json       gaps between groups, and what chance gives

    `geobias score worldbench` makes the same tables of replies from elsewhere.
    """


def _table(command: Command) -> Command:
    """A command with `--json` and one run."""
    json = click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
    return click.argument("run", type=RUN)(json(command))


_BY = click.option(
    "--by",
    type=click.Choice(["region", "income", "indicator", "country", "all"]),
    default="region",
    show_default=True,
)
_GROUPING = click.option(
    "--by", type=click.Choice(["region", "income"]), default="region", show_default=True
)


@worldbench.command()
@FIGURES_OPTION
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def years(figures: Path | None, as_json: bool) -> None:
    """How far one year's figures are from the ground truth: the paper's Table 3.

    \b
    geobias worldbench years
    geobias worldbench years --figures figures-2026.csv --json

    Needs no model. A model that knew 2018 by heart would still show the error of that column.
    """
    import polars as pl

    from geobias.atlas.figures import figures as shipped
    from geobias.cli.tables import print_tables
    from geobias.probes.worldbench.years_table import years_table

    table = own_figures(figures) or shipped()
    found = years_table(table, table.years[-5:])
    lines = [*found.rows.items(), ("average", found.average)]
    rows = [
        {"indicator": name}
        | {str(year): cell for year, cell in row.by_year.items()}
        | {"average": row.average}
        for name, row in lines
    ]
    print_tables({"years": pl.DataFrame(rows, infer_schema_length=None)}, as_json=as_json)


@worldbench.command()
@_table
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Rows shown.")
def errors(run: Path, as_json: bool, limit: int) -> None:
    """Every question with its error, the largest first.

    \b
    geobias worldbench errors RUN --limit 20
    """
    from geobias.cli.tables import print_tables
    from geobias.probes.worldbench import scores

    print_tables({"errors": scores.errors(frame_of_runs([run]))}, as_json=as_json, limit=limit)


@worldbench.command()
@_table
@_BY
def groups(run: Path, as_json: bool, by: str) -> None:
    """Mean and median error of each group, with 95% intervals over countries.

    \b
    geobias worldbench groups RUN
    geobias worldbench groups RUN --by indicator --json
    """
    from geobias.probes.worldbench.scores import group_errors

    _print_frame(by, group_errors(frame_of_runs([run]), by), as_json)  # type: ignore[arg-type]


@worldbench.command()
@_table
@_GROUPING
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=10_000,
    show_default=True,
    help="Random deals behind baseline and p.",
)
def disparity(run: Path, as_json: bool, by: str, draws: int) -> None:
    """The gap between the best and the worst group, and the gap that chance gives.

    \b
    geobias worldbench disparity RUN --by income

    The paper's baseline, a mean of ten random deals, stands beside ours of ten thousand. `dealt` is
    the gap of the model's own answers dealt at random among the countries, and `figures` the part
    of its gap that the world's figures would give a model that knows all countries alike.
    """
    from geobias.probes.worldbench.dealing import dealt, with_dealt
    from geobias.probes.worldbench.scores import disparities

    frame = frame_of_runs([run])
    table = disparities(frame, by, draws=draws)  # type: ignore[arg-type]
    table = with_dealt(table, dealt(frame), by)  # type: ignore[arg-type]
    _print_frame(f"disparity over {by}s", table, as_json)


@worldbench.command()
@click.argument("runs", type=RUN, nargs=-1, required=True, metavar="RUN...")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
@_GROUPING
@click.option(
    "--over",
    type=click.Choice(["indicator", "model"]),
    help="Rank within each indicator or within each run; default: runs if several are given.",
)
def ranks(runs: tuple[Path, ...], as_json: bool, by: str, over: str | None) -> None:
    """How often each group has the least error, the second least … the most.

    \b
    geobias worldbench ranks RUN
    geobias worldbench ranks RUN RUN RUN --by income
    """
    from geobias.probes.worldbench.scores import rank_table

    over = over or ("model" if len(runs) > 1 else "indicator")
    frame = rank_table(frame_of_runs(runs), by, over)  # type: ignore[arg-type]
    _print_frame(f"share of {over}s in which a {by} has rank 1 (least error) …", frame, as_json)


@worldbench.command()
@_table
@click.option("--count", type=click.IntRange(1), default=15, show_default=True, help="At each end.")
def countries(run: Path, as_json: bool, count: int) -> None:
    """The countries with the least and with the most error.

    Ranked by `pooled`: the error as if a country had been asked about every indicator, leaning on
    all countries the more the fewer answers it has, so that luck tops no list.

    \b
    geobias worldbench countries RUN --count 10
    """
    from geobias.probes.worldbench.excess import country_extremes

    _print_frame("countries", country_extremes(frame_of_runs([run]), count), as_json)


@worldbench.command()
@_table
@_BY
def rates(run: Path, as_json: bool, by: str) -> None:
    """How often questions were answered with a number, declined, or answered unreadably.

    \b
    geobias worldbench rates RUN --by income
    """
    from geobias.probes.worldbench import scores

    _print_frame(by, scores.rates(frame_of_runs([run]), by), as_json)  # type: ignore[arg-type]


@worldbench.command()
@_table
@FIGURES_OPTION
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Rows shown.")
def citations(run: Path, as_json: bool, figures: Path | None, limit: int) -> None:
    """Answers that cite a source or a year, held against the figures of every year.

    \b
    geobias worldbench citations RUN
    """
    _print("citations", run, as_json, figures, limit)


@worldbench.command("years-fit")
@_table
@FIGURES_OPTION
def years_fit(run: Path, as_json: bool, figures: Path | None) -> None:
    """Which year's figures the answers fit best: how old is what the model knows?

    \b
    geobias worldbench years-fit RUN
    """
    _print("years-fit", run, as_json, figures)


@worldbench.command()
@_table
@FIGURES_OPTION
def correlations(run: Path, as_json: bool, figures: Path | None) -> None:
    """What kind of country has large errors: each indicator's value against the error.

    \b
    geobias worldbench correlations RUN
    """
    _print("correlations", run, as_json, figures)


@worldbench.command()
@_table
def consistency(run: Path, as_json: bool) -> None:
    """Are answers that vary from draw to draw also wrong? Needs a run with --repeats.

    \b
    geobias run worldbench MODEL --repeats 5 --out five.geobias
    geobias worldbench consistency five.geobias
    """
    from geobias.probes.worldbench import analyses

    frame = frame_of_runs([run])
    if frame["repeat"].n_unique() < 2:
        raise BadRequest(f"{run} asked each question once; make a run with --repeats 5")
    _print_frame("consistency", analyses.consistency(frame), as_json)


@worldbench.command()
@click.argument("without", type=RUN)
@click.argument("with_it", type=RUN, metavar="WITH")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def retrieval(without: Path, with_it: Path, as_json: bool) -> None:
    """What retrieval changes: two runs of one model, the second made with --retrieve.

    \b
    geobias run worldbench MODEL --out plain.geobias
    geobias run worldbench MODEL --retrieve 3 --out helped.geobias
    geobias worldbench retrieval plain.geobias helped.geobias
    """
    from geobias.cli.tables import print_tables
    from geobias.probes.worldbench.analyses import retrieval_disparities, retrieval_effect

    first, second = manifest_of(without), manifest_of(with_it)
    mine, theirs = settings_of(first, without), settings_of(second, with_it)
    if mine["retrieve"] or not theirs["retrieve"]:
        raise BadRequest("give the run without retrieval first, then the one made with --retrieve")
    if first.models != second.models:
        raise BadRequest(
            f"{without} asked {first.models['model']}, {with_it} {second.models['model']}; only "
            "runs of one model show what retrieval does"
        )
    if other := [k for k in mine if mine[k] != theirs.get(k) and k != "retrieve"]:
        click.echo(f"geobias: the runs differ in {', '.join(other)} too", err=True)
    pair = frame_of_runs([without]), frame_of_runs([with_it])
    tables = {"errors": retrieval_effect(*pair), "disparity": retrieval_disparities(*pair)}
    print_tables(tables, as_json=as_json)


@worldbench.command()
@click.argument("runs", type=RUN, nargs=-1, required=True, metavar="RUN...")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def published(runs: tuple[Path, ...], as_json: bool) -> None:
    """Where a run stands among the twenty models of the paper.

    \b
    geobias worldbench published RUN
    """
    from geobias.cli.tables import print_tables
    from geobias.probes.worldbench.published import beside_groups, place_among_models

    frame = frame_of_runs(runs)
    tables = {"models": place_among_models(frame)}
    if len(runs) == 1:
        tables["groups"] = beside_groups(frame)
    print_tables(tables, as_json=as_json)


def _print(
    name: str, run: Path, as_json: bool, figures: Path | None, limit: int | None = None
) -> None:
    """The tables of this name, which need the figures that the run was made with."""
    from geobias.cli.tables import print_tables
    from geobias.probes.worldbench.tables import tables

    print_tables(tables(name, answers_of(run, figures)), as_json=as_json, limit=limit)


def _print_frame(title: str, frame: pl.DataFrame, as_json: bool) -> None:
    from geobias.cli.tables import print_tables

    print_tables({title: frame}, as_json=as_json)
