"""What a plan costs, and what it could see, in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.cli.opening import opened
from geobias.errors import BadRequest
from geobias.probes.registry import AnyProbe, find_probe
from geobias.report.records import answers_of, labels

if TYPE_CHECKING:
    from geobias.probes.plan import Plan
    from geobias.probes.power import Aim

SAMPLED = 200
BYTES_PER_TOKEN = 4.0
"""English text; the engine's own limit (3) is on the safe side and would overstate the bill."""
SECONDS, AT_ONCE = 1.0, 16


def cost_of(
    plan: Plan, model: str, prices: Path | None, needed: tuple[int, float] | None = None
) -> dict[str, Any]:
    """Calls, tokens, US$ and seconds of a plan, or of what is needed: so many items in all, which
    are so many times those of the plan.

    Games say themselves what they usually take. Otherwise prompts are measured on a sample of the
    trials' asks, and answers counted at their limit: tokens out and money are the most it can be.
    """
    from geobias.models.catalogue import price
    from geobias.runfile.manifest import cost

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


def aim_of(probe: AnyProbe, plan: Plan, like: Path | None) -> Aim:
    """The probe's main test on this plan, with the spread of an earlier run where one is given."""
    spread = None
    if like is not None:
        with opened([like]) as readers:
            [answers] = answers_of(probe, labels(readers), {})
        spread = probe.spread(answers)
        if spread is None:
            raise BadRequest(f"{like} has too few answers to measure how much they vary")
    found = probe.aim(plan, spread)
    if plan.settings.get("size") == "quick":
        larger = "Size quick is a first look and sees little: try --size standard."
        found = msgspec.structs.replace(found, assumptions=[larger, *found.assumptions])
    return found


def detectable_gap(aim: Aim, gap: float | None, wanted: float) -> dict[str, Any]:
    """What the plan sees; with a gap, also what it takes to see that."""
    from geobias.stats import planning

    design = aim.design
    facts: dict[str, Any] = {
        "gap_of": aim.gap,
        "power": wanted,
        "units": sum(design.groups),
        "items_per_unit": design.items,
        "between": design.between,
        "within": design.within,
        "smallest_gap": planning.smallest_gap(design, wanted=wanted),
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


def lines(facts: dict[str, Any], aim: Aim | None, model: str) -> Iterator[str]:
    """The facts for people."""
    yield f"{facts['probe']}: {facts['trials']:,} trials, {_span(facts['calls'])} calls"
    if aim is not None or model:
        yield from _bill(facts["cost"], model)
    if aim is None:
        return
    sight = facts["sight"]
    found = sight["smallest_gap"]
    said = "not even a gap of 1" if found is None else f"a gap of {_gap(found)}"
    yield f"sees      {said} {aim.gap}, {sight['power']:.0%} of the time"
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
    said = "a minute" if minutes == 1 else f"{minutes:,} minutes"
    yield f"time      about {said} at {AT_ONCE} calls at once and {SECONDS:g} s each"


def _span(pair: list[int]) -> str:
    low, high = pair
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
