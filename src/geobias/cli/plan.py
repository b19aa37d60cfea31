"""`geobias plan`: what a probe would ask, its cost, and what it could show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
import msgspec
from msgspec import UNSET, UnsetType

from geobias.api.config import model_entry
from geobias.cli.audit import config_from_options, role_options
from geobias.cli.costs import Bill, cost_of
from geobias.cli.forecast import (
    POWER,
    forecast_of,
    gap_text,
    how_billed,
    print_plan,
    smallest_gap,
    without_price,
)
from geobias.cli.options import (
    FILE,
    JSON,
    Count,
    Number,
    options_of,
    with_options,
)
from geobias.cli.preregister import preregistration
from geobias.cli.probes import group_per_probe
from geobias.cli.terminal import print_json, wrapped
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.measures.planning import Aim
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, find_probe, plan_of, record_titles
from geobias.probes.settings import SIZES, OfOptions, Settings
from geobias.results.formatting import one_line, printable
from geobias.running import Options, refuse_impossible, with_reader
from geobias.stats import planning
from geobias.trials import StoredSettings

POWER_OPTION = click.option(
    "--power",
    type=Number(0, 1, min_open=True, max_open=True),
    default=POWER,
    show_default=True,
    help="How often a run should detect the gap.",
)
PRICING = (
    click.option("--model", default="", help="The model whose prices to use."),
    click.option("--thinking", type=Count(0, 1_000_000), help="Tokens of reasoning for each call."),
    click.option("--batch", is_flag=True, help="Ask in batches, which cost less."),
    JSON,
)


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest gap that a plan detects.

    If the user named a gap, `power_of_plan` is the probability that the plan detects it, and
    `needed` is the size of study that detects it with probability `power`.
    """

    gap_of: str
    power: float
    units: int
    items_per_unit: float
    smallest_gap: float | None
    assumptions: list[str]
    gap: float | UnsetType = UNSET
    power_of_plan: float | UnsetType = UNSET
    needed: planning.Needed | UnsetType = UNSET

    @property
    def needed_items(self) -> int | None:
        """Total number of items needed; None if no number is enough."""
        if self.needed is UNSET or self.needed.items is None:
            return None
        return self.needed.items * self.needed.units

    @property
    def suffices(self) -> bool:
        """Whether the plan detects the given gap although it has fewer items than `needed_items`.

        This is possible because `needed_items` assumes equally many items for each unit.
        """
        if self.power_of_plan is UNSET or self.power_of_plan < self.power:
            return False
        planned = self.items_per_unit * self.units
        return self.needed_items is None or self.needed_items > planned


def sight_of(aim: Aim, gap: float | None, power: float) -> Sight:
    """Return the smallest gap that a test detects and, given `gap`, the study that detects it."""
    design = aim.design
    if gap is not None and gap > aim.most_gap:
        raise BadRequest(f"a gap of {gap:g} {aim.gap} is more than the maximum, {aim.most_gap:g}")
    sight = Sight(
        gap_of=aim.gap,
        power=power,
        units=sum(design.groups),
        items_per_unit=round(sum(design.items) / len(design.items), 1),
        smallest_gap=smallest_gap(aim, power),
        assumptions=aim.assumptions,
    )
    if gap is None:
        return sight
    return msgspec.structs.replace(
        sight,
        gap=gap,
        power_of_plan=planning.power(design, gap),
        needed=planning.needed(design, gap, wanted=power, most_items=aim.most_items),
    )


class PlanOfProbe(msgspec.Struct, frozen=True, kw_only=True):
    """What `geobias plan PROBE --json` prints.

    `sizes` says which gap each size detects, or why it has no test. `needed_cost` is the bill of a
    study that detects the given gap.
    """

    probe: str
    trials: int
    calls: tuple[int, int]
    cost: Bill
    sizes: dict[str, dict[str, Any]]
    sight: Sight | UnsetType = UNSET
    needed_cost: Bill | UnsetType = UNSET
    notes: tuple[str, ...] | UnsetType = UNSET
    settings: StoredSettings


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
        gap: float | None,
        power: float,
        show: int | None,
        model: str,
        thinking: int | None,
        batch: bool,
        as_json: bool,
        **rest: Any,
    ) -> None:
        named = {"model": model} | {role: rest.pop(f"role_{role}") for role in probe.roles}
        models = {role: model_entry(name) for role, name in named.items() if name}
        planned = plan_of(probe, rest)
        if show:
            _show(planned, show, as_json)
            return
        entries = {entry.shown: entry for entry in models.values()}
        options = Options(batch=batch, thinking=thinking, entries=entries)
        specs = {"model": ""} | {role: entry.shown for role, entry in models.items()}
        specs, model = with_reader(specs, [planned]), specs["model"]
        if model:
            refuse_impossible([planned], specs, options)
        aims = {size: _aim_or_why(probe, planned, rest, size) for size in SIZES}
        aim = aims[planned.settings["size"]]
        sight = UNSET if isinstance(aim, str) else sight_of(aim, gap, power)
        needed_cost: Bill | UnsetType = UNSET
        if not isinstance(aim, str) and sight is not UNSET and sight.needed_items is not None:
            times = sight.needed_items / sum(aim.design.items)
            needed_cost = cost_of(planned, specs, options, needed=(sight.needed_items, times))
        found = PlanOfProbe(
            probe=name,
            trials=planned.count,
            calls=planned.calls,
            cost=cost_of(planned, specs, options),
            sizes={size: _of_size(one, gap, power) for size, one in aims.items()},
            sight=sight,
            needed_cost=needed_cost,
            notes=planned.notes or UNSET,
            settings=planned.settings,
        )
        if as_json:
            print_json(found)
            return
        how = how_billed(model, options)
        of_whom = f"{model}, {how}" if how else model
        for line in _lines(probe, planned, found, aim, of_whom):
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
@click.option("--probes", default="", help="Probes, separated by commas; default: all.")
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


with_options([*options_of(Settings), *options_of(OfOptions), *PRICING], audit)


@plan.command("compare")
@click.argument("name", metavar="PROBE")
@click.option(
    "--change", type=Number(0, min_open=True), required=True, help="The change to detect."
)
@POWER_OPTION
@JSON
def compare(
    name: str,
    change: float,
    power: float,
    as_json: bool,
    **rest: Any,
) -> None:
    """Show how many questions it takes to detect a change between two models.

    \b
    geobias plan compare worldbench --change 0.05 --size standard

    Both models are asked the same questions. The plan prints what it assumes about their answers.
    """
    probe = find_probe(name)
    planned = plan_of(probe, rest)
    aims = [*_aims_of_change(probe, planned)]
    sights = [sight_of(aim, change, power) for aim in aims]
    if as_json:
        print_json(sights)
        return
    click.echo(f"{_what(probe, planned)}, asked of two models")
    for sight, aim in zip(sights, aims, strict=True):
        seen = f"{sight.gap_of}: a change of {change:g}, {sight.power_of_plan:.0%} of the time"
        for line in (*wrapped("detects   ", seen), *_needed(sight, aim)):
            click.echo(line)
    for sentence in sights[0].assumptions:
        for line in wrapped(" " * 10, sentence):
            click.echo(line)


with_options(options_of(Settings), compare)


def _aims_of_change(probe: AnyProbe, planned: Plan) -> Iterator[Aim]:
    """Yield the tests that `geobias compare` makes of a change in this probe.

    The first tests the primary number. If that is not the mean, a second one tests the mean.
    """
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


def _aim_or_why(probe: AnyProbe, planned: Plan, given: StoredSettings, size: str) -> Aim | str:
    """The primary test of the plan at the size `size`, or the reason why there is none."""
    own = planned.settings["size"] == size
    try:
        return derived.aim(probe, planned if own else plan_of(probe, {**given, "size": size}))
    except BadRequest as why:
        return str(why)


def _of_size(aim: Aim | str, gap: float | None, power: float) -> dict[str, Any]:
    """The smallest gap that a test detects, and how often it detects `gap` if that is given."""
    if isinstance(aim, str):
        return {"no_test": aim}
    facts = {"smallest_gap": smallest_gap(aim, power)}
    return facts if gap is None else facts | {"power": planning.power(aim.design, gap)}


def _what(probe: AnyProbe, planned: Plan) -> str:
    """The number of trials of each kind in a plan: "WorldBench: 491 trials"."""
    titles = record_titles()
    parts = [f"{count:,} of {titles.get(name, name)}" for name, count in planned.planned.items()]
    kinds = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    return f"{probe.title}: {planned.count:,} trials{kinds}"


def _lines(
    probe: AnyProbe, planned: Plan, found: PlanOfProbe, aim: Aim | str, model: str
) -> Iterator[str]:
    low, high = found.calls
    calls = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    usual = found.cost.calls
    # Two digits, since the usual need of a run is not known more exactly.
    about = f", usually about {round(usual, 2 - len(str(usual))):,}" if low < usual < high else ""
    yield f"{_what(probe, planned)}, {calls} calls{about}"
    yield from _bill(found.cost, model)
    if isinstance(aim, str) or found.sight is UNSET:
        yield from wrapped("detects   ", f"no test at size {planned.settings['size']}: {aim}")
    else:
        sight = found.sight
        smallest = gap_text(sight.smallest_gap, aim)
        often = f"{sight.power:.0%} of the time"
        yield from wrapped("detects   ", f"a gap of {smallest} {aim.gap}, {often}")
        if sight.gap is not UNSET:
            seen = f"{sight.power_of_plan:.0%} of the time"
            yield f"          a gap of {gap_text(sight.gap, aim)}, {seen}"
            yield from _needed(sight, aim, found.sizes)
            if found.needed_cost is not UNSET and not sight.suffices:
                yield from (f"          {line}" for line in _bill(found.needed_cost, model))
    yield from wrapped("sizes     ", _sizes(found.sizes))
    if not isinstance(aim, str):
        for sentence in aim.assumptions:
            yield from wrapped(" " * 10, sentence)
    for note in planned.notes:
        yield from wrapped("", note)


def _sizes(sizes: Mapping[str, Mapping[str, Any]]) -> str:
    """The probability that each size detects the gap: "quick no test; standard 43%; paper 98% of
    the time".
    """
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


def _needed(
    sight: Sight, aim: Aim, sizes: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> Iterator[str]:
    """Say how many items, or which size, a study needs to detect the gap."""
    head, need = "required  ", sight.needed
    if sight.suffices or need is UNSET:
        yield f"{head}no more than this"
    elif need.items is not None:
        yield from wrapped(
            head,
            f"{need.items:,} {aim.items} for each of {need.units:,} {aim.units}, "
            f"{sight.needed_items:,} in all, to detect it {sight.power:.0%} of the time",
        )
    else:
        larger = [name for name, one in sizes.items() if one.get("power", 0.0) >= sight.power]
        if larger:
            often = sizes[larger[0]]["power"]
            yield from wrapped(head, f"size {larger[0]}, which detects it {often:.0%} of the time")
            head = " " * len(head)
        yield from wrapped(
            head,
            f"more {aim.items} for these {need.units:,} {aim.units} are not enough: "
            f"{aim.most_items:,} for each would detect it {need.power:.0%} of the time, and no "
            f"number more often than {need.best:.0%}, because {aim.units} differ",
        )


def _bill(bill: Bill, model: str) -> Iterator[str]:
    tokens = f"about {bill.tokens_in:,} in and {bill.tokens_out:,} out"
    yield f"tokens    {tokens}, in {bill.calls:,} calls"
    if bill.usd is not None:
        yield f"money     about US$ {bill.usd:,.2f} with {model}"
    else:
        yield f"money     {without_price(model)}"
    yield f"time      {bill.time()}"
