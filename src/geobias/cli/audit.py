"""`geobias audit`, `geobias run`, `geobias plan`: making runs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from geobias.cli.options import ENGINE_OPTIONS, SPENDING_OPTIONS, options_of, with_options
from geobias.errors import BadRequest, BudgetReached, GeobiasError, Stopped
from geobias.probes.registry import AnyProbe, all_probes, find_probe, probe_names
from geobias.probes.settings import SIZES, Settings
from geobias.results.text import one_line

if TYPE_CHECKING:
    from geobias.api import Options, Result
    from geobias.auditing import End
    from geobias.probes.plan import Plan


@click.command()
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option(
    "--probes", default=lambda: ",".join(all_probes()), help="Which, by commas; default: all."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the run files and the report; default: geobias-runs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and no tables.")
def audit(
    models: tuple[str, ...], probes: str, out: Path | None, as_json: bool, **rest: Any
) -> None:
    """Audit one or more models (the embedded one if none is named).

    \b
    geobias audit
    geobias audit openai/gpt-4o-mini --size standard --max-cost 2
    geobias audit embedded:model.gguf sim/biased --out audits/

    Ends with report.html and report.json in the folder, all models in one report. The same command
    again resumes a run that was stopped and reuses one that is complete.

    --max-calls, --max-tokens and --max-cost hold for all models together. A model that cannot be
    asked does not keep the others from it: they are reported, and the command ends with code 3.
    """
    from geobias.api import DEFAULT_FOLDER
    from geobias.auditing import chosen_probes, finished, reported, unfinished

    wanted = list(dict.fromkeys(name.strip() for name in probes.split(",") if name.strip()))
    if not wanted:
        raise click.UsageError(f"--probes names none; there is {', '.join(all_probes())}")
    limits, engine = spending(rest), engine_of(rest)
    plans = [probe.make_plan(**rest) for probe in chosen_probes(wanted)]
    folder = out or DEFAULT_FOLDER
    paths = {model: default_path(plans, model, folder) for model in models or ("embedded",)}
    ends = _run_each(plans, paths, limits, engine)
    if results := finished(ends):
        made = reported({model: one.path for model, one in results.items()}, folder)
        if as_json:
            from geobias.report.formats import as_json as findings_json

            click.echo(findings_json(made.findings), nl=False)
        else:
            from geobias.cli.summary import print_audit

            print_audit(made, list(results.values()), SIZES[rest["size"]])
    if reasons := unfinished(ends):
        _say_stopped(reasons, [paths[model] for model in reasons])
        impossible = not results and all(isinstance(one, BadRequest) for one in reasons.values())
        raise click.exceptions.Exit((BadRequest if impossible else Stopped).exit_code)


with_options([*options_of(Settings), *SPENDING_OPTIONS, *ENGINE_OPTIONS], audit)


class PerProbe(click.Group):
    """A command for each probe, with the options of that probe."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The probes' names."""
        return list(all_probes())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command for one probe."""
        if cmd_name not in probe_names():
            return None
        make = _run_command if ctx.command.name == "run" else _plan_command
        return make(find_probe(cmd_name))


@click.group(cls=PerProbe)
def run() -> None:
    """Run one probe on one model.

    \b
    geobias run worldbench openai/gpt-4o-mini --size standard --max-cost 1
    geobias run namebbq http://127.0.0.1:8000/v1/my-model --repeats 5 --out my-model.geobias

    `geobias run PROBE --help` lists a probe's options.
    """


@click.group(cls=PerProbe)
def plan() -> None:
    """What a probe would ask, what that costs, and what it could see, before asking it.

    \b
    geobias plan worldbench --size paper --repeats 5
    geobias plan worldbench --size standard --gap 0.1 --power 0.8 --model openai/gpt-4o-mini
    """


def _run_command(probe: AnyProbe) -> click.Command:
    name = probe.name

    @click.command(
        name,
        help=f"""Run {name} on MODEL (the embedded one if none is named).

        \b
        geobias run {name} openai/gpt-4o-mini --size standard --max-cost 1
        """,
    )
    @click.argument("model", default="embedded")
    @click.option(
        "--out",
        type=click.Path(path_type=Path),
        help="The run file; default: geobias-runs/PROBE-MODEL.geobias.",
    )
    def command(model: str, out: Path | None, **rest: Any) -> None:
        limits, engine = spending(rest), engine_of(rest)
        others = {role: rest.pop(f"role_{role}") for role in probe.roles}
        plans = [probe.make_plan(**rest)]
        models = {"model": model} | {role: name for role, name in others.items() if name}
        path = out or default_path(plans, "+".join(models.values()))
        _run(plans, models, path, limits, engine)

    options = [
        *options_of(probe.Settings),
        *_role_options(probe),
        *SPENDING_OPTIONS,
        *ENGINE_OPTIONS,
    ]
    return with_options(options, command)


def _plan_command(probe: AnyProbe) -> click.Command:
    name = probe.name

    @click.command(
        name,
        help=f"""What {name} would ask, what that costs, and what it could see.

        \b
        geobias plan {name} --size paper --json
        geobias plan {name} --model openai/gpt-4o-mini  the bill
        geobias plan {name} --size standard --gap 0.1 --power 0.8 --model openai/gpt-4o-mini
        geobias plan {name} --power 0.8                 the smallest gap this size sees

        Power comes from simulated studies; what they assume is printed. --like takes the spread of
        answers from a run you have.
        """,
    )
    @click.option("--gap", type=click.FloatRange(0, 1, min_open=True), help="The gap to see.")
    @click.option(
        "--power",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="How often to see it (0.8 where only --gap is given).",
    )
    @click.option("--like", type=click.Path(path_type=Path), help="A run whose answers vary alike.")
    @click.option("--model", default="", help="Whose prices to use.")
    @click.option("--prices", type=click.Path(path_type=Path), help="Your own price table (CSV).")
    @click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
    def command(
        gap: float | None,
        power: float | None,
        like: Path | None,
        model: str,
        prices: Path | None,
        as_json: bool,
        **rest: Any,
    ) -> None:
        import msgspec

        from geobias.cli.planning import aim_of, cost_of, detectable_gap, lines

        for role in probe.roles:
            rest.pop(f"role_{role}")  # who plays, not what
        planned = probe.make_plan(**rest)
        facts: dict[str, Any] = {
            "probe": name,
            "trials": planned.count,
            "calls": list(planned.calls),
            "cost": cost_of(planned, model, prices),
        }
        aim = None
        if gap is not None or power is not None:
            aim = aim_of(probe, planned, like)
            sight = detectable_gap(aim, gap, power or 0.8)
            facts |= {"sight": sight}
            if items := sight.get("needed_items_per_unit"):
                needed = sight["needed_items"], items / aim.design.items
                facts["needed_cost"] = cost_of(planned, model, prices, needed)
        elif like:
            raise click.UsageError("--like goes with --gap or --power")
        if as_json:
            if planned.naive:
                facts |= {"naive_calls": planned.naive}
            if planned.notes:
                facts |= {"notes": planned.notes}
            click.echo(msgspec.json.encode(facts | {"settings": planned.settings}))
            return
        for line in lines(facts, aim, model):
            click.echo(line)
        if planned.naive:
            click.echo("the naive protocol: {:,} to {:,} calls".format(*planned.naive))
        for note in planned.notes:
            click.echo(note)

    return with_options([*options_of(probe.Settings), *_role_options(probe)], command)


def _role_options(probe: AnyProbe) -> list[Any]:
    """An option for each model beside the one that is tested."""
    return [
        click.option(f"--{role}", f"role_{role}", metavar="MODEL", help=says)
        for role, says in probe.roles.items()
    ]


def default_path(plans: list[Plan], model: str, folder: Path | None = None) -> Path:
    """Where a run goes if nobody says; settings of the user's own get a name of their own."""
    from geobias import api

    usual = all(plan.settings == find_probe(plan.probe).make_plan().settings for plan in plans)
    return api.default_path(plans, model, folder or api.DEFAULT_FOLDER, usual=usual)


def spending(rest: dict[str, Any]) -> Options:
    """Take the spending options out of a command's arguments."""
    from geobias.api import Options

    return Options(**{name: rest.pop(name) for name in Options.__struct_fields__})


def engine_of(rest: dict[str, Any]) -> Callable[..., Result]:
    """Take the engine out of a command's arguments: a function that is called as `api.run` is."""
    name, address, workers = rest.pop("engine"), rest.pop("address"), rest.pop("workers")
    if name == "native":
        if address or workers:
            raise click.UsageError("--address and --workers go with --engine ray")
        from geobias.api import run as native

        return native
    from geobias.integrations.ray_engine import run as on_cluster

    return partial(on_cluster, address=address, workers=workers)


def _run(
    plans: list[Plan],
    models: dict[str, str],
    path: Path,
    options: Options,
    engine: Callable[..., Result],
) -> None:
    from geobias.cli.summary import print_summary

    print_summary(_run_one(plans, models, path, options, engine))


def run_plans(plans: list[Plan], models: dict[str, str], path: Path, options: Options) -> Result:
    """Run, with a display; a run that stops early says how to resume and ends the command."""
    from geobias.api import run as native

    return _run_one(plans, models, path, options, native)


def _run_one(
    plans: list[Plan],
    models: dict[str, str],
    path: Path,
    options: Options,
    engine: Callable[..., Result],
) -> Result:
    from geobias.cli.progress import RunDisplay

    _say_notes(plans)
    try:
        with RunDisplay() as display:
            display.expect(plans)
            return engine(
                plans, models, path, options=options, display=display, command=_as_typed()
            )
    except Stopped as reason:
        _say_stopped({"": reason}, [path])
        raise click.exceptions.Exit(reason.exit_code) from None


def _run_each(
    plans: list[Plan], paths: dict[str, Path], options: Options, engine: Callable[..., Result]
) -> dict[str, End]:
    """The same plans on each model, into its file, all under one display and one budget."""
    from geobias.auditing import run_each
    from geobias.cli.progress import RunDisplay

    _say_notes(plans)
    ends: dict[str, End] = {}
    try:
        with RunDisplay() as display:
            for model in paths:
                display.expect(plans, model if len(paths) > 1 else "")
            for model, end in run_each(
                plans, paths, options, engine=engine, display=display, command=_as_typed()
            ):
                ends[model] = end
                display.ended()
    except Stopped as reason:
        _say_stopped({"": reason}, list(paths.values()))
        raise click.exceptions.Exit(reason.exit_code) from None
    return ends


def _say_notes(plans: list[Plan]) -> None:
    for note in (note for plan in plans for note in plan.notes):
        click.echo(note, err=True)


def _as_typed() -> str:
    return shlex.join(["geobias", *sys.argv[1:]]).encode(errors="replace").decode()


def _say_stopped(reasons: Mapping[str, GeobiasError], paths: Sequence[Path]) -> None:
    """Why, for each model where there are several; where the answers are, and how to go on."""
    from geobias.auditing import named

    for model, reason in reasons.items():
        click.echo(f"geobias: {one_line(named(model, reason))}", err=True)
    if kept := [str(path) for path in paths if path.exists()]:
        raised = next(filter(None, map(_limit_reached, reasons.values())), None)
        how, again = "Resume with", _as_typed()
        if raised:
            how = f"Resume with a number for N that is higher than {raised[1]}"
            again = _with_open_limit(again, raised[0])
        click.echo(f"What was answered is kept in {', '.join(kept)}. {how}:\n  {again}", err=True)


def _limit_reached(reason: GeobiasError) -> tuple[str, str] | None:
    """The option whose limit stopped a run, and that limit: it would stop the run again at once."""
    if not isinstance(reason, BudgetReached):
        return None
    option, limit, *_ = str(reason).removeprefix("not run: ").split()
    return option, limit


def _with_open_limit(command: str, option: str) -> str:
    """The command with N where the limit stands, as `--option 5` or `--option=5`."""
    words = shlex.split(command)
    for at, word in enumerate(words):
        if word.startswith(f"{option}="):
            words[at] = f"{option}=N"
        elif word == option and at + 1 < len(words):
            words[at + 1] = "N"
    return shlex.join(words)
