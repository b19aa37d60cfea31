"""The openai SDK, asynchronous, keeping nothing."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import openai

sys.path.insert(0, str(Path(__file__).parent.parent))
import workloads as w


async def play(client: openai.AsyncOpenAI, queue: list[int], turns: int) -> None:
    while queue:
        game = queue.pop()
        messages: list[Any] = [{"role": "user", "content": w.opening(game)}]
        for turn in range(1, turns + 1):
            answer = await client.chat.completions.create(
                model="sim", messages=messages, temperature=0, max_tokens=w.MAX_TOKENS
            )
            said = answer.choices[0].message.content
            messages.append({"role": "assistant", "content": said})
            messages.append({"role": "user", "content": w.follow_up(game, turn)})


async def run(client: openai.AsyncOpenAI, work: w.Work) -> None:
    queue = list(w.games(work))
    await asyncio.gather(*(play(client, queue, work.turns) for _ in range(w.CONCURRENCY)))


async def main() -> None:
    given = w.arguments()
    client = openai.AsyncOpenAI(base_url=given.url, api_key="none")
    await run(client, w.WARM_UP)
    work = w.WORKLOADS[given.workload]
    meter = w.Meter()
    await run(client, work)
    meter.report(work)


asyncio.run(main())
