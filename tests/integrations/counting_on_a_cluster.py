"""A count on a Ray cluster of three nodes on this machine, for the tests to start as a process."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

from geobias.atlas.entities import read_entities
from geobias.corpus import count
from geobias.integrations.ray_count import cluster_engine


def main(folder: Path, kill_after: int) -> None:
    """Count with two nodes; kill one of them once so many pieces are in the journal."""
    cluster = Cluster()
    cluster.add_node(num_cpus=0, include_dashboard=False)
    nodes = [cluster.add_node(num_cpus=1, include_dashboard=False) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    journal = folder / "counts.parquet.journal"

    def kill() -> None:
        while not journal.exists() or journal.read_bytes().count(b"\n") < kill_after + 1:
            time.sleep(0.02)
        cluster.remove_node(nodes[0], allow_graceful=False)
        print("killed", flush=True)

    if kill_after:
        threading.Thread(target=kill, daemon=True).start()
    table = read_entities(folder / "entities.csv")
    done = count([folder / "corpus"], table, folder / "counts.parquet", engine=cluster_engine())
    print("documents", done.total.documents, flush=True)
    ray.shutdown()
    cluster.shutdown()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
