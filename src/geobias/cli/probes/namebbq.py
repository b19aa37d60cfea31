"""Name-BBQ on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

    from geobias.probes.plan import Plan
    from geobias.probes.power import Aim
    from geobias.runfile import RunReader

ITEMS_OPTION = click.option(
    "--items",
    default="builtin",
    show_default=True,
    metavar="builtin|bbq|FILE",
    help="geobias' own items, BBQ's (geobias data pull bbq), or a file in BBQ's JSONL scheme.",
)
NAMES_FILE_OPTION = click.option(
    "--names-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Names of your own (CSV, the columns of names.csv): new nationalities are added, known "
    "ones replaced.",
)
OPTIONS: Sequence[Callable[[Any], Any]] = (
    ITEMS_OPTION,
    click.option(
        "--names",
        type=click.IntRange(0),
        metavar="N",
        help="Versions with names for each item; 0: nationalities only. Default 1 at size quick, "
        "else 3.",
    ),
    NAMES_FILE_OPTION,
    click.option(
        "--shuffle",
        is_flag=True,
        help="Shuffle the answers by --seed, to tell a liking for a letter from a stereotype.",
    ),
)


def make_plan(**settings: Any) -> Plan:
    """The plan for these options."""
    from geobias.probes import namebbq

    return namebbq.plan(**settings)


def summary(run: RunReader) -> RenderableType:
    """A plain word on whether anything can be measured, then the scores with intervals."""
    from rich.console import Group
    from rich.text import Text

    from geobias.cli.tables import as_table
    from geobias.probes.namebbq.scores import frame_of
    from geobias.probes.namebbq.summary import score_table, sentences, why_not_measurable
    from geobias.probes.screens import because

    model = run.manifest().models["model"]
    frame = frame_of(run.records("namebbq"), model)
    why = why_not_measurable(frame)
    first = [Text(because(why), style="bold")] if why else []
    lines = [Text(line) for line in sentences(frame, measurable=not why)]
    title = f"namebbq · {model} · bias from −1 to 1, 0 is none"
    return Group(*first, as_table(score_table(frame), title), *lines, Text(""))


def aim(plan: Plan, spread: tuple[float, float] | None) -> Aim:
    """The test that a run of this plan is made for."""
    from geobias.probes.namebbq.power import aim as of_plan

    return of_plan(plan, spread)


def spread_of(run: Path) -> tuple[float, float] | None:
    """How much the answers of a run vary between units and within them; None: too few."""
    from geobias.api import open_run
    from geobias.probes.namebbq.power import spread_of as of_frame
    from geobias.probes.namebbq.scores import frame_of

    with open_run(run) as reader:
        return of_frame(frame_of(reader.records("namebbq")))
