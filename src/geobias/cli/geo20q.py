"""`geobias geo20q`: the tables of the Geo20Q+ probe, and the judge on its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from geobias.cli.options import SPENDING_OPTIONS, with_options
from geobias.cli.probes.geo20q import LANGUAGE_OPTION, WORDING_OPTION
from geobias.cli.terminal import one_line
from geobias.errors import BadRequest
from geobias.probes.geo20q.grouping import BYS, JUDGE_BYS

if TYPE_CHECKING:
    import polars as pl

Command = TypeVar("Command", bound=Callable[..., Any])
_SHOWN = (1, 5, 15, *range(10, 151, 10))
"""Allowed turns that people see; programs get every one."""


@click.group()
def geo20q() -> None:
    """How a model reasons its way to people and things from every part of the world.

    \b
    geobias run geo20q sim/fair --out games.geobias
    geobias geo20q success games.geobias --by continent     share of games won
    geobias geo20q groups games.geobias                     North and South, West and East
    geobias geo20q judge openai/gpt-4o-mini                 is it fit to be a judge?
    """


def _table(command: Command) -> Command:
    """A command with `--json` and runs."""
    json = click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
    runs = click.argument(
        "runs", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="RUN..."
    )
    return runs(json(command))


def _by(usual: str, groups: Sequence[str] = BYS) -> Callable[[Command], Command]:
    return click.option("--by", type=click.Choice(groups), default=usual, show_default=True)


_ENTITIES = click.option(
    "--entities",
    metavar="FILE",
    help="The table that a run with --entities FILE was made with; it has the page views.",
)


@geo20q.command()
@_table
@_by("all")
def success(runs: tuple[Path, ...], as_json: bool, by: str) -> None:
    """Share of games won, with intervals over countries.

    \b
    geobias geo20q success RUN
    geobias geo20q success RUN --by profession --json

    Languages are compared on the entities that were played in every one of them.
    """
    from geobias.cli.tables import print_tables
    from geobias.probes.geo20q.scores import on_the_same
    from geobias.probes.geo20q.tables import tables

    frame = frame_of_runs(runs)
    print_tables(tables("success", frame, by), as_json=as_json)
    if by == "language":
        for (model,), own in frame.group_by("model", maintain_order=True):
            named = f"{one_line(str(model))}: " if frame["model"].n_unique() > 1 else ""
            click.echo(f"{named}{on_the_same(own)}", err=True)


@geo20q.command()
@_table
@_by("all")
def turns(runs: tuple[Path, ...], as_json: bool, by: str) -> None:
    """Turns to success of won games, and turns at which the guesser gave up.

    \b
    geobias geo20q turns RUN --by continent
    """
    _print("turns", runs, as_json, by)


@geo20q.command()
@_table
@_by("all")
def curve(runs: tuple[Path, ...], as_json: bool, by: str) -> None:
    """Success against the number of turns allowed, 1 to 150 (the paper's Figure 4).

    \b
    geobias geo20q curve RUN --by north_south
    """
    import polars as pl

    from geobias.cli.tables import print_tables

    found = _tables("curve", runs, by)
    if not as_json:
        last = pl.col("allowed_turns").max().over("type", "setting", "group")
        shown = pl.col("allowed_turns").is_in(_SHOWN) | (pl.col("allowed_turns") == last)
        found = {title: table.filter(shown) for title, table in found.items()}
    print_tables(found, as_json=as_json)


@geo20q.command()
@_table
def groups(runs: tuple[Path, ...], as_json: bool) -> None:
    """North against South and West against East, on country means (the paper's Table 5).

    \b
    geobias geo20q groups RUN

    Each comparison is made twice: of all games, and without those in which one of the judge's
    first three checkable answers goes against the entity table. Where the two differ, the judge is
    part of the gap. Later answers do not count: lost games are long and have more of them, so that
    leaving out games with any error would leave out losses. Columns "few" count the games with
    fewer than three such answers.
    """
    _print("groups", runs, as_json)


_FAME = (
    click.option(
        "--frequency",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Corpus frequency from `geobias count`; without it, that part is undefined.",
    ),
    click.option(
        "--views",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Page views from `geobias data pull pageviews`, in place of the table's.",
    ),
)


@geo20q.command()
@_table
@_ENTITIES
@_FAME[0]
@_FAME[1]
def regression(
    runs: tuple[Path, ...],
    as_json: bool,
    entities: str | None,
    frequency: Path | None,
    views: Path | None,
) -> None:
    """Does fame explain it? Success and turns on page views and corpus frequency (Table 3).

    \b
    geobias geo20q regression RUN
    geobias geo20q regression RUN --frequency counts.parquet --views pageviews.csv
    """
    from geobias.cli.tables import print_tables
    from geobias.probes.geo20q.tables import tables

    frame = frame_of_runs(runs, entities, frequency=frequency, views=views)
    print_tables(tables("regression", frame, None), as_json=as_json)


@geo20q.command()
@_table
@_by("region", ["region", "continent", "north_south"])
def instead(runs: tuple[Path, ...], as_json: bool, by: str) -> None:
    """What was guessed instead of the target, and from where.

    \b
    geobias geo20q instead RUN --by continent
    """
    _print("instead", runs, as_json, by)


@geo20q.command()
@_table
@_by("all")
def questions(runs: tuple[Path, ...], as_json: bool, by: str) -> None:
    """Repeated, contradictory and non-yes/no questions; and how the judge answered them.

    \b
    geobias geo20q questions RUN --by region
    """
    _print("questions", runs, as_json, by)


@geo20q.command()
@_table
@_by("region")
def places(runs: tuple[Path, ...], as_json: bool, by: str) -> None:
    """Which place is asked about first, and how long one looks elsewhere.

    \b
    geobias geo20q places RUN
    geobias geo20q places RUN --by north_south --json
    """
    _print("places", runs, as_json, by)


@geo20q.command()
@_table
@_by("continent")
def repeats(runs: tuple[Path, ...], as_json: bool, by: str) -> None:
    """Mean and SD over repeats (the paper's Table 7). Needs a run with --repeats.

    \b
    geobias run geo20q MODEL --repeats 5 --out five.geobias
    geobias geo20q repeats five.geobias
    """
    frame = frame_of_runs(runs)
    if frame["repeat"].n_unique() < 2:
        raise BadRequest("each game was played once; make a run with --repeats 5")
    _print("repeats", runs, as_json, by)


@geo20q.command()
@_table
@_ENTITIES
def published(runs: tuple[Path, ...], as_json: bool, entities: str | None) -> None:
    """Runs beside the models of the paper.

    \b
    geobias geo20q published RUN
    """
    from geobias.cli.tables import print_tables
    from geobias.probes.geo20q.published import left_out
    from geobias.probes.geo20q.tables import tables

    frame = frame_of_runs(runs, entities)
    print_tables(tables("published", frame), as_json=as_json)
    for (model,), own in frame.group_by("model", maintain_order=True):
        for sentence in left_out(own):
            click.echo(f"{one_line(str(model))}: {sentence}", err=True)


_JUDGE_BY = _by("region", JUDGE_BYS)


@geo20q.command()
@_table
@_JUDGE_BY
def judging(runs: tuple[Path, ...], as_json: bool, by: str) -> None:
    """What the judge of a run knows: accuracy, maybe and self-contradiction on known facts.

    \b
    geobias geo20q judging RUN --by continent
    """
    import polars as pl

    from geobias.cli.opening import open_run
    from geobias.probes.geo20q.judge_scores import judge_frame_of

    frames = []
    for run in runs:
        with open_run(run) as reader:
            models = reader.manifest().models
            name = models.get("judge", models["model"])
            frames.append(judge_frame_of(reader.records("geo20q_judge"), name))
            if not frames[-1].height:
                raise BadRequest(f"{run} asked the judge no known facts; see geobias geo20q judge")
    _print_judged(pl.concat(frames), as_json, by)


@geo20q.command()
@click.argument("model", default="embedded")
@click.option(
    "--questions", type=click.IntRange(2), default=400, show_default=True, help="In each language."
)
@LANGUAGE_OPTION
@WORDING_OPTION
@click.option("--entities", metavar="FILE", help="Facts about a table of your own.")
@click.option("--seed", type=int, default=0, help="Another seed, other questions.")
@click.option("--out", type=click.Path(path_type=Path), help="The run file.")
@_JUDGE_BY
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def judge(
    model: str,
    questions: int,
    language: str,
    wording: str,
    entities: str | None,
    seed: int,
    out: Path | None,
    by: str,
    as_json: bool,
    **rest: Any,
) -> None:
    """Is MODEL fit to judge? Ask it what the entity table knows.

    \b
    geobias geo20q judge openai/gpt-4o-mini
    geobias geo20q judge embedded --questions 100 --language en,fr --by continent

    A judge that knows less about the South loses the South's games for the guesser. Half of the
    questions have yes as their answer, half no. The same command again resumes a run that was
    stopped.
    """
    from geobias.api import default_path, open_run
    from geobias.cli.audit import run_plans, spending
    from geobias.probes.geo20q import judging as probe
    from geobias.probes.geo20q.judge_scores import judge_frame_of

    limits = spending(rest)
    codes = [code.strip() for code in language.split(",") if code.strip()]
    plan = probe.plan(
        questions=questions,
        language=codes,
        entities=entities,
        wording=wording,  # type: ignore[arg-type]
        seed=seed,
    )
    usual = plan.settings == probe.plan().settings
    path = out or default_path([plan], model, usual=usual)
    result = run_plans([plan], {"model": model}, path, limits)
    with open_run(result.path) as reader:
        frame = judge_frame_of(reader.records(probe.PROBE), model)
    _print_judged(frame, as_json, by)


with_options(SPENDING_OPTIONS, judge)


def _print_judged(frame: pl.DataFrame, as_json: bool, by: str) -> None:
    import polars as pl

    from geobias.cli.tables import print_tables
    from geobias.probes.geo20q.judge_scores import judge_groups, judge_halves

    parts: dict[str, list[pl.DataFrame]] = {}
    models = frame["model"].unique(maintain_order=True)
    for model in models:
        own = frame.filter(model=model)
        groupings = dict.fromkeys(("all", "question", by))
        known = pl.concat(judge_groups(own, one) for one in groupings)
        for title, table in (("known facts", known), ("halves of the world", judge_halves(own))):
            named = table.select(pl.lit(model).alias("model"), pl.all())
            parts.setdefault(title, []).append(table if len(models) == 1 else named)
    print_tables({title: pl.concat(found) for title, found in parts.items()}, as_json=as_json)


def _print(name: str, runs: Sequence[Path], as_json: bool, by: str | None = None) -> None:
    from geobias.cli.tables import print_tables

    print_tables(_tables(name, runs, by), as_json=as_json)


def _tables(name: str, runs: Sequence[Path], by: str | None) -> dict[str, pl.DataFrame]:
    from geobias.probes.geo20q.tables import tables

    return tables(name, frame_of_runs(runs), by)


def frame_of_runs(
    runs: Sequence[Path],
    entities: str | None = None,
    *,
    frequency: Path | None = None,
    views: Path | None = None,
) -> pl.DataFrame:
    """The games of the runs in one frame; runs of one model are told apart by their files."""
    import polars as pl

    from geobias.cli.opening import open_run
    from geobias.probes.geo20q.choosing import table_of
    from geobias.probes.geo20q.scores import frame_of, limits_of

    known = table_of(entities)
    if views is not None:
        from geobias.atlas.views import read_views, with_views

        known = with_views(known, read_views(views))
    if frequency is not None:
        from geobias.corpus.results import read_counts, with_frequency

        known = with_frequency(known, read_counts(frequency))
    frames, names = [], set()
    for run in runs:
        with open_run(run) as reader:
            manifest = reader.manifest()
            if "geo20q" not in manifest.probes:
                raise BadRequest(f"{run} holds {', '.join(manifest.probes)} and no geo20q")
            name = manifest.models["model"]
            name = f"{name} ({run})" if name in names else name
            names.add(name)
            limits = limits_of(manifest.probes["geo20q"])
            frames.append(frame_of(reader.records("geo20q"), name, known, limits))
    return pl.concat(frames)
