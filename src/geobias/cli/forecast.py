"""What a plan would cost and what it could show, before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from geobias.cli.opening import opened
from geobias.errors import BadRequest
from geobias.models.batch.lines import discount_of
from geobias.models.catalogue import price
from geobias.probes.plan import Aim, Plan
from geobias.probes.registry import AnyProbe, find_probe
from geobias.report.records import answers_of, labelled
from geobias.runfile.manifest import cost
from geobias.stats import planning
from geobias.trials import Trial

SAMPLED = 200
MOST_LOOKED_AT = 200_000
"""Trials that the sample is of: with a hundred thousand repeats there are millions."""
BYTES_PER_TOKEN = 4.0
"""English text; the engine's own limit (3) is on the safe side and would overstate the bill."""
SECONDS, AT_ONCE = 1.0, 16


def cost_of(
    plan: Plan,
    model: str,
    prices: Path | None,
    needed: tuple[int, float] | None = None,
    *,
    batch: bool = False,
) -> dict[str, Any]:
    """Calls, tokens, US$ and seconds of a plan, or of what is needed: so many items in all, which
    are so many times those of the plan.

    Games say themselves what they usually take. Otherwise prompts are measured on a sample of the
    trials' asks, and answers counted at their limit: tokens out and money are the most it can be.
    In batches the money is less, and the time is the provider's: `rounds` of up to a day each.
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
    usd = cost({"model": rates}, "model", tokens_in, tokens_out)
    if batch and usd is not None:
        usd *= discount_of(model)
    return {
        "trials": trials,
        "calls": calls,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "usd": usd,
        "seconds": None if batch else calls * SECONDS / AT_ONCE,
        **({"rounds": max(1, round(calls / max(1, trials)))} if batch else {}),
    }


def in_batches(model: str) -> str:
    """That a price is that of batches, in words."""
    return "in batches, at half price" if discount_of(model) == 0.5 else "in batches"


def _measured(plan: Plan) -> tuple[float, float, float]:
    asks, length, answer = _sample(plan.trials, plan.count)
    calls = plan.calls[1]
    return calls, calls * length / (BYTES_PER_TOKEN * asks), calls * answer


@lru_cache(maxsize=8)  # each model of an audit, and what is needed for a gap, asks for it again
def _sample(trials: Callable[[], Iterator[Trial]], count: int) -> tuple[int, int, float]:
    """Asks of a plan that were looked at, their bytes, and the most tokens of an answer."""
    looked_at = min(count, MOST_LOOKED_AT)
    step = max(1, looked_at // SAMPLED)
    asks = [next(trial.start()) for trial in islice(trials(), 0, looked_at, step)]
    if not asks:
        raise BadRequest("nothing to ask")
    length = sum(
        len(message.content.encode()) + 12 for ask in asks for message in ask.dialogue.backwards()
    )
    return len(asks), length, sum(ask.max_tokens for ask in asks) / len(asks)


def aim_of(probe: AnyProbe, plan: Plan, like: Path | None) -> Aim:
    """The probe's main test on this plan, with the spread of an earlier run where one is given."""
    spread = None
    if like is not None:
        with opened([like]) as readers:
            [answers] = answers_of(probe, labelled(readers), {})
        spread = probe.spread(answers)
        if spread is None:
            raise BadRequest(f"{like} has too few answers to measure how much they vary")
        if not any(spread):
            raise BadRequest(f"the answers of {like} do not vary: they say nothing of another run")
    aim = probe.aim(plan, spread)
    if plan.settings.get("size") == "quick":
        larger = "Size quick is a first look and sees little: try --size standard."
        aim = msgspec.structs.replace(aim, assumptions=[larger, *aim.assumptions])
    return aim


def sight_of(aim: Aim, gap: float | None, wanted: float) -> dict[str, Any]:
    """What the plan sees; with a gap, also what it takes to see that."""
    design = aim.design
    if gap is not None and gap > aim.most_gap:
        raise BadRequest(f"a gap of {gap:g} {aim.gap} is more than there can be: {aim.most_gap:g}")
    facts: dict[str, Any] = {
        "gap_of": aim.gap,
        "power": wanted,
        "units": sum(design.groups),
        "units_of_groups": list(design.groups),
        "items_per_unit": round(sum(design.items) / len(design.items), 1),
        "between": design.between,
        "within": design.within,
        "level": design.level,
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


def gap_text(gap: float) -> str:
    """Two digits, so that 0.10 is told from 0.11."""
    return f"{gap:.2f}" if gap >= 0.1 else f"{gap:.2g}"
