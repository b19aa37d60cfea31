"""Seconds a question through geobias, beside what llama.cpp itself needs for the same prompts.

    python bench/embedded.py                          size quick of every probe
    python bench/embedded.py --probes worldbench --model embedded:FILE.gguf

First geobias asks a probe's questions of the embedded model. Then the same prompts go straight to
llama.cpp in the best order there is for them: sorted, so that each shares as much as can be with
the one before, and games one after another; one call at a time, and once with all slots. The
better of the two counts. Tokens that were read do not depend on what else the machine does; seconds
do, and CPU seconds less, so that these decide.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import aiohttp
import xllamacpp

from geobias import api
from geobias.engine.runner import lanes
from geobias.models import catalogue, embedded
from geobias.probes.registry import all_probes, find_probe, plan_of

MOST_TIMES = 1.2
Prompt = dict[str, Any]
"""The body of a call."""


class Cost(NamedTuple):
    calls: int
    wall: float
    cpu: float
    read: int
    written: int


class Servers:
    """The servers of llama.cpp that are started in a block, each of which counts its tokens."""

    def __init__(self) -> None:
        self.urls: list[str] = []
        self._real = xllamacpp.Server

    def __call__(self, settings: Any) -> Any:
        settings.endpoint_metrics = True
        server = self._real(settings)
        self.urls.append(server.listening_address)
        return server

    def tokens(self) -> tuple[int, int]:
        """Read and written so far."""
        text = "".join(urlopen(f"{url}/metrics").read().decode() for url in self.urls)

        def total(name: str) -> int:
            found = re.findall(rf"^llamacpp:{name} (\S+)", text, re.MULTILINE)
            return round(sum(map(float, found)))

        return total("prompt_tokens_total"), total("tokens_predicted_total")


@contextmanager
def counted() -> Iterator[Servers]:
    servers = Servers()
    xllamacpp.Server, real = servers, xllamacpp.Server
    try:
        yield servers
    finally:
        xllamacpp.Server = real


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def through_geobias(probe: str, model: str, out: Path) -> Cost:
    """The whole run, weights and all."""
    plan = plan_of(find_probe(probe), {"size": "quick"})
    tokens: list[tuple[int, int]] = []
    with counted() as servers:

        class Watching(api.Display):
            """Reads the counters while the server is there."""

            def refresh(self) -> None:
                if servers.urls:
                    tokens.append(servers.tokens())

        wall, used = time.perf_counter(), cpu()
        done = api.run([plan], model, out, display=Watching())
        calls = done.counts[probe].calls
        return Cost(calls, time.perf_counter() - wall, cpu() - used, *tokens[-1])


def prompts_of(run: Path) -> list[list[Prompt]]:
    """Each prompt once: those of a trial together, and the trials by what they begin with."""
    trials: dict[str, list[Prompt]] = {}
    seen: set[bytes] = set()
    with api.open_run(run) as reader:
        for trial, reply in reader.replies():
            if reply.digest not in seen:
                seen.add(reply.digest)
                said = reader.transcript(reply)[:-1]
                trials.setdefault(trial, []).append(
                    {
                        "messages": [{"role": one.role, "content": one.content} for one in said],
                        "max_tokens": int(re.findall(r"max=(\d+)", reply.sampling)[0]),
                        "temperature": 0,
                    }
                )
    return sorted(
        trials.values(), key=lambda asked: [one["content"] for one in asked[0]["messages"]]
    )


def alone(trials: Sequence[Sequence[Prompt]], model: str, at_once: int) -> Cost:
    """The same prompts, straight to llama.cpp."""
    found = catalogue.find_model(f"{model}{'&' if '?' in model else '?'}slots={at_once}")
    assert isinstance(found, embedded.EmbeddedModel)

    async def ask(url: str) -> None:
        async with aiohttp.ClientSession() as session:

            async def lane(own: Iterator[Any]) -> None:
                for trial in own:
                    for prompt in trial:
                        async with session.post(f"{url}/v1/chat/completions", json=prompt) as reply:
                            assert reply.status == 200, await reply.text()
                            await reply.read()

            await asyncio.gather(*map(lane, lanes(trials, at_once)))  # type: ignore[arg-type]

    async def work() -> Cost:
        wall, used = time.perf_counter(), cpu()
        await found.load()
        try:
            await ask(servers.urls[0])
            took = time.perf_counter() - wall, cpu() - used
            return Cost(sum(map(len, trials)), *took, *servers.tokens())
        finally:
            await found.close()

    with counted() as servers:
        return asyncio.run(work())


def line(who: str, cost: Cost, best: Cost) -> str:
    calls = cost.calls
    return (
        f"{who:<28} {calls:>6} {cost.wall / calls:>8.3f} {cost.cpu / calls:>8.3f} "
        f"{cost.read / calls:>8.1f} {cost.written / calls:>8.1f} "
        f"{cost.wall / best.wall:>7.2f} {cost.cpu / best.cpu:>7.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--probes", default=",".join(all_probes()))
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--slots", default="1,4", help="How many calls at once llama.cpp gets.")
    given = parser.parse_args()
    print(
        f"{'':<28} {'calls':>6} {'s/call':>8} {'CPU s':>8} {'read':>8} {'written':>8} "
        f"{'× best':>7} {'CPU ×':>7}",
        flush=True,
    )
    for probe in given.probes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run.geobias"
            ours = through_geobias(probe, given.model, run)
            asked = prompts_of(run)
        theirs = {int(n): alone(asked, given.model, int(n)) for n in given.slots.split(",")}
        best = min(theirs.values(), key=lambda cost: cost.cpu)
        print(line(f"{probe}, geobias", ours, best), flush=True)
        for number, cost in theirs.items():
            print(line(f"{probe}, llama.cpp × {number}", cost, best), flush=True)
        times = ours.cpu / best.cpu
        print("kept" if times <= MOST_TIMES else f"missed: {times:.2f} times, not {MOST_TIMES}")


main()
