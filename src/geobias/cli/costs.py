"""The cost of a plan in calls, tokens, money and time, before it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

import msgspec
import numpy as np

from geobias.errors import BadRequest
from geobias.models.batch.lines import discount_of
from geobias.models.catalogue import thinking_of
from geobias.probes.plan import Plan
from geobias.runfile import RunReader, SavedReply
from geobias.runfile.manifest import Price, cost, sum_known
from geobias.running import Options, need_price, open_run
from geobias.stats.arrays import Floats
from geobias.trials import Trial

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


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """Calls, tokens, money and time of a set of trials.

    thought   tokens of reasoning counted for each call
    measured  whether the numbers come from answers of the model
    taken     trials whose replies are in run files; the other fields leave them out
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
    """Return the sum of the bills. Of models asked `at_once`, the slowest decides the time."""
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


Counts: TypeAlias = dict[str, Floats]
"""Role → calls, tokens in and tokens out."""
ENOUGH = 20
"""Minimum number of answers from which the size of the other answers is estimated."""
LOOKED_AT = 500
"""Maximum number of a probe's answers that are read."""
SAID_BEYOND = 8
"""Tokens of an answer beyond its text, such as the end token."""


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What a run file tells about the cost of the remaining trials. Few answers give no means.

    done      probe → number of finished trials
    share     probe → share of the probe's cost that they are
    of_trial  probe → mean costs of a finished trial
    begun     costs of unfinished trials
    thought   role → mean tokens of reasoning of an answer
    seconds   mean seconds of an answer
    spent     the cost so far, including attempts that were cut off while thinking
    """

    done: dict[str, int] = {}
    share: dict[str, float] = {}
    of_trial: dict[str, Counts] = {}
    begun: Counts = {}
    thought: dict[str, float] = {}
    seconds: float | None = None
    spent: Bill | None = None


NOTHING = Past()


def past_of(path: Path, plans: Sequence[Plan], specs: Mapping[str, str], options: Options) -> Past:
    """The `Past` of a run file; `NOTHING` if its run has not begun."""
    if not path.exists():
        return NOTHING
    with open_run(path) as run:
        if not run.is_described():  # it was killed before it began
            return NOTHING
        done, begun = run.manifest().done(run.done()), [*run.unfinished()]
        ended = {
            plan.probe: [
                (trial, reply)
                for trial, reply in islice(run.replies(probe=plan.probe), LOOKED_AT)
                if reply.tokens_out is not None
            ]
            for plan in plans
        }
        answers = [reply for replies in ended.values() for _, reply in replies]
        answers += [reply for reply in begun[:LOOKED_AT] if reply.tokens_out is not None]
        known = len(answers) >= ENOUGH
        thought: dict[str, list[float]] = {}
        for reply in answers if known else ():
            thought.setdefault(reply.role, []).append(_thought(reply))
        return Past(
            done={plan.probe: sum(done.get(name, 0) for name in plan.planned) for plan in plans},
            share={plan.probe: _share(plan, done) for plan in plans},
            of_trial={
                probe: _of_trial(replies)
                for probe, replies in ended.items()
                if len(replies) >= ENOUGH
            },
            begun=_sums(begun),
            thought={role: fmean(tokens) for role, tokens in thought.items()},
            seconds=fmean(reply.seconds for reply in answers) if known else None,
            spent=_spent(run, prices_of(specs, options)),
        )


def _share(plan: Plan, done: Mapping[str, int]) -> float:
    """The share of a plan's cost that its finished trials have caused.

    If the plan has conversations, only these count, since its other trials cost little.
    """
    counted = {plan.probe} if plan.usual else plan.planned.keys()
    planned = sum(plan.planned[name] for name in counted)
    return min(1.0, sum(done.get(name, 0) for name in counted) / max(1, planned))


def _thought(reply: SavedReply) -> float:
    said = len(reply.text.encode()) / BYTES_PER_TOKEN + SAID_BEYOND
    return max(0.0, (reply.tokens_out or 0) - said)


def _of_trial(replies: Sequence[tuple[str, SavedReply]]) -> Counts:
    trials = len({trial for trial, _ in replies})
    return {role: counts / trials for role, counts in _sums(one for _, one in replies).items()}


def _sums(replies: Iterable[SavedReply]) -> Counts:
    sums: Counts = {}
    for one in replies:
        counts = np.array([1.0, one.tokens_in or 0, one.tokens_out or 0])
        sums[one.role] = sums.get(one.role, np.zeros(3)) + counts
    return sums


def _spent(run: RunReader, prices: Mapping[str, Price | None]) -> Bill:
    spent = run.spent(attempts=True)
    return Bill(
        trials=0,
        calls=sum(one.calls for one in spent.values()),
        tokens_in=sum(one.tokens_in for one in spent.values()),
        tokens_out=sum(one.tokens_out for one in spent.values()),
        usd=sum_known(
            cost(prices, role, one.billed_in, one.billed_out) for role, one in spent.items()
        ),
        seconds=0.0,
    )


def prices_of(specs: Mapping[str, str], options: Options) -> dict[str, Price | None]:
    without_limit = msgspec.structs.replace(options, max_cost=None)
    return {role: need_price(spec, without_limit) if spec else None for role, spec in specs.items()}


def cost_of(plan: Plan, specs: Mapping[str, str], options: Options, past: Past = NOTHING) -> Bill:
    """The bill of a plan on models by role, without the trials that are finished.

    Costs per trial and answer come from `past`. Without answers, games have their declared usual
    number of calls, the length of prompts is measured on a sample, and answers and reasoning are
    assumed to reach their (first) limits.
    """
    tested = specs["model"]

    def thought(role: str) -> float:
        spec = specs.get(role, tested)
        effort = plan.settings.get("effort") or "" if spec == tested else ""
        expected = thinking_of(
            options.entry(spec), options.thinking if spec == tested else None, effort
        )
        return past.thought.get(role, expected)

    if plan.usual is not None:
        counts = {
            role: np.array([calls, tokens_in, tokens_out + calls * thought(role)])
            for role, (calls, tokens_in, tokens_out) in plan.usual().items()
        }
    elif of_trial := past.of_trial.get(plan.probe):
        counts = {role: mean * plan.count for role, mean in of_trial.items()}
    else:
        asked, answered = _sample(plan.trials, plan.count)
        # One call for each trial, since few replies are asked about again.
        call = np.array([1.0, asked, answered + thought("model")])
        counts = {"model": call * plan.calls[0]}
    share = past.share.get(plan.probe, 0.0)
    begun = past.begun if plan.usual else {}
    left = {
        role: np.maximum(0, count * (1 - share) - begun.get(role, 0)).round()
        for role, count in counts.items()
    }
    prices = prices_of(specs, options)
    discounts = {
        role: discount_of(options.entry(spec).name) if options.batch else 1.0
        for role, spec in specs.items()
    }
    calls, tokens_in, tokens_out = (int(sum(count[i] for count in left.values())) for i in range(3))
    concurrency = options.concurrency or AT_ONCE
    first = thought(next(iter(counts)))  # the tested model's
    each = past.seconds or SECONDS + first / THOUGHT_PER_SECOND
    return Bill(
        trials=plan.count,
        calls=calls,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        thought=round(first),
        measured=bool(past.thought),
        taken=past.done.get(plan.probe, 0),
        usd=sum_known(
            cost(
                prices,
                role,
                *(float(one) * discounts.get(role, discounts["model"]) for one in count[1:]),
            )
            for role, count in left.items()
        ),
        seconds=None if options.batch else calls * each / concurrency,
        call_seconds=each,
        concurrency=concurrency,
    )


@lru_cache(maxsize=8)  # called again for each model of an audit
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
