from __future__ import annotations

import asyncio
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.entities import LocalName, Views, read_entities, read_views, with_views
from geobias.errors import BadDownload, BadRequest, Unreachable
from geobias.sources import infinigram, published
from geobias.sources.cache import Cache, CachedAnswers
from geobias.sources.download import Downloader, RequestLimits, user_agent
from geobias.sources.infinigram import pull_counts, spellings
from geobias.sources.published import pull_entities, pull_people, table_in
from geobias.sources.wikimedia import (
    NO_FIGURE,
    Months,
    article_url,
    months,
    pull_names,
    pull_views,
)
from tests.cli.running import geobias
from tests.corpus.made import write_table

from .services import Services, half_of_the_file
from .standin import HTML, Fault, StandIn, body, status

QUICK = RequestLimits(first_wait_seconds=0.0, attempts=3, concurrency=2)
WHEN = Months("2024-01", "2024-03")
VIEWS = {"2023-12": 99, "2024-01": 10, "2024-02": 20, "2024-03": 30, "2024-04": 99}


def packed(content: bytes) -> bytes:
    """Gzip without the time of day, so that tests have the same names in every process."""
    return gzip.compress(content, 1, mtime=0)


PEOPLE = packed(b"wikidata_code,name,citizenship_1_b\nQ1,Ada,GBR\n" + b"Q2,B,FRA\n" * 90_000)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with Services() as services:
        services.articles = {
            "Eiffel Tower": {"item": "Q243", "views": VIEWS},
            "Fado": {"item": "Q184", "views": {"2024-02": 7}},
            "Edi Rama": {"item": "Q1", "views": VIEWS},
            "Rama": {"choice": True, "item": "Q9", "views": VIEWS},
            "Otago Region": {"item": "Q2", "views": VIEWS},
            "University of Otago": {"item": "Q3"},
        }
        services.redirects = {"Otago": "Otago Region", "Lake Atitlán": "Guatemala#Lakes"}
        services.articles["Guatemala"] = {"item": "Q4", "views": VIEWS}
        services.labels = {
            "Q243": {"fr": ["tour Eiffel", "la dame de fer"], "zh": ["艾菲爾鐵塔"]},
            "Q184": {"zh-hans": ["法多"], "zh": ["法朵"], "fr": ["bad\x07name"]},
        }
        for name, path in {
            "WIKIPEDIA": "/wikipedia",
            "PAGEVIEWS": "/rest/",
            "WIKIDATA": "/wikidata",
            "INFINIGRAM": "/infinigram",
            "NOTABLE": "",
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
    return {one.name: one.read_bytes() for one in folder.glob("*") if one.name != "lock"}


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


def test_an_article_may_be_named(world: Services, tmp_path: Path) -> None:
    assert views(tmp_path, titles={"rama": "Edi Rama"})["rama"].views == 60


def test_entities_get_their_views_with_the_edition(world: Services, tmp_path: Path) -> None:
    found = views(tmp_path)
    known = with_views(read_entities(tmp_path / "entities.csv"), found)
    assert (known["eiffel-tower"].views, known["rama"].views) == (60.0, None)
    assert known["eiffel-tower"].views_edition == found["eiffel-tower"].edition
    del found["fado"]
    assert with_views(known, found)["fado"] == known["fado"]


def test_articles_are_asked_for_once(world: Services, tmp_path: Path) -> None:
    views(tmp_path)
    asked = len(world.requests)
    assert asked == 1 + 4  # all names in one request, and the articles there are
    views(tmp_path)
    assert len(world.requests) == asked
    views(tmp_path, refresh=True)
    assert len(world.requests) == 2 * asked


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
    (body("5" * 9_000_000), "more than 8 MiB"),
    (body(b"\xff\xfe", "text/plain"), "no whole JSON"),
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


def test_wikipedia_saying_something_else_is_refused(world: Services, tmp_path: Path) -> None:
    for answer in ('{"error": {"info": "too many titles"}}', '{"query": {"pages": []}}'):
        world.fail("/wikipedia", body(answer))
        with pytest.raises(BadDownload, match=r"too many titles|says nothing about"):
            views(tmp_path)
    assert folder_state() == {}


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
    assert [round(wait) for wait in waits] == [10, 20]
    assert all(agent.endswith("; me@example.org)") for agent in world.agents)
    monkeypatch.setenv("GEOBIAS_CONTACT", "me\nHost: x")
    with pytest.raises(BadRequest):
        user_agent()


def test_a_service_that_shuts_us_out_may_want_a_contact(world: Services, tmp_path: Path) -> None:
    world.fail("/wikipedia", status(403, "no"))
    with pytest.raises(BadDownload, match="GEOBIAS_CONTACT"):
        views(tmp_path)


def test_offline_is_said_in_a_sentence(
    world: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StandIn() as gone:
        pass
    monkeypatch.setenv("GEOBIAS_WIKIPEDIA_URL", gone.url)
    with pytest.raises(Unreachable, match=r"Cannot reach .* or do without page views"):
        views(tmp_path)


# names


def test_names_come_in_our_columns_with_simplified_chinese_first(
    world: Services, tmp_path: Path
) -> None:
    table = read_entities(tmp_path / "entities.csv")
    out = tmp_path / "entities_names.csv"
    made = asyncio.run(pull_names(table, ["fr", "zh"], out, limits=QUICK))
    named = read_entities(tmp_path / "entities.csv", out)
    assert named["eiffel-tower"].names["fr"] == LocalName("tour Eiffel", ("la dame de fer",))
    assert named["eiffel-tower"].names["zh"].name == "艾菲爾鐵塔"
    assert dict(named["fado"].names) == {"zh": LocalName("法多")}  # the other has a bell in it
    assert made.without["otago"] == "no name in these languages"
    assert made.without["atitlan"] == "is part of the article Guatemala"


@pytest.mark.parametrize("code", ["German", "en", "../de"])
def test_what_is_no_code_of_another_language_is_one_sentence(
    world: Services, tmp_path: Path, code: str
) -> None:
    with pytest.raises(BadRequest, match="is no language's code"):
        asyncio.run(pull_names({}, [code], tmp_path / "x.csv"))


@pytest.mark.parametrize(
    "fault", [HTML, body('{"entities": {}}'), body('{"error": {"info": "no"}}'), body("[]")]
)
def test_broken_names_are_refused(world: Services, tmp_path: Path, fault: Fault) -> None:
    table = read_entities(tmp_path / "entities.csv")
    world.fail("/wikidata", fault)
    with pytest.raises(BadDownload):
        asyncio.run(pull_names(table, ["fr"], tmp_path / "n.csv", limits=QUICK))
    assert not any("wikidata" in name for name in folder_state())
    assert not (tmp_path / "n.csv").exists()


# infini-gram


def test_counts_are_asked_for_by_the_spelling_that_holds_the_others(
    world: Services, tmp_path: Path
) -> None:
    table = read_entities(tmp_path / "entities.csv")
    assert spellings(table["rama"]) == ["Rama"]
    assert spellings(table["eiffel-tower"]) == ["Eiffel Tower", "La dame de fer"]
    world.counts = {"Eiffel Tower": 5, "La dame de fer": 2, "Rama": 9}
    found = asyncio.run(pull_counts(table, "v4_known", limits=QUICK))
    assert found.counts["eiffel-tower"] == {"Eiffel Tower": 5, "La dame de fer": 2}
    assert world.posted[0] == {"index": "v4_known", "query_type": "count", "query": "Eiffel Tower"}
    asked = len(world.requests)
    assert asyncio.run(pull_counts(table, "v4_known", limits=QUICK)).counts == found.counts
    assert len(world.requests) == asked


@pytest.mark.parametrize(
    ("index", "fault"),
    [("v4_none", None), ("v4_known", HTML), ("v4_known", body('{"count": -1}'))],
)
def test_an_answer_without_a_count_is_refused(
    world: Services, tmp_path: Path, index: str, fault: Fault | None
) -> None:
    if fault:
        world.fail("/infinigram", fault, fault)
    table = read_entities(tmp_path / "entities.csv")
    with pytest.raises(BadDownload):
        asyncio.run(pull_counts(table, index, limits=QUICK))


def test_an_index_is_no_path(world: Services) -> None:
    with pytest.raises(BadRequest):
        asyncio.run(pull_counts({}, "../../etc"))


def test_the_count_command_asks_infini_gram(
    world: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infinigram, "LIMITS", QUICK)
    world.counts = {"Fado": 3}
    world.fail("/infinigram", status(429, Retry_After="0"), broken_off_post)
    out = tmp_path / "counts.parquet"
    words = ("--entities", tmp_path / "entities.csv", "--out", out)
    done = geobias("count", "--infinigram", "v4_known", *words)
    assert done.code == 0, done.err
    assert "3 mentions of 1 of 6 entities in v4_known, by 7 queries" in done.out
    from geobias.corpus import read_counts

    assert read_counts(out)["fado"] == 3


def test_counting_again_asks_for_counts_that_are_in_the_cache(
    world: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infinigram, "LIMITS", QUICK)
    words = ("--entities", tmp_path / "entities.csv", "--out", tmp_path / "counts.parquet")
    for count, options, mentions in ((3, (), 3), (5, (), 3), (5, ("--again",), 5)):
        world.counts = {"Fado": count}
        done = geobias("count", "--infinigram", "v4_known", *words, *options)
        assert f"{mentions} mentions" in done.out


async def broken_off_post(request: web.Request, world: StandIn) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


# Geo20Q+'s files

TABLE = b"name,category,country\nFado,music,Portugal\n"


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_csv", ".csv"), content)
    return made.getvalue()


def pulled(world: Services, **options: Any) -> Path:
    url = f"{world.root}/things.csv"
    return asyncio.run(pull_entities(url, "things", limits=QUICK, **options))[0]


@pytest.mark.parametrize(
    "content",
    [TABLE, packed(TABLE), zipped(things_csv=TABLE, readme=b"x")],
    ids=["plain", "gzip", "zip"],
)
def test_a_table_is_kept_unpacked_with_its_hash(world: Services, content: bytes) -> None:
    world.fail("things.csv", body(content, "application/octet-stream"))
    path = pulled(world)
    assert path.read_bytes() == TABLE
    assert path.parent == Cache().folder
    assert Cache().verify() == {"geo20q-things": "ok"}
    assert pulled(world) == path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (packed(TABLE)[:-6], "no whole gzip"),
        (zipped(a_csv=TABLE)[:-30], "no whole zip"),
        (zipped(a_csv=TABLE, b_csv=TABLE), "2 CSV files"),
        (zipped(readme=b"x"), "0 CSV files"),
        (b'{"a": 1, "b": 2}', "no CSV"),
        (b"\x89PNG\r\n\x1a\n\xff", "no table in UTF-8"),
        (b"", "no CSV"),
    ],
)
def test_a_hostile_file_is_refused_and_the_cache_stays_as_it_was(
    world: Services, content: bytes, says: str
) -> None:
    assert_refused(world, content, says)


@pytest.mark.parametrize("pack", [packed, lambda content: zipped(a_csv=content)])
def test_a_file_that_unpacks_to_too_much_is_refused(
    world: Services, pack: Callable[[bytes], bytes]
) -> None:
    assert_refused(world, pack(b"a,b\n" * 40_000_000), "unpacks to more")


def assert_refused(world: Services, content: bytes, says: str) -> None:
    """With its reason; the cache stays as it was."""
    world.fail("things.csv", body(TABLE), body(content, "application/octet-stream"))
    pulled(world)
    before = folder_state()
    with pytest.raises(BadDownload, match=says):
        pulled(world, refresh=True)
    assert folder_state() == before


def test_a_path_in_an_archive_leads_nowhere(world: Services, tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("../../../evil.csv", TABLE)
    world.fail("things.csv", body(content.getvalue(), "application/zip"))
    path = pulled(world)
    assert path.parent == Cache().folder
    assert not list(tmp_path.rglob("evil*"))


def test_another_hash_than_asked_for_is_refused(world: Services) -> None:
    world.fail("things.csv", body(TABLE), HTML)
    with pytest.raises(BadDownload, match="another file"):
        pulled(world, sha256="0" * 64)
    with pytest.raises(BadDownload, match="web page"):
        pulled(world)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://example.org/a.csv", "things.csv"])
def test_an_address_that_is_none_is_one_sentence(world: Services, url: str) -> None:
    with pytest.raises(BadRequest):
        asyncio.run(pull_entities(url, "things"))
    with pytest.raises(BadRequest):
        asyncio.run(pull_entities(f"{world.root}/x", "../up"))


@given(st.binary(max_size=300))
def test_any_bytes_are_a_table_or_refused(content: bytes) -> None:
    for made in (content, packed(content), b"PK\x03\x04" + content, b"\x1f\x8b" + content):
        with suppress(BadDownload):
            assert len(table_in(made, "x")) <= published.ENTITIES_MAX_BYTES


# notable people


def people(**options: Any) -> tuple[Path, str, bool]:
    path, entry, fetched = asyncio.run(pull_people(limits=QUICK, **options))
    return path, entry.edition, fetched


def test_the_database_is_fetched_with_its_edition(world: Services) -> None:
    world.file = PEOPLE
    path, edition, fetched = people()
    assert path.read_bytes() == PEOPLE
    assert fetched
    assert edition == "Laouenan et al. 2022, version 1.2 of 2022-06-09"
    assert [row.edition for row in Cache().entries().values()] == [edition]
    asked = len(world.requests)
    assert people() == (path, edition, False)
    assert len(world.requests) == asked


def test_a_download_that_broke_off_goes_on_where_it_was(world: Services) -> None:
    world.file = PEOPLE
    world.fail("datafile", half_of_the_file(300), half_of_the_file(100), half_of_the_file(50))
    with pytest.raises(BadDownload, match=r"broke off|goes on from there"):
        people()
    assert Cache().entries() == {}
    assert people()[0].read_bytes() == PEOPLE
    assert world.ranges == ["", "bytes=300-", "bytes=400-", "bytes=450-"]
    assert not list(Cache().folder.glob("*.part"))


async def whole_again(request: web.Request, world: StandIn) -> web.StreamResponse:
    assert isinstance(world, Services)
    return web.Response(body=world.file, content_type="application/gzip")


async def other_part(request: web.Request, world: StandIn) -> web.StreamResponse:
    return web.Response(status=206, body=b"x", headers={"Content-Range": "bytes 5-5/9"})


def test_a_server_that_begins_anew_is_followed(world: Services) -> None:
    world.file = PEOPLE
    world.fail("datafile", half_of_the_file(300), whole_again)
    assert people()[0].read_bytes() == PEOPLE


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (HTML, "web page"),
        (status(404, "gone"), "404"),
        (body(b"x" * len(PEOPLE)), "another file than it describes"),
        (body(PEOPLE + b"x"), "more than"),
        (other_part, "another part"),
    ],
)
def test_another_file_than_described_is_refused(world: Services, fault: Fault, says: str) -> None:
    world.file = PEOPLE
    world.fail("datafile", fault)
    with pytest.raises(BadDownload, match=says):
        people()
    assert Cache().entries() == {}
    assert people()[0].read_bytes() == PEOPLE


@pytest.mark.parametrize(
    "content",
    [packed(b"id,other\n1,2\n"), b"no gzip at all", packed(b"")],
    ids=["other columns", "no gzip", "empty"],
)
def test_another_table_is_refused(world: Services, content: bytes) -> None:
    world.file = content
    with pytest.raises(BadDownload, match=r"another table|no gzip"):
        people()
    assert not [one for one in Cache().folder.glob("*") if one.name != "lock"]


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "ERROR", "message": "no such dataset"},
        {"data": {"latestVersion": {"files": []}}},
        {"data": {}},
        [],
    ],
)
def test_a_repository_that_has_it_no_more_is_one_sentence(world: Services, answer: object) -> None:
    world.fail("/api/datasets", body(json.dumps(answer)))
    with pytest.raises(BadDownload):
        people()


# commands


def test_the_commands_pull_and_list_shows_what_is_kept(
    world: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("geobias.sources.wikimedia.LIMITS", QUICK)
    world.file = PEOPLE
    world.fail("things.csv", body(TABLE))
    span = ("--from", "2024-01", "--to", "2024-03")
    done = geobias("data", "pull", "pageviews", "--entities", "entities.csv", *span)
    assert done.code == 0, done.err
    assert "views of 3 of 6 entities, Wikimedia page views 2024-01 to 2024-03" in done.out
    assert "without: 1 (the name leads to several articles): rama" in done.out
    done = geobias("data", "pull", "names", "--entities", "entities.csv", "--languages", "fr,zh")
    assert (done.code, "entities_names.csv: names of 2 entities (fr 1, zh 2)" in done.out) == (0, 1)
    url = f"{world.root}/things.csv"
    done = geobias("data", "pull", "geo20q", "--label", "things", "--url", url)
    assert done.code == 0
    assert "geobias entities import" in done.err
    assert geobias("data", "pull", "notable-people").code == 0
    listed = geobias("data", "list").out
    for name in ("pageviews-2024-01-2024-03", "wikidata-names", "geo20q-things", "notable-people"):
        assert name in listed
    assert "version 1.2 of 2022-06-09" in listed
    assert geobias("data", "verify").code == 0


def test_answers_kept_by_another_version_are_asked_for_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.keep("x", b'{"a": "old"}', source="here", edition="")
    answers = CachedAnswers(cache, "x", int, source="here")
    assert answers.known == {}
