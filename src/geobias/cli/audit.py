"""`geobias audit`, `geobias run`, `geobias plan`: making runs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from geobias.errors import Stopped

if TYPE_CHECKING:
    from geobias.api import Options
    from geobias.probes.plan import Plan

PROBES = ("pilot",)
_Command = TypeVar("_Command", bound=Callable[..., Any])


def spending_options(command: _Command) -> _Command:
    """Options on how to run, shared by every command that asks a model."""
    for option in reversed(
        [
            click.option("--concurrency", type=click.IntRange(1), help="Most calls in flight."),
            click.option(
                "--max-calls", type=click.IntRange(1), help="Stop before making more calls."
            ),
            click.option(
                "--max-tokens",
                type=click.IntRange(1),
                help="Stop before using more tokens, in and out.",
            ),
            click.option(
                "--max-cost", type=click.FloatRange(0, min_open=True), help="Stop before US$."
            ),
            click.option(
                "--prices",
                type=click.Path(path_type=Path),
                help="Your own price table (CSV): model, usd_per_million_in, usd_per_million_out.",
            ),
            click.option(
                "--timeout",
                type=click.FloatRange(0, min_open=True),
                help="Seconds before a call counts as failed (300).",
            ),
        ]
    ):
        command = option(command)
    return command


def probe_options(command: _Command) -> _Command:
    """Options on what to ask, shared by all probes."""
    for option in reversed(
        [
            click.option(
                "--repeats",
                type=click.IntRange(1),
                default=1,
                help="Independent draws of each trial (sampled).",
            ),
            click.option(
                "--temperature",
                type=click.FloatRange(0, 2),
                help="0 is greedy; default 0, or 0.8 with --repeats.",
            ),
            click.option("--seed", type=int, default=0, help="Another seed, other draws."),
            click.option("--system", default="", help="A system message before every dialogue."),
        ]
    ):
        command = option(command)
    return command


def make_plan(
    probe: str, *, repeats: int, temperature: float | None, seed: int, system: str
) -> Plan:
    """The plan of one probe with its options."""
    from geobias.probes import pilot

    if temperature is None:
        temperature = 0.8 if repeats > 1 else 0.0
    if repeats > 1 and temperature == 0:
        raise click.UsageError(
            "--repeats asks for independent draws, and a greedy model (--temperature 0) gives the "
            "same one each time"
        )
    return pilot.plan(repeats=repeats, temperature=temperature, seed=seed, system=system)


@click.command()
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("--probes", default=",".join(PROBES), show_default=True, help="Which, by commas.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the run files.")
@probe_options
@spending_options
def audit(models: tuple[str, ...], probes: str, out: Path | None, **rest: Any) -> None:
    """Audit one or more models (the embedded one if none is named).

    \b
    geobias audit
    geobias audit openai/gpt-4o-mini --max-cost 2
    geobias audit embedded:model.gguf sim/biased --out audits/

    The same command again resumes a run that was stopped and reuses one that is complete.
    """
    from geobias.api import DEFAULT_FOLDER, default_path

    wanted = [name.strip() for name in probes.split(",") if name.strip()]
    if unknown := [name for name in wanted if name not in PROBES]:
        raise click.UsageError(f"no probe {unknown[0]!r}; there is {', '.join(PROBES)}")
    spending = _options(rest)
    plans = [make_plan(name, **rest) for name in wanted]
    for model in models or ("embedded",):
        _run(plans, model, default_path(plans, model, out or DEFAULT_FOLDER), spending)


@click.command()
@click.argument("probe", type=click.Choice(PROBES))
@click.argument("model", default="embedded")
@click.option("--out", type=click.Path(path_type=Path), help="The run file.")
@probe_options
@spending_options
def run(probe: str, model: str, out: Path | None, **rest: Any) -> None:
    """Run one probe on one model.

    \b
    geobias run pilot openai/gpt-4o-mini --max-calls 500
    geobias run pilot http://127.0.0.1:8000/v1/my-model --repeats 5 --out my-model.geobias
    """
    from geobias.api import default_path

    spending = _options(rest)
    plans = [make_plan(probe, **rest)]
    _run(plans, model, out or default_path(plans, model), spending)


@click.command()
@click.argument("probe", type=click.Choice(PROBES))
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
@probe_options
def plan(probe: str, as_json: bool, **rest: Any) -> None:
    """What a probe would ask, before asking it.

    \b
    geobias plan pilot --repeats 5
    """
    import msgspec

    planned = make_plan(probe, **rest)
    least, most = planned.calls
    if as_json:
        facts = {"probe": probe, "trials": planned.count, "calls": [least, most]}
        click.echo(msgspec.json.encode(facts | {"settings": planned.settings}))
        return
    click.echo(f"{probe}: {planned.count:,} trials, {least:,} to {most:,} calls")


def _options(rest: dict[str, Any]) -> Options:
    """Take the spending options out of a command's arguments."""
    from geobias.api import Options

    return Options(**{name: rest.pop(name) for name in Options.__struct_fields__})


def _run(plans: list[Plan], model: str, path: Path, options: Options) -> None:
    from geobias import api
    from geobias.cli.progress import RunDisplay
    from geobias.cli.summary import print_summary

    command = shlex.join(["geobias", *sys.argv[1:]])
    try:
        with RunDisplay() as display:
            result = api.run(plans, model, path, options=options, display=display, command=command)
    except Stopped as reason:
        click.echo(f"geobias: {reason}", err=True)
        if path.exists():
            click.echo(f"What was answered is kept in {path}. Resume with:\n  {command}", err=True)
        raise click.exceptions.Exit(reason.exit_code) from None
    print_summary(result)
