"""`geobias plan`: what a probe would ask, its cost, and what it could show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec
from jinja2 import StrictUndefined, Template
from msgspec import UNSET

from geobias.api.config import AuditConfig
from geobias.cli.audit import ASKING, config_from_options, config_of_probe, role_options
from geobias.cli.forecast import (
    POWER,
    Forecast,
    Sight,
    forecast_of,
    gap_text,
    lines_of,
    print_plan,
    sight_by,
    sight_of,
)
from geobias.cli.options import FILE, JSON, Count, Number, options_of, with_options
from geobias.cli.probes import group_per_probe
from geobias.cli.terminal import print_json, wrapped
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.measures.planning import Aim
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, find_probe, plan_of, record_titles
from geobias.probes.settings import SIZES, Settings
from geobias.results.formatting import number, one_line, printable, settings_text
from geobias.stats.estimates import LEVEL
from geobias.trials import StoredSettings
from geobias.version import __version__

POWER_OPTION = click.option(
    "--power",
    type=Number(0, 1, min_open=True, max_open=True),
    default=POWER,
    show_default=True,
    help="How often a run should detect the gap.",
)
MODEL = click.option("--model", default="", help="The model whose prices to use.")
PRICING = (
    MODEL,
    click.option("--thinking", type=Count(0, 1_000_000), help="Tokens of reasoning for each call."),
    click.option("--batch", is_flag=True, help="Ask in batches, which cost less."),
    JSON,
)


class PlanOfProbe(Forecast, frozen=True, kw_only=True):
    """What `geobias plan PROBE --json` prints. `sizes` says which gap each size detects."""

    trials: int
    sizes: dict[str, Sight]
    settings: StoredSettings
    notes: tuple[str, ...]


def _plan_command(probe: AnyProbe) -> click.Command:
    name = probe.name

    @click.command(
        name,
        help=f"""Show what {name} would ask, what that costs, and which gaps it could show.

        \b
        geobias plan {name} --size paper --json
        geobias plan {name} --model openai/gpt-4o-mini  the bill
        geobias plan {name} --gap 0.1                   which size shows such a gap
        geobias plan {name} --show 2                    what would be asked, word for word

        Power is how often the report's test would show the gap, with the same countries and items.
        The plan prints its assumptions.
        """,
    )
    @click.option("--gap", type=Number(0, min_open=True), help="The gap that the run should show.")
    @POWER_OPTION
    @click.option("--show", type=Count(1), help="Print the first dialogues, word for word.")
    def command(
        gap: float | None, power: float, show: int | None, model: str, as_json: bool, **rest: Any
    ) -> None:
        config = config_of_probe(probe, model, rest)
        [planned] = config.plans()
        if show:
            _show(planned, show, as_json)
            return
        if model:
            config.check_asks()
        of_sizes = [plan_of(probe, config.of_probe[name] | {"size": size}) for size in SIZES]
        wanted = UNSET if gap is None else gap
        found = PlanOfProbe(
            **msgspec.structs.asdict(forecast_of(config, power)),
            trials=planned.count,
            sizes={
                size: sight_of(one, power, wanted)
                for size, one in zip(SIZES, of_sizes, strict=True)
            },
            settings=planned.settings,
            notes=planned.notes,
        )
        if as_json:
            print_json(found)
            return
        for line in _lines(probe, planned, found):
            click.echo(line)

    return with_options(
        [*options_of(probe.Settings), *role_options(probe.roles), *PRICING], command
    )


def _show(planned: Plan, count: int, as_json: bool) -> None:
    """Print the first asks of `count` trials, as one JSON object per line or as text for people."""
    for trial in islice(planned.trials(), count):
        ask = trial.first_ask()
        messages = ask.dialogue.messages() if ask else []
        if as_json:
            said = [{"role": one.role, "content": one.content} for one in messages]
            print_json({"trial": trial.name, "messages": said})
        else:
            click.echo(click.style(one_line(trial.name), bold=True))
            for one in messages:
                text = printable(one.content).replace("\n", "\n  ")
                click.echo(f"  {click.style(one.role + ':', dim=True)} {text}")
            click.echo()
    if planned.count > count and not as_json:
        click.echo(f"{count:,} of {planned.count:,} trials", err=True)
    for note in planned.notes:
        click.echo(one_line(note), err=True)


@group_per_probe(_plan_command)
def plan() -> None:
    """Show what a probe would ask, what that costs, and which gaps it could show.

    \b
    geobias plan worldbench --size paper --repeats 5
    geobias plan worldbench --size standard --gap 0.1 --model openai/gpt-4o-mini
    geobias plan compare worldbench --change 0.05    what a comparison of two models could show
    geobias plan audit --size standard --model openai/gpt-4o-mini    all probes together
    """


@plan.command("audit")
@click.argument("models", nargs=-1, metavar="[MODEL]...")
@click.option("--config", "file", type=FILE, help="The audit as a TOML file.")
@click.option("--probes", default="", help="Probes, separated by commas; default: geobias' own.")
@POWER_OPTION
@click.option("--preregister", type=FILE, help="Write what will be tested, as Markdown.")
def audit(
    models: tuple[str, ...],
    power: float,
    model: str,
    preregister: Path | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Show what an audit would ask, what that costs, and the smallest gap each probe could show.

    \b
    geobias plan audit --size standard
    geobias plan audit --size paper --model openai/gpt-4o-mini --json
    geobias plan audit openai/gpt-4o-mini openai/gpt-4o --size standard --batch
    geobias plan audit openai/gpt-4o-mini --size standard --preregister plan.md

    `geobias audit --dry-run` prints the same.
    """
    config = config_from_options(models or ((model,) if model else ()), rest)
    if config.models:
        config.check_asks()
    forecast = forecast_of(config, power)
    if preregister is not None:
        write_whole(preregister, preregistration(config, forecast).encode(), BadRequest)
    print_plan(forecast, as_json)


with_options([*ASKING, MODEL, JSON], audit)


def preregistration(config: AuditConfig, forecast: Forecast) -> str:
    """What an audit will test, as Markdown, to be published before anything is asked.

    A test that is chosen after seeing the answers can find gaps that do not exist.
    """
    sights = {part.probe: part.sight.words for part in forecast.models[0].probes}
    template = Path(__file__).with_name("preregistration.md").read_text("utf-8")
    page: str = Template(
        template, trim_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    ).render(
        version=__version__,
        models=config.names,
        roles=config.roles,
        parts=[_primary_test(plan) | {"sight": sights[plan.probe]} for plan in config.plans()],
        power=f"{forecast.power:.0%}",
        level=f"{LEVEL:g}",
    )
    return page


def _primary_test(plan: Plan) -> dict[str, object]:
    probe = find_probe(plan.probe)
    primary = derived.primary_metric(probe)
    settings = {name: one for name, one in plan.settings.items() if one not in (None, "", [])}
    return {
        "probe": probe,
        "question": derived.primary_question(probe),
        "metric": primary,
        "method": derived.methods(probe),
        "further": [one for one in derived.metric_names(probe) if one != primary],
        "asked": f"{plan.planned[probe.name]:,}",
        "interest": number(derived.scale(probe) * plan.settings["smallest_gap"], 2),
        "data": ", ".join(f"{name} {digest}" for name, digest in sorted(plan.editions.items())),
        "settings": settings_text(settings),
    }


@plan.command("compare")
@click.argument("name", metavar="PROBE")
@click.option(
    "--change", type=Number(0, min_open=True), required=True, help="The change to detect."
)
@POWER_OPTION
@JSON
def compare(name: str, change: float, power: float, as_json: bool, **rest: Any) -> None:
    """Show how many questions it takes to detect a change between two models.

    \b
    geobias plan compare worldbench --change 0.05 --size standard

    Both models are asked the same questions. The plan prints what it assumes about their answers.
    """
    probe = find_probe(name)
    planned = plan_of(probe, rest)
    sights = [sight_by(aim, power, change) for aim in _aims_of_change(probe, planned)]
    if as_json:
        print_json(sights)
        return
    click.echo(f"{_what(probe, planned)}, asked of two models")
    for sight in sights:
        seen = f"{sight.gap_of}: a change of {change:g}, {sight.power_of_plan:.0%} of the time"
        for line in (*wrapped("detects   ", seen), *wrapped("required  ", str(sight.required))):
            click.echo(line)
    for sentence in sights[0].assumptions:
        for line in wrapped(" " * 10, sentence):
            click.echo(line)


with_options(options_of(Settings), compare)


def _aims_of_change(probe: AnyProbe, planned: Plan) -> Iterator[Aim]:
    """Yield the tests that `geobias compare` makes: of the primary number, and of the mean."""
    aim = derived.aim(probe, planned)
    wider = ("between", "within", "across")
    scaled = {name: math.sqrt(2) * getattr(aim.design, name) for name in wider}
    aim = msgspec.structs.replace(aim, design=msgspec.structs.replace(aim.design, **scaled))
    known = (
        "The two models are taken to err independently: their changes vary √2 times as much as "
        "one model's answers."
    )
    aim = msgspec.structs.replace(aim, assumptions=[known, *aim.assumptions])
    yield aim
    lead = derived.lead_in(probe, planned.settings)
    if lead is not None and not aim.design.columns:
        one_group = msgspec.structs.replace(
            aim.design, groups=(sum(aim.design.groups),), weights=(1.0,)
        )
        yield msgspec.structs.replace(aim, gap=f"in {lead.label.lower()}", design=one_group)


def _what(probe: AnyProbe, planned: Plan) -> str:
    """The number of trials of each kind in a plan: "WorldBench: 491 trials"."""
    titles = record_titles()
    parts = [f"{count:,} of {titles.get(name, name)}" for name, count in planned.planned.items()]
    kinds = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    return f"{probe.title}: {planned.count:,} trials{kinds}"


def _lines(probe: AnyProbe, planned: Plan, found: PlanOfProbe) -> Iterator[str]:
    yield _what(probe, planned)
    yield from lines_of(found)
    yield from wrapped("sizes     ", _sizes(found.sizes))
    own = found.sizes[str(planned.settings["size"])]
    if own.required is not UNSET:
        yield from wrapped("required  ", own.required)
    for sentence in own.assumptions:
        yield from wrapped(" " * 10, sentence)
    for note in planned.notes:
        yield from wrapped("", note)


def _sizes(sights: Mapping[str, Sight]) -> str:
    """What each size detects: "quick no test; standard 43%; paper 98% of the time"."""
    said, end = [], ""
    for size, seen in sights.items():
        word = "no test" if seen.no_test else gap_text(seen.smallest_gap, "no gap")
        if seen.power_of_plan is not UNSET:
            word, end = f"{seen.power_of_plan:.0%}", " of the time"
        said.append(f"{size} {word}")
    return "; ".join(said) + end
