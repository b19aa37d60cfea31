"""What a static site of many models costs: CPU, memory and bytes for each model.

    python bench/site.py --models 200

Makes so many simulated runs that differ (WorldBench, size quick), writes their site, and says how
CPU and memory grow from the first half of the models to all of them.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from geobias.api import run
from geobias.probes.registry import find_probe
from geobias.report.site import write_site
from geobias.runfile import RunReader


def made(folder: Path, number: int) -> Path:
    path = folder / f"{number}.geobias"
    model = f"sim/?gap={number % 10 / 20}&recall_sd={0.1 + number % 7 / 10}&seed={number}"
    run([find_probe("worldbench").make_plan()], {"model": model}, path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=200)
    wanted = parser.parse_args().models
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        runs = [made(Path(folder), number) for number in range(wanted)]
        readers = [stack.enter_context(RunReader(path)) for path in runs]
        print(
            "| models | CPU s | CPU s a model | most memory, MB | index.html, kB | all files, MB |"
        )
        print("|---|---|---|---|---|---|")
        for count in (max(1, wanted // 2), wanted):
            began = time.process_time()
            written = write_site(readers[:count], Path(folder) / str(count))
            spent = time.process_time() - began
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            index = (Path(folder) / str(count) / "index.html").stat().st_size / 1e3
            size = sum(path.stat().st_size for path in written) / 1e6
            print(
                f"| {count} | {spent:.1f} | {spent / count:.2f} | {memory:.0f} | {index:.0f} "
                f"| {size:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
