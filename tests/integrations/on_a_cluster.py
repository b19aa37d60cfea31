"""A run on a Ray cluster on this machine that loses a node, for a test to start.

    python -m tests.integrations.on_a_cluster MODEL RUN_FILE

It prints "killed" when the node is dead. Ray leaves threads, sockets and warnings behind that a
test process should not inherit.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

# A dead node is noticed within a second, not within half a minute. One that is only slow lives on:
# how long it may take to answer stays as it is. Ray reads this when it is loaded.
os.environ |= {
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "200",
    "RAY_health_check_failure_threshold": "3",
}

import ray
from ray.cluster_utils import Cluster

from geobias.integrations import ray_engine
from geobias.probes import namebbq, worldbench
from geobias.runfile import RunReader
from geobias.running import Options

LEAST = 40
"""Replies that are kept when the node dies."""
NODE: dict[str, Any] = {
    "num_cpus": 1,
    "include_dashboard": False,
    "include_log_monitor": False,
    "no_monitor": True,
}
"""What every node is started with: no process that nobody needs."""


def main(model: str, out: str) -> None:
    """On two nodes, of which one dies on the way."""
    cluster = Cluster()
    cluster.add_node(**NODE)
    lost = cluster.add_node(**NODE)
    ray.init(address=cluster.address, log_to_driver=False)
    with ThreadPoolExecutor() as threads:
        end = threads.submit(run, model, out)
        while replies(Path(out + "-parts")) < LEAST and not end.done():
            time.sleep(0.05)
        cluster.remove_node(lost, allow_graceful=False)
        # In one piece: Ray's threads print meanwhile, their text and its end one after the other.
        os.write(sys.stdout.fileno(), b"\nkilled\n")
        end.result()
    ray.shutdown()
    cluster.shutdown()  # type: ignore[no-untyped-call]


def run(model: str, out: str) -> None:
    """Two probes with two workers."""
    plans = [worldbench.plan(size="quick"), namebbq.plan(size="quick")]
    ray_engine.run(plans, model, out, workers=2, options=Options(concurrency=16))


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


if __name__ == "__main__":
    main(*sys.argv[1:])
