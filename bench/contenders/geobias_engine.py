"""geobias: the same work as trials, with the run file on and durable."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import geobias
from geobias.probes.plan import Plan
from geobias.trials import Ask, Dialogue, Record, Steps, Trial

sys.path.insert(0, str(Path(__file__).parent.parent))
import workloads as w


def steps(game: int, turns: int) -> Steps:
    dialogue = Dialogue().user(w.opening(game))
    for turn in range(1, turns + 1):
        reply = yield Ask(dialogue=dialogue, max_tokens=w.MAX_TOKENS)
        dialogue = dialogue.reply(reply).user(w.follow_up(game, turn))
    return Record(trial=str(game), probe="bench", outcome="read")


def trials(work: w.Work) -> Iterator[Trial]:
    for game in w.games(work):
        yield Trial(str(game), partial(steps, game, work.turns))


def run(url: str, work: w.Work, out: Path) -> None:
    plan = Plan(
        probe="bench",
        settings={},
        count=work.games,
        calls=(work.calls, work.calls),
        trials=lambda: trials(work),
    )
    geobias.run([plan], url + "/sim", out, options=geobias.Options(concurrency=w.CONCURRENCY))


def main() -> None:
    given = w.arguments()
    folder = Path(given.folder)
    run(given.url, w.WARM_UP, folder / "warm-up.geobias")
    work = w.WORKLOADS[given.workload]
    meter = w.Meter()
    run(given.url, work, folder / "bench.geobias")
    meter.report(work, stored=(folder / "bench.geobias").stat().st_size)


main()
