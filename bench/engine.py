"""What the engine costs beside its peers: one server, the same work, one table.

    make bench                            everything that installs
    python bench/engine.py --only geobias_engine,bare_aiohttp

Every contender runs in a process and an environment of its own (made under .bench when missing,
skipped with a line if it will not install), does the same work against the same server, and
reports its own CPU. The server runs beside it on the other core and is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent / ".bench"

CONTENDERS: dict[str, list[str]] = {
    "bare_aiohttp": [],
    "geobias_engine": [],
    "openai_sdk": ["openai"],
    "lm_eval_simple": ["lm-eval[api]"],
    "inspect_eval": ["inspect-ai", "openai"],
}
"""Contender → what it needs installed; nothing means this environment."""
ONLY_SINGLE = {"lm_eval_simple"}  # it has no notion of a game
WORKLOADS = ("single", "games-10", "games-150")
LIMIT_SECONDS = 1200


def environment(name: str, needs: list[str]) -> Path | None:
    """The Python of a contender's environment, made if need be; None if it will not install."""
    if not needs:
        return Path(sys.executable)
    folder = ENVIRONMENTS / needs[0].split("[")[0]
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *needs],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{name}: skipped, does not install: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return python


def start_server() -> tuple[subprocess.Popen[str], str]:
    """The simulated model behind the OpenAI protocol, in a process of its own."""
    server = subprocess.Popen(
        [sys.executable, "-m", "geobias", "serve", "sim/?", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    return server, server.stdout.readline().split(" at ")[1].split()[0]


def measure(name: str, python: Path, workload: str, url: str) -> dict[str, Any] | None:
    """One contender, one workload."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(python), str(HERE / "contenders" / f"{name}.py"), workload, url, folder]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            print(f"{name} {workload}: not done after {LIMIT_SECONDS} s")
            return None
    for line in done.stdout.splitlines():
        if line.startswith("RESULT "):
            result: dict[str, Any] = json.loads(line.removeprefix("RESULT "))
            return result
    print(f"{name} {workload}: failed: {done.stderr.strip()[-300:]}")
    return None


def show(results: dict[tuple[str, str], dict[str, Any]]) -> None:
    print(
        f"\n{'workload':<10} {'contender':<15} {'calls/s':>8} {'CPU ms/call':>12} "
        f"{'× bare':>7} {'× geobias':>10} {'peak MB':>8} {'bytes/call':>11}"
    )
    for (workload, name), r in results.items():
        cpu = cpu_per_call(r)
        bare = results.get((workload, "bare_aiohttp"))
        ours = results.get((workload, "geobias_engine"))
        kept = f"{r['stored_bytes'] / r['calls']:,.0f}" if r["stored_bytes"] else "–"
        print(
            f"{workload:<10} {name:<15} {r['calls'] / r['wall_s']:>8,.0f} {1000 * cpu:>12.3f} "
            f"{cpu / cpu_per_call(bare) if bare else float('nan'):>7.2f} "
            f"{cpu / cpu_per_call(ours) if ours else float('nan'):>10.1f} "
            f"{r['rss_mb']:>8.0f} {kept:>11}"
        )
    long, short = (results.get((w, "geobias_engine")) for w in ("games-150", "games-10"))
    if long and short:
        ratio = cpu_per_call(long) / cpu_per_call(short)
        print(f"\ngeobias, a call of a 150-call game against one of a 10-call game: {ratio:.2f} ×")


def cpu_per_call(result: dict[str, Any]) -> float:
    return float(result["cpu_s"] / result["calls"])


def memory(url: str) -> None:
    """50,000 trials through the command line, over loopback: the most memory it ever held."""
    with tempfile.TemporaryDirectory() as folder:
        repeats = 25_000
        command = [sys.executable, "-m", "geobias", "run", "worldbench", f"{url}/sim"]
        command += ["--indicators", "population", "--countries", "Kenya,France"]
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--repeats", str(repeats), "--out", f"{folder}/r.geobias"],
            stdout=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        print(
            f"{2 * repeats:,} trials: {usage.ru_maxrss / 1024:.0f} MB at most, {seconds:.0f} s, "
            f"exit {os.waitstatus_to_exitcode(status)}"
        )


def help_time() -> None:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "geobias", "--help"], stdout=subprocess.DEVNULL, check=True
        )
        times.append(time.perf_counter() - began)
    print(f"geobias --help: {min(times):.2f} s at best, {max(times):.2f} s at worst of 5")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default=",".join(CONTENDERS), help="contenders, by commas")
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--best-of", type=int, default=3, help="runs of the two quick contenders")
    given = parser.parse_args()
    server, url = start_server()
    results: dict[tuple[str, str], dict[str, Any]] = {}
    try:
        wanted = {name: CONTENDERS[name] for name in given.only.split(",")}
        pythons = {name: environment(name, needs) for name, needs in wanted.items()}
        for workload in given.workloads.split(","):
            for name, python in pythons.items():
                if python is None or (workload != "single" and name in ONLY_SINGLE):
                    continue
                runs = given.best_of if not CONTENDERS[name] else 1
                found = [measure(name, python, workload, url) for _ in range(runs)]
                if good := [result for result in found if result]:
                    results[workload, name] = min(good, key=cpu_per_call)
        show(results)
        memory(url)
        help_time()
    finally:
        server.terminate()
        server.wait()


main()
