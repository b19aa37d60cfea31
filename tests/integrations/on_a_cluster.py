"""Runs and counts on a Ray cluster on this machine, for the tests to start as a process.

A line of JSON on its input is a task: what to do, with what, and how much is kept when a node is to
die. Ray leaves threads, sockets and warnings behind that a test process should not inherit.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import ray
from ray.cluster_utils import Cluster

from geobias.api import Options
from geobias.atlas.entities import read_entities
from geobias.corpus import count
from geobias.integrations import ray_engine
from geobias.integrations.ray_count import cluster_engine
from geobias.probes import namebbq, worldbench
from geobias.runfile import RunReader

Task: TypeAlias = tuple[Callable[[], object], Callable[[], int]]
"""Work to do, and how much of it is kept so far."""


def main() -> None:
    """The cluster has one node that stays. Each task is given another, which dies on the way."""
    cluster = Cluster()
    cluster.add_node(num_cpus=1, include_dashboard=False)
    ray.init(address=cluster.address, log_to_driver=False)

    def kill(lost: Any, kept: Callable[[], int], least: int) -> None:
        while kept() < least:
            time.sleep(0.05)
        cluster.remove_node(lost, allow_graceful=False)
        print("killed", flush=True)

    for line in sys.stdin:
        what, *words, kill_after = json.loads(line)
        work, kept = TASKS[what](*words)
        lost = cluster.add_node(num_cpus=1, include_dashboard=False)
        killer = threading.Thread(target=kill, args=(lost, kept, kill_after), daemon=True)
        killer.start()
        work()
        killer.join()
        print("done", flush=True)
    ray.shutdown()
    cluster.shutdown()  # type: ignore[no-untyped-call]


def run(model: str, out: str) -> Task:
    """Two probes with two workers, and how many replies their parts hold."""
    plans = [worldbench.plan(size="quick"), namebbq.plan(size="quick")]
    options = Options(concurrency=16)
    return (
        lambda: ray_engine.run(plans, model, out, workers=2, options=options),
        lambda: replies(Path(out + "-parts")),
    )


def replies(parts: Path) -> int:
    """How many replies the parts hold together."""
    found = 0
    for part in parts.glob("*.geobias"):
        try:
            with RunReader(part) as run:
                found += sum(spent.calls for spent in run.spent().values())
        except Exception:
            continue  # being created
    return found


def count_names(folder: str) -> Task:
    """The names of a corpus counted, and how many pieces of it the journal holds."""
    out = Path(folder) / "counts.parquet"
    journal = Path(folder) / "counts.parquet.journal"
    table = read_entities(Path(folder) / "entities.csv")
    return (
        lambda: count([Path(folder) / "corpus"], table, out, engine=cluster_engine()),
        lambda: journal.read_bytes().count(b"\n") - 1 if journal.exists() else 0,
    )


TASKS: dict[str, Callable[..., Task]] = {"run": run, "count": count_names}

if __name__ == "__main__":
    main()
