"""The native engine: drives many trials at once over asyncio.

A fixed number of workers each drive one trial after another to its record. An ask is answered from
the run file if the reply is stored, by a call in flight if another trial waits for an equal ask,
and otherwise by a new call.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from geobias.engine.budget import UNTOLD, Budget, Call, Paid, Tokens
from geobias.engine.limiter import Limiter
from geobias.errors import Interrupted, ProviderSaysNo, Stopped, Unreachable
from geobias.http import Transient
from geobias.models.model import Deferred, Model, Slotted
from geobias.runfile import OtherRuns, RunWriter
from geobias.runfile.manifest import sum_known
from geobias.trials import Ask, Reply, Trial


class Counts(msgspec.Struct):
    """Counters of one session of one probe. Only the runner changes them.

    reused      trials found finished when the session began
    unanswered  trials left open because an ask got no usable answer; a resume tries again
    asks        asks of the trials in `done`, whether answered by a call or from the run file
    calls       replies that were paid for
    tokens_in, tokens_out
                their tokens; upper bounds unless all were `counted` by the servers
    cost        US$ for them; None if a price is unknown
    shared      asks answered from the run file, or by a call already in flight
    taken       asks answered from other runs, which paid for them
    """

    planned: int = 0
    done: int = 0
    reused: int = 0
    unanswered: int = 0
    asks: int = 0
    calls: int = 0
    shared: int = 0
    taken: int = 0
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = 0.0
    counted: bool = True
    failures: Counter[str] = msgspec.field(default_factory=Counter)

    def add(self, paid: Paid) -> None:
        self.tokens_in += paid.tokens_in
        self.tokens_out += paid.tokens_out
        self.cost = sum_known((self.cost, paid.cost))
        self.counted &= paid.counted

    def as_ints(self) -> dict[str, int]:
        names = ("done", "reused", "unanswered", "calls", "shared", "taken", "retries")
        kept = {name: getattr(self, name) for name in names}
        return kept | {f"failed: {kind}": count for kind, count in self.failures.items()}


def by_beginning(trials: Iterable[Trial]) -> list[Trial]:
    """Sort trials by their first asks, so that neighbours share as much of a prompt as possible.

    Trials with the same first ask, such as games, keep their order.
    """
    return sorted(trials, key=_first_words)


def _first_words(trial: Trial) -> list[str]:
    ask = trial.first_ask()
    return [message.content for message in ask.dialogue] if ask else []


def lanes(trials: Sequence[Trial], number: int) -> list[Iterator[Trial]]:
    """Return an iterator over neighbouring trials for each worker.

    A worker that has finished its own trials takes the second half of the longest remaining lane.
    """
    ends = [len(trials) * i // number for i in range(number + 1)]
    stretches = [[first, end] for first, end in pairwise(ends)]
    return [_lane(trials, stretches, own) for own in range(number)]


def _lane(trials: Sequence[Trial], stretches: list[list[int]], own: int) -> Iterator[Trial]:
    mine = stretches[own]
    while True:
        while mine[0] < mine[1]:
            mine[0] += 1
            yield trials[mine[0] - 1]
        longest = max(stretches, key=lambda one: one[1] - one[0])
        middle = (longest[0] + longest[1]) // 2
        if longest[0] == longest[1]:
            return
        mine[:] = middle, longest[1]
        longest[1] = middle


ATTEMPTS = 8
ATTEMPTS_BEFORE_FIRST_CONTACT = 3
PATIENCE_SECONDS = 600.0
"""How long an ask is repeated while the server is overloaded or does not answer anybody."""
LOADING_SECONDS = 120.0
"""How long an ask is repeated while a resumed run has not had an answer yet.

The server may be loading the weights.
"""
AWAY_SECONDS = 15.0
"""How often the user is told that the server does not answer."""
LONGEST_WAIT_SECONDS = 900.0
"""A longer Retry-After means a used-up quota, or an error if other asks are answered."""
LONG_WAITS_IN_A_ROW = 6
"""After this many long waits in a row, the run stops, even if other asks were answered."""
BACKOFF_SECONDS, BACKOFF_CEILING_SECONDS = 0.5, 60.0
ROUNDS = 3
"""Maximum number of rounds (batches) in which an ask is sent."""
DOUBTS_AT_FIRST = 5
DOUBTS_IN_A_ROW = 10
REPLAYS_PER_YIELD = 64


class ModelChannel:
    """A model with its limiter and counts of its recent failures.

    The user's number of concurrent calls replaces the model's own, except for a model that answers
    in rounds. For a model with slots it can only lower the number, since further calls would queue.
    """

    def __init__(self, model: Model, ceiling: int | None) -> None:
        self.deferred = model if isinstance(model, Deferred) else None
        self.model = model
        self._ceiling = ceiling
        self.limiter = Limiter(self._most, start=8 if model.adaptive else self._most)
        self.last_good = 0.0  # monotonic seconds; 0 means never
        self.told = 0.0  # when the user was last told that no answers come
        self.unproven = 0  # doubtful replies while nothing at all has been answered
        self.long_waits = 0  # long waits asked for since the last good reply
        self.doubtful: list[bytes] = []  # digests of doubtful replies since the last good one

    @property
    def _most(self) -> int:
        own = self.model.concurrency
        most = own if self.deferred else self._ceiling or own
        return most if self.model.adaptive else min(most, own)

    async def load(self) -> None:
        """Load a model that runs on this machine, and set the limiter to its `concurrency`."""
        if isinstance(self.model, Slotted):
            await self.model.load()
            self.limiter.ceiling = self._most
            self.limiter.limit = float(self._most)


class Runner:
    """Drives trials against models and stores their replies in a run file.

    `models` maps the roles of asks to models; a role without an entry uses the model of the role
    "model". Several calls of `run`, in sequence or at once, share models, limits and budget.
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        run: RunWriter,
        *,
        budget: Budget | None = None,
        concurrency: int | None = None,
        backoff_seconds: float | None = None,
        others: OtherRuns | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        channels = {id(model): ModelChannel(model, concurrency) for model in models.values()}
        self._channels = {role: channels[id(model)] for role, model in models.items()}
        self._run_file = run
        self._others = others
        self._say = say
        self._budget = budget or Budget()
        self._backoff = BACKOFF_SECONDS if backoff_seconds is None else backoff_seconds
        self._under_way: dict[bytes, asyncio.Future[Reply]] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self._in_call: set[asyncio.Task[None]] = set()
        self._stop: Stopped | None = None
        self._dice = random.Random()
        for model in models.values():
            if isinstance(model, Deferred):
                model.gather_while(lambda: bool(self._in_call))

    @property
    def calls_in_flight(self) -> int:
        return len(self._in_call)

    @property
    def stopping(self) -> bool:
        return self._stop is not None

    def stop(self, reason: Stopped | None = None) -> None:
        """Start no more calls, and let those in flight finish. A second `stop` cancels them."""
        again = self._stop is not None
        self._stop = self._stop or reason or Interrupted("stopped as you asked")
        for worker in self._workers:
            if worker not in self._in_call or (again and reason is None):
                worker.cancel()

    async def run(self, trials: Iterable[Trial], counts: Counts) -> None:
        """Drive all trials that have no record yet. If stopped early, raise the reason."""
        if self._stop:
            raise self._stop
        queues = await self._queues(trials, counts)
        workers = {asyncio.create_task(self._work(queue, counts)) for queue in queues}
        self._workers |= workers
        results = await asyncio.gather(*workers, return_exceptions=True)
        self._workers -= workers
        for result in results:
            if isinstance(result, Exception):
                raise result
        if self._stop:
            raise self._stop.with_traceback(None) from None

    async def _queues(self, trials: Iterable[Trial], counts: Counts) -> list[Iterator[Trial]]:
        """Return a queue of trials for each worker: a shared one, or a lane for each slot."""
        channels = set(self._channels.values())
        tested = self._channels.get("model")
        if tested is None or not isinstance(tested.model, Slotted):
            most = sum(channel.limiter.ceiling for channel in channels)
            return [iter(trials)] * max(1, min(most, counts.planned or most))
        every = list(trials)
        to_do = [trial for trial in every if not self._run_file.is_done(trial.name)]
        counts.reused += len(every) - len(to_do)
        if not to_do:
            return []
        for channel in channels:
            await channel.load()
        if self._stop:
            raise self._stop
        return lanes(by_beginning(to_do), tested.limiter.ceiling)

    async def _work(self, queue: Iterator[Trial], counts: Counts) -> None:
        try:
            replayed = 0
            for trial in queue:
                if self._run_file.is_done(trial.name):
                    counts.reused += 1
                    replayed += 1
                else:
                    calls = counts.calls
                    await self._drive(trial, counts)
                    replayed = replayed + 1 if counts.calls == calls else 0
                if replayed >= REPLAYS_PER_YIELD:
                    replayed = 0
                    await asyncio.sleep(0)  # replaying never waits; let signals and display in
        except Stopped as reason:
            self.stop(reason)
        except Halted:
            pass
        except Exception as error:
            self.stop(Stopped(f"stopped by an error in the program: {error}"))
            raise

    async def _drive(self, trial: Trial, counts: Counts) -> None:
        steps = trial.start()
        digests: list[bytes] = []
        try:
            ask = next(steps)
            while True:
                if ask.optional and ask.role not in self._channels:
                    ask = steps.send(Reply("", "unasked"))
                    continue
                reply = await self._reply(ask, counts)
                if reply is None:
                    counts.unanswered += 1
                    return
                digests.append(reply.digest)
                ask = steps.send(reply)
        except StopIteration as end:
            self._run_file.save_record(end.value, digests)
            counts.done += 1
            counts.asks += len(digests)
        finally:
            steps.close()

    async def _reply(self, ask: Ask, counts: Counts) -> Reply | None:
        """Return the reply to an ask, or None if there is no usable answer for now."""
        channel = self._channels.get(ask.role) or self._channels["model"]
        digest = ask.digest(channel.model.name)
        if (known := self._run_file.find(digest)) is not None:
            counts.shared += 1
            return known
        if self._others is not None and (taken := self._others.find(digest)) is not None:
            self._run_file.save_reused(ask, *taken)
            counts.taken += 1
            return taken[0]
        if (other := self._under_way.get(digest)) is not None:
            counts.shared += 1
            try:
                return await asyncio.shield(other)
            except Unanswered:
                return None
        promise: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._under_way[digest] = promise
        try:
            reply = await self._call(channel, ask, digest, counts)
        except BaseException as error:
            promise.set_exception(Unanswered())
            promise.exception()  # marks the error as seen: perhaps nobody waits for it
            if isinstance(error, Unanswered):
                return None
            raise
        else:
            promise.set_result(reply)
            return reply
        finally:
            del self._under_way[digest]

    async def _call(self, channel: ModelChannel, ask: Ask, digest: bytes, counts: Counts) -> Reply:
        """Ask the model until it answers or repeating is useless. Raises Unanswered."""
        failed_first = 0.0
        attempts: Counter[str] = Counter()
        while True:
            async with channel.limiter, Call(self._budget, ask, channel.model) as call:
                try:
                    reply: Reply | None = await self._answer(channel, ask)
                    channel.doubtful.clear()
                except asyncio.CancelledError:  # the server may still answer and bill it
                    if not channel.deferred:
                        self._note_failed(call, ask.role, "given up", UNTOLD)
                    raise
                except Transient as trouble:
                    if not channel.deferred:  # a round's answers come together
                        failed_first = failed_first or time.monotonic()
                    counts.failures[trouble.kind] += 1
                    attempts[trouble.kind] += 1
                    seen = attempts[trouble.kind]
                    reply = self._after(
                        channel, trouble, call, ask.role, counts, seen, failed_first
                    )
                    if reply is not None:
                        self._doubt(channel, trouble, digest)
                    pause, answered = self._pause(trouble, attempts.total()), trouble.used
                if reply is not None:
                    break
            counts.retries += 1
            if not channel.deferred and not answered:  # otherwise it joins the next round
                await asyncio.sleep(pause)
        reply = replace(reply, digest=digest)
        self._run_file.save_reply(ask, reply, channel.model.thinking)
        times = None if channel.deferred is None else channel.deferred.times(digest)
        counts.calls += 1
        counts.add(call.settle((reply.tokens_in, reply.tokens_out), times))
        if self._run_file.failure:
            raise self._run_file.failure
        if self._stop:
            raise Halted
        return reply

    def _after(
        self,
        channel: ModelChannel,
        trouble: Transient,
        call: Call,
        role: str,
        counts: Counts,
        attempt: int,
        began: float,
    ) -> Reply | None:
        """Return the reply to record after a failed attempt; None if the ask should be repeated."""
        reply: Reply | None = None
        try:
            if not self._should_retry(channel, trouble, attempt, began):
                reply = self._last_word(channel, trouble, began)
        finally:
            if trouble.may_be_billed and reply is None:
                used = trouble.used or UNTOLD
                paid = self._note_failed(call, role, trouble.kind, used)
                if trouble.used is not None:
                    counts.add(paid)
        return reply

    def _note_failed(self, call: Call, role: str, kind: str, used: Tokens) -> Paid:
        """Record an attempt without a reply, since the server may still charge for it."""
        self._run_file.save_attempt(role, kind, call.most, used)
        return call.settle(used)

    async def _answer(self, channel: ModelChannel, ask: Ask) -> Reply:
        worker = asyncio.current_task()
        if not channel.deferred:
            self._in_call.add(worker)  # type: ignore[arg-type]
        began = time.monotonic()
        try:
            reply = await channel.model.answer(ask)
        except Transient as trouble:
            if trouble.overloaded and channel.model.adaptive:
                wait = trouble.retry_after
                channel.limiter.overloaded(wait if wait and wait <= LONGEST_WAIT_SECONDS else None)
            raise
        finally:
            self._in_call.discard(worker)
        channel.last_good = time.monotonic()
        channel.long_waits = 0
        if channel.model.adaptive and reply.outcome == "ok":
            channel.limiter.answered(channel.last_good - began)
        return reply

    def _should_retry(
        self, channel: ModelChannel, trouble: Transient, attempt: int, began: float
    ) -> bool:
        if self._stop:
            raise Halted
        if trouble.retry_after and trouble.retry_after > LONGEST_WAIT_SECONDS:
            channel.long_waits += 1
            is_proven = channel.last_good or self._run_file.was_answered
            if not is_proven or channel.long_waits >= LONG_WAITS_IN_A_ROW:
                hours = f"{trouble.retry_after / 3600:,.1f} hours"
                words = f"is rate-limited for {hours} (Retry-After); resume after that"
                raise ProviderSaysNo(f"{channel.model.name} {words}")
            trouble.retry_after = None
        if trouble.attempts is not None or channel.deferred:
            return attempt < (trouble.attempts or ROUNDS)
        if not channel.last_good and not trouble.overloaded and not self._run_file.was_answered:
            return attempt < ATTEMPTS_BEFORE_FIRST_CONTACT
        if channel.last_good > began and not trouble.overloaded:
            return attempt < ATTEMPTS  # other asks are answered, so this question is the cause
        patience = PATIENCE_SECONDS if channel.last_good else LOADING_SECONDS
        if time.monotonic() - max(began, channel.told) > AWAY_SECONDS:
            channel.told = time.monotonic()
            since = f"{channel.told - began:.0f} s"
            self._say(f"{trouble}: no answer for {since}; retrying for up to {patience:.0f} s")
        return time.monotonic() - began < patience

    def _last_word(self, channel: ModelChannel, trouble: Transient, began: float) -> Reply:
        if trouble.last_word is not None:
            if channel.last_good or self._run_file.was_answered:
                return trouble.last_word
            # There is no good answer yet, so the question or the server may be the cause.
            channel.unproven += 1
            if channel.unproven >= DOUBTS_AT_FIRST:
                raise ProviderSaysNo(str(trouble))
            raise Unanswered
        if channel.last_good <= began:
            raise Unreachable(f"{trouble} (nothing was answered meanwhile)")
        raise Unanswered

    def _doubt(self, channel: ModelChannel, trouble: Transient, digest: bytes) -> None:
        """Stop the run after several doubtful replies in a row: no single question can cause them.

        The doubtful replies are removed, so that a resume asks again.
        """
        channel.doubtful.append(digest)
        if len(channel.doubtful) >= DOUBTS_IN_A_ROW:
            self._run_file.forget(channel.doubtful)
            raise ProviderSaysNo(f"{trouble} ({DOUBTS_IN_A_ROW} times in a row)")

    def _pause(self, trouble: Transient, attempt: int) -> float:
        ceiling = min(BACKOFF_CEILING_SECONDS, self._backoff * 2.0 ** min(attempt, 32))
        pause = self._dice.uniform(ceiling / 4, ceiling)
        return max(pause, (trouble.retry_after or 0.0) * self._dice.uniform(1.0, 1.1))


class Halted(Exception):
    """The run has been stopped, and work in progress is abandoned."""


class Unanswered(Exception):
    """This ask has no usable answer for now; its trial stays open."""
