"""What Geo20Q+ costs on the simulated model: CPU per call, memory, and the calls that are saved.

    python bench/games.py                 1,200 games of 150 turns, about a minute on two cores
    python bench/games.py --games 300

Every measurement runs in a process of its own. "game" drives the same games and the same model
without the engine and the run file, so that the difference is what these cost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.probes.geo20q.made import naive_calls, write_table

from geobias.probes.plan import Plan


def make_plan(folder: Path, games: int) -> tuple[Plan, Path]:
    """So many games in both settings, half about people and half about things."""
    from geobias.probes import geo20q

    table = write_table(folder / "entities.csv", 9)
    each = -(-games // 12)
    return geo20q.plan(entities=str(table), setting="both", design="continents", each=each), table


def with_engine(folder: Path, games: int, play: float) -> dict[str, Any]:
    import geobias

    plan, table = make_plan(folder, games)
    out = folder / "run.geobias"
    began, cpu = time.perf_counter(), time.process_time()
    counts = geobias.run([plan], f"sim/?play={play}&entities={table}", out).counts["geo20q"]
    cpu = time.process_time() - cpu
    with geobias.open_run(out) as run:
        games_played = list(run.records("geo20q"))
    return {
        "games": plan.count,
        "calls": counts.calls,
        "shared": counts.shared,
        "cpu_s": cpu,
        "wall_s": time.perf_counter() - began,
        "naive": sum(map(naive_calls, games_played)),
        "naive_unchecked": sum(naive_calls(game, checked=False) for game in games_played),
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "bytes": out.stat().st_size,
    }


def without_engine(folder: Path, games: int, play: float) -> dict[str, Any]:
    from geobias.simulated import SimulatedModel

    plan, table = make_plan(folder, games)
    model = SimulatedModel(f"sim/?play={play}&entities={table}")

    async def drive() -> int:
        calls = 0
        for trial in plan.trials():
            steps = trial.start()
            try:
                ask = next(steps)
                while True:
                    calls += 1
                    ask = steps.send(await model.answer(ask))
            except StopIteration:
                pass
        return calls

    cpu = time.process_time()
    calls = asyncio.run(drive())
    return {"calls": calls, "cpu_s": time.process_time() - cpu}


MEASURES = {"engine": with_engine, "game": without_engine}


def measured(kind: str, games: int, play: float) -> dict[str, Any]:
    command = [sys.executable, __file__, "--measure", kind, "--games", str(games)]
    done = subprocess.run(
        [*command, "--play", str(play)], capture_output=True, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--games", type=int, default=1200)
    options.add_argument("--measure", choices=MEASURES)
    options.add_argument("--play", type=float, default=0.0)
    chosen = options.parse_args()
    if chosen.measure:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(MEASURES[chosen.measure](Path(folder), chosen.games, chosen.play)))
        return
    whole, half = (measured("engine", n, 0.0) for n in (chosen.games, chosen.games // 2))
    bare = measured("game", chosen.games // 4, 0.0)
    for name, r in (("all lost", whole), ("half as many", half)):
        print(
            f"{name:<13} {r['games']:>6,} games {r['calls']:>8,} calls {r['wall_s']:>6.0f} s "
            f"{1e6 * r['cpu_s'] / r['calls']:>5.0f} µs CPU a call {r['rss_mb']:>5.0f} MB peak "
            f"{r['bytes'] / r['calls']:>5.0f} bytes a call"
        )
    alone = 1e6 * bare["cpu_s"] / bare["calls"]
    print(f"game and simulated model alone: {alone:.0f} µs CPU a call; the rest is engine and file")
    for play in (0.6, 0.9):
        r = measured("engine", chosen.games, play)
        print(
            f"play={play}: naive {r['naive']:,} calls ({r['naive_unchecked']:,} without give-up "
            f"checks), made {r['calls']:,}: {1 - r['calls'] / r['naive']:.0%} fewer "
            f"({1 - r['calls'] / r['naive_unchecked']:.0%} without)"
        )


if __name__ == "__main__":
    main()
