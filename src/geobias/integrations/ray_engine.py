"""Ray's engine: the trials of a run, divided among workers on a cluster.

A worker is a task of Ray that runs its share with the native engine into a run file of its own,
called a part. The driver holds the run file, watches, and finally merges the parts. If a worker is
lost, Ray starts its task again elsewhere, which resumes the part: only the calls in flight are
repeated.

Parts lie in a folder beside the run file, which every node must see (a shared disk) under the same
path. Keys are not sent to nodes, so each node needs them in its own environment.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from geobias import errors, running
from geobias.engine import Budget, Counts
from geobias.errors import (
    BadRequest,
    BadRunFile,
    BudgetReached,
    GeobiasError,
    Interrupted,
    MissingPart,
    Stopped,
    Unreachable,
)
from geobias.probes.plan import Plan
from geobias.process import hearing_stop
from geobias.runfile import OtherRuns, RunReader, RunWriter
from geobias.runfile.manifest import belongs_to
from geobias.runfile.reuse import copy_replies
from geobias.runfile.writing import parts_of
from geobias.trials import Trial
from geobias.trials.dialogue import DIGEST_BYTES

BLOCKS = 32
"""Number of blocks of consecutive trials in a worker's share. Many blocks make the shares similar
in cost. Long blocks keep trials with the same beginning together.
"""
MOST_WORKERS = 10_000
MOST_RESTARTS = 20
"""Maximum number of times that a lost worker is replaced."""
WAIT_FOR_LOCK_SECONDS = 60.0
"""Maximum wait for the lock of a part, which a lost worker's process may still hold."""
REFRESH_SECONDS = 1.0


def share_of(
    plan: Plan, index: int, workers: int, done: Container[str] = frozenset()
) -> Iterator[Trial]:
    """Yield the trials of worker number `index` of `workers` that are not `done`."""
    block = max(1, plan.count // (workers * BLOCKS))
    for place, trial in enumerate(plan.trials()):
        if place // block % workers == index and trial.name not in done:
            yield trial


def run_share(
    plans: Sequence[Plan],
    specs: Mapping[str, str],
    options: running.Options,
    base: Path,
    index: int,
    workers: int,
) -> tuple[str, str]:
    """Run a share of the trials into a part of the run `base`. Only this worker writes the part.

    Return the kind and message of the error that stopped it, or ("", ""): Ray would wrap an
    exception.
    """
    with RunReader(base) as run:
        done = {name for (name,) in run.query("SELECT trial FROM records")}
    shares = [replace(one, trials=partial(share_of, one, index, workers, done)) for one in plans]
    part = parts_of(base) / f"part-{index}.geobias"
    give_up = time.monotonic() + WAIT_FOR_LOCK_SECONDS
    while True:
        try:
            running.run(shares, specs, part, options=replace(options, fresh=True, reuse=(base,)))
        except BadRunFile as error:
            if time.monotonic() > give_up:
                return type(error).__name__, str(error)
            time.sleep(0.5)
        except GeobiasError as error:
            return type(error).__name__, str(error)
        else:
            return "", ""


def run(
    plans: Sequence[Plan],
    models: Mapping[str, str] | str,
    out: Path | str | None = None,
    *,
    options: running.Options | None = None,
    display: running.Display | None = None,
    command: str = "",
    address: str | None = None,
    workers: int | None = None,
) -> running.Result:
    """Run probes as `geobias.run` does, on the Ray cluster at `address` or one on this machine.

    By default each node of the cluster has one worker; a single machine has one for each core.
    Limits on calls, tokens, money and concurrency are divided equally among the workers. If two
    workers need the same call at the same time, both make it and one reply is kept. The result
    counts finished trials and their asks only; the run file has the rest.
    """
    ray = load_ray()
    named = {"model": models} if isinstance(models, str) else models
    specs = running.with_reader(named, plans)
    options = options or running.Options()
    if options.in_rounds:
        raise BadRequest("batches need no cluster: leave out --engine ray")
    path = Path(out) if out else running.default_path(plans, named)
    budget, manifest = asyncio.run(running.describe_run(plans, specs, options, command))
    file = RunWriter.open(path, manifest)
    counts = {plan.probe: Counts(planned=plan.count) for plan in plans}
    paid: dict[str, int] = {}
    reason: Stopped | None = None
    try:
        file.absorb_parts()
        file.ask_again("still_thinking")
        budget.spent_before(file.spent())
        beside = None if options.fresh else path.parent
        with closing(OtherRuns(path, manifest, options.reuse, beside)) as known:
            for plan in plans:
                copy_replies(manifest, plan.trials(), file, known)
        left = _portion(options, budget, 1)
        with cluster(ray, address):
            number = min(workers or _usual_number(ray), left.max_calls or MOST_WORKERS)
            base = path.absolute()
            parts_of(base).mkdir(exist_ok=True)
            share = ray.remote(num_cpus=0, max_retries=MOST_RESTARTS)(run_share)
            share = share.options(scheduling_strategy="SPREAD").remote
            given = plans, specs, _portion(options, budget, number), base
            for plan in plans:
                (display or running.SILENT).begin(specs["model"], plan.probe, counts[plan.probe])
            try:
                tasks = [share(*given, index, number) for index in range(number)]
                _wait(ray, tasks, base, counts, display or running.SILENT)
            except Stopped as stopped:
                reason = stopped
        file.absorb_parts()
        paid["calls"] = sum(one.calls for one in file.spent().values()) - budget.totals.calls
    finally:
        file.close(running.total(counts) | paid)
    return running.result_of(file, counts, reason)


def load_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingPart(
            "the engine ray needs Ray: pip install 'geobias[ray]', or leave --engine native"
        ) from None
    return ray


@contextmanager
def cluster(ray: Any, address: str | None) -> Iterator[None]:
    """Connect to the cluster, unless the caller is connected already."""
    if ray.is_initialized():
        yield
        return
    try:
        ray.init(
            address=address, log_to_driver=False, logging_level="ERROR", configure_logging=True
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        words = str(error).strip().splitlines()
        raise Unreachable(f"no Ray cluster at {address}: {words[0] if words else error}") from None
    try:
        yield
    finally:
        ray.shutdown()


def _usual_number(ray: Any) -> int:
    nodes = [node for node in ray.nodes() if node["Alive"]]
    return len(nodes) if len(nodes) > 1 else max(1, int(ray.cluster_resources().get("CPU", 1)))


def _portion(options: running.Options, budget: Budget, workers: int) -> running.Options:
    """Divide what is left of each limit among the workers, rounded down. Raises BudgetReached."""
    total = budget.totals
    used = {"max_calls": total.calls, "max_tokens": total.tokens, "max_cost": total.cost}
    shares: dict[str, object] = {}
    for name, spent in used.items():
        if (limit := getattr(options, name)) is None:
            continue
        if limit <= spent:
            option = f"--{name.replace('_', '-')}"
            raise BudgetReached(f"{option} {limit:,} is reached; raise it to go on")
        left = limit - spent
        shares[name] = left / workers if name == "max_cost" else max(1, left // workers)
    if options.concurrency:
        shares["concurrency"] = max(1, options.concurrency // workers)
    return msgspec.structs.replace(options, **shares)


def _wait(
    ray: Any, tasks: list[Any], base: Path, counts: Mapping[str, Counts], display: running.Display
) -> None:
    """Wait for the shares. If one cannot go on, or the user asks, let all finish their calls."""
    reason: GeobiasError | None = None
    stop = threading.Event()
    told = False
    with hearing_stop(stop.set):
        while tasks:
            ready, tasks = ray.wait(tasks, timeout=REFRESH_SECONDS)
            for task in ready:
                kind, words = _end_of(ray, task)
                if kind and reason is None:
                    reason = getattr(errors, kind, Stopped)(words)
            _count(base, counts)
            display.refresh()
            # A plain Stopped left trials unanswered. The other shares go on.
            if (stop.is_set() or (reason and type(reason) is not Stopped)) and not told:
                told = True
                for task in tasks:
                    ray.cancel(task)  # as Ctrl-C does
    if stop.is_set():
        raise Interrupted("stopped as you asked")
    if reason:
        raise reason


def _end_of(ray: Any, task: Any) -> tuple[str, str]:
    """Return the kind and message of the error that ended a share, or ("", "")."""
    try:
        kind, words = ray.get(task)
    except ray.exceptions.TaskCancelledError:
        return "Interrupted", "stopped as you asked"
    except ray.exceptions.RayError:
        return "Unreachable", "workers were lost; resume later"
    return kind, words


def _count(base: Path, counts: Mapping[str, Counts]) -> None:
    """Count the finished trials in all parts, and their asks."""
    for one in counts.values():
        one.done = one.asks = one.calls = 0
    asks = f"sum(length(replies)) / {DIGEST_BYTES}"
    for part in parts_of(base).glob("*.geobias"):
        with suppress(BadRunFile), RunReader(part) as run:  # it may be about to begin
            sql = f"SELECT probe, count(*), {asks} FROM records GROUP BY probe"  # noqa: S608
            for name, done, asked in run.query(sql):
                one = counts[belongs_to(name, counts) or name]
                one.done += done
                one.asks += asked
                one.calls += asked
