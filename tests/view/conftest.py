"""The application on a real socket, over runs of simulated models."""

from __future__ import annotations

import http.client
import re
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

import geobias
from geobias.probes import geo20q, namebbq, worldbench
from geobias.probes.plan import Plan
from tests.waiting import PATIENCE, until

pytest.importorskip("starlette", reason="needs geobias[view]")
uvicorn = pytest.importorskip("uvicorn", reason="needs geobias[view]")
pytest.importorskip("python_multipart", reason="needs geobias[view]")

from geobias.view.viewer import Viewer  # noqa: E402 - it needs the extra

ENTITIES = """id,name,type,category,country,gender,aliases,standard,views,views_edition
eiffel-tower,Eiffel Tower,thing,landmark,FRA,,Tour Eiffel,1,,
mount-kenya,Mount Kenya,thing,mountain,KEN,,,1,,
frida-kahlo,Frida Kahlo,person,art,MEX,F,,1,,
"""


COUNTRIES = (
    "AFG,ARG,AUS,BEN,BGD,BRA,BTN,CAN,CHN,COL,DEU,EGY,ETH,FRA,GBR,GHA,IDN,IND,ITA,JPN,"
    "KEN,LKA,MAR,MDV,MEX,MLI,NGA,NPL,NZL,PAK,PER,PHL,POL,SAU,THA,TUR,UGA,USA,VNM,ZAF"
)
"""Forty economies, all of South Asia among them."""


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str


class Site:
    """The application as a browser or a stranger sees it."""

    def __init__(self, viewer: Viewer, runs: Path) -> None:
        self.viewer, self.runs = viewer, runs
        port, secret = viewer.port, viewer.secret
        self.port, self.token, self.secret = port, viewer.token, secret
        self.url = f"http://127.0.0.1:{port}"
        self.address = f"{self.url}/?secret={secret}"
        self.cookie = f"geobias_view_{port}={secret}"

    def ask(
        self,
        path: str,
        method: str = "GET",
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        knows_secret: bool = True,
    ) -> Answer:
        """One request on a connection of its own; with the cookie that the address has set."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        given = {"Host": f"127.0.0.1:{self.port}"} | dict(headers or {})
        if knows_secret:
            given["Cookie"] = "; ".join(filter(None, [self.cookie, given.get("Cookie", "")]))
        body = urlencode(form) if form is not None else None
        if form is not None:
            given = {"Content-Type": "application/x-www-form-urlencoded"} | given
        connection.request(method, path, body, {k: v for k, v in given.items() if v})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, found, text)

    def send(self, path: str, who: str = "", **form: str) -> Answer:
        """A change as one of our own pages makes it."""
        self.viewer.reviewer = who or self.viewer.reviewer
        return self.ask(path, "POST", {"token": self.token} | form, {"Origin": self.url})

    def settled(self, run: str) -> str:
        """The list of a run when all its trials are in the index."""
        page = ""

        def finished() -> bool:
            nonlocal page
            page = self.ask(f"/run/{run}/trials").text
            return "are in the index so far" not in page and bool(
                re.search(r"[1-9][\d,]* trial", page)
            )

        until(finished)
        return page


def known() -> Plan:
    """The questions of `knows`."""
    indicators = ("population", "co2_emissions")
    return worldbench.plan(size="paper", indicators=indicators, countries=COUNTRIES)


@pytest.fixture(scope="session")
def made_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of each probe; copied by those who change them."""
    folder = tmp_path_factory.mktemp("made-runs")
    table = folder / "few.csv"
    table.write_text(ENTITIES, "utf-8")
    model = "sim/?chatty=0.6&recall_sd=0.9&abstain=0.1"
    geobias.run([known()], model, folder / "knows.geobias")
    geobias.run([namebbq.plan(size="quick", names=2)], model, folder / "assumes.geobias")
    played = geo20q.plan(entities=str(table), setting="canonical", judge_questions=4)
    sim = f"sim/?play=0.5&judge_error=0.2&entities={table}"
    geobias.run([played], sim, folder / "plays.geobias")
    return folder


@pytest.fixture
def runs(made_runs: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "runs"
    folder.mkdir()
    for path in made_runs.glob("*.geobias"):
        shutil.copy(path, folder)
    return folder


Serve = Callable[..., Site]


@contextmanager
def serving() -> Iterator[Serve]:
    """Start the application over files or folders; all are stopped at the end of the block."""
    from geobias.view.app import build, listen

    running = []

    def start(*named: Path) -> Site:
        socket = listen(0)
        port: int = socket.getsockname()[1]
        viewer = Viewer(named, port=port)
        config = uvicorn.Config(
            build(viewer),
            log_level="error",
            access_log=False,
            ws="none",
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
        thread.start()
        running.append((server, thread, socket))
        until(lambda: server.started)
        return Site(viewer, named[0])

    yield start
    for server, thread, socket in running:
        server.should_exit = True
        thread.join(timeout=10)
        socket.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    with serving() as start:
        yield start


@pytest.fixture
def site(runs: Path, serve: Serve) -> Site:
    return serve(runs)
