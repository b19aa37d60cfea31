from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from geobias.errors import BadDownload, Unreachable
from geobias.probes.namebbq.items import bbq_path
from geobias.sources import bbq
from geobias.sources.bbq import cached_bbq, pull_bbq
from geobias.sources.cache import cache_folder
from tests.cli.running import geobias
from tests.defined import defined
from tests.shared_data import shared_data

from .standin import HTML, Fault, StandIn, at_once, body, standin, status

CONTENT = b'{"example_id": 0}\n{"example_id": 1}\n'
"""Ends with a line end, which belongs to the file's hash."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """Stands for the authors' repository, with a file of ours as the published one."""
    with standin() as serving:
        monkeypatch.setenv("GEOBIAS_BBQ_URL", f"{serving.url}/data/")
        monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("GEOBIAS_BBQ", raising=False)
        monkeypatch.setattr(bbq, "BBQ_SHA256", hashlib.sha256(CONTENT).hexdigest())
        monkeypatch.setattr("geobias.http.sleep", at_once)
        yield serving


def pull() -> Path:
    return asyncio.run(pull_bbq())


def test_the_file_is_kept_as_it_came(server: StandIn) -> None:
    server.fail("/v2/data/Nationality.jsonl", body(CONTENT, "text/plain"))
    path = pull()
    assert path.suffix == ".jsonl"
    assert path.read_bytes() == CONTENT
    assert bbq_path() == path


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (body(CONTENT + b"{}\n"), "another file than was asked for"),
        (body(CONTENT[:-3]), "another file than was asked for"),
        (body(b""), "another file than was asked for"),
        (HTML, "a web page instead of data"),
        (status(404, "404: Not Found"), "answers 404"),
        (status(404, '{"message": "Not Found"}'), "answers 404"),
    ],
)
def test_another_file_is_refused_and_the_cache_stays_as_it_was(
    server: StandIn, fault: Fault, says: str
) -> None:
    server.fail("Nationality", fault)
    with pytest.raises(BadDownload, match=says):
        pull()
    assert not cache_folder().exists()
    server.fail("Nationality", body(CONTENT), fault)
    path = pull()
    with pytest.raises(BadDownload, match=says):
        pull()
    assert cached_bbq() == path
    assert {one.name for one in cache_folder().iterdir()} == {path.name}


def test_offline_it_says_what_to_do(server: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    with standin() as gone:
        pass
    monkeypatch.setenv("GEOBIAS_BBQ_URL", gone.url)
    with pytest.raises(Unreachable, match=r"cannot reach .*, or set GEOBIAS_BBQ to a copy of BBQ"):
        pull()


def test_the_command_fetches_once_and_says_where_the_file_is(server: StandIn) -> None:
    server.fail("Nationality", body(CONTENT))
    first = geobias("data", "pull", "bbq")
    assert first.code == 0
    assert str(cached_bbq()) in first.out
    again = geobias("data", "pull", "bbq")
    assert (again.code, again.out) == (0, first.out)
    assert bbq.BBQ_NAME in geobias("data", "list").out
    assert geobias("data", "verify").code == 0
    defined(cached_bbq()).write_bytes(CONTENT[:-1])
    changed = geobias("data", "verify")
    assert (changed.code, "pull it again" in changed.err) == (1, True)


def test_the_published_hash_is_that_of_the_publishers_file() -> None:
    content = shared_data("bbq/Nationality.jsonl").read_bytes()
    assert hashlib.sha256(content).hexdigest() == bbq.BBQ_SHA256
