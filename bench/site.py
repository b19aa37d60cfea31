"""What a static site of many models costs, and how quick its table is.

    python bench/site.py --models 200

Makes so many simulated runs that differ (WorldBench, size quick) and writes their site in one
process. Says how CPU and memory grow with the models, and how long Chromium takes to open, sort and
filter the table. Needs Playwright's Python package and Chromium (on the PATH, or named by
GEOBIAS_CHROMIUM).
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from geobias.probes.registry import find_probe, plan_of
from geobias.report.site import write_site
from geobias.running import run
from screenshots import chromium

SORT = "i => document.querySelectorAll('.heads button')[i].click()"
FILTER = """text => {
  const filter = document.getElementById("filter");
  filter.value = text;
  filter.dispatchEvent(new Event("input"));
}"""
SHOWN = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
TYPED = ("s", "se", "seed=1", "", "quick", "none")


def made(folder: Path, number: int) -> Path:
    path = folder / f"{number}.geobias"
    if not path.exists():
        model = f"sim/?gap={number % 10 / 20}&recall_sd={0.1 + number % 7 / 10}&seed={number}"
        run([plan_of(find_probe("worldbench"), {})], {"model": model}, path)
    return path


def write_measured(runs: list[Path], out: Path) -> None:
    print("| models | CPU s | CPU s a model | most memory, MB |\n|---|---|---|---|")
    count, began = 0, time.process_time()
    told = {10, len(runs) // 2, len(runs)}

    def said(_: str) -> None:
        nonlocal count
        count += 1
        if count in told:
            spent = time.process_time() - began
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"| {count} | {spent:.0f} | {spent / count:.2f} | {memory:.0f} |", flush=True)

    written = write_site(runs, out, said=said)
    size = sum(path.stat().st_size for path in written) / 1e6
    print(f"{size:.0f} MB in {len(written):,} files; ", end="")
    print(", ".join(f"{name} {(out / name).stat().st_size / 1e3:.0f} kB" for name in _TOP))


_TOP = ("index.html",)


def slowest(page: Any, act: str, given: Iterable[Any]) -> float:
    """Milliseconds of the page's thread until what it did is shown: on a busy machine, too."""
    processor = page.context.new_cdp_session(page)
    processor.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        found = processor.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(one["value"] for one in found if one["name"] == "TaskDuration"))

    taken = []
    for one in given:
        page.evaluate(SHOWN)
        began = spent()
        page.evaluate(act, one)
        page.evaluate(SHOWN)
        taken.append(spent() - began)
    return max(taken)


def open_in_chromium(out: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        for name in ("compare.html", "index.html"):
            began = time.perf_counter()
            page.goto((out / name).as_uri())
            print(f"{name} is open after {time.perf_counter() - began:.2f} s; ", end="")
        columns = page.locator(".heads button").count()
        sort = slowest(page, SORT, [place for i in range(columns) for place in (i, i)])
        filtered = slowest(page, FILTER, TYPED)
        print(f"CPU of the slowest sort {sort:.0f} ms, of the slowest filter {filtered:.0f} ms")
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="where runs and site stay; default: nowhere")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.folder or Path(temporary)
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        write_measured([made(folder / "runs", i) for i in range(chosen.models)], folder / "site")
        open_in_chromium(folder / "site")


if __name__ == "__main__":
    main()
