"""What many tests share: real servers on loopback, and a run of trials against them."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from geobias.models import Model
from geobias.models.catalogue import find_model
from geobias.models.serving import ChatServer, serve
from tests.servers import ChatStart, HeldModel, HeldStart, Loop, RawServer, RawStart

# One thread for arithmetic in each process: the suite fills the cores with processes of its own,
# and threads that wait for a core spin on it. Both libraries read this when they are first loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# Thousands of tests stay in memory to the end, and each search for garbage looks through them all:
# at Python's own threshold that is a tenth of the time.
gc.set_threshold(20_000)
# xdist tells its workers a width, which commands would keep to.
os.environ.pop("COLUMNS", None)
# What nobody foresaw is no sentence here.
os.environ["GEOBIAS_TRACEBACK"] = "1"
# Tests never see the keys or addresses of whoever runs them.
for name in list(os.environ):
    if name.endswith(("_API_KEY", "_BASE_URL")):
        del os.environ[name]

# The same few examples of a property each time; `--hypothesis-profile thorough` looks for new ones.
settings.register_profile("deterministic", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None, max_examples=1_000)
settings.load_profile("deterministic")

ROOMS = (
    "tests/report",
    "tests/cli",
    "tests/view",
    "tests/probes/geo20q",
    "tests/integrations",
    "tests/probes/namebbq",
    "tests/stats",
    "tests/models",
    "tests/probes/worldbench",
    "tests/test_faults.py",
    "tests/examples",
)
"""Folders and files that a run on several cores begins with, the longest first, so that no core is
left alone with one in the end. Tests of such a room stay in one process: they share runs, servers,
browsers, and what is worked out at first use. All others stay together by file."""


def room_of(test: str) -> str:
    return next((room for room in ROOMS if test.startswith(room)), test.partition("::")[0])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(ROOMS)}
    items.sort(key=lambda item: place.get(room_of(item.nodeid), len(ROOMS)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    if config.getoption("dist") != "load":  # which -n alone asks for
        return None
    from xdist.scheduler import LoadScopeScheduling

    by_room = LoadScopeScheduling(config, log)
    by_room._split_scope = room_of
    return by_room


@pytest.fixture
def server_loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


@pytest.fixture
def chat_server(server_loop: Loop) -> Iterator[ChatStart]:
    """Start `geobias serve`'s server; gives the address of its model and the server."""
    running = []

    def start(spec: str | Model = "sim/fair") -> tuple[str, ChatServer]:
        model = find_model(spec) if isinstance(spec, str) else spec
        server = ChatServer(model)
        runner, port = server_loop.do(serve(server, 0))
        running.append((runner, model))
        return f"http://127.0.0.1:{port}/v1/sim/served", server

    yield start
    for runner, model in running:
        if isinstance(model, HeldModel):
            model.allow()
        server_loop.do(runner.cleanup())
        server_loop.do(model.close())


@pytest.fixture
def held_model(server_loop: Loop) -> HeldStart:
    """A model to start a server with that answers no more than it is told to."""
    return lambda spec, answers: HeldModel(find_model(spec), answers, server_loop.loop)


@pytest.fixture
def raw_server(server_loop: Loop) -> Iterator[RawStart]:
    """Start a server that answers each request with bytes of the test's choosing."""
    servers: list[RawServer] = []

    def start(*answers: Any, threaded: bool = False) -> RawServer:
        server = RawServer(answers, threaded=threaded)
        server_loop.do(server.start())
        servers.append(server)
        return server

    yield start
    for server in servers:
        server_loop.do(server.stop())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a test may have its run: there is no file yet."""
    return tmp_path / "r.geobias"
