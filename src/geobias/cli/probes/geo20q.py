"""Geo20Q+ on the command line."""

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

LANGUAGE_OPTION = click.option(
    "--language",
    default="en",
    show_default=True,
    metavar="CODE,…|all",
    help="en, hi, zh, es, ja, tr, fr, or one with a file in --prompts: the language of prompts, "
    "answers and names.",
)
PROMPTS_OPTION = click.option(
    "--prompts",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder with edited copies of the language files, or files of further languages "
    "(de.toml); languages it lacks are ours.",
)
WORDING_OPTION = click.option(
    "--wording",
    type=click.Choice(["consistent", "paper"]),
    default="consistent",
    show_default=True,
    help="paper: the judge of things is told Maybe and shown Dunno, as printed.",
)
OPTIONS: Sequence[Callable[[Any], Any]] = (
    click.option(
        "--entities",
        metavar="NAME,NAME|FILE",
        help="Play about these, or about a table of your own (CSV with our columns).",
    ),
    click.option(
        "--type",
        type=click.Choice(["people", "things", "both"]),
        default="both",
        show_default=True,
        help="People, things, or both.",
    ),
    click.option(
        "--setting",
        type=click.Choice(["canonical", "unlimited", "both"]),
        help="20 turns, up to 150, or both from one dialogue. Default canonical at size quick, "
        "else both.",
    ),
    LANGUAGE_OPTION,
    click.option("--judge", metavar="MODEL", help="Another model as judge; default the same one."),
    click.option(
        "--design",
        type=click.Choice(["continents", "countries"]),
        default="continents",
        show_default=True,
        help="At size paper: 100 of each type per continent, or 10 per country.",
    ),
    click.option(
        "--per-continent", type=click.IntRange(1), metavar="N", help="N of each type per continent."
    ),
    click.option(
        "--per-country", type=click.IntRange(1), metavar="N", help="N of each type per country."
    ),
    click.option(
        "--turns", type=click.IntRange(1), default=20, show_default=True, help="Canonical limit."
    ),
    click.option(
        "--most-turns",
        type=click.IntRange(1),
        default=150,
        show_default=True,
        help="Unlimited limit.",
    ),
    WORDING_OPTION,
    click.option(
        "--give-up",
        type=click.Choice(["ask", "patterns"]),
        default="ask",
        show_default=True,
        help="ask: the judge's model decides on turns that may give up. patterns: plain words "
        "only, no calls.",
    ),
    PROMPTS_OPTION,
    click.option(
        "--judge-questions",
        type=click.IntRange(0),
        metavar="N",
        help="Known facts asked of the judge in each language. Default 24 at size quick, 400 at "
        "standard, 1,200 at paper; 0: none.",
    ),
    click.option(
        "--judge-temperature",
        type=click.FloatRange(0, 2),
        default=0.0,
        show_default=True,
        help="0 is greedy: the same question about the same entity is asked once.",
    ),
)


def make_plan(
    *,
    language: str,
    design: str,
    per_continent: int | None,
    per_country: int | None,
    **settings: Any,
) -> Plan:
    """The plan for these options."""
    from geobias.probes import geo20q

    if per_continent is not None and per_country is not None:
        raise click.UsageError("--per-continent and --per-country exclude each other")
    if per_country is not None:
        design = "countries"
    elif per_continent is not None:
        design = "continents"
    return geo20q.plan(
        language=[code.strip() for code in language.split(",") if code.strip()],
        design=design,
        each=per_country if per_country is not None else per_continent,
        **settings,
    )


def summary(run: RunReader) -> RenderableType:
    """Success per type, setting and half of the world; what it means; what sharing saved."""
    from rich.console import Group
    from rich.text import Text

    from geobias.cli.tables import as_table
    from geobias.probes.geo20q.judge_scores import judge_frame_of
    from geobias.probes.geo20q.scores import frame_of, limits_of
    from geobias.probes.geo20q.summary import saving, score_table, sentences, why_not_measurable
    from geobias.probes.screens import because

    manifest = run.manifest()
    models = manifest.models
    made = sum(spent.calls for role, spent in run.spent().items() if role in ("guesser", "judge"))
    limits = limits_of(manifest.probes["geo20q"])
    frame = frame_of(run.records("geo20q"), models["model"], limits=limits)
    judge = judge_frame_of(run.records("geo20q_judge"), models.get("judge", models["model"]))
    judged = f" · judge {models['judge']}" if "judge" in models else ""
    title = f"geo20q · {models['model']}{judged} · share of games won, each game once"
    lines = sentences(frame, judge) + saving(run.records("geo20q"), made - judge.height)
    why = why_not_measurable(frame, judge)
    first = [Text(because(why), style="bold")] if why else []
    return Group(*first, as_table(score_table(frame), title), *map(Text, lines), Text(""))


def aim(plan: Plan, spread: tuple[float, float] | None) -> Aim:
    """The test that a run of this plan is made for."""
    from geobias.probes.geo20q.power import aim as of_plan

    return of_plan(plan, spread)


def expected(plan: Plan, games: int | None = None) -> tuple[int, int, int]:
    """Calls, tokens in and out that games usually take: far from both the least and the most.

    Of all that is planned, or of so many games alone.
    """
    from geobias.probes.geo20q.power import expected as of_plan

    return of_plan(plan, games)


def spread_of(run: Path) -> tuple[float, float] | None:
    """How much the games of a run vary between countries and within them; None: too few."""
    from geobias.api import open_run
    from geobias.probes.geo20q.power import spread_of as of_records

    with open_run(run) as reader:
        return of_records(reader.records("geo20q"))
