"""What a plan or an audit would cost and could show, with nothing asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import click
import msgspec

from geobias.api.config import AuditConfig, write_beside
from geobias.cli.options import opened
from geobias.cli.terminal import print_json, wrapped
from geobias.errors import BadRequest
from geobias.measures.planning import Aim
from geobias.models.batch.lines import discount_of
from geobias.models.catalogue import thinking_of
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, find_probe
from geobias.report.records import answers_of, labelled
from geobias.runfile.manifest import cost
from geobias.running import Options, need_price
from geobias.stats import planning
from geobias.stats.estimates import LEVEL
from geobias.trials import Trial

SAMPLED = 200
MOST_LOOKED_AT = 200_000
"""The sample is taken from so many trials at most; 100,000 repeats make millions."""
BYTES_PER_TOKEN = 4.0
"""English text; the engine's own limit (3) is on the safe side and would overstate the bill."""
SECONDS, AT_ONCE = 1.0, 16
POWER = 0.8
_COUNTS = ("calls", "tokens_in", "tokens_out")


# Costs --------------------------------------------------------------------------------------------


class SoFar(NamedTuple):
    """Averages of a run's answers.

    `thought` are the tokens of reasoning: tokens out beyond the words of the answer. `of_probe` has
    the calls of a trial, and the tokens in and out of a call, of each probe with enough answers.
    """

    thought: float
    of_probe: dict[str, tuple[float, float, float]]


ENOUGH = 20
"""Answers needed to estimate what the others will take."""
LOOKED_AT = 500
SAID_BEYOND = 8
"""Tokens of an answer that its bytes do not explain, such as the one that ends it."""


def so_far(path: Path) -> SoFar | None:
    """The answers of a run that was begun; None where there are too few."""
    if not path.exists():
        return None
    of_probe, thoughts = {}, []
    with opened([path]) as [run]:
        every = {
            probe: list(islice(run.replies(probe=probe), LOOKED_AT))
            for probe in run.manifest().probes
        }
        begun = [probe for probe, replies in every.items() if replies]
        few = len(begun) == 1 and len(every[begun[0]]) < LOOKED_AT
        # A trial whose reply was not enough has no record yet: it takes one more call.
        waiting = sum(not trial for trial, _ in run.replies()) if few else 0
        for probe, replies in every.items():
            tokens = [
                (one.tokens_in, one.tokens_out, len(one.text.encode()) / BYTES_PER_TOKEN)
                for _, one in replies
                if one.tokens_in is not None and one.tokens_out is not None
            ]
            if len(tokens) >= ENOUGH:
                trials = len({trial for trial, _ in replies}) + waiting
                calls = (len(replies) + 2 * waiting) / trials
                of_probe[probe] = calls, fmean(t[0] for t in tokens), fmean(t[1] for t in tokens)
            thoughts += [max(0.0, t[1] - t[2] - SAID_BEYOND) for t in tokens]
    return SoFar(fmean(thoughts), of_probe) if len(thoughts) >= ENOUGH else None


def cost_of(
    plan: Plan,
    model: str,
    options: Options,
    needed: tuple[int, float] | None = None,
    known: SoFar | None = None,
) -> dict[str, Any]:
    """Calls, tokens, US$ and seconds of a plan, or of what is needed: so many items in all, which
    are so many times those of the plan.

    What trials and answers take is `known` from a run that was begun. Otherwise games say what they
    usually take; prompts are measured on a sample of the trials' asks, answers counted at their
    limit, and reasoning as it is allowed: tokens out and money are then the most it can be.
    In batches the money is less, and the time is the provider's: `rounds` of up to a day each.
    """
    items, times = needed or (None, 1.0)
    entry = options.entry(model)
    thought = known.thought if known else thinking_of(entry, options.thinking)
    if plan.usual is not None:
        trials, counts = plan.count if items is None else items, plan.usual(items)
        counts = counts[0], counts[1], counts[2] + counts[0] * thought
    else:
        if known and plan.probe in known.of_probe:
            of_trial, asked, answered = known.of_probe[plan.probe]
            calls = of_trial * plan.count * times
        else:
            calls = plan.calls[0] * times  # few replies are asked about again
            asked, answered = _sample(plan.trials, plan.count)
            answered += thought
        counts = calls, calls * asked, calls * answered
        trials = round(plan.count * times)
    made, tokens_in, tokens_out = map(round, counts)
    rates = need_price(model, entry.name, msgspec.structs.replace(options, max_cost=None))
    usd = cost({"model": rates}, "model", tokens_in, tokens_out) if model else None
    if options.batch and usd is not None:
        usd *= discount_of(entry.name)
    return {
        "trials": trials,
        "calls": made,
        "tokens_in": tokens_in,
        "tokens_out": tokens_out,
        "thought": round(thought),
        "measured": known is not None,
        "usd": usd,
        "seconds": None if options.batch else made * SECONDS / AT_ONCE,
        **({"rounds": max(1, round(made / max(1, trials)))} if options.batch else {}),
    }


@lru_cache(maxsize=8)  # each model of an audit, and what is needed for a gap, asks for it again
def _sample(trials: Callable[[], Iterator[Trial]], count: int) -> tuple[float, float]:
    """Tokens in and the most tokens out of a call, from a sample of the asks of a plan."""
    looked_at = min(count, MOST_LOOKED_AT)
    step = max(1, looked_at // SAMPLED)
    asks = [next(trial.start()) for trial in islice(trials(), 0, looked_at, step)]
    if not asks:
        raise BadRequest("nothing to ask")
    length = sum(
        len(message.content.encode()) + 12 for ask in asks for message in ask.dialogue.backwards()
    )
    return length / (BYTES_PER_TOKEN * len(asks)), fmean(ask.max_tokens for ask in asks)


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


def time_of(total: Mapping[str, Any]) -> str:
    if total["seconds"] is None:
        rounds = f"{total['rounds']:,} rounds" if total["rounds"] > 1 else "one round"
        return f"{rounds} of batches, within a day each"
    minutes = max(1, round(total["seconds"] / 60))
    length = "a minute" if minutes == 1 else f"{minutes:,} minutes"
    return f"about {length} at {AT_ONCE} calls at once and {SECONDS:g} s each"


# What a plan can show -----------------------------------------------------------------------------


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
    return derived.aim(probe, plan, spread)


def sight_of(aim: Aim, gap: float | None, wanted: float) -> dict[str, Any]:
    """What the plan sees; with a gap, also what it takes to see that."""
    design = aim.design
    if gap is not None and gap > aim.most_gap:
        raise BadRequest(f"a gap of {gap:g} {aim.gap} is more than there can be: {aim.most_gap:g}")
    facts: dict[str, Any] = {
        "gap_of": aim.gap,
        "power": wanted,
        "items": aim.items,
        "unit_words": aim.units,
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


def _sight(plan: Plan, power: float, tests: int) -> dict[str, Any]:
    """The smallest gap that the plan sees at the level that Holm's adjustment gives the smallest
    p-value of the audit: whatever the other tests say, it then counts as found."""
    try:
        aim = derived.aim(find_probe(plan.probe), plan, None)
    except BadRequest as why:
        return {"smallest_gap": None, "says": f"no test: {why}"}
    design = msgspec.structs.replace(aim.design, level=LEVEL / tests)
    gap = planning.smallest_gap(design, wanted=power, most=aim.most_gap)
    says = f"{gap_text(gap, aim)} {aim.gap}"
    return {"smallest_gap": gap, "says": says, "assumptions": aim.assumptions}


def gap_text(gap: float | None, aim: Aim) -> str:
    """Two digits, so that 0.10 is told from 0.11."""
    if gap is None:
        return f"not even {aim.most_gap:g}"
    return f"{gap:.2f}" if gap >= 0.1 else f"{gap:.2g}"


# An audit -----------------------------------------------------------------------------------------


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
    models: list[dict[str, Any]] = []
    options = config.how()
    paths = config.paths(plans)
    for name in dict.fromkeys([one.shown for one in config.models] or [""]):
        known = so_far(paths[name]) if name else None
        rows: list[dict[str, Any]] = [
            cost_of(plan, name, options, known=known) | sights[plan.probe] | {"probe": plan.probe}
            for plan in plans
        ]
        models.append({"model": name, "batch": options.batch, "probes": rows, "total": _sum(rows)})
    together = _sum([one["total"] for one in models], at_once=True)
    return {
        "probes": models[0]["probes"],
        "total": models[0]["total"],
        "power": power,
        "models": models,
        "all": together,
        "beyond": _beyond(options, together),
    }


def _beyond(limits: Options, total: dict[str, Any]) -> str | None:
    """The first limit that such an audit would reach, as "max-cost 2"."""
    needed = {
        "max-calls": total["calls"],
        "max-tokens": total["tokens_in"] + total["tokens_out"],
        "max-cost": total["usd"] or 0.0,
    }
    for name, amount in needed.items():
        limit = getattr(limits, name.replace("-", "_"))
        if limit is not None and amount > limit:
            return f"{name} {limit:,}"
    return None


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
        yield without_price(unpriced[0])
    for one in models:
        yield from _on_thought(one["model"], one["probes"])
    yield f"time: {time_of(forecast['all'])}"
    if forecast["beyond"]:
        yield f"beyond --{forecast['beyond']}: the audit would stop before its end"
    yield ""
    tests = len(forecast["probes"])
    among = f", among {tests} primary tests" if tests > 1 else ""
    yield f"The smallest gap that is seen {forecast['power']:.0%} of the time{among}:"
    for row in forecast["probes"]:
        yield from wrapped(f"  {row['probe']:<12}", row["says"])
    yield "What this assumes: geobias plan PROBE"


def _row(row: dict[str, Any]) -> str:
    usd = "" if row["usd"] is None else f"{row['usd']:,.2f}"
    counts = [f"{row[name]:,}" for name in _COUNTS]
    return f"{row['probe']:<12}" + "".join(f"{cell:>13}" for cell in [*counts, usd])


def _on_thought(model: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """How the numbers count reasoning, which is billed too."""
    thought, measured = rows[0]["thought"], rows[0]["measured"]
    if measured:
        yield f"as the answers so far: {thought:,} tokens of reasoning for each call"
    elif thought:
        yield f"with up to {thought:,} tokens of reasoning for each call ({model})"
    elif model and not model.startswith(("sim/", "embedded", "openai/")):
        yield f"without reasoning: if {model} reasons, --thinking N counts N tokens a call"


def without_price(model: str) -> str:
    if model:
        return f"no price is known for {model}: --prices FILE gives one"
    return "--model NAME says what it would cost"


def in_batches(model: str) -> str:
    """What a price is of."""
    return "in batches, at half price" if discount_of(model) == 0.5 else "in batches"
