"""Downloads, and the folder in which they are kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from geobias.errors import BadDownload, CannotWrite, Unreachable
from geobias.http import ATTEMPTS
from geobias.sources.cache import cache_folder, keep
from geobias.sources.download import get_json

from .standin import HTML, Fault, StandIn, body, broken_off, dropped, half, standin, status

GOOD = b'[{"page": 1}, null]'


@pytest.fixture
def server() -> Iterator[StandIn]:
    with standin() as serving:
        yield serving


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it waited between attempts, without waiting."""
    seconds: list[float] = []

    async def note(wait: float) -> None:
        seconds.append(wait)

    monkeypatch.setattr("geobias.http.sleep", note)
    return seconds


def get(server: StandIn, path: str = "/x") -> bytes:
    return asyncio.run(get_json(f"{server.url}{path}", fallback="do without"))


def test_what_is_asked_for_comes_and_the_asker_says_who_it_is(server: StandIn) -> None:
    server.fail("/x", body(GOOD))
    assert get(server) == GOOD
    assert all(agent.startswith("geobias/") for agent in server.agents)


def test_a_byte_order_mark_is_dropped(server: StandIn) -> None:
    server.fail("/x", body(b"\xef\xbb\xbf" + GOOD + b"\r\n"))
    assert get(server) == GOOD


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504])
def test_a_server_in_trouble_is_asked_again(server: StandIn, code: int) -> None:
    server.fail("/x", status(code), status(code), body(GOOD))
    assert get(server) == GOOD
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", [dropped, broken_off, half])
def test_an_answer_cut_short_is_asked_for_again(server: StandIn, fault: Fault) -> None:
    server.figures = {"X": {"KEN": {2021: 1.0, 2022: 2.0}}}
    server.fail("/country", fault)
    raw = get(server, "/country/all/indicator/X?per_page=400")
    assert len(json.loads(raw)[1]) == 2
    assert len(server.requests) == 2


def test_waits_double(server: StandIn, waits: list[float]) -> None:
    server.fail("/x", *[status(503)] * 3, body(GOOD))
    get(server)
    assert waits == [0.5, 1, 2]


def test_a_server_that_says_when_is_not_asked_sooner(server: StandIn, waits: list[float]) -> None:
    server.fail("/x", status(429, Retry_After="7"), body(GOOD))
    assert get(server) == GOOD
    assert waits == [7.0]


def test_a_server_that_asks_for_an_hour_is_left_alone(server: StandIn) -> None:
    server.fail("/x", status(429, Retry_After="3600"))
    with pytest.raises(Unreachable, match=r"asks to wait 3,600 s"):
        get(server)
    assert len(server.requests) == 1


def test_trouble_that_stays_is_said_in_a_sentence(server: StandIn) -> None:
    server.fail("/x", *[status(503)] * 9)
    with pytest.raises(Unreachable, match=r"answers 503 \(Service Unavailable\)"):
        get(server)
    assert len(server.requests) == ATTEMPTS


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (HTML, "a web page instead of data"),
        (body(b"[" + b" " * (17 << 20) + b"]"), "more than 16 MiB"),
        *((status(code, "<html>no</html>"), f"answers {code}") for code in (401, 403, 404, 410)),
    ],
)
def test_what_is_refused_is_asked_for_once(server: StandIn, fault: Fault, says: str) -> None:
    server.fail("/x", fault)
    with pytest.raises(BadDownload, match=says):
        get(server)
    assert len(server.requests) == 1


def test_a_refusal_in_json_is_an_answer(server: StandIn) -> None:
    server.fail("/x", status(400, '[{"message": []}]'))
    assert get(server) == b'[{"message": []}]'


def test_the_folder_is_the_users_own_before_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GEOBIAS_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == tmp_path / ".cache/geobias"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert cache_folder() == tmp_path / ".cache/geobias"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg/geobias"
    monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"


def test_a_cache_that_cannot_be_written_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "file"))
    with pytest.raises(CannotWrite, match="set GEOBIAS_CACHE"):
        keep("a", b"new")
