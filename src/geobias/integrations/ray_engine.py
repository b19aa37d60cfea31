"""Ray's engine: the trials of a run, divided among workers on a cluster.

Each worker drives its share with the native engine into a run file of its own, called a part. The
driver holds the run file and watches. It replaces a lost worker by one that continues its part, and
finally merges the parts. A lost worker's replies are in its part, so only its calls in flight are
repeated.

Parts lie in a folder beside the run file, which every node must see (a shared disk) under the same
path. Keys are not sent to nodes, so each node needs them in its own environment.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from geobias import errors, running
from geobias.engine import Budget, Counts, Runner
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
from geobias.runfile import Manifest, OtherRuns, RunReader, RunWriter
from geobias.runfile.manifest import sum_known
from geobias.runfile.reuse import copy_replies
from geobias.runfile.writing import parts_of
from geobias.trials import Reply, Trial

BLOCKS = 32
"""Number of blocks of consecutive trials in a worker's share. Many blocks make the shares similar
in cost. Long blocks keep trials with the same beginning together.
"""
MOST_WORKERS = 10_000
MOST_RESTARTS = 20
"""Maximum number of lost workers that are replaced."""
WAIT_FOR_LOCK_SECONDS = 60.0
"""Maximum wait for the lock of a part, which a lost worker's process may still hold."""
REFRESH_SECONDS = 0.25
_SUMMED = [name for name in Counts.__struct_fields__ if name not in ("planned", "failures")]


def share_of(plan: Plan, index: int, workers: int) -> Iterator[Trial]:
    """Yield the trials of worker number `index` of `workers`."""
    block = max(1, plan.count // (workers * BLOCKS))
    for place, trial in enumerate(plan.trials()):
        if place // block % workers == index:
            yield trial


class PartWriter(RunWriter):
    """Writes a part of a run whose replies may already be in other parts.

    `base` is the run file as it was when the run was started or resumed.
    """

    base: RunReader

    def find(self, digest: bytes) -> Reply | None:
        if (mine := super().find(digest)) is not None:
            return mine
        saved = self.base.reply(digest)
        return saved.as_reply() if saved else None

    def is_done(self, trial: str) -> bool:
        sql = "SELECT 1 FROM records WHERE trial = ?"
        return super().is_done(trial) or any(self.base.query(sql, (trial,)))


class Assignment(msgspec.Struct, frozen=True):
    """Everything that a worker needs. `base` is the run file, at a path that every node sees."""

    plans: Sequence[Plan]
    specs: Mapping[str, str]
    options: running.Options
    manifest: Manifest
    index: int
    workers: int
    base: Path


class Worker:
    """One process of the cluster. `run` drives the share; `progress` and `stop` may be called
    meanwhile.
    """

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._counts = {plan.probe: Counts() for plan in assignment.plans}
        self._runner: Runner | None = None

    def progress(self) -> dict[str, Counts]:
        return self._counts

    def stop(self) -> None:
        if self._runner and not self._runner.stopping:
            self._runner.stop(None)

    async def run(self) -> tuple[str, str]:
        """Drive the share. Return the kind and message of the error that stopped it, or ("", "").

        Errors of geobias are returned as text, since Ray would wrap an exception.
        """
        assignment = self._assignment
        try:
            models = running.open_models(assignment.specs, assignment.options)
            budget, _ = running.make_budget(models, assignment.specs, assignment.options)
            file = await _part(assignment)
            try:
                budget.spent_before(file.spent())
                self._runner = Runner(
                    models, file, budget=budget, concurrency=assignment.options.concurrency
                )
                for plan in assignment.plans:
                    share = share_of(plan, assignment.index, assignment.workers)
                    await self._runner.run(share, self._counts[plan.probe])
            finally:
                await running.close_all(file, self._counts, models)
                file.base.close()
            if file.failure:
                raise file.failure
        except GeobiasError as error:
            return type(error).__name__, str(error)
        return "", ""


async def _part(assignment: Assignment) -> PartWriter:
    """The part file, new or left behind by a lost worker."""
    path = parts_of(assignment.base) / f"part-{assignment.index}.geobias"
    give_up = time.monotonic() + WAIT_FOR_LOCK_SECONDS
    while True:
        try:
            file = PartWriter.open(path, assignment.manifest)
        except BadRunFile:
            if time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.5)
        else:
            assert isinstance(file, PartWriter)
            file.base = RunReader(assignment.base)
            return file


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
    workers need the same call at the same time, both make it and one reply is kept.
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
    reason: Stopped | None = None
    try:
        file.absorb_parts()
        budget.spent_before(file.spent())
        beside = None if options.fresh else path.parent
        with closing(OtherRuns(path, manifest, options.reuse, beside)) as known:
            for plan in plans:
                copy_replies(manifest, plan.trials(), file, known)
        left = _portion(options, budget, 1)
        with cluster(ray, address):
            number = min(workers or _usual_number(ray), left.max_calls or MOST_WORKERS)
            portion = _portion(options, budget, number)
            base = path.absolute()
            parts_of(base).mkdir(exist_ok=True)
            assignments = [
                Assignment(plans, specs, portion, manifest, index, number, base)
                for index in range(number)
            ]
            try:
                _drive(ray, assignments, counts, display or running.SILENT)
            except Stopped as stopped:
                reason = stopped
        file.absorb_parts()
    finally:
        file.close(running.total(counts))
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
    """Divide the unused part of each limit equally among the workers, rounded down.

    Raises BudgetReached if a limit is reached already.
    """
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


def _drive(
    ray: Any,
    assignments: Sequence[Assignment],
    counts: dict[str, Counts],
    display: running.Display,
) -> None:
    """Start the workers, wait for them, and replace those that are lost."""
    pool = _WorkerPool(ray, assignments)
    shown = ""
    stop = threading.Event()
    with hearing_stop(stop.set):
        while pool.tasks:
            for assignment in pool.lost():
                if not stop.is_set():
                    pool.start(assignment)
            pool.sum_up(counts)
            probe = _under_way(counts)
            if probe != shown:
                display.begin(assignments[0].specs["model"], probe, counts[probe])
                shown = probe
            display.refresh()
            if stop.is_set() or pool.reason:
                pool.stop()
        stopped = stop.is_set()
    pool.dismiss()
    if pool.reason:
        raise pool.reason
    if stopped:
        raise Interrupted("stopped as you asked")


def _under_way(counts: Mapping[str, Counts]) -> str:
    """Return the first probe that is not done, or the last probe if all are done."""
    open_ones = [name for name, one in counts.items() if one.done + one.reused < one.planned]
    return next(iter(open_ones), list(counts)[-1])


class _WorkerPool:
    """The workers of a run, one for each assignment. `reason` says why the run cannot go on."""

    def __init__(self, ray: Any, assignments: Sequence[Assignment]) -> None:
        self._ray = ray
        self._actor = ray.remote(num_cpus=0, max_concurrency=4)(Worker)
        self._progress: dict[Any, dict[str, Counts]] = {}
        self.tasks: dict[Any, tuple[Any, Assignment]] = {}
        self._lost = 0
        self.reason: GeobiasError | None = None
        for assignment in assignments:
            self.start(assignment)

    def start(self, assignment: Assignment) -> None:
        worker = self._actor.options(scheduling_strategy="SPREAD").remote(assignment)
        self._progress[worker] = {}
        self.tasks[worker.run.remote()] = worker, assignment

    def lost(self) -> list[Assignment]:
        """Wait a moment, and return the assignments of lost workers, which need new ones."""
        ready, _ = self._ray.wait(list(self.tasks), timeout=REFRESH_SECONDS)
        lost = []
        for task in ready:
            _, assignment = self.tasks.pop(task)
            try:
                kind, words = self._ray.get(task)
            except self._ray.exceptions.RayActorError:
                lost.append(assignment)
                continue
            if kind and self.reason is None:
                self.reason = getattr(errors, kind, Stopped)(words)
        self._lost += len(lost)
        if self._lost > MOST_RESTARTS and self.reason is None:
            self.reason = Unreachable(f"{self._lost} workers were lost; resume later")
        return [] if self.reason else lost

    def sum_up(self, counts: Mapping[str, Counts]) -> None:
        """Sum the counters of the workers. A lost worker counts with its last known counters."""
        for worker in self._progress:
            with suppress(self._ray.exceptions.RayError):
                self._progress[worker] = self._ray.get(worker.progress.remote(), timeout=5)
        for probe, total in counts.items():
            parts = [one[probe] for one in self._progress.values() if one]
            for name in _SUMMED:
                setattr(total, name, sum_known(getattr(part, name) for part in parts))
            total.failures.clear()
            for part in parts:
                total.failures.update(part.failures)

    def stop(self) -> None:
        """Let the workers finish their calls in flight."""
        for worker, _ in self.tasks.values():
            worker.stop.remote()

    def dismiss(self) -> None:
        for worker in self._progress:
            self._ray.kill(worker)
