"""Forecast the cost of a plan or an audit, and the gap that it could detect, without asking a
model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import click
import msgspec

from geobias.api.config import AuditConfig, write_beside
from geobias.cli.options import opened
from geobias.cli.terminal import print_json, wrapped
from geobias.errors import BadRequest, BadRunFile
from geobias.measures.planning import Aim
from geobias.models.batch.lines import discount_of
from geobias.models.catalogue import exact_name, thinking_of
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, find_probe
from geobias.report.records import answers_of, labelled
from geobias.runfile import Manifest, OtherRuns, RunReader
from geobias.runfile.manifest import Price, cost, sum_known
from geobias.runfile.schema import SPENT
from geobias.running import Options, need_price, open_run, with_reader
from geobias.stats import planning
from geobias.stats.estimates import LEVEL
from geobias.trials import Ask, Reply, Trial, replayed

SAMPLED = 200
MOST_LOOKED_AT = 200_000
"""Maximum trials from which the sample is drawn; 100,000 repeats make millions."""
BYTES_PER_TOKEN = 4.0
"""Bytes per token of English text. The engine assumes 3 to be safe, which would overstate the cost.
"""
SECONDS, AT_ONCE = 1.0, 16
"""Assumed seconds per call (without thinking), and number of calls at once without a limit."""
THOUGHT_PER_SECOND = 50.0
"""Assumed tokens of thinking that a server writes per second, for one call."""
POWER = 0.8


# Costs --------------------------------------------------------------------------------------------


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """Calls, tokens, money and time of a set of trials.

    thought   tokens of reasoning counted for each call
    measured  whether the numbers come from answers of the model
    taken     number of trials whose replies are in run files. They cost nothing, and the other
              fields leave them out
    usd       cost in US dollars, or None if no price is known
    seconds   expected seconds; None in batches
    """

    trials: int
    calls: int
    tokens_in: int
    tokens_out: int
    thought: int = 0
    measured: bool = False
    taken: int = 0
    usd: float | None
    seconds: float | None
    call_seconds: float = SECONDS
    concurrency: int = AT_ONCE

    def time(self) -> str:
        """The expected time in words: "about 5 minutes at 16 calls at once and 1 s each"."""
        if self.seconds is None:
            return "in batches, each within a day"
        minutes = max(1, round(self.seconds / 60))
        length = "a minute" if minutes == 1 else f"{minutes} minutes"
        if minutes > 120:
            length = f"{round(minutes / 60):,} hours"
        each = max(0.1, self.call_seconds)
        return f"about {length} at {self.concurrency} calls at once and {each:.2g} s each"


def added_up(bills: Sequence[Bill], *, at_once: bool = False) -> Bill:
    """Return the sum of the bills. If the models are asked `at_once`, the time is that of the
    slowest model.
    """
    times = [one.seconds for one in bills]
    known = [one for one in times if one is not None]
    return Bill(
        trials=sum(one.trials for one in bills),
        calls=sum(one.calls for one in bills),
        tokens_in=sum(one.tokens_in for one in bills),
        tokens_out=sum(one.tokens_out for one in bills),
        taken=sum(one.taken for one in bills),
        usd=sum_known(one.usd for one in bills),
        seconds=None if len(known) < len(times) else max(known) if at_once else sum(known),
        call_seconds=max(one.call_seconds for one in bills),
        concurrency=bills[0].concurrency,  # one option for all
    )


Counts = tuple[float, float, float]
"""Calls, tokens in and tokens out."""
ENOUGH = 20
"""Minimum number of answers from which the size of the other answers is estimated."""
LOOKED_AT, MOST_TRIALS = 500, 20_000
"""Maximum trials that are read: of a run that has begun, and of a plan."""
SAID_BEYOND = 8
"""Tokens of an answer beyond its text, such as the end token."""


class SoFar(msgspec.Struct, frozen=True, kw_only=True):
    """The mean cost of a model's answers so far, from which the cost of the rest is estimated.

    thought   mean tokens of reasoning per answer: tokens out beyond the words of the answer
    seconds   mean seconds of an answer
    of_trial  probe → calls and tokens per trial, if enough trials of this run have begun
    """

    thought: float
    seconds: float
    of_trial: dict[str, Counts]


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """The replies to a plan that run files hold, which cost nothing.

    share  share of the trials whose replies all exist
    begun  calls and tokens of the other trials' replies
    """

    share: float = 0.0
    begun: Counts = (0.0, 0.0, 0.0)


NOTHING_HELD = Held()


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """Facts from run files about a model's costs.

    so_far   mean costs of the answers of the run and of other runs of the model; None if these are
             too few
    spent    the cost of the run so far, including attempts that were cut off while thinking
    held     probe → the replies that the run or other runs hold
    """

    so_far: SoFar | None
    spent: Bill | None
    held: dict[str, Held]


def known_of(config: AuditConfig, model: str, plans: Sequence[Plan]) -> Known:
    """Estimate a model's costs from its run and from the other runs in the folder."""
    options, path = config.how(), config.paths(plans)[model]
    specs = with_reader({"model": model} | config.roles, plans)
    entries = {role: options.entry(spec, role == "model") for role, spec in specs.items()}
    manifest = Manifest(
        geobias="",
        created="",
        probes={plan.probe: plan.settings for plan in plans},
        models={role: exact_name(entry) for role, entry in entries.items()},
        asked={role: facts for role, entry in entries.items() if (facts := entry.asked())},
    )
    with ExitStack() as stack:
        others = OtherRuns(path, manifest, options.reuse, None if options.fresh else config.out)
        stack.callback(others.close)
        run = stack.enter_context(open_run(path)) if path.exists() else None
        if run is not None and not run.is_described():  # it was killed before it began
            run = None
        return Known(
            so_far=_so_far(run, others.of_tested(manifest), plans),
            spent=None if run is None else _spent(run, model, options),
            held=_held(run, others, manifest.models, plans),
        )


def _so_far(
    run: RunReader | None, others: Sequence[RunReader], plans: Sequence[Plan]
) -> SoFar | None:
    """Estimate the cost from the answers of the run, and of other runs too if this run has few."""
    answers = [] if run is None else [*_answers(run)]
    for other in others if len(answers) < ENOUGH else ():
        with suppress(BadRunFile):  # foreign, damaged or removed meanwhile
            answers += _answers(other)
    if len(answers) < ENOUGH:
        return None
    measured = {plan.probe: _of_trial(run, plan) for plan in plans if run and not plan.usual}
    return SoFar(
        thought=fmean(thought for thought, _ in answers),
        seconds=fmean(seconds for _, seconds in answers),
        of_trial={probe: counts for probe, counts in measured.items() if counts},
    )


def _answers(run: RunReader) -> Iterator[tuple[float, float]]:
    """Yield the tokens of reasoning and the seconds of a run's answers."""
    for probe in run.manifest().probes:
        for _, one in islice(run.replies(probe=probe), LOOKED_AT):
            if told := _tokens(one):
                said = len(one.text.encode()) / BYTES_PER_TOKEN + SAID_BEYOND
                yield max(0.0, told[1] - said), one.seconds


def _spent(run: RunReader, model: str, options: Options) -> Bill:
    """The bill of a run so far, at today's prices."""
    rows = [*run.query(SPENT)]
    calls, tokens_in, tokens_out = (sum(row[i] for row in rows) for i in (1, 2, 3))
    rates = {"model": _price(model, options)}
    return Bill(
        trials=0,
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        usd=sum_known(cost(rates, "model", row[2] * row[5], row[3] * row[5]) for row in rows),
        seconds=0.0,
    )


def _price(model: str, options: Options) -> Price | None:
    return need_price(model, msgspec.structs.replace(options, max_cost=None))


def _tokens(reply: Any) -> tuple[int, int] | None:
    known = reply.tokens_in is not None and reply.tokens_out is not None
    return (reply.tokens_in, reply.tokens_out) if known else None


def _of_trial(run: RunReader, plan: Plan) -> Counts | None:
    """Mean calls and tokens of a trial: one first call, and the mean number of further calls.

    Unfinished trials count too, since they tend to be the longer ones. None if there are too few
    answers.
    """
    first: list[tuple[int, int]] = []
    further: list[tuple[int, int]] = []
    models, begun, needed = run.manifest().models, 0, 0

    def find(_: Ask, digest: bytes) -> Reply | None:
        saved = run.reply(digest)
        return saved.as_reply() if saved else None

    for trial in islice(plan.trials(), MOST_TRIALS):
        record, replies = replayed(trial, models, find)
        begun += bool(replies)
        needed += len(replies) + (record is None) if replies else 0
        told = [_tokens(one) for one in replies]
        first += [one for one in told[:1] if one]
        further += [one for one in told[1:] if one]
        if begun == LOOKED_AT:
            break
    if not first or len(first) + len(further) < ENOUGH:
        return None
    more = needed / begun - 1
    tokens_in, tokens_out = (
        fmean(one[i] for one in first) + more * fmean(one[i] for one in further or first)
        for i in (0, 1)
    )
    return 1 + more, tokens_in, tokens_out


def _held(
    run: RunReader | None, others: OtherRuns, names: dict[str, str], plans: Sequence[Plan]
) -> dict[str, Held]:
    """Probe → the replies that exist already."""

    def find(_: Ask, digest: bytes) -> Reply | None:
        saved = run.reply(digest) if run is not None else None
        if saved is not None and saved.outcome != "still_thinking":  # that is asked again
            return saved.as_reply()
        found = others.find(digest)
        return found[0] if found else None

    held = {}
    for plan in plans if run is not None or others else ():
        step = 1 + plan.count // MOST_TRIALS
        trials = islice(plan.trials(), 0, None, step)
        looked_at, ended, begun = 0, 0, (0.0, 0.0, 0.0)
        for record, replies in (replayed(trial, names, find) for trial in trials):
            looked_at += 1
            ended += record is not None
            for reply in replies if record is None else ():
                tokens_in, tokens_out = _tokens(reply) or (0, 0)
                begun = begun[0] + 1, begun[1] + tokens_in, begun[2] + tokens_out
        share = ended / max(1, looked_at)
        held[plan.probe] = Held(share=share, begun=_times(begun, step))
    return held


def cost_of(
    plan: Plan,
    model: str,
    options: Options,
    needed: tuple[int, float] | None = None,
    known: SoFar | None = None,
    held: Held = NOTHING_HELD,
) -> Bill:
    """The bill of a plan on a model.

    `needed` is another number of items, with its ratio to the plan's; the bill is then for that
    many items. Replies that are `held` cost nothing. Costs per trial and answer come from `known`.
    Without `known`, games have their declared usual number of calls, the length of prompts is
    measured on a sample, and answers and reasoning are assumed to reach their (first) limits.
    """
    items, times = needed or (None, 1.0)
    entry = options.entry(model)
    effort = plan.settings.get("effort") or ""
    thought = known.thought if known else thinking_of(entry, options.thinking, effort)
    trials = round(plan.count * times)
    if plan.usual is not None:
        trials = plan.count if items is None else items
        calls, asked, answered = plan.usual(items)
        counts = calls, asked, answered + calls * thought
    elif known and plan.probe in known.of_trial:
        counts = _times(known.of_trial[plan.probe], plan.count * times)
    else:
        asked, answered = _sample(plan.trials, plan.count)
        # One call for each trial, since few replies are asked about again.
        counts = _times((1.0, asked, answered + thought), plan.calls[0] * times)
    left = zip(_times(counts, 1 - held.share), held.begun, strict=True)
    made, tokens_in, tokens_out = (max(0, round(count - begun)) for count, begun in left)
    concurrency = options.concurrency or AT_ONCE
    each = known.seconds if known else SECONDS + thought / THOUGHT_PER_SECOND
    usd = cost({"model": _price(model, options)}, "model", tokens_in, tokens_out) if model else None
    if options.batch and usd is not None:
        usd *= discount_of(entry.name)
    return Bill(
        trials=trials,
        calls=made,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        thought=round(thought),
        measured=known is not None,
        taken=round(trials * held.share),
        usd=usd,
        seconds=None if options.batch else made * each / concurrency,
        call_seconds=each,
        concurrency=concurrency,
    )


def _times(counts: Counts, number: float) -> Counts:
    return counts[0] * number, counts[1] * number, counts[2] * number


@lru_cache(maxsize=8)  # called again for each model of an audit and for the cost of a gap
def _sample(trials: Callable[[], Iterator[Trial]], count: int) -> tuple[float, float]:
    """Mean tokens in and mean limit of tokens out per call, from a sample of the asks."""
    looked_at = min(count, MOST_LOOKED_AT)
    step = max(1, looked_at // SAMPLED)
    sample = (trial.first_ask() for trial in islice(trials(), 0, looked_at, step))
    asks = [ask for ask in sample if ask is not None]
    if not asks:
        raise BadRequest("these settings leave nothing to ask; choose others")
    length = sum(
        len(message.content.encode()) + 12 for ask in asks for message in ask.dialogue.backwards()
    )
    return length / (BYTES_PER_TOKEN * len(asks)), fmean(ask.max_tokens for ask in asks)


def how_billed(model: str, options: Options) -> str:
    """How calls are billed, in words: "in batches, at half price". "" for single calls."""
    if not options.batch:
        return ""
    half = discount_of(options.entry(model).name) == 0.5
    return "in batches, at half price" if half else "in batches"


def without_price(model: str) -> str:
    if model:
        return f"no price is known for {model}: {{ name = …, price = [IN, OUT] }} gives one"
    return "--model NAME says what it would cost"


# What a plan can show -----------------------------------------------------------------------------


def aim_of(probe: AnyProbe, plan: Plan, like: Path | None) -> Aim:
    """The probe's primary test on this plan. `like` is an earlier run whose spread it assumes."""
    spread = None
    if like is not None:
        with opened([like]) as readers:
            [answers] = answers_of(probe, labelled(readers), {})
        spread = derived.spread(probe, answers)
        if spread is None:
            raise BadRequest(
                f"{like} has too few answers to measure how much they vary; name a larger run"
            )
        if not any(spread):
            raise BadRequest(
                f"the answers of {like} do not vary, so they cannot predict another run; leave out "
                "--like"
            )
    return derived.aim(probe, plan, spread)


def smallest_gap(aim: Aim, power: float, tests: int = 1) -> float | None:
    """The smallest gap that a plan detects with this power, if `tests` tests are adjusted together.

    It assumes the strictest level of Holm's adjustment, so it holds whatever the other tests show.
    """
    design = msgspec.structs.replace(aim.design, level=LEVEL / tests)
    return planning.smallest_gap(design, wanted=power, most=aim.most_gap)


def gap_text(gap: float | None, aim: Aim) -> str:
    """A gap with two digits, to distinguish 0.10 from 0.11."""
    if gap is None:
        return f"not even {aim.most_gap:g}"
    return f"{gap:.2f}" if gap >= 0.1 else f"{gap:.2g}"


# An audit -----------------------------------------------------------------------------------------


class Part(Bill, frozen=True, kw_only=True):
    """The bill of one probe of an audit, and the gap that it detects (`says`: in words).

    The number of calls depends on the replies: `between` has its minimum and maximum.
    """

    smallest_gap: float | None
    says: str
    assumptions: list[str]
    probe: str
    between: tuple[int, int]


class OfModel(msgspec.Struct, frozen=True, kw_only=True):
    """The bill of an audit's remaining trials for a single model.

    `how` says how its calls are billed. `spent` is what its run has paid already.
    """

    model: str
    how: str
    spent: Bill | None
    probes: list[Part]
    total: Bill


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of the rest of an audit, and the gaps that it could show.

    `beyond` is the first limit (such as "max-cost 2") that the whole audit would exceed.
    """

    power: float
    models: list[OfModel]
    all: Bill
    beyond: str | None


def print_forecast(config: AuditConfig, as_json: bool) -> None:
    """Print the forecast of an audit, and write a configuration file that runs it."""
    config.check_asks()
    where = write_beside(config, "Written by `geobias audit --dry-run`; run it with --config.")
    print_plan(forecast_of(config, POWER), as_json)
    click.echo(f"Nothing was asked. To run it:\n  geobias audit --config {where}", err=as_json)


def print_plan(forecast: Forecast, as_json: bool) -> None:
    if as_json:
        print_json(forecast)
        return
    for line in _lines(forecast):
        click.echo(line)


def forecast_of(config: AuditConfig, power: float) -> Forecast:
    plans, options = config.plans(), config.how()
    sights = {plan.probe: _sight(plan, power, len(plans)) for plan in plans}
    models = []
    for name in dict.fromkeys([one.shown for one in config.models] or [""]):
        bills, spent = _bills(config, name, plans)
        parts = []
        for plan, bill in zip(plans, bills, strict=True):
            left = 1 - bill.taken / max(1, bill.trials)
            low, high = (round(calls * left) for calls in plan.calls)
            facts = msgspec.structs.asdict(bill) | sights[plan.probe]
            parts.append(Part(**facts, probe=plan.probe, between=(low, high)))
        how = how_billed(name, options)
        total = added_up(bills)
        models.append(OfModel(model=name, how=how, spent=spent, probes=parts, total=total))
    together = added_up([one.total for one in models], at_once=True)
    whole = added_up([together, *(one.spent for one in models if one.spent is not None)])
    return Forecast(power=power, models=models, all=together, beyond=_beyond(options, whole))


def _bills(
    config: AuditConfig, model: str, plans: Sequence[Plan]
) -> tuple[list[Bill], Bill | None]:
    """Return the bill of each plan's remaining trials, and the bill of the run so far."""
    nothing = Known(so_far=None, spent=None, held={})
    known = known_of(config, model, plans) if model else nothing
    bills = [
        cost_of(
            plan, model, config.how(), None, known.so_far, known.held.get(plan.probe, NOTHING_HELD)
        )
        for plan in plans
    ]
    return bills, known.spent


def _sight(plan: Plan, power: float, tests: int) -> dict[str, object]:
    """The smallest gap that the plan detects, as the fields of a `Part`."""
    try:
        aim = derived.aim(find_probe(plan.probe), plan, None)
    except BadRequest as why:
        return {"smallest_gap": None, "says": f"no test: {why}", "assumptions": []}
    gap = smallest_gap(aim, power, tests)
    says = f"{gap_text(gap, aim)} {aim.gap}"
    return {"smallest_gap": gap, "says": says, "assumptions": aim.assumptions}


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


def _lines(forecast: Forecast) -> Iterator[str]:
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
    if unpriced := [one.model for one in forecast.models if one.total.usd is None]:
        yield without_price(unpriced[0])
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
        yield from wrapped(f"  {part.probe:<12}", part.says)
    yield "What this assumes: geobias plan PROBE"


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
