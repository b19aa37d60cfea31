"""Counting in a corpus on a Ray cluster: the same jobs, dealt to its cores.

Every node must see the files under the same path. The first process keeps the journal; a job that
is lost with its node is done again by another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from geobias.corpus.counting import Done, Engine, do_job
from geobias.corpus.matching import Matcher
from geobias.corpus.reading import Job, Progress
from geobias.corpus.spellings import Names, Part
from geobias.errors import Interrupted, Unreachable
from geobias.integrations.ray_engine import cluster, load_ray
from geobias.process import hearing_stop

REFRESH_SECONDS = 0.25
MOST_TRIES = 4
"""Of a job whose node is lost."""

_matchers: dict[str, Matcher] = {}
"""Of this process, by digest: building one takes as long as counting some hundred megabytes."""


def cluster_engine(address: str | None = None) -> Engine:
    """An engine for `geobias.corpus.count`: the cluster at `address`, or one on this machine."""

    def engine(jobs: Sequence[Job], names: Names, field: str, progress: Progress) -> Iterator[Done]:
        if not jobs:
            return
        ray = load_ray()
        with cluster(ray, address), hearing_stop() as stop:
            yield from _driven(ray, jobs, names, field, progress, stop.is_set)

    return engine


def _driven(
    ray: Any, jobs: Sequence[Job], names: Names, field: str, progress: Progress, stopped: Any
) -> Iterator[Done]:
    work = ray.remote(num_cpus=1, max_retries=MOST_TRIES - 1)(_work)
    shared = ray.put(names)
    waiting = iter(jobs)
    running: dict[Any, Job] = {}
    # A few more than there are cores: the driver's memory stays flat, and no core waits.
    room = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    while True:
        while len(running) < room and (job := next(waiting, None)) is not None:
            running[work.remote(job, shared, field)] = job
        if not running:
            return
        ready, _ = ray.wait(list(running), timeout=REFRESH_SECONDS)
        for task in ready:
            job = running.pop(task)
            try:
                part = ray.get(task)
            except ray.exceptions.RayError as error:
                words = str(error).strip().splitlines() or [type(error).__name__]
                raise Unreachable(
                    f"{job.source.path} was lost with its node {MOST_TRIES} times ({words[0]}): "
                    "the same command goes on from here."
                ) from None
            progress(job.end - job.start)
            yield job, part
        if stopped():
            for task in running:
                ray.cancel(task, force=True)
            raise Interrupted("stopped as you asked: the same command goes on from here")


def _work(job: Job, names: Names, field: str) -> Part | str:
    """On a worker. Its process is used again, and the matcher with it."""
    if names.digest not in _matchers:
        _matchers.clear()
        _matchers[names.digest] = Matcher(names)
    return do_job(job, _matchers[names.digest], field, lambda _: None, lambda: False)
