"""`geobias plan`: what a probe would ask, what that costs, and what it could show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from geobias.api.config import as_toml, typed_model
from geobias.api.running import Options, refuse_impossible
from geobias.cli.audit import config_from_options, role_options
from geobias.cli.forecast import (
    AT_ONCE,
    SECONDS,
    aim_of,
    cost_of,
    forecast_of,
    gap_text,
    in_batches,
    print_plan,
    sight_of,
)
from geobias.cli.options import (
    FILE,
    JSON,
    RUN_FILE,
    Count,
    Number,
    complete_models,
    options_of,
    with_options,
)
from geobias.cli.preregister import preregistration
from geobias.cli.probes import group_per_probe
from geobias.cli.terminal import print_json
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.measures.planning import Aim
from geobias.models.naming import ModelEntry
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, plan_of, record_titles
from geobias.probes.settings import OfOptions, Settings

THINKING = click.option(
    "--thinking", type=Count(0, 1_000_000), help="Tokens of reasoning for each call."
)
BATCH = click.option("--batch", is_flag=True, help="In batches, which cost less.")


def _plan_command(probe: AnyProbe) -> click.Command:
    name = probe.name

    @click.command(
        name,
        help=f"""What {name} would ask, what that costs, and what it could show.

        \b
        geobias plan {name} --size paper --json
        geobias plan {name} --model openai/gpt-4o-mini  the bill
        geobias plan {name} --size standard --gap 0.1 --power 0.8 --model openai/gpt-4o-mini
        geobias plan {name} --power 0.8                 the smallest gap this size can show

        Power is how often the report's own test would show the gap, with the same countries and
        items. What it assumes is printed. --like takes the spread of answers from a run you have.
        """,
    )
    @click.option("--gap", type=Number(0, min_open=True), help="The gap that the run should show.")
    @click.option(
        "--power",
        type=Number(0, 1, min_open=True, max_open=True),
        help="How often a run should show it (0.8 where only --gap is given).",
    )
    @click.option("--like", type=RUN_FILE, help="A run whose answers vary as much.")
    @click.option("--model", default="", help="Whose prices to use.")
    @click.option("--prices", type=FILE, help="Your own price table (CSV).")
    @THINKING
    @BATCH
    @JSON
    def command(
        gap: float | None,
        power: float | None,
        like: Path | None,
        model: str,
        prices: Path | None,
        thinking: int | None,
        batch: bool,
        as_json: bool,
        **rest: Any,
    ) -> None:
        for role in probe.roles:
            rest.pop(f"role_{role}")  # who plays, not what
        planned = plan_of(probe, rest)
        entry = typed_model(model) if model else ModelEntry("")
        options = Options(
            batch=batch, prices=prices, thinking=thinking, entries={entry.shown: entry}
        )
        model = entry.shown
        if model:
            refuse_impossible([planned], {"model": model}, options)
        facts: dict[str, Any] = {
            "probe": name,
            "trials": planned.count,
            "calls": list(planned.calls),
            "cost": cost_of(planned, model, options),
        }
        aim = None
        if gap is not None or power is not None:
            aim = aim_of(probe, planned, like)
            sight = sight_of(aim, gap, power or 0.8)
            facts["sight"] = sight
            if sight.get("needed_items_per_unit"):
                needed = sight["needed_items"], sight["needed_items"] / sum(aim.design.items)
                facts["needed_cost"] = cost_of(planned, model, options, needed)
        elif like:
            raise click.UsageError("--like goes with --gap or --power")
        if as_json:
            if planned.notes:
                facts["notes"] = planned.notes
            print_json(facts | {"settings": planned.settings})
            return
        for line in _lines(_what(probe, planned), facts, aim, model):
            click.echo(line)
        for note in planned.notes:
            click.echo(note)

    return with_options([*options_of(probe.Settings), *role_options(probe)], command)


@group_per_probe(_plan_command)
def plan() -> None:
    """What a probe would ask, what that costs, and what it could show, before asking it.

    \b
    geobias plan worldbench --size paper --repeats 5
    geobias plan worldbench --size standard --gap 0.1 --power 0.8 --model openai/gpt-4o-mini
    geobias plan audit --size standard --model openai/gpt-4o-mini    all probes together
    """


@plan.command("audit")
@click.argument("models", nargs=-1, metavar="[MODEL]...", shell_complete=complete_models)
@click.option("--config", "file", type=FILE, help="The audit as a TOML file.")
@click.option("--probes", default="", help="Which, by commas; default: all.")
@click.option(
    "--power",
    type=Number(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="How often a run should show the smallest gap.",
)
@click.option("--model", default="", help="Whose prices to use.")
@click.option("--prices", type=FILE, help="Your own price table (CSV).")
@THINKING
@BATCH
@click.option("--write", type=FILE, help="Write the audit as a file for --config.")
@click.option("--preregister", type=FILE, help="Write what will be tested, as Markdown.")
@JSON
def audit(
    models: tuple[str, ...],
    power: float,
    model: str,
    write: Path | None,
    preregister: Path | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """What an audit would ask, what that costs, and the smallest gap each probe could show.

    \b
    geobias plan audit --size standard
    geobias plan audit --size paper --model openai/gpt-4o-mini --json
    geobias plan audit openai/gpt-4o-mini openai/gpt-4o --size standard --batch --write audit.toml
    geobias plan audit openai/gpt-4o-mini --size standard --preregister plan.md
    """
    named = models or ((model,) if model else ())
    config = config_from_options(named, rest)
    if config.models:
        config.check_asks()
    if write is not None:
        write_whole(write, as_toml(config).encode(), BadRequest)
    if preregister is not None:
        text = preregistration(config, forecast_of(config, power))
        write_whole(preregister, text.encode(), BadRequest)
    print_plan(config, power, as_json)


with_options([*options_of(Settings), *options_of(OfOptions)], audit)


def _what(probe: AnyProbe, planned: Plan) -> str:
    """ "WorldBench: 491 trials", and of which kinds where there are several."""
    titles = record_titles()
    parts = [f"{count:,} of {titles.get(name, name)}" for name, count in planned.planned.items()]
    kinds = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    return f"{probe.title}: {planned.count:,} trials{kinds}"


def _lines(what: str, facts: dict[str, Any], aim: Aim | None, model: str) -> Iterator[str]:
    low, high = facts["calls"]
    calls = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    usual = facts["cost"]["calls"]
    about = f", usually about {_rounded(usual):,}" if low < usual < high else ""
    yield f"{what}, {calls} calls{about}"
    if aim is not None or model:
        yield from _bill(facts["cost"], model)
    if aim is None:
        return
    sight = facts["sight"]
    gap = sight["smallest_gap"]
    smallest = f"not even a gap of {aim.most_gap:g}" if gap is None else f"a gap of {gap_text(gap)}"
    yield f"sees      {smallest} {aim.gap}, {sight['power']:.0%} of the time"
    if "gap" in sight:
        yield from _sight(sight, aim)
        if facts.get("needed_cost") and not _suffices(sight):
            yield from (f"          {line}" for line in _bill(facts["needed_cost"], model))
    for sentence in sight["assumptions"]:
        yield f"          {sentence}"


def _rounded(calls: int) -> int:
    """To two figures: what a run usually takes is no more certain than that."""
    return round(calls, 2 - len(str(calls)))


def _sight(sight: dict[str, Any], aim: Aim) -> Iterator[str]:
    yield f"          a gap of {gap_text(sight['gap'])}, {sight['power_of_plan']:.0%} of the time"
    needed = f"needed    for {gap_text(sight['gap'])}:"
    if _suffices(sight):
        yield f"{needed} no more than this"
        return
    if sight["needed_items_per_unit"] is not None:
        yield (
            f"{needed} {sight['needed_items_per_unit']:,} {aim.items} for each of "
            f"{sight['units']:,} {aim.units}, {sight['needed_items']:,} in all, to see it "
            f"{sight['power']:.0%} of the time"
        )
        return
    most = f"{sight['most_items_per_unit']:,} {aim.items} for each {aim.unit}"
    yield (
        f"{needed} no plan shows it {sight['power']:.0%} of the time. {most} would show it "
        f"{sight['power_with_most_items']:.0%} of the time, and any number "
        f"{sight['best_power']:.0%}, because {aim.units} differ"
    )


def _suffices(sight: dict[str, Any]) -> bool:
    """Whether the plan sees the gap, with fewer items than as many for every unit would take."""
    needed, planned = sight["needed_items"], sight["items_per_unit"] * sight["units"]
    return sight["power_of_plan"] >= sight["power"] and (needed is None or needed > planned)


def _bill(cost: dict[str, Any], model: str) -> Iterator[str]:
    yield (
        f"tokens    about {cost['tokens_in']:,} in and {cost['tokens_out']:,} out, in "
        f"{cost['calls']:,} calls"
    )
    if cost["usd"] is not None:
        how = f", {in_batches(model)}" if cost["seconds"] is None else ""
        yield f"money     about US$ {cost['usd']:,.2f} with {model}{how}"
    elif model:
        yield f"money     no price is known for {model}: --prices FILE gives one"
    else:
        yield "money     --model NAME says what it would cost"
    if cost["seconds"] is None:
        rounds = f"{cost['rounds']:,} rounds" if cost["rounds"] > 1 else "one round"
        yield f"time      {rounds} of batches, within a day each"
        return
    minutes = max(1, round(cost["seconds"] / 60))
    length = "a minute" if minutes == 1 else f"{minutes:,} minutes"
    yield f"time      about {length} at {AT_ONCE} calls at once and {SECONDS:g} s each"
