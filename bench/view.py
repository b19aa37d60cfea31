"""How long lists, filters and searches of `geobias view` take over 100,000 trials.

    python bench/view.py [--trials 100000] [--folder DIR]

A simulated model answers WorldBench with sampling until there are enough trials. The application
then runs as a user runs it, and every request goes over a socket, 50 of each kind with different
filters and words, after one that is not counted. Where there is a Chromium, some are opened in it
as well, from the request until the page is ready to be used. `index` is the one-time making of the
index.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import geobias
from geobias.atlas.economies import economies
from geobias.probes import worldbench
from geobias.view.guard import SECRET, cookie_name

REQUESTS = 50
MODEL = "sim/biased?chatty=0.6&recall_sd=0.6&abstain=0.05"


def make(path: Path, trials: int) -> None:
    """A run of at least so many trials."""
    once = worldbench.plan(size="paper").count
    plan = worldbench.plan(size="paper", repeats=-(-trials // once), temperature=0.8)
    geobias.run([plan], MODEL, path)


class Server:
    """The application, with the secret of its address in a cookie."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urlsplit(address)
        assert parts.port is not None
        self.url = f"http://127.0.0.1:{parts.port}"
        self.connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=120)
        [secret] = parse_qs(parts.query)[SECRET]
        self.headers = {"Cookie": f"{cookie_name(parts.port)}={secret}"}


def ask(server: Server, query: dict[str, str]) -> tuple[float, str]:
    """Seconds until the whole page was there, and the page."""
    began = time.perf_counter()
    connection = server.connection
    connection.request("GET", f"/run/many/trials?{urlencode(query)}", headers=server.headers)
    answer = connection.getresponse()
    page = answer.read().decode()
    if answer.status != 200:
        raise SystemExit(f"{answer.status}: {page[:300]}")
    return time.perf_counter() - began, page


def kinds(rng: random.Random, ids: int) -> dict[str, list[dict[str, str]]]:
    """Requests of each kind: none is asked twice if that can be helped."""
    names = [one.name for one in economies().values()]
    numbers = [str(rng.randint(1, 99)) for _ in range(REQUESTS)]
    return {
        "list, first page": [{} for _ in range(REQUESTS)],
        "list, a page in the middle": [
            {"page": str(rng.randrange(1, ids // 50))} for _ in range(REQUESTS)
        ],
        "list, by error": [{"sort": "number"} for _ in range(REQUESTS)],
        "filter: country": [{"country": rng.choice(names)} for _ in range(REQUESTS)],
        "filter: region and outcome": [
            {"region": rng.choice([*{e.region for e in economies().values()}]), "outcome": "read"}
            for _ in range(REQUESTS)
        ],
        "filter: large errors of the South": [
            {"half": "Global South", "result": "error over 0.85", "sort": "number"}
            for _ in range(REQUESTS)
        ],
        "search: a rare word": [{"q": number} for number in numbers],
        "search: a country's name": [{"q": rng.choice(names)} for _ in range(REQUESTS)],
        "search: a word in most replies": [{"q": "about"} for _ in range(REQUESTS)],
        "search and filter": [
            {"q": "reliable information", "country": rng.choice(names)} for _ in range(REQUESTS)
        ],
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--trials", type=int, default=100_000)
    options.add_argument("--folder", type=Path, help="keep the run here, and use it again")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        run = folder / "many.geobias"
        if not run.exists():
            began = time.perf_counter()
            make(run, given.trials)
            print(f"run made in {time.perf_counter() - began:.1f} s")
        measure(run, Path(scratch) / "cache")


def show(kind: str, taken: list[float]) -> None:
    taken.sort()
    p95 = taken[int(0.95 * len(taken))]
    print(f"{kind:<36} {statistics.median(taken):>8.1f} {p95:>8.1f}")


def in_chromium(server: Server, queries: dict[str, list[dict[str, str]]]) -> None:
    """The same in a browser."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        return
    from playwright.sync_api import sync_playwright

    ready = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(server.address)
        for kind in ("list, a page in the middle", "search: a country's name"):
            taken = []
            for query in queries[kind]:
                page.goto(f"{server.url}/run/many/trials?{urlencode(query)}")
                taken.append(float(page.evaluate(ready)))
            show(f"{kind} (Chromium)", taken[1:])
        browser.close()


def measure(run: Path, cache: Path) -> None:
    """Start the application, wait for its index, and ask."""
    command = [sys.executable, "-m", "geobias", "view", str(run), "--no-browser"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"GEOBIAS_CACHE": str(cache)},
    )
    try:
        assert process.stdout is not None
        server = Server(process.stdout.readline().split()[0])
        with geobias.open_run(run) as reader:
            [(total,)] = reader.query("SELECT count(*) FROM records")
        began = time.perf_counter()
        while "are in the index so far" in ask(server, {})[1]:
            time.sleep(0.2)
        print(f"{total:,} trials; index made in {time.perf_counter() - began:.1f} s")
        print(f"{'milliseconds, ' + str(REQUESTS) + ' requests':<36} {'median':>8} {'p95':>8}")
        for kind, queries in kinds(random.Random(0), total).items():
            ask(server, queries[0])
            taken = sorted(1000 * ask(server, query)[0] for query in queries)
            show(kind, taken)
        in_chromium(server, kinds(random.Random(1), total))
    finally:
        process.terminate()
        process.wait(timeout=20)


if __name__ == "__main__":
    main()
