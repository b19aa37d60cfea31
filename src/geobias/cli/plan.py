"""`geobias plan`: what a probe would ask, what that costs, and what it could see."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from geobias.cli.audit import role_options
from geobias.cli.opening import opened
from geobias.cli.options import FILE, JSON, options_of, print_json, with_options
from geobias.cli.probe_group import group_per_probe
from geobias.errors import BadRequest
from geobias.models.catalogue import price
from geobias.probes.plan import Plan
from geobias.probes.power import Aim
from geobias.probes.registry import AnyProbe, find_probe
from geobias.report.records import answers_of, labelled
from geobias.runfile.manifest import cost
from geobias.stats import planning

SAMPLED = 200
BYTES_PER_TOKEN = 4.0
"""English text; the engine's own limit (3) is on the safe side and would overstate the bill."""
SECONDS, AT_ONCE = 1.0, 16


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
    @click.option("--gap", type=click.FloatRange(0, min_open=True), help="The gap to see.")
    @click.option(
        "--power",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="How often to see it (0.8 where only --gap is given).",
    )
    @click.option("--like", type=FILE, help="A run whose answers vary alike.")
    @click.option("--model", default="", help="Whose prices to use.")
    @click.option("--prices", type=FILE, help="Your own price table (CSV).")
    @JSON
    def command(
        gap: float | None,
        power: float | None,
        like: Path | None,
        model: str,
        prices: Path | None,
        as_json: bool,
        **rest: Any,
    ) -> None:
        for role in probe.roles:
            rest.pop(f"role_{role}")  # who plays, not what
        planned = probe.make_plan(**rest)
        facts: dict[str, Any] = {
            "probe": name,
            "trials": planned.count,
            "calls": list(planned.calls),
            "cost": _cost(planned, model, prices),
        }
        aim = None
        if gap is not None or power is not None:
            aim = _aim(probe, planned, like)
            sight = _detectable_gap(aim, gap, power or 0.8)
            facts["sight"] = sight
            if items := sight.get("needed_items_per_unit"):
                needed = sight["needed_items"], items / aim.design.items
                facts["needed_cost"] = _cost(planned, model, prices, needed)
        elif like:
            raise click.UsageError("--like goes with --gap or --power")
        if as_json:
            known = {"naive_calls": planned.naive, "notes": planned.notes}
            facts |= {key: value for key, value in known.items() if value}
            print_json(facts | {"settings": planned.settings})
            return
        for line in _lines(facts, aim, model):
            click.echo(line)
        if planned.naive:
            click.echo("the naive protocol: {:,} to {:,} calls".format(*planned.naive))
        for note in planned.notes:
            click.echo(note)

    return with_options([*options_of(probe.Settings), *role_options(probe)], command)


@group_per_probe(_plan_command)
def plan() -> None:
    """What a probe would ask, what that costs, and what it could see, before asking it.

    \b
    geobias plan worldbench --size paper --repeats 5
    geobias plan worldbench --size standard --gap 0.1 --power 0.8 --model openai/gpt-4o-mini
    """


def _cost(
    plan: Plan, model: str, prices: Path | None, needed: tuple[int, float] | None = None
) -> dict[str, Any]:
    """Calls, tokens, US$ and seconds of a plan, or of what is needed: so many items in all, which
    are so many times those of the plan.

    Games say themselves what they usually take. Otherwise prompts are measured on a sample of the
    trials' asks, and answers counted at their limit: tokens out and money are the most it can be.
    """
    items, times = needed or (None, 1.0)
    counts = find_probe(plan.probe).expected(plan, items)
    if counts is not None:
        trials = plan.count if items is None else items
    else:
        calls, tokens_in, tokens_out = _measured(plan)
        counts = calls * times, tokens_in * times, tokens_out * times
        trials = round(plan.count * times)
    calls, tokens_in, tokens_out = (round(count) for count in counts)
    rates = price(model, prices) if model else None
    return {
        "trials": trials,
        "calls": calls,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "usd": cost({"model": rates}, "model", tokens_in, tokens_out),
        "seconds": calls * SECONDS / AT_ONCE,
    }


def _measured(plan: Plan) -> tuple[float, float, float]:
    step = max(1, plan.count // SAMPLED)
    asks = [next(trial.start()) for trial in islice(plan.trials(), 0, None, step)]
    if not asks:
        raise BadRequest("nothing to ask")
    length = sum(
        len(message.content.encode()) + 12 for ask in asks for message in ask.dialogue.backwards()
    )
    calls = plan.calls[1]
    answer = sum(ask.max_tokens for ask in asks) / len(asks)
    return calls, calls * length / (BYTES_PER_TOKEN * len(asks)), calls * answer


def _aim(probe: AnyProbe, plan: Plan, like: Path | None) -> Aim:
    """The probe's main test on this plan, with the spread of an earlier run where one is given."""
    spread = None
    if like is not None:
        with opened([like]) as readers:
            [answers] = answers_of(probe, labelled(readers), {})
        spread = probe.spread(answers)
        if spread is None:
            raise BadRequest(f"{like} has too few answers to measure how much they vary")
    aim = probe.aim(plan, spread)
    if plan.settings.get("size") == "quick":
        larger = "Size quick is a first look and sees little: try --size standard."
        aim = msgspec.structs.replace(aim, assumptions=[larger, *aim.assumptions])
    return aim


def _detectable_gap(aim: Aim, gap: float | None, wanted: float) -> dict[str, Any]:
    """What the plan sees; with a gap, also what it takes to see that."""
    design = aim.design
    if gap is not None and gap > aim.most_gap:
        raise BadRequest(f"a gap of {gap:g} {aim.gap} is more than there can be: {aim.most_gap:g}")
    facts: dict[str, Any] = {
        "gap_of": aim.gap,
        "power": wanted,
        "units": sum(design.groups),
        "items_per_unit": design.items,
        "between": design.between,
        "within": design.within,
        "smallest_gap": planning.smallest_gap(design, wanted=wanted, most=aim.most_gap),
        "assumptions": aim.assumptions,
    }
    if gap is None:
        return facts
    need = planning.needed(design, gap, wanted=wanted, most_items=aim.most_items)
    return facts | {
        "gap": gap,
        "power_of_plan": planning.power(design, gap),
        "needed_items_per_unit": need.items,
        "needed_items": None if need.items is None else need.items * need.units,
        "power_with_most_items": None if need.items is not None else need.power,
        "most_items_per_unit": aim.most_items,
        "best_power": need.best,
    }


def _lines(facts: dict[str, Any], aim: Aim | None, model: str) -> Iterator[str]:
    low, high = facts["calls"]
    calls = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    yield f"{facts['probe']}: {facts['trials']:,} trials, {calls} calls"
    if aim is not None or model:
        yield from _bill(facts["cost"], model)
    if aim is None:
        return
    sight = facts["sight"]
    gap = sight["smallest_gap"]
    smallest = "not even a gap of 1" if gap is None else f"a gap of {_gap(gap)}"
    yield f"sees      {smallest} {aim.gap}, {sight['power']:.0%} of the time"
    if "gap" in sight:
        yield from _sight(sight, aim)
        if facts.get("needed_cost"):
            yield from _bill(facts["needed_cost"], model)
    for sentence in sight["assumptions"]:
        yield f"          {sentence}"


def _sight(sight: dict[str, Any], aim: Aim) -> Iterator[str]:
    yield f"          a gap of {_gap(sight['gap'])}, {sight['power_of_plan']:.0%} of the time"
    needed = f"needed    for {_gap(sight['gap'])}:"
    if sight["needed_items_per_unit"] is not None:
        yield (
            f"{needed} {sight['needed_items_per_unit']:,} {aim.items} for each of "
            f"{sight['units']:,} {aim.units}, {sight['needed_items']:,} in all, to see it "
            f"{sight['power']:.0%} of the time"
        )
        return
    most = f"{sight['most_items_per_unit']:,} {aim.items} for each {aim.unit}"
    yield (
        f"{needed} more than there is; {most} see it {sight['power_with_most_items']:.0%} of the "
        f"time, endlessly many {sight['best_power']:.0%}, because {aim.units} differ"
    )


def _gap(gap: float) -> str:
    """Two digits, so that 0.10 is told from 0.11."""
    return f"{gap:.2f}" if gap >= 0.1 else f"{gap:.2g}"


def _bill(cost: dict[str, Any], model: str) -> Iterator[str]:
    yield (
        f"tokens    about {cost['tokens_in']:,} in and {cost['tokens_out']:,} out, in "
        f"{cost['calls']:,} calls"
    )
    if cost["usd"] is not None:
        yield f"money     about US$ {cost['usd']:,.2f} with {model}"
    elif model:
        yield f"money     no price is known for {model}: --prices FILE gives one"
    else:
        yield "money     --model NAME says what it would cost"
    minutes = max(1, round(cost["seconds"] / 60))
    length = "a minute" if minutes == 1 else f"{minutes:,} minutes"
    yield f"time      about {length} at {AT_ONCE} calls at once and {SECONDS:g} s each"
