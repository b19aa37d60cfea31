"""Ray's engine: the trials of a run dealt to workers on a cluster.

Each worker drives its share with the native engine into a run file of its own, the part. The
driver keeps the run file, watches, starts a lost worker anew on the part that it left behind, and
in the end takes the parts over. What a lost worker had been told is in its part, so only its
calls in flight are made again.

Parts lie in a folder beside the run file, which every node must see (a shared disk) under the
same path. Keys are not sent around: each node needs them in its own environment.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from geobias import api, errors
from geobias.engine import Budget, Counts, Runner
from geobias.errors import (
    BadRunFile,
    BudgetReached,
    GeobiasError,
    Interrupted,
    MissingPart,
    Stopped,
    Unreachable,
)
from geobias.runfile import RunReader, RunWriter
from geobias.runfile.manifest import sum_known
from geobias.runfile.writing import parts_of
from geobias.stopping import hearing_stop
from geobias.trials import Reply, Trial

if TYPE_CHECKING:
    from geobias.probes.plan import Plan
    from geobias.runfile import Manifest

BLOCKS = 32
"""A worker's share is this many stretches of the list, so that shares are alike and trials that
begin alike still stand together."""
MOST_WORKERS = 10_000
MOST_RESTARTS = 20
"""Lost workers that are replaced before the run gives up."""
WAIT_FOR_LOCK_SECONDS = 60.0
"""A lost worker's process may live on a little and hold its part."""
REFRESH_SECONDS = 0.25


_SUMMED = (
    "done", "reused", "unanswered", "calls", "shared", "retries", "tokens_in", "tokens_out",
    "cost", "most_cost",
)  # fmt: skip


class Share(msgspec.Struct, frozen=True):
    """Which of the trials are whose: worker `index` of `workers`."""

    index: int
    workers: int

    def of(self, plan: Plan) -> Iterator[Trial]:
        """This worker's trials of a plan."""
        block = max(1, plan.count // (self.workers * BLOCKS))
        for place, trial in enumerate(plan.trials()):
            if place // block % self.workers == self.index:
                yield trial


class PartWriter(RunWriter):
    """A part of a run whose other parts may know replies already.

    `base` is the run file as it was when the run was started or resumed.
    """

    base: RunReader

    def find(self, digest: bytes) -> Reply | None:
        """The reply from this part, or from the run file."""
        if (mine := super().find(digest)) is not None:
            return mine
        saved = self.base.reply(digest)
        if saved is None:
            return None
        return Reply(
            saved.text,
            saved.outcome,  # type: ignore[arg-type]
            saved.reasoning,
            saved.finish,
            saved.tokens_in,
            saved.tokens_out,
            saved.model,
            saved.seconds,
            saved.digest,
        )

    def is_done(self, trial: str) -> bool:
        """Whether the trial has its record in this part or in the run file."""
        if super().is_done(trial):
            return True
        rows = self.base.query("SELECT 1 FROM records WHERE trial = ?", (trial,))
        return next(rows, None) is not None


class Work(msgspec.Struct, frozen=True):
    """Everything a worker needs. `part` and `base` are paths that every node sees."""

    plans: Sequence[Plan]
    specs: Mapping[str, str]
    options: api.Options
    manifest: Manifest
    share: Share
    part: Path
    base: Path


class Worker:
    """One process of the cluster. `run` does the share; `progress` and `stop` come in between."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._counts = {plan.probe: Counts() for plan in work.plans}
        self._runner: Runner | None = None

    def progress(self) -> dict[str, Counts]:
        """What this worker has done since it was started."""
        return self._counts

    def stop(self) -> None:
        """Finish what is in flight and come to an end."""
        if self._runner and not self._runner.stopping:
            self._runner.stop(None)

    async def run(self) -> tuple[str, str]:
        """Drive the share. ("", "") when all is done, else the kind and words of what stopped it.

        Errors of ours travel as words: an exception object would arrive wrapped in Ray's own.
        """
        work = self._work
        try:
            models = api.open_models(work.specs, work.options)
            budget, _ = api.make_budget(models, work.options)
            file = await _part(work)
            try:
                for row in file.spent():
                    budget.already_spent(*row)
                self._runner = Runner(
                    models, file, budget=budget, concurrency=work.options.concurrency
                )
                for plan in work.plans:
                    await self._runner.run(work.share.of(plan), self._counts[plan.probe])
            finally:
                await api.close_all(file, self._counts, models)
                file.base.close()
            if file.failure:
                raise file.failure
        except GeobiasError as error:
            return type(error).__name__, str(error)
        return "", ""


async def _part(work: Work) -> PartWriter:
    """The part file, new or left behind by a lost worker."""
    give_up = time.monotonic() + WAIT_FOR_LOCK_SECONDS
    while True:
        try:
            file = PartWriter.open(work.part, work.manifest)
        except BadRunFile:
            if time.monotonic() > give_up:
                raise
            await asyncio.sleep(0.5)
        else:
            assert isinstance(file, PartWriter)
            file.base = RunReader(work.base)
            return file


def run(
    plans: Sequence[Plan],
    models: Mapping[str, str] | str,
    out: Path | str | None = None,
    *,
    options: api.Options | None = None,
    display: api.Display | None = None,
    command: str = "",
    others: Sequence[Budget] = (),
    address: str | None = None,
    workers: int | None = None,
) -> api.Result:
    """As `geobias.run`, on a Ray cluster: the one at `address`, or one started on this machine.

    `workers` is one for each node of the cluster (on a single machine, one for each core).
    Limits on calls, tokens, money and concurrency are shared out evenly among the workers. A call
    that two workers happen to need at the same time is made by both and kept once.
    """
    ray = load_ray()
    specs = {"model": models} if isinstance(models, str) else dict(models)
    options = options or api.Options()
    path = Path(out) if out else api.default_path(plans, specs["model"])
    manifest = asyncio.run(_manifest(plans, specs, options, command))
    path.parent.mkdir(parents=True, exist_ok=True)
    file = RunWriter.open(path, manifest)
    counts = {plan.probe: Counts(planned=plan.count) for plan in plans}
    parts = parts_of(path.absolute())
    reason: Stopped | None = None
    try:
        file.absorb_parts()
        left = _left(options, file, manifest, others)
        with cluster(ray, address):
            number = min(workers or _usual_number(ray), left.max_calls or MOST_WORKERS)
            parts.mkdir(exist_ok=True)
            works = [
                Work(
                    plans,
                    specs,
                    _portion(left, number),
                    manifest,
                    Share(index, number),
                    parts / f"part-{index}.geobias",
                    path.absolute(),
                )
                for index in range(number)
            ]
            try:
                _drive(ray, works, counts, display)
            except Stopped as stopped:
                reason = stopped
        file.absorb_parts()
    finally:
        file.close(api.total(counts))
    if file.failure:
        raise file.failure
    if reason:
        raise reason
    if open_trials := sum(c.unanswered for c in counts.values()):
        raise Stopped(f"{open_trials:,} trials got no usable answer; resume to try them again")
    return api.Result(path, counts)


async def _manifest(
    plans: Sequence[Plan], specs: Mapping[str, str], options: api.Options, command: str
) -> Manifest:
    """The models are opened here for their exact names only."""
    models = api.open_models(specs, options)
    try:
        _, prices = api.make_budget(models, options)
    finally:
        await api.close_models(models)
    return api.make_manifest(plans, models, prices, command)


def load_ray() -> Any:
    """The library, or what to install."""
    try:
        import ray
    except ImportError:
        raise MissingPart(
            "the engine ray needs Ray: pip install 'geobias[ray]', or leave --engine native"
        ) from None
    return ray


@contextmanager
def cluster(ray: Any, address: str | None) -> Iterator[None]:
    """Connected to the cluster, unless the caller is already."""
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


def _left(
    options: api.Options, file: RunWriter, manifest: Manifest, others: Sequence[Budget]
) -> api.Options:
    """The limits less what the run has used; a limit that is reached already is said at once."""
    budget = Budget(
        max_calls=options.max_calls,
        max_tokens=options.max_tokens,
        max_cost=options.max_cost,
        prices=manifest.price_by_role(),
    )
    for row in file.spent():
        budget.already_spent(*row)
    for other in others:
        budget.spent_by_others(other)
    left = {
        "max_calls": (options.max_calls, budget.calls),
        "max_tokens": (options.max_tokens, budget.tokens),
        "max_cost": (options.max_cost, budget.cost),
    }
    for name, (limit, spent) in left.items():
        if limit is not None and limit <= spent:
            raise BudgetReached(
                f"--{name.replace('_', '-')} {limit:,} is reached; raise it to go on"
            )
    rest = {name: limit - spent for name, (limit, spent) in left.items() if limit is not None}
    return msgspec.structs.replace(options, **rest)


def _portion(options: api.Options, workers: int) -> api.Options:
    """The limits in equal shares, rounded down: together the workers stay within them."""
    shares: dict[str, Any] = {}
    for name in ("max_calls", "max_tokens"):
        if (limit := getattr(options, name)) is not None:
            shares[name] = limit // workers
    if options.max_cost is not None:
        shares["max_cost"] = options.max_cost / workers
    if options.concurrency is not None:
        shares["concurrency"] = max(1, options.concurrency // workers)
    return msgspec.structs.replace(options, **shares)


def _drive(
    ray: Any, works: Sequence[Work], counts: dict[str, Counts], display: api.Display | None
) -> None:
    """Start the workers, see them through, and replace those that are lost."""
    crew = _Crew(ray, works)
    watch = _Watch(counts, display)
    with hearing_stop() as stop:
        while crew.busy:
            for index in crew.finished():
                watch.lost(index)
                if not stop.is_set():
                    crew.start(index)
            watch.refresh(crew.progress())
            if stop.is_set() or crew.reason:
                crew.stop()
        stopped = stop.is_set()
    crew.dismiss()
    if crew.reason:
        raise crew.reason
    if stopped:
        raise Interrupted("stopped as you asked")


class _Crew:
    """The workers of a run, one for each share. `reason` is why the run cannot go on."""

    def __init__(self, ray: Any, works: Sequence[Work]) -> None:
        self._ray = ray
        self._actor = ray.remote(num_cpus=0, max_concurrency=4)(Worker)
        self._works = works
        self._workers: dict[int, Any] = {}
        self._tasks: dict[Any, int] = {}
        self._lost = 0
        self.reason: GeobiasError | None = None
        for index in range(len(works)):
            self.start(index)

    @property
    def busy(self) -> bool:
        """Whether any share is still being worked on."""
        return bool(self._tasks)

    def start(self, index: int) -> None:
        """Put a worker on a share, on the emptiest node."""
        worker = self._actor.options(scheduling_strategy="SPREAD").remote(self._works[index])
        self._workers[index] = worker
        self._tasks[worker.run.remote()] = index

    def finished(self) -> list[int]:
        """Wait a moment; the shares whose worker was lost and must be started anew."""
        ready, _ = self._ray.wait(list(self._tasks), timeout=REFRESH_SECONDS)
        lost = []
        for task in ready:
            index = self._tasks.pop(task)
            try:
                kind, words = self._ray.get(task)
            except self._ray.exceptions.RayActorError:
                lost.append(index)
                continue
            if kind and self.reason is None:
                self.reason = getattr(errors, kind, Stopped)(words)
        self._lost += len(lost)
        if self._lost > MOST_RESTARTS and self.reason is None:
            self.reason = Unreachable(f"{self._lost} workers were lost; resume later")
        return [] if self.reason else lost

    def progress(self) -> dict[int, dict[str, Counts]]:
        """What each worker that answers has done so far."""
        found = {}
        for index, worker in self._workers.items():
            with suppress(self._ray.exceptions.RayError):
                found[index] = self._ray.get(worker.progress.remote(), timeout=5)
        return found

    def stop(self) -> None:
        """Let the workers finish what is in flight."""
        for index in self._tasks.values():
            self._workers[index].stop.remote()

    def dismiss(self) -> None:
        """End the workers' processes."""
        for worker in self._workers.values():
            self._ray.kill(worker)


class _Watch:
    """Sums the workers' counters for the display."""

    def __init__(self, counts: dict[str, Counts], display: api.Display | None) -> None:
        self._counts = counts
        self._display = display
        self._seen: dict[int, dict[str, Counts]] = {}
        self._before: list[dict[str, Counts]] = []
        self._shown: str = ""

    def lost(self, index: int) -> None:
        """A worker's counters end here; its successor starts from nothing."""
        if index in self._seen:
            self._before.append(self._seen.pop(index))

    def refresh(self, progress: Mapping[int, dict[str, Counts]]) -> None:
        """Add up what the workers have done."""
        self._seen.update(progress)
        for probe, total in self._counts.items():
            parts = [seen[probe] for seen in (*self._before, *self._seen.values())]
            for name in _SUMMED:
                setattr(total, name, sum_known(getattr(part, name) for part in parts))
            total.failures.clear()
            for part in parts:
                total.failures.update(part.failures)
        self._show()

    def _show(self) -> None:
        if self._display is None:
            return
        for probe, total in self._counts.items():
            if total.done + total.reused < total.planned or probe == list(self._counts)[-1]:
                if probe != self._shown:
                    self._display.begin(probe, total)
                    self._shown = probe
                break
        self._display.refresh()
