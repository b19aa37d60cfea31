"""`geobias geo20q judge`: can a model judge the games?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geobias.cli.audit import run_plan, take_limits
from geobias.cli.options import FILE, JSON, SPENDING_OPTIONS, option_of, with_options
from geobias.cli.terminal import print_tables
from geobias.probes.geo20q import judging
from geobias.probes.geo20q.judging import JudgeBy, judge_frame_of
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.geo20q.tables import ByJudged, judged_facts
from geobias.probes.settings import parted
from geobias.running import default_path, open_run


@click.command()
@click.argument("model", default="embedded")
@click.option(
    "--questions", type=click.IntRange(2), default=400, show_default=True, help="In each language."
)
@option_of(Geo20QSettings, "language")
@click.option("--entities", metavar="FILE", help="Facts about a table of your own.")
@click.option("--seed", type=int, default=0, help="Another seed, other questions.")
@click.option("--out", type=FILE, help="The run file.")
@option_of(ByJudged, "by")
@JSON
def judge(
    model: str,
    questions: int,
    language: str,
    entities: str | None,
    seed: int,
    out: Path | None,
    by: JudgeBy,
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
    limits = take_limits(rest)
    plan = judging.plan(
        questions=questions,
        language=parted(language),
        entities=entities,
        seed=seed,
    )
    path = out or default_path([plan], model)
    if run_plan(plan, {"model": model}, path, limits) is None:
        return
    with open_run(path) as reader:
        frame = judge_frame_of(reader.records(judging.JUDGE_RECORDS), model)
    print_tables(judged_facts(frame, by), as_json=as_json)


with_options(SPENDING_OPTIONS, judge)
