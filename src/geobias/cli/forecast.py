"""What a plan or an audit would cost and could show, with nothing asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from textwrap import wrap
from typing import Any

import click
import msgspec

from geobias.api.config import AuditConfig, write_beside
from geobias.cli.options import opened
from geobias.cli.terminal import print_json
from geobias.errors import BadRequest
from geobias.measures.planning import Aim
from geobias.models.batch.lines import discount_of
from geobias.models.catalogue import price
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, find_probe
from geobias.report.records import answers_of, labelled
from geobias.runfile.manifest import cost
from geobias.stats import planning
from geobias.stats.estimates import LEVEL
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

    A plan of games says itself what they usually take. Otherwise prompts are measured on a sample
    of the trials' asks, and answers counted at their limit: tokens out and money are the most it
    can be.
    In batches the money is less, and the time is the provider's: `rounds` of up to a day each.
    """
    items, times = needed or (None, 1.0)
    if plan.usual is not None:
        counts = plan.usual(items)
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
        spread = derived.spread(probe, answers)
        if spread is None:
            raise BadRequest(f"{like} has too few answers to measure how much they vary")
        if not any(spread):
            raise BadRequest(f"the answers of {like} do not vary: they say nothing of another run")
    aim = derived.aim(probe, plan, spread)
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


POWER = 0.8
_COUNTS = ("calls", "tokens_in", "tokens_out")


def print_forecast(config: AuditConfig, as_json: bool) -> None:
    """The forecast of an audit, and the file that would run it."""
    config.check_asks()
    where = write_beside(config, "Written by `geobias audit --dry-run`; run it with --config.")
    print_plan(config, POWER, as_json)
    click.echo(f"Nothing was asked. To run it:\n  geobias audit --config {where}", err=as_json)


def print_plan(config: AuditConfig, power: float, as_json: bool) -> None:
    forecast = forecast_of(config, power)
    if as_json:
        print_json(forecast)
        return
    for line in _lines(forecast):
        click.echo(line)


def forecast_of(config: AuditConfig, power: float) -> dict[str, Any]:
    """Rows by model and probe. `probes` and `total` are those of the first model."""
    plans = config.plans()
    sights = {plan.probe: _sight(plan, power, len(plans)) for plan in plans}
    names = [one.name for one in config.models] or [""]
    models: list[dict[str, Any]] = []
    for name in dict.fromkeys(names):
        options = config.options_of(name)
        rows: list[dict[str, Any]] = [
            cost_of(plan, name, options.prices, batch=options.batch)
            | sights[plan.probe]
            | {"probe": plan.probe}
            for plan in plans
        ]
        models.append({"model": name, "batch": options.batch, "probes": rows, "total": _sum(rows)})
    first, together = models[0], _sum([one["total"] for one in models], at_once=True)
    return {
        "probes": first["probes"],
        "total": first["total"],
        "power": power,
        "models": models,
        "all": together,
        "beyond": _beyond(config, together),
    }


def _beyond(config: AuditConfig, total: dict[str, Any]) -> str | None:
    """The limit that such an audit would reach, in words."""
    limits = config.options_of()
    tokens = total["tokens_in"] + total["tokens_out"]
    if limits.max_calls is not None and total["calls"] > limits.max_calls:
        return f"max-calls {limits.max_calls:,}"
    if limits.max_tokens is not None and tokens > limits.max_tokens:
        return f"max-tokens {limits.max_tokens:,}"
    if limits.max_cost is not None and (total["usd"] or 0.0) > limits.max_cost:
        return f"max-cost {limits.max_cost:g}"
    return None


def _sight(plan: Plan, power: float, tests: int) -> dict[str, Any]:
    """The smallest gap that the plan sees, whatever the model and whatever the other primary
    tests of the audit say: Holm asks that of the clearest of them."""
    try:
        aim = aim_of(find_probe(plan.probe), plan, None)
    except BadRequest as why:
        return {"smallest_gap": None, "says": f"no test: {why}"}
    design = msgspec.structs.replace(aim.design, level=LEVEL / tests)
    gap = planning.smallest_gap(design, wanted=power, most=aim.most_gap)
    seen = f"not even {aim.most_gap:g}" if gap is None else gap_text(gap)
    return {"smallest_gap": gap, "says": f"{seen} {aim.gap}", "assumptions": aim.assumptions}


def _sum(rows: list[dict[str, Any]], *, at_once: bool = False) -> dict[str, Any]:
    """All together; no money where that of one is not known. Models are asked at once."""
    bill, times = [row["usd"] for row in rows], [row["seconds"] for row in rows]
    known = [one for one in times if one is not None]
    seconds = None if len(known) < len(times) else max(known) if at_once else sum(known)
    total: dict[str, Any] = {name: sum(row[name] for row in rows) for name in _COUNTS}
    total |= {"usd": None if None in bill else sum(bill), "seconds": seconds}
    if rounds := [row["rounds"] for row in rows if "rounds" in row]:
        total["rounds"] = max(rounds)  # all probes and models share them
    return total


def _lines(forecast: dict[str, Any]) -> Iterator[str]:
    """A table that fits 80 columns, and what each probe sees below it."""
    heads = ("calls", "tokens in", "tokens out", "US$")
    models = forecast["models"]
    yield f"{'':<12}" + "".join(f"{head:>13}" for head in heads)
    for one in models:
        if one["model"]:
            yield f"{one['model']}, {in_batches(one['model'])}" if one["batch"] else one["model"]
        for row in [*one["probes"], {"probe": "together"} | one["total"]]:
            yield _row(row)
    if len(models) > 1:
        yield _row({"probe": "all models"} | forecast["all"])
    unpriced = [one["model"] for one in models if one["total"]["usd"] is None]
    if unpriced:
        yield (
            f"no price is known for {unpriced[0]}: --prices FILE gives one"
            if unpriced[0]
            else "--model NAME says what it would cost"
        )
    yield _time(forecast["all"])
    if forecast["beyond"]:
        yield f"beyond --{forecast['beyond']}: the audit would stop before its end"
    yield ""
    tests = len(forecast["probes"])
    among = f", among {tests} primary tests" if tests > 1 else ""
    yield f"The smallest gap that is seen {forecast['power']:.0%} of the time{among}:"
    for row in forecast["probes"]:
        yield from wrap(
            f"{row['probe']:<12}{row['says']}", 79, initial_indent="  ", subsequent_indent=" " * 14
        )
    yield "What this assumes: geobias plan PROBE --power 0.8"


def _row(row: dict[str, Any]) -> str:
    usd = "" if row["usd"] is None else f"{row['usd']:,.2f}"
    counts = [f"{row[name]:,}" for name in _COUNTS]
    return f"{row['probe']:<12}" + "".join(f"{cell:>13}" for cell in [*counts, usd])


def _time(total: dict[str, Any]) -> str:
    if total["seconds"] is None:
        rounds = total["rounds"]
        words = f"about {rounds:,} rounds" if rounds > 1 else "one round"
        return f"time: {words} of batches, within a day each"
    minutes = max(1, round(total["seconds"] / 60))
    return f"time: about {minutes:,} minute{'s' if minutes > 1 else ''}"
