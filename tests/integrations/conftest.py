"""A Ray cluster takes twenty seconds to start, and mostly waits: it starts beside other tests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from geobias.models.catalogue import find_model
from geobias.models.serving import ChatServer, serve
from tests.servers import HeldModel, Loop

REPO = Path(__file__).parents[2]


class Cluster(NamedTuple):
    """A run on a cluster of two nodes, of which one dies on the way; once it is dead,
    `model` may answer the rest."""

    process: subprocess.Popen[str]
    errors: Path
    out: Path
    url: str
    server: ChatServer
    model: HeldModel


@pytest.fixture(scope="session", autouse=True)
def cluster(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster | None]:
    items = request.session.items
    wanted = any("survived" in getattr(item, "fixturenames", ()) for item in items)
    if not wanted or find_spec("ray") is None:
        yield None
        return
    folder = tmp_path_factory.mktemp("cluster")
    loop = Loop()
    # Processes of a dead node live on for a moment: answers take a while, so that they get few.
    model = HeldModel(find_model("sim/biased"), 40, loop.loop, latency=0.2)
    server = ChatServer(model)
    runner, port = loop.do(serve(server, 0))
    url = f"http://127.0.0.1:{port}/v1/sim/served"
    out, errors = folder / "ray.geobias", folder / "errors.txt"
    with errors.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.integrations.on_a_cluster", url, out],
            cwd=REPO,
            stdout=subprocess.PIPE,
            stderr=file,
            text=True,
        )
    with process:
        yield Cluster(process, errors, out, url, server, model)
        process.terminate()  # Ray then stops its own processes
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        process.kill()
    loop.do(runner.cleanup())
    loop.do(model.close())
    loop.close()
