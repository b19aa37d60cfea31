"""Forecast the cost of a plan or an audit, and the gap that it could detect, without asking a
model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from geobias.api.config import AuditConfig
from geobias.cli.costs import NOTHING, Bill, added_up, cost_of, past_of, prices_of
from geobias.cli.terminal import print_json, wrapped
from geobias.errors import BadRequest
from geobias.measures.planning import Aim
from geobias.models.batch.lines import discount_of
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import find_probe
from geobias.running import Options, with_reader
from geobias.stats import planning
from geobias.stats.estimates import LEVEL

POWER = 0.8


def how_billed(model: str, options: Options) -> str:
    """How calls are billed, in words: "in batches, at half price". "" for single calls."""
    if not options.batch:
        return ""
    half = discount_of(options.entry(model).name) == 0.5
    return "in batches, at half price" if half else "in batches"


# What a plan can show -----------------------------------------------------------------------------


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest gap that a plan's primary test detects, or why there is none (`no_test`).

    If the user named a gap, `power_of_plan` is the probability that the plan detects it, `needed`
    is the study that detects it with the wanted probability, and `required` says so in words.
    """

    gap_of: str = ""
    smallest_gap: float | None = None
    most_gap: float = 1.0
    assumptions: list[str] = []
    no_test: str = ""
    power_of_plan: float | UnsetType = UNSET
    needed: planning.Needed | UnsetType = UNSET
    required: str | UnsetType = UNSET

    @property
    def words(self) -> str:
        if self.no_test:
            return f"no test: {self.no_test}"
        return f"{gap_text(self.smallest_gap, f'not even {self.most_gap:g}')} {self.gap_of}"


def sight_of(plan: Plan, power: float, gap: float | UnsetType = UNSET, tests: int = 1) -> Sight:
    """Return what a plan detects with this power."""
    try:
        aim = derived.aim(find_probe(plan.probe), plan)
    except BadRequest as why:
        return Sight(no_test=str(why))
    return sight_by(aim, power, gap, tests)


def sight_by(aim: Aim, power: float, gap: float | UnsetType = UNSET, tests: int = 1) -> Sight:
    """Return what a test detects, at the strictest level of Holm's adjustment of `tests` tests."""
    design = replace(aim.design, level=LEVEL / tests)
    sight = Sight(
        gap_of=aim.gap,
        smallest_gap=planning.smallest_gap(design, wanted=power, most=aim.most_gap),
        most_gap=aim.most_gap,
        assumptions=aim.assumptions,
    )
    if gap is UNSET:
        return sight
    if gap > aim.most_gap:
        raise BadRequest(f"a gap of {gap:g} {aim.gap} is more than the maximum, {aim.most_gap:g}")
    often = planning.power(design, gap)
    needed = planning.needed(design, gap, wanted=power, most_items=aim.most_items)
    required = _required(needed, aim, power, enough=often >= power)
    return replace(sight, power_of_plan=often, needed=needed, required=required)


def _required(need: planning.Needed, aim: Aim, power: float, *, enough: bool) -> str:
    """Say how many items a study needs to detect a gap; the plan may be `enough`.

    `need` assumes equally many items for each unit, so a plan that is enough may have fewer.
    """
    if enough and (need.items is None or need.items * need.units > sum(aim.design.items)):
        return "no more than this"
    if need.items is not None:
        return (
            f"{need.items:,} {aim.items} for each of {need.units:,} {aim.units}, "
            f"{need.items * need.units:,} in all, to detect it {power:.0%} of the time"
        )
    return (
        f"more {aim.items} for these {need.units:,} {aim.units} are not enough: "
        f"{aim.most_items:,} for each would detect it {need.power:.0%} of the time, and no "
        f"number more often than {need.best:.0%}, because {aim.units} differ"
    )


def gap_text(gap: float | None, otherwise: str) -> str:
    """A gap with two digits, to distinguish 0.10 from 0.11."""
    if gap is None:
        return otherwise
    return f"{gap:.2f}" if gap >= 0.1 else f"{gap:.2g}"


# An audit -----------------------------------------------------------------------------------------


class Part(Bill, frozen=True, kw_only=True):
    """The bill of one probe, and the gap that it detects.

    The number of calls depends on the replies: `between` has its minimum and maximum.
    """

    probe: str
    between: tuple[int, int]
    sight: Sight


class OfModel(msgspec.Struct, frozen=True, kw_only=True):
    """The bill of an audit's remaining trials for one model. `spent` is what its run has paid."""

    model: str
    how: str
    spent: Bill | None
    probes: list[Part]
    total: Bill


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of the rest of an audit, and the gaps that it could show.

    `unpriced` is a model whose price is not known, or "" if none is named. `beyond` is the first
    limit (such as "max-cost 2") that the whole audit would exceed.
    """

    power: float
    models: list[OfModel]
    all: Bill
    unpriced: str | None
    beyond: str | None


def print_plan(forecast: Forecast, as_json: bool) -> None:
    if as_json:
        print_json(forecast)
        return
    for line in lines_of(forecast):
        click.echo(line)
    click.echo("What this assumes: geobias plan PROBE")


def forecast_of(config: AuditConfig, power: float) -> Forecast:
    plans, options = config.plans(), config.how()
    sights = {plan.probe: sight_of(plan, power, tests=len(plans)) for plan in plans}
    models = []
    unpriced: str | None = None
    for name in dict.fromkeys([one.shown for one in config.models] or [""]):
        specs = with_reader({"model": name} | config.roles, plans)
        past = past_of(config.paths(plans)[name], plans, specs, options) if name else NOTHING
        parts = []
        for plan in plans:
            bill = cost_of(plan, specs, options, past)
            left = 1 - bill.taken / max(1, bill.trials)
            low, high = (round(calls * left) for calls in plan.calls)
            facts = msgspec.structs.asdict(bill) | {"between": (low, high)}
            parts.append(Part(**facts, probe=plan.probe, sight=sights[plan.probe]))
        how = how_billed(name, options)
        total = added_up(parts)
        if total.usd is None and unpriced is None:
            prices = prices_of(specs, options)
            unpriced = next(specs[role] for role, price in prices.items() if price is None)
        models.append(OfModel(model=name, how=how, spent=past.spent, probes=parts, total=total))
    together = added_up([one.total for one in models], at_once=True)
    whole = added_up([together, *(one.spent for one in models if one.spent is not None)])
    return Forecast(
        power=power, models=models, all=together, beyond=_beyond(options, whole), unpriced=unpriced
    )


def _beyond(limits: Options, total: Bill) -> str | None:
    """The first limit that the bill would exceed, such as "max-cost 2", or None."""
    needed = {
        "max-calls": total.calls,
        "max-tokens": total.tokens_in + total.tokens_out,
        "max-cost": total.usd or 0.0,
    }
    for name, amount in needed.items():
        limit = getattr(limits, name.replace("-", "_"))
        if limit is not None and amount > limit:
            return f"{name} {limit:,}"
    return None


def lines_of(forecast: Forecast) -> Iterator[str]:
    """Yield the forecast's lines: a table of at most 80 columns, then what each probe detects."""
    heads = ("calls", "tokens in", "tokens out", "US$")
    yield f"{'':<12}" + "".join(f"{head:>13}" for head in heads)
    for one in forecast.models:
        if one.model:
            yield ", ".join(filter(None, (one.model, one.how)))
        for part in one.probes:
            yield _row(part.probe, part)
        yield _row("together", one.total)
    if len(forecast.models) > 1:
        yield _row("all models", forecast.all)
    if model := forecast.unpriced:
        yield f"no price is known for {model}: {{ name = …, price = [IN, OUT] }} gives one"
    elif forecast.unpriced is not None:
        yield "--model NAME says what it would cost"
    for one in forecast.models:
        yield from _on_thought(one.model, one.probes)
        if one.spent is not None:
            usd = "" if one.spent.usd is None else f", US$ {one.spent.usd:,.2f}"
            paid = f"{one.spent.calls:,} calls and attempts{usd}"
            yield f"already paid, and not in these numbers: {paid}"
        if one.total.taken:
            held = [f"{part.taken:,} of {part.trials:,} in {part.probe}" for part in one.probes]
            yield from wrapped("", f"answered in run files, at no cost: {', '.join(held)}")
    ranges = [part.between for one in forecast.models for part in one.probes]
    low, high = (sum(bounds) for bounds in zip(*ranges, strict=True))
    if low < high:
        yield f"{low:,} to {high:,} calls, depending on the replies"
    yield f"time: {forecast.all.time()}" if forecast.all.calls else "nothing is left to ask"
    if forecast.beyond:
        yield f"more than --{forecast.beyond} allows: the audit would stop early"
    yield ""
    parts = forecast.models[0].probes
    among = f", among {len(parts)} primary tests" if len(parts) > 1 else ""
    yield f"The smallest gap that is detected {forecast.power:.0%} of the time{among}:"
    for part in parts:
        yield from wrapped(f"  {part.probe:<12}", part.sight.words)


def _row(name: str, bill: Bill) -> str:
    usd = "" if bill.usd is None else f"{bill.usd:,.2f}"
    counts = [f"{one:,}" for one in (bill.calls, bill.tokens_in, bill.tokens_out)]
    return f"{name:<12}" + "".join(f"{cell:>13}" for cell in [*counts, usd])


def _on_thought(model: str, parts: Sequence[Part]) -> Iterator[str]:
    """Yield sentences on how many tokens of reasoning are assumed, since these are billed too."""
    thought = max(part.thought for part in parts)
    if parts[0].measured:
        yield f"as in the answers so far: {thought:,} tokens of reasoning for each call"
    elif thought:
        yield f"assumed: {thought:,} tokens of reasoning for each call ({model})"
    elif model and not model.startswith(("sim/", "embedded", "openai/")):
        yield f"without reasoning: if {model} reasons, --thinking N counts N tokens a call"
