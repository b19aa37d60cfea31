"""How long a report takes at the papers' full size: the analysis, and writing the page.

    python bench/report.py [--keep FOLDER]

44,500 WorldBench replies (2,149 questions, 21 times, cut), 110,880 answers to Name-BBQ and 50,400
games of Geo20Q+, made without a model: records and replies are written straight into a run file,
with errors, leanings and endings drawn from a seeded generator. Measured is what `geobias report`
does: `collect` (all estimates, 10,000 replicates) and `page.rendered`, in a process of their own.
Prints wall and CPU seconds and the peak memory of each; exits with 1 above 60 s of CPU or 2 GB for
the analysis, 20 s for the page, or 3 MB of page.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST = {"collect": 60.0, "page": 20.0}
MOST_MB, MOST_PAGE = 2000.0, 3_000_000


def measured(run: Path, out: Path) -> int:
    """The report of a run file, with a line for each step."""
    began = time.perf_counter(), time.process_time()

    def step(name: str, limit: float) -> bool:
        nonlocal began
        wall, cpu = time.perf_counter() - began[0], time.process_time() - began[1]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{name:8} {wall:6.1f} s wall {cpu:6.1f} s CPU, peak memory {peak:6.0f} MB", flush=True
        )
        began = time.perf_counter(), time.process_time()
        return cpu <= limit and peak <= MOST_MB

    from geobias.report import page
    from geobias.report.findings import collect
    from geobias.runfile import RunReader

    step("import", MOST["page"])
    with RunReader(run) as reader:
        findings = collect([reader])
        fine = step("collect", MOST["collect"])
        out.write_text(page.rendered(findings, [reader]), "utf-8", errors="replace")
        fine &= step("page", MOST["page"])
    size = out.stat().st_size
    print(f"page     {size:,} bytes")
    return 0 if fine and size < MOST_PAGE else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="Folder for the run file; used again if there.")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        return measured(chosen.measure, chosen.measure.with_suffix(".html"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        run = folder / "full-size.geobias"
        if not run.exists():
            from full_size import make_run

            began = time.perf_counter()
            counts = make_run(run)
            said = ", ".join(f"{probe} {count:,}" for probe, count in counts.items())
            print(f"made {said} in {time.perf_counter() - began:.0f} s (not measured)", flush=True)
        # A process of its own: the memory that making the run took must not count.
        return subprocess.run([sys.executable, __file__, "--measure", run], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
