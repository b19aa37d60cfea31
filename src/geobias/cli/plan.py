"""`geobias plan`: what a probe would ask, what that costs, and what it could show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from geobias.api.config import typed_model
from geobias.cli.audit import config_from_options, role_options
from geobias.cli.forecast import (
    POWER,
    aim_of,
    cost_of,
    forecast_of,
    gap_text,
    in_batches,
    print_plan,
    sight_of,
    time_of,
    without_price,
)
from geobias.cli.options import (
    FILE,
    JSON,
    RUN_FILE,
    Count,
    Number,
    complete_models,
    opened,
    options_of,
    with_options,
)
from geobias.cli.preregister import preregistration
from geobias.cli.probes import group_per_probe
from geobias.cli.terminal import print_json, wrapped
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.measures.planning import Aim
from geobias.models.naming import ModelEntry
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, find_probe, plan_of, record_titles
from geobias.probes.settings import SIZES, OfOptions, Settings
from geobias.report.records import answers_of, labelled
from geobias.results.formatting import one_line, printable
from geobias.running import Options, refuse_impossible
from geobias.stats import planning

POWER_OPTION = click.option(
    "--power",
    type=Number(0, 1, min_open=True, max_open=True),
    default=POWER,
    show_default=True,
    help="How often a run should show the gap.",
)
PRICING = (
    click.option("--model", default="", help="Whose prices to use."),
    click.option("--prices", type=FILE, help="Your own price table (CSV)."),
    click.option("--thinking", type=Count(0, 1_000_000), help="Tokens of reasoning for each call."),
    click.option("--batch", is_flag=True, help="In batches, which cost less."),
    JSON,
)


def _plan_command(probe: AnyProbe) -> click.Command:
    name = probe.name

    @click.command(
        name,
        help=f"""What {name} would ask, what that costs, and what it could show.

        \b
        geobias plan {name} --size paper --json
        geobias plan {name} --model openai/gpt-4o-mini  the bill
        geobias plan {name} --gap 0.1                   which size shows such a gap
        geobias plan {name} --show 2                    what would be asked, word for word

        Power is how often the report's own test would show the gap, with the same countries and
        items. What it assumes is printed. --like takes the spread of answers from a run you have.
        """,
    )
    @click.option("--gap", type=Number(0, min_open=True), help="The gap that the run should show.")
    @POWER_OPTION
    @click.option("--like", type=RUN_FILE, help="A run whose answers vary as much.")
    @click.option("--show", type=Count(1), help="Print the first dialogues, word for word.")
    def command(
        gap: float | None,
        power: float,
        like: Path | None,
        show: int | None,
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
        if show:
            _show(planned, show, as_json)
            return
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
        aims: dict[str, Aim | str] = {}
        for size in SIZES:
            same = planned.settings.get("size") == size
            try:
                aims[size] = aim_of(
                    probe, planned if same else plan_of(probe, rest | {"size": size}), like
                )
            except BadRequest as why:
                if like:
                    raise
                aims[size] = str(why)
        aim = aims[planned.settings["size"]]
        facts["sizes"] = {
            size: {"no_test": one} if isinstance(one, str) else _seen(one, gap, power)
            for size, one in aims.items()
        }
        if not isinstance(aim, str):
            sight = facts["sight"] = sight_of(aim, gap, power)
            if sight.get("needed_items_per_unit"):
                needed = sight["needed_items"], sight["needed_items"] / sum(aim.design.items)
                facts["needed_cost"] = cost_of(planned, model, options, needed)
        if as_json:
            if planned.notes:
                facts["notes"] = planned.notes
            print_json(facts | {"settings": planned.settings})
            return
        for line in _lines(probe, planned, facts, aims, model):
            click.echo(line)

    return with_options(
        [*options_of(probe.Settings), *role_options(probe.roles), *PRICING], command
    )


def _show(planned: Plan, count: int, as_json: bool) -> None:
    """Print the first ask of so many trials: one JSON object a line, or text for people."""
    for trial in islice(planned.trials(), count):
        steps = trial.start()
        messages = next(steps).dialogue.messages()
        steps.close()
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
    """What a probe would ask, what that costs, and what it could show, before asking it.

    \b
    geobias plan worldbench --size paper --repeats 5
    geobias plan worldbench --size standard --gap 0.1 --model openai/gpt-4o-mini
    geobias plan compare worldbench --change 0.05    what a comparison of two models could show
    geobias plan audit --size standard --model openai/gpt-4o-mini    all probes together
    """


@plan.command("audit")
@click.argument("models", nargs=-1, metavar="[MODEL]...", shell_complete=complete_models)
@click.option("--config", "file", type=FILE, help="The audit as a TOML file.")
@click.option("--probes", default="", help="Which, by commas; default: all.")
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
    """What an audit would ask, what that costs, and the smallest gap each probe could show.

    \b
    geobias plan audit --size standard
    geobias plan audit --size paper --model openai/gpt-4o-mini --json
    geobias plan audit openai/gpt-4o-mini openai/gpt-4o --size standard --batch
    geobias plan audit openai/gpt-4o-mini --size standard --preregister plan.md

    `geobias audit --dry-run` prints the same and writes the audit as a file.
    """
    config = config_from_options(models or ((model,) if model else ()), rest)
    if config.models:
        config.check_asks()
    if preregister is not None:
        text = preregistration(config, forecast_of(config, power))
        write_whole(preregister, text.encode(), BadRequest)
    print_plan(config, power, as_json)


with_options([*options_of(Settings), *options_of(OfOptions), *PRICING], audit)


@plan.command("compare")
@click.argument("name", metavar="PROBE")
@click.option(
    "--change", type=Number(0, min_open=True), required=True, help="The change to be seen."
)
@POWER_OPTION
@click.option(
    "--like", type=RUN_FILE, nargs=2, metavar="RUN RUN", help="Two runs that differ as much."
)
@JSON
def compare(
    name: str,
    change: float,
    power: float,
    like: tuple[Path, Path] | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """How many questions it takes to see a change between two models.

    \b
    geobias plan compare worldbench --change 0.05 --size standard
    geobias plan compare worldbench --change 0.05 --like BEFORE AFTER

    Both models are asked the same. What is assumed of their answers is printed; --like measures it
    on two runs that you have.
    """
    probe = find_probe(name)
    planned = plan_of(probe, rest)
    sights = [sight_of(aim, change, power) for aim in _aims_of_change(probe, planned, like)]
    if as_json:
        print_json(sights)
        return
    click.echo(f"{_what(probe, planned)}, asked of two models")
    for sight in sights:
        seen = (
            f"{sight['gap_of']}: a change of {change:g}, {sight['power_of_plan']:.0%} of the time"
        )
        for line in (*wrapped("sees      ", seen), *_needed(sight)):
            click.echo(line)
    for sentence in sights[0]["assumptions"]:
        for line in wrapped(" " * 10, sentence):
            click.echo(line)


with_options(options_of(Settings), compare)


def _aims_of_change(
    probe: AnyProbe, planned: Plan, like: tuple[Path, Path] | None
) -> Iterator[Aim]:
    """The tests of `geobias compare`: of the change of the primary number, and of the mean where
    that is another number."""
    if like:
        with opened(like) as readers:
            answers = answers_of(probe, labelled(readers), {})
        spread = derived.spread_of_changes(probe, *answers) if len(answers) == 2 else None
        if spread is None or not any(spread):
            raise BadRequest(f"{like[0]} and {like[1]} share too few answers that differ")
        aim = derived.aim(probe, planned, spread)
        known = "Spreads are those of the changes between the two runs."
    else:
        aim = derived.aim(probe, planned, None)
        wider = ("between", "within", "across")
        scaled = {name: math.sqrt(2) * getattr(aim.design, name) for name in wider}
        aim = msgspec.structs.replace(aim, design=msgspec.structs.replace(aim.design, **scaled))
        known = (
            "The two models are taken to err independently: their changes vary √2 times as much as "
            "one model's answers (--like RUN RUN measures it)."
        )
    aim = msgspec.structs.replace(aim, assumptions=[known, *aim.assumptions])
    yield aim
    lead = derived.lead_in(probe, planned.settings)
    if lead is not None and not aim.design.columns:
        one_group = msgspec.structs.replace(
            aim.design, groups=(sum(aim.design.groups),), weights=(1.0,), inflation=1, freedom=None
        )
        yield msgspec.structs.replace(aim, gap=f"in {lead.label.lower()}", design=one_group)


def _seen(aim: Aim, gap: float | None, power: float) -> dict[str, Any]:
    """The smallest gap that a size shows, and how often it shows `gap`."""
    smallest = planning.smallest_gap(aim.design, wanted=power, most=aim.most_gap)
    facts = {"smallest_gap": smallest}
    return facts if gap is None else facts | {"power": planning.power(aim.design, gap)}


def _what(probe: AnyProbe, planned: Plan) -> str:
    """ "WorldBench: 491 trials", and of which kinds where there are several."""
    titles = record_titles()
    parts = [f"{count:,} of {titles.get(name, name)}" for name, count in planned.planned.items()]
    kinds = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    return f"{probe.title}: {planned.count:,} trials{kinds}"


def _lines(
    probe: AnyProbe,
    planned: Plan,
    facts: dict[str, Any],
    aims: Mapping[str, Aim | str],
    model: str,
) -> Iterator[str]:
    low, high = facts["calls"]
    calls = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    usual = facts["cost"]["calls"]
    # To two figures: what a run usually takes is no more certain than that.
    about = f", usually about {round(usual, 2 - len(str(usual))):,}" if low < usual < high else ""
    yield f"{_what(probe, planned)}, {calls} calls{about}"
    yield from _bill(facts["cost"], model)
    size = planned.settings["size"]
    aim = aims[size]
    if isinstance(aim, str):
        yield from wrapped("sees      ", f"no test at size {size}: {aim}")
    else:
        sight = facts["sight"]
        smallest = gap_text(sight["smallest_gap"], aim)
        often = f"{sight['power']:.0%} of the time"
        yield from wrapped("sees      ", f"a gap of {smallest} {aim.gap}, {often}")
        if "gap" in sight:
            seen = f"{sight['power_of_plan']:.0%} of the time"
            yield f"          a gap of {gap_text(sight['gap'], aim)}, {seen}"
            yield from _needed(sight)
            if facts.get("needed_cost") and not _suffices(sight):
                yield from (f"          {line}" for line in _bill(facts["needed_cost"], model))
    yield from wrapped("sizes     ", _sizes(facts["sizes"]))
    if not isinstance(aim, str):
        for sentence in aim.assumptions:
            yield from wrapped(" " * 10, sentence)
    for note in planned.notes:
        yield from wrapped("", note)


def _sizes(sizes: Mapping[str, Mapping[str, Any]]) -> str:
    """What each size sees: "quick no test; standard 43%; paper 98% of the time"."""
    said, end = [], ""
    for size, seen in sizes.items():
        if "no_test" in seen:
            word = "no test"
        elif "power" in seen:
            word, end = f"{seen['power']:.0%}", " of the time"
        else:
            word = "no gap" if seen["smallest_gap"] is None else f"{seen['smallest_gap']:.2g}"
        said.append(f"{size} {word}")
    return "; ".join(said) + end


def _needed(sight: dict[str, Any]) -> Iterator[str]:
    head, items, units = "needed    ", sight["items"], sight["unit_words"]
    if _suffices(sight):
        yield f"{head}no more than this"
    elif sight["needed_items_per_unit"] is not None:
        yield from wrapped(
            head,
            f"{sight['needed_items_per_unit']:,} {items} for each of {sight['units']:,} {units}, "
            f"{sight['needed_items']:,} in all, to see it {sight['power']:.0%} of the time",
        )
    else:
        yield from wrapped(
            head,
            f"no plan shows it {sight['power']:.0%} of the time. "
            f"{sight['most_items_per_unit']:,} {items} for each would show it "
            f"{sight['power_with_most_items']:.0%} of the time, and any number "
            f"{sight['best_power']:.0%}, because {units} differ",
        )


def _suffices(sight: dict[str, Any]) -> bool:
    """Whether the plan sees the gap with fewer items than the same number for each unit."""
    needed, planned = sight["needed_items"], sight["items_per_unit"] * sight["units"]
    return sight["power_of_plan"] >= sight["power"] and (needed is None or needed > planned)


def _bill(cost: dict[str, Any], model: str) -> Iterator[str]:
    tokens = f"about {cost['tokens_in']:,} in and {cost['tokens_out']:,} out"
    yield f"tokens    {tokens}, in {cost['calls']:,} calls"
    if cost["usd"] is not None:
        how = f", {in_batches(model)}" if cost["seconds"] is None else ""
        yield f"money     about US$ {cost['usd']:,.2f} with {model}{how}"
    else:
        yield f"money     {without_price(model)}"
    yield f"time      {time_of(cost)}"
