"""Inspect AI's eval(), with its log on, as its users run it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
import workloads as w

os.environ["INSPECT_DISPLAY"] = "none"

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
from inspect_ai.solver import Generate, TaskState, solver


def playing(turns: int) -> Any:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for turn in range(1, turns + 1):
            state = await generate(state)
            if turn < turns:
                said = w.follow_up(int(state.sample_id), turn)
                state.messages.append(ChatMessageUser(content=said))
        return state

    return solve


play = solver(playing)


def run(url: str, work: w.Work, folder: str) -> None:
    samples = [Sample(id=game, input=w.opening(game)) for game in w.games(work)]
    config = GenerateConfig(temperature=0, max_tokens=w.MAX_TOKENS, max_connections=w.CONCURRENCY)
    model = get_model(
        "openai/sim", base_url=url, api_key="none", config=config, responses_api=False
    )
    task = Task(dataset=samples, solver=play(work.turns), name="bench")
    (log,) = eval(task, model=model, log_dir=folder, max_samples=w.CONCURRENCY)
    assert log.status == "success", log.error


def main() -> None:
    given = w.arguments()
    run(given.url, w.WARM_UP, given.folder + "/warm-up")
    work = w.WORKLOADS[given.workload]
    meter = w.Meter()
    run(given.url, work, given.folder + "/bench")
    files = Path(given.folder, "bench").rglob("*")
    meter.report(work, stored=sum(file.stat().st_size for file in files if file.is_file()))


main()
