"""The floor: a loop of aiohttp posts that keeps nothing."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import aiohttp
import uvloop

sys.path.insert(0, str(Path(__file__).parent.parent))
import workloads as w


async def play(session: aiohttp.ClientSession, url: str, queue: list[int], turns: int) -> None:
    while queue:
        game = queue.pop()
        messages = [{"role": "user", "content": w.opening(game)}]
        for turn in range(1, turns + 1):
            body = {
                "model": "sim",
                "messages": messages,
                "temperature": 0,
                "max_tokens": w.MAX_TOKENS,
            }
            async with session.post(url + "/chat/completions", json=body) as response:
                said = (await response.json())["choices"][0]["message"]["content"]
            messages.append({"role": "assistant", "content": said})
            messages.append({"role": "user", "content": w.follow_up(game, turn)})


async def run(url: str, work: w.Work) -> None:
    queue = list(w.games(work))
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(play(session, url, queue, work.turns) for _ in range(w.CONCURRENCY)))


async def main() -> None:
    given = w.arguments()
    await run(given.url, w.WARM_UP)
    work = w.WORKLOADS[given.workload]
    meter = w.Meter()
    await run(given.url, work)
    meter.report(work)


uvloop.run(main())
