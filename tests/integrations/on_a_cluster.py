"""A run on a Ray cluster of three nodes on this machine, for the tests to start as a process.

Ray leaves threads, sockets and warnings behind that a test process should not inherit.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from geobias.api import Options
from geobias.integrations import ray_engine
from geobias.probes import namebbq, worldbench
from geobias.runfile import RunReader


def main(model: str, out: str, kill_after: int) -> None:
    """Run two probes with two workers; kill one worker's node once so many replies are kept."""
    cluster = Cluster()
    cluster.add_node(num_cpus=0, include_dashboard=False)
    nodes = [cluster.add_node(num_cpus=1, include_dashboard=False) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    parts = Path(out + "-parts")

    def kill() -> None:
        while replies(parts) < kill_after:
            time.sleep(0.05)
        cluster.remove_node(nodes[0], allow_graceful=False)
        print("killed", flush=True)

    if kill_after:
        threading.Thread(target=kill, daemon=True).start()
    plans = [worldbench.plan(size="quick"), namebbq.plan(size="quick")]
    options = Options(concurrency=16)
    result = ray_engine.run(plans, model, out, workers=2, options=options)
    print("done", sum(counts.done for counts in result.counts.values()), flush=True)
    ray.shutdown()
    cluster.shutdown()  # type: ignore[no-untyped-call]


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
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
