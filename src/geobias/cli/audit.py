"""`geobias audit` and `geobias run`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from geobias import running
from geobias.api import auditing
from geobias.api.config import OPTIONS, AuditConfig, config_from, read_document, role_names
from geobias.cli.forecast import POWER, forecast_of, print_plan
from geobias.cli.gate import UNDECIDED, end_by
from geobias.cli.options import (
    ENGINE_OPTIONS,
    FILE,
    RUN_FILE,
    SPENDING_OPTIONS,
    Option,
    options_of,
    with_options,
)
from geobias.cli.probes import group_per_probe
from geobias.cli.progress import RunDisplay
from geobias.cli.summary import print_audit, print_summary
from geobias.errors import AsksWait, BadRequest, BudgetReached, GeobiasError, Stopped
from geobias.integrations.ray_engine import run as on_cluster
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, all_probes, broken_probes, usual_probes
from geobias.probes.settings import SIZES, Field, OfOptions, Settings, fields_of, parted
from geobias.redaction import of_environment
from geobias.report.formats import as_json as findings_json
from geobias.results.formatting import counted, one_line
from geobias.runfile import RunWriter
from geobias.untrusted import Json

Engine = Callable[..., running.Result]
"""A function with the signature of `running.run`."""


GIVE_UP = click.option(
    "--give-up-batches",
    is_flag=True,
    help="Only give up the batches and files that the runs wait for; providers still bill them.",
)


def role_options(roles: Mapping[str, str]) -> list[Option]:
    """An option for each further model that a probe may need, such as a judge."""
    return [
        click.option(f"--{role}", f"role_{role}", metavar="MODEL", help=says)
        for role, says in sorted(roles.items())
    ]


@click.command()
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option(
    "--config", "file", type=FILE, help="The audit as a TOML file; options given here override it."
)
@click.option(
    "--probes", default="", help="Probes, separated by commas; default: those of geobias itself."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the run files and the report; default: geobias-runs.",
)
@click.option("--dry-run", is_flag=True, help="Ask nothing. Print cost and detectable gaps.")
@click.option("--verbose", is_flag=True, help="Also print every part's numbers and the cost.")
@click.option("--limits", type=FILE, help="Check the finished runs against limits in a TOML file.")
@click.option("--baseline", type=RUN_FILE, help="The earlier run that limits of [worse] refer to.")
@UNDECIDED
@GIVE_UP
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, and no tables.")
def audit(
    models: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
    verbose: bool,
    give_up_batches: bool,
    **rest: Any,
) -> None:
    """Audit one or more models (the embedded one if none is named).

    \b
    geobias audit
    geobias audit openai/gpt-4o-mini --size standard --max-cost 2
    geobias audit embedded:model.gguf sim/biased --out audits/
    geobias audit openai/gpt-4o-mini openai/gpt-4o --size standard --batch --dry-run
    geobias audit --config audit.toml

    Writes report.html and report.json, with all models, into the folder. To resume a stopped audit,
    enter the same command again. It reuses complete runs.

    All models are asked at once. --max-calls, --max-tokens and --max-cost limit all models
    together. If one model fails, the others continue and are reported, and the exit code is 3.
    With --limits, the exit code is 1 if a limit is broken, and 4 if one is undecided. Limits are
    checked before the first call.
    """
    for why in broken_probes().values():
        click.echo(f"geobias: left out: {one_line(why)}", err=True)
    engine = _take_engine(rest)
    config = config_from_options(models, rest)
    if dry_run:
        config.check_asks()
        print_plan(forecast_of(config, POWER), as_json)
        asking = [word for word in sys.argv[1:] if word != "--dry-run"]
        click.echo(f"Nothing was asked. To run it:\n  {_as_typed(asking)}", err=as_json)
        return
    plans = config.plans()
    paths = config.paths(plans)
    if give_up_batches:
        _give_up_batches(paths.values())
        return
    results, reasons = _run_each(config, plans, paths, engine)
    if not config.probes and (others := all_probes().keys() - usual_probes().keys()):
        named = ", ".join(sorted(others))
        click.echo(f"also installed, but asked only if --probes names them: {named}", err=True)
    if results:
        click.echo("Working out what was found …", err=True)
        made = auditing.write_report(results, config.out)
        if as_json:
            click.echo(findings_json(made.findings), nl=False)
        else:
            print_audit(made, SIZES[config.settings.get("size", "quick")], verbose=verbose)
    _end(reasons, paths, config.how(), complete=bool(results))
    if config.gate:
        if reasons:  # the asks wait in files
            raise click.exceptions.Exit(Stopped.exit_code)
        found = auditing.gate(
            *paths.values(),
            limits=config.gate,
            baseline=config.baseline,
            undecided=config.undecided or "pass",
            findings=made.findings,
        )
        end_by(found, config.undecided, to_stderr=as_json)


ASKING = (
    *options_of(Settings),
    *options_of(OfOptions),
    *SPENDING_OPTIONS,
    *role_options({name: one.roles[name] for one in all_probes().values() for name in one.roles}),
)
"""The options of audits and of their plans."""
with_options([*ASKING, *ENGINE_OPTIONS], audit)


def config_from_options(models: tuple[str, ...], rest: dict[str, Any]) -> AuditConfig:
    """Make the configuration of an audit from --config, if given, and the options over it."""
    typed = typed_in(rest)
    document = read_document(typed.pop("file")) if "file" in typed else {}
    if "probes" in typed:
        probes = parted(typed.pop("probes"))
        document = {
            name: value
            for name, value in document.items()
            if name not in all_probes() or name in probes
        } | {"probes": probes}
    for field in fields_of(OfOptions):
        if field.name in typed:
            value = typed.pop(field.name)
            for name in _having(field, document.get("probes")):
                document[name] = document.get(name, {}) | {field.name: value}
    config = config_from(document | document_of(models, typed, document.get("limits", {})))
    config.check_models()
    config.check_gate()
    return config


def typed_in(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a command's options that the user typed."""
    source = click.get_current_context().get_parameter_source
    return {
        name: value for name, value in values.items() if source(name) is ParameterSource.COMMANDLINE
    }


def document_of(models: Sequence[str], typed: dict[str, Any], limits: Json) -> Json:
    """The typed options as an audit's document, with further `limits`."""
    limits = limits | {name: typed.pop(name) for name in OPTIONS if name in typed}
    named = {"limits": "gate"} | {f"role_{role}": role for role in role_names()}
    document = {named.get(name, name): value for name, value in typed.items()}
    return document | {"limits": limits} | ({"models": models} if models else {})


def config_of_probe(probe: AnyProbe, model: str, rest: Mapping[str, Any]) -> AuditConfig:
    """Make the configuration of an audit that runs one probe, from the options of its command."""
    typed = typed_in(rest)
    settings = {
        field.name: typed.pop(field.name)
        for field in fields_of(probe.Settings)
        if field.name in typed
    }
    typed |= {"probes": [probe.name], probe.name: settings}
    config = config_from(document_of([model] if model else [], typed, {}))
    config.check_models()
    return config


def _having(field: Field, probes: Sequence[str] | None) -> list[str]:
    """Return the chosen probes that have this setting. Raises `BadRequest` if no probe has it."""
    chosen = auditing.chosen_probes(probes)
    having = [probe.name for probe in chosen if field in fields_of(probe.Settings)]
    if not having:
        named = ", ".join(probe.name for probe in chosen)
        raise BadRequest(
            f"{field.option} applies to probes whose answers are options, not to {named}"
        )
    return having


def _end(
    reasons: Mapping[str, GeobiasError],
    paths: Mapping[str, Path],
    options: running.Options,
    complete: bool,
) -> None:
    """Say why models are incomplete. If a model stopped, exit with a code other than 0."""
    waiting = [reason for reason in reasons.values() if isinstance(reason, AsksWait)]
    for reason in waiting:
        click.echo(reason)
    if waiting:
        click.echo(
            f"Put their results into {options.batch_files} (*.jsonl), and enter the same command "
            f"again:\n  {_as_typed()}\nIf a file is lost, first add --give-up-batches."
        )
    stopped = {model: one for model, one in reasons.items() if one not in waiting}
    if stopped:
        _print_stopped(stopped, [paths[model] for model in stopped])
        impossible = not complete and all(isinstance(one, BadRequest) for one in stopped.values())
        raise click.exceptions.Exit((BadRequest if impossible else Stopped).exit_code)


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
        "--out", type=FILE, help="The run file; default: geobias-runs/PROBE-MODEL.geobias."
    )
    @GIVE_UP
    def command(model: str, out: Path | None, give_up_batches: bool, **rest: Any) -> None:
        engine = _take_engine(rest)
        config = config_of_probe(probe, model, rest)
        plans = config.plans()
        paths = {config.names[0]: out} if out else config.paths(plans)
        if give_up_batches:
            _give_up_batches(paths.values())
            return
        results, reasons = _run_each(config, plans, paths, engine)
        _end(reasons, paths, config.how(), complete=bool(results))
        for result in results.values():
            print_summary(result)

    return with_options(
        [
            *options_of(probe.Settings),
            *role_options(probe.roles),
            *SPENDING_OPTIONS,
            *ENGINE_OPTIONS,
        ],
        command,
    )


@group_per_probe(_run_command)
def run() -> None:
    """Run one probe on one model.

    \b
    geobias run worldbench openai/gpt-4o-mini --size standard --max-cost 1
    geobias run namebbq http://127.0.0.1:8000/v1/my-model --repeats 5 --out my-model.geobias

    `geobias run PROBE --help` lists a probe's options.
    """


def _take_engine(rest: dict[str, Any]) -> Engine:
    """Remove the values of `ENGINE_OPTIONS` from a command's arguments and return the engine."""
    name, address, workers = rest.pop("engine"), rest.pop("address"), rest.pop("workers")
    if name == "native":
        if address or workers:
            raise click.UsageError("--address and --workers need --engine ray")
        return running.run

    return partial(on_cluster, address=address, workers=workers)


def _give_up_batches(paths: Iterable[Path]) -> None:
    """Give up the batches and files that runs wait for, so that the next command asks again."""
    for path in filter(Path.exists, paths):
        with running.open_run(path) as run:
            file = RunWriter.open(path, run.manifest())
        try:
            given_up = sum(map(len, file.batches().values()))
            file.give_up_batches()
        finally:
            file.close()
        click.echo(f"{path}: gave up {counted(given_up, 'asks')} without a reply")
    click.echo("The same command without --give-up-batches asks again.")


def _run_each(
    config: AuditConfig, plans: list[Plan], paths: dict[str, Path], engine: Engine
) -> tuple[dict[str, running.Result], dict[str, GeobiasError]]:
    try:
        with RunDisplay() as display:
            display.expect(plans, [*paths])
            return auditing.run_each(
                plans,
                paths,
                config.how(),
                engine=engine,
                display=display,
                command=_as_typed(),
                roles=config.roles,
            )
    except Stopped as reason:
        _print_stopped({"": reason}, list(paths.values()))
        raise click.exceptions.Exit(reason.exit_code) from None


def _as_typed(words: Sequence[str] | None = None) -> str:
    """The command as the user typed it, without keys, for the run file."""
    typed = map(of_environment(), sys.argv[1:] if words is None else words)
    return shlex.join(["geobias", *typed]).encode(errors="replace").decode()


def _print_stopped(reasons: Mapping[str, GeobiasError], paths: list[Path]) -> None:
    """Print why each model stopped, where the replies are, and the command that goes on."""
    for model, reason in reasons.items():
        click.echo(f"geobias: {one_line(auditing.with_model(model, reason))}", err=True)
    if kept := [str(path) for path in paths if path.exists()]:
        raised = any(isinstance(reason, BudgetReached) for reason in reasons.values())
        click.echo(
            f"What was answered is kept in {', '.join(kept)}. Resume with"
            f"{' a higher limit' if raised else ''}:\n  {_as_typed()}",
            err=True,
        )
