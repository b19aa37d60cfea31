"""Page views of the entities' articles in English Wikipedia, from Wikimedia's services.

Views belong to articles. An entity's name may redirect to its article. If it leads to a
disambiguation page, into the middle of an article, or nowhere, the entity has no views.

Views are by people (not programs), on all devices, summed over whole months. An article without a
figure has None, never 0.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeAlias, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from geobias.atlas.entities import Entity, Views, write_views
from geobias.atlas.table import read_rows
from geobias.errors import BadDownload, BadRequest
from geobias.files import check_folder
from geobias.sources.cache import Cache
from geobias.sources.download import Downloader, RequestLimits, decode_answer, host, service_address

T = TypeVar("T")
Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of answers received and the number wanted."""

BATCH = 50
"""Maximum titles in one request that Wikipedia accepts."""
LIMITS = RequestLimits(interval_seconds=0.2)
"""One request after the other, as Wikimedia asks of unknown clients."""
SAVE_EVERY = 100
"""Requests between two writes to the disk, and so the most that a power cut can cost."""
FIRST_MONTH = "2015-07"
"""Before that month, views by programs were counted too."""
NO_FIGURE = "no figure for these months"


class Article(msgspec.Struct, frozen=True):
    """Where a name leads. Without `title` the entity has no article of its own; `note` says why."""

    title: str = ""
    note: str = ""


class _Step(msgspec.Struct, frozen=True):
    source: str = msgspec.field(name="from")
    to: str
    tofragment: str = ""


class _Page(msgspec.Struct, frozen=True):
    title: str
    missing: bool = False
    invalid: bool = False
    pageprops: dict[str, str] = {}


class _Query(msgspec.Struct, frozen=True):
    pages: list[_Page] = []
    normalized: list[_Step] = []
    redirects: list[_Step] = []


class _Articles(msgspec.Struct, frozen=True):
    query: _Query | None = None
    error: dict[str, object] = {}


class _MonthlyViews(msgspec.Struct, frozen=True):
    timestamp: str
    views: int


class _Views(msgspec.Struct, frozen=True):
    views: int | None


class _MonthsOfViews(msgspec.Struct, frozen=True):
    items: list[_MonthlyViews] | None = None
    status: int = 0
    title: str = ""
    detail: object = None


async def _answers(
    name: str,
    kind: type[T],
    source: str,
    wanted: Sequence[str],
    ask: Callable[[list[str]], Awaitable[dict[str, T]]],
    *,
    batch: int,
    refresh: bool,
    progress: Progress | None = None,
) -> dict[str, T]:
    """The answer to each question; `ask` takes up to `batch` questions at once.

    Cached answers are not asked for again unless `refresh`, so an interrupted download resumes.
    """
    store = Cache()
    stored = dict[str, kind]  # type: ignore[valid-type]
    kept = None if refresh else store.read(name, stored, source=source)
    known: dict[str, T] = kept[1] if kept else {}
    missing = [question for question in dict.fromkeys(wanted) if question not in known]
    here = len(set(wanted)) - len(missing)

    def save() -> None:
        today = datetime.now(UTC).date().isoformat()
        store.keep(name, msgspec.json.encode(known, order="sorted"), source=source, edition=today)

    try:
        for number, at in enumerate(range(0, len(missing), batch)):
            if progress:
                progress(here + at, here + len(missing))
            known |= await ask(missing[at : at + batch])
            if number % SAVE_EVERY == SAVE_EVERY - 1:
                save()
    finally:
        if missing and known:
            save()
    return known


def _article(name: str, query: _Query, service: str) -> Article:
    title = next((step.to for step in query.normalized if step.source == name), name)
    redirects = {step.source: step for step in query.redirects}
    while (step := redirects.pop(title, None)) is not None:
        if step.tofragment:
            return Article(note=f"is part of the article {step.to}")
        title = step.to
    page = next((page for page in query.pages if page.title == title), None)
    if page is None:
        raise BadDownload(f"{service} says nothing about {title!r}: nothing was kept.")
    if page.missing or page.invalid:
        return Article(note="no article")
    if "disambiguation" in page.pageprops:
        return Article(note="the name leads to several articles")
    return Article(title=page.title)


def read_titles(path: Path) -> dict[str, str]:
    """A user's table of article titles by entity id."""
    return {row["id"]: row["title"] for _, row in read_rows(path, ("id", "title")) if row["title"]}


class Months(msgspec.Struct, frozen=True):
    """From the first day of one month to the last day of another, both as 2024-01."""

    first: str
    last: str

    @property
    def edition(self) -> str:
        return f"Wikimedia page views {self.first} to {self.last}"


def months(first: str, last: str, today: date | None = None) -> Months:
    """The months, checked to be complete and covered by the service."""
    for month in (first, last):
        if not re.fullmatch(r"20[0-9]{2}-(0[1-9]|1[0-2])", month):
            raise BadRequest(f"{month!r} is no month: write 2024-01.")
    if first > last:
        raise BadRequest(f"{first} is after {last}.")
    if first < FIRST_MONTH:
        raise BadRequest(f"There are no page views by people before {FIRST_MONTH}.")
    if last >= f"{today or datetime.now(UTC).date():%Y-%m}":
        raise BadRequest(f"{last} is not over: name a month before this one.")
    return Months(first, last)


def pageviews_url() -> str:
    """The address of the service: Wikimedia's, or $GEOBIAS_PAGEVIEWS_URL."""
    return service_address("GEOBIAS_PAGEVIEWS_URL", "https://wikimedia.org/api/rest_v1").rstrip("/")


def article_url(title: str, when: Months) -> str:
    """The address of one article's views; the title is always escaped to one part of the path."""
    part = quote(title.replace(" ", "_"), safe="")
    part = part.replace(".", "%2E") if not part.strip(".") else part  # dots would lead upwards
    year, month = map(int, when.last.split("-"))
    end = f"{when.last}-{calendar.monthrange(year, month)[1]:02}".replace("-", "")
    return (
        f"{pageviews_url()}/metrics/pageviews/per-article/en.wikipedia/all-access/user/{part}"
        f"/monthly/{when.first.replace('-', '')}01/{end}"
    )


async def pull_views(
    table: Mapping[str, Entity],
    out: Path,
    when: Months,
    *,
    titles: Mapping[str, str] = {},
    refresh: bool = False,
    limits: RequestLimits | None = None,
    progress: Progress | None = None,
) -> list[Views]:
    """Write the page views of these entities to `out`, and return them.

    `titles` gives articles by id for entities whose name does not lead to theirs. Answers for the
    same months come from the cache unless `refresh`.
    """
    check_folder(out)
    names = {id_: titles.get(id_, entity.name) for id_, entity in table.items()}
    wikipedia = service_address("GEOBIAS_WIKIPEDIA_URL", "https://en.wikipedia.org/w/api.php")
    fallback = "do without page views: games and tables other than the regression need none"
    async with Downloader(limits or LIMITS, fallback=fallback) as download:

        async def ask_articles(batch: list[str]) -> dict[str, Article]:
            # A pipe separates titles and is part of none.
            articles = {name: Article(note="no article") for name in batch if "|" in name}
            possible = [name for name in batch if "|" not in name]
            if not possible:
                return articles
            asked = "action=query&format=json&formatversion=2&redirects=1&prop=pageprops"
            asked += f"&ppprop=disambiguation&{urlencode({'titles': '|'.join(possible)})}"
            raw = await download.json(f"{wikipedia}?{asked}")
            answer = decode_answer(raw, _Articles, host(wikipedia), "articles")
            if answer.query is None:
                reason = str(answer.error.get("info", "no articles"))[:200]
                raise BadDownload(f"{host(wikipedia)} answers: {reason!r}; nothing of it was kept.")
            found = {name: _article(name, answer.query, host(wikipedia)) for name in possible}
            return articles | found

        async def ask_views(batch: list[str]) -> dict[str, _Views]:
            (title,) = batch
            raw = await download.json(article_url(title, when))
            return {title: _Views(_sum_views(raw, when, host(pageviews_url())))}

        articles = await _answers(
            "wikipedia-articles", Article, wikipedia, list(names.values()), ask_articles,
            batch=BATCH, refresh=refresh,
        )  # fmt: skip
        known = await _answers(
            f"pageviews-{when.first}-{when.last}", _Views, pageviews_url(),
            [title for name in names.values() if (title := articles[name].title)], ask_views,
            batch=1, refresh=refresh, progress=progress,
        )  # fmt: skip
    rows = []
    for id_, name in names.items():
        article = articles[name]
        views = known[article.title].views if article.title else None
        note = article.note or (NO_FIGURE if views is None else "")
        rows.append(Views(id_, article.title or name, views, when.edition, note))
    write_views(rows, out)
    return rows


def _sum_views(raw: bytes, when: Months, service: str) -> int | None:
    """The sum over the months of an answer; None if the service has no figure.

    Raises `BadDownload` unless the answer has each of these months once.
    """
    answer = decode_answer(raw, _MonthsOfViews, service, "views")
    if answer.items is None:
        if answer.status == 404 or answer.title.rstrip(".").casefold() == "not found":
            return None
        reason = str(answer.detail or answer.title or "no views")[:200]
        raise BadDownload(f"{service} answers: {reason!r}; nothing of it was kept.")
    views = {f"{item.timestamp[:4]}-{item.timestamp[4:6]}": item.views for item in answer.items}
    fits = all(when.first <= month <= when.last and views[month] >= 0 for month in views)
    if not fits or len(views) != len(answer.items):
        raise BadDownload(f"{service} sent views of other months: nothing was kept.")
    return sum(views.values()) if views else None
