from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from geobias.atlas.entities import Views, read_entities, read_views, with_views
from geobias.errors import BadDownload, BadRequest, Unreachable
from geobias.sources.cache import Cache
from geobias.sources.download import Downloader, RequestLimits, user_agent
from geobias.sources.wikimedia import (
    NO_FIGURE,
    Months,
    article_url,
    months,
    pull_views,
)
from tests.cli.running import geobias
from tests.corpus.made import write_table

from .services import Services
from .standin import HTML, Fault, StandIn, body, status

QUICK = RequestLimits(first_wait_seconds=0.0, attempts=3)
WHEN = Months("2024-01", "2024-03")
VIEWS = {"2023-12": 99, "2024-01": 10, "2024-02": 20, "2024-03": 30, "2024-04": 99}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with Services() as services:
        services.articles = {
            "Eiffel Tower": {"views": VIEWS},
            "Fado": {"views": {"2024-02": 7}},
            "Edi Rama": {"views": VIEWS},
            "Rama": {"choice": True, "views": VIEWS},
            "Otago Region": {"views": VIEWS},
            "University of Otago": {},
        }
        services.redirects = {"Otago": "Otago Region", "Lake Atitlán": "Guatemala#Lakes"}
        services.articles["Guatemala"] = {"views": VIEWS}
        for name, path in {
            "WIKIPEDIA": "/wikipedia",
            "PAGEVIEWS": "/rest/",
        }.items():
            monkeypatch.setenv(f"GEOBIAS_{name}_URL", services.root + path)
        monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("GEOBIAS_CONTACT", raising=False)
        write_table(tmp_path)
        yield services


def views(folder: Path, **options: Any) -> dict[str, Views]:
    table = read_entities(folder / "entities.csv")
    out = folder / "pageviews.csv"
    asyncio.run(pull_views(table, out, WHEN, limits=QUICK, **options))
    return dict(read_views(out))


def folder_state() -> dict[str, bytes]:
    folder = Cache().folder
    return {one.name: one.read_bytes() for one in folder.glob("*")}


# page views


def test_views_are_summed_over_the_months_asked_for(world: Services, tmp_path: Path) -> None:
    found = views(tmp_path)
    assert found["eiffel-tower"].views == 60
    assert found["eiffel-tower"].edition == "Wikimedia page views 2024-01 to 2024-03"
    assert found["fado"].views == 7


def test_a_redirect_leads_to_the_article_that_is_read(world: Services, tmp_path: Path) -> None:
    found = views(tmp_path)["otago"]
    assert (found.title, found.views) == ("Otago Region", 60)


@pytest.mark.parametrize(
    ("entity", "note"),
    [
        ("rama", "the name leads to several articles"),
        ("otago-uni", NO_FIGURE),
        ("atitlan", "is part of the article Guatemala"),
    ],
)
def test_no_article_of_its_own_is_no_figure_and_not_zero(
    world: Services, tmp_path: Path, entity: str, note: str
) -> None:
    row = views(tmp_path)[entity]
    assert (row.views, row.note) == (None, note)


def test_entities_get_their_views_with_the_edition(world: Services, tmp_path: Path) -> None:
    found = views(tmp_path)
    known = with_views(read_entities(tmp_path / "entities.csv"), found)
    assert (known["eiffel-tower"].views, known["rama"].views) == (60.0, None)
    assert known["eiffel-tower"].views_edition == found["eiffel-tower"].edition
    del found["fado"]
    assert with_views(known, found)["fado"] == known["fado"]


def test_a_pull_that_broke_off_goes_on(world: Services, tmp_path: Path) -> None:
    world.fail("University_of", *[status(503)] * 3)
    with pytest.raises(Unreachable):
        views(tmp_path)
    assert not (tmp_path / "pageviews.csv").exists()
    before = len(world.requests)
    assert views(tmp_path)["eiffel-tower"].views == 60
    assert len(world.requests) - before <= 3


async def elsewhere(request: web.Request, world: StandIn) -> web.StreamResponse:
    raise web.HTTPFound(f"http://localhost:{world.port}/v2/country?page=1&per_page=1")


def one_month(month: str, number: int) -> dict[str, Any]:
    return {"timestamp": month, "views": number}


BAD = [
    (HTML, "web page"),
    (elsewhere, "sends on to localhost"),
    (body(json.dumps({"items": [one_month("2031010100", 1)]})), "other months"),
    (body(json.dumps({"items": [one_month("2024010100", 1)] * 2})), "other months"),
    (body(json.dumps({"items": [one_month("2024010100", -1)]})), "other months"),
    (body(json.dumps({"items": [{"views": "many"}]})), "something else than views"),
    (body(json.dumps({"detail": "\x1b[2J odd"})), "answers"),
    (body("[1, 2]"), "something else than views"),
    (body("5" * 17_000_000), "more than 16 MiB"),
    (body(b"\xff\xfe", "text/plain"), "not whole JSON"),
]


@pytest.mark.parametrize(("fault", "says"), BAD, ids=[says for _, says in BAD])
def test_a_broken_answer_is_refused_and_the_cache_stays_as_it_was(
    world: Services, tmp_path: Path, fault: Fault, says: str
) -> None:
    views(tmp_path)
    before = folder_state()
    table = (tmp_path / "pageviews.csv").read_bytes()
    world.fail("monthly", *[fault] * 40)
    with pytest.raises(BadDownload, match=says):
        views(tmp_path, refresh=True)
    kept = folder_state()
    assert {name: kept[name] for name in before if "pageviews" in name} == {
        name: content for name, content in before.items() if "pageviews" in name
    }
    assert (tmp_path / "pageviews.csv").read_bytes() == table


@pytest.mark.parametrize(
    "title", ["../../x", "..", ".", "AC/DC", "A?b=c#d", "Ω ü", "a%2Fb", "x\r\nHost: y"]
)
def test_a_title_is_one_part_of_the_path_whatever_it_is(title: str) -> None:
    url = article_url(title, WHEN)
    part = url.split("/all-access/user/")[1].split("/monthly/")[0]
    assert not set(part) & set("/?#\r\n ")
    assert part not in (".", "..")


def test_months_are_whole_and_over() -> None:
    today = date(2024, 4, 15)
    assert months("2024-01", "2024-03", today) == WHEN
    assert "20240101/20240331" in article_url("X", WHEN)
    wrong = [("2024-04", "2024-04"), ("2024-02", "2024-01"), ("2015-06", "2016-01"), ("1", "2")]
    for first, last in wrong:
        with pytest.raises(BadRequest):
            months(first, last, today)


def test_requests_keep_a_distance_and_say_whom_to_write_to(
    world: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def ask() -> None:
        async with Downloader(RequestLimits(interval_seconds=10.0), sleep=sleep) as download:
            for _ in range(3):
                await download.json(f"{world.root}/wikipedia?titles=Fado")

    monkeypatch.setenv("GEOBIAS_CONTACT", "me@example.org")
    asyncio.run(ask())
    assert waits == [10.0] * 3
    assert all(agent.endswith("; me@example.org)") for agent in world.agents)
    monkeypatch.setenv("GEOBIAS_CONTACT", "me\nHost: x")
    with pytest.raises(BadRequest):
        user_agent()


def test_a_service_that_shuts_us_out_may_want_a_contact(world: Services, tmp_path: Path) -> None:
    world.fail("/wikipedia", status(403, "no"))
    with pytest.raises(BadDownload, match="GEOBIAS_CONTACT"):
        views(tmp_path)


# commands


def test_the_commands_pull_and_list_shows_what_is_kept(
    world: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("geobias.sources.wikimedia.LIMITS", QUICK)
    span = ("--from", "2024-01", "--to", "2024-03")
    done = geobias("data", "pull", "pageviews", "--entities", "entities.csv", *span)
    assert done.code == 0, done.err
    assert "views of 3 of 6 entities, Wikimedia page views 2024-01 to 2024-03" in done.out
    assert "without: 1 (the name leads to several articles): rama" in done.out
    assert "pageviews-2024-01-2024-03" in geobias("data", "list").out
    assert geobias("data", "verify").code == 0


def test_answers_kept_by_another_version_are_asked_for_again(
    world: Services, tmp_path: Path
) -> None:
    views(tmp_path)
    cache, name = Cache(), "pageviews-2024-01-2024-03"
    cache.keep(name, b'{"Fado": "old"}', source=cache.entries()[name].source)
    assert views(tmp_path)["fado"].views == 7
