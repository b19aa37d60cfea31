"""How often the entities' articles in English Wikipedia are read, from Wikimedia's services.

Views belong to articles of English Wikipedia, and an entity's name may be another way to
an article (a redirect), lead to a choice of articles, into the middle of one, or nowhere: none of
the latter is the entity's.

They are by people (not by programs), on all devices, summed over whole months; an article without
a figure has None, never 0.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import quote, urlencode

import msgspec

from geobias.atlas.entities import Entity, Views, write_views
from geobias.atlas.table import read_rows
from geobias.errors import BadDownload, BadRequest
from geobias.files import check_folder
from geobias.sources.cache import Cache, CachedAnswers, Progress, Start
from geobias.sources.download import Downloader, RequestLimits, decode_answer, host, service_address

BATCH = 50
"""Titles in one request: the most that Wikipedia takes."""
LIMITS = RequestLimits(concurrency=1, interval_seconds=0.2)
"""One request after the other, as Wikimedia asks of those who are not known to it."""


# -- articles --------------------------------------------------------------------------------------


class Article(msgspec.Struct, frozen=True):
    """Where a name leads. Without a title there is no article of its own; `note` says why."""

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


class _Answer(msgspec.Struct, frozen=True):
    query: _Query | None = None
    error: dict[str, object] = {}


async def _find_articles(
    table: Mapping[str, Entity],
    titles: Mapping[str, str],
    download: Downloader,
    refresh: bool,
) -> Mapping[str, tuple[str, Article]]:
    """By id, the title that was asked for and the article it leads to."""
    url = service_address("GEOBIAS_WIKIPEDIA_URL", "https://en.wikipedia.org/w/api.php")
    answers = CachedAnswers(Cache(), "wikipedia-articles", Article, source=url, refresh=refresh)

    async def ask(batch: list[str]) -> dict[str, Article]:
        # A pipe parts titles and stands in none.
        possible = [name for name in batch if "|" not in name]
        articles = {name: Article(note="no article") for name in batch if "|" in name}
        if possible:
            question = {
                "action": "query",
                "format": "json",
                "formatversion": "2",
                "redirects": "1",
                "prop": "pageprops",
                "ppprop": "disambiguation",
                "titles": "|".join(possible),
            }
            raw = await download.json(f"{url}?{urlencode(question)}")
            answer = decode_answer(raw, _Answer, host(url), "articles")
            if answer.query is None:
                reason = str(answer.error.get("info", "no articles"))[:200]
                raise BadDownload(f"{host(url)} answers: {reason!r}; nothing of it was kept.")
            for name in possible:
                articles[name] = _article(name, answer.query, host(url))
        return articles

    names = {id_: titles.get(id_, entity.name) for id_, entity in table.items()}
    await answers.complete(list(names.values()), ask, batch_size=BATCH)
    return {id_: (name, answers.known[name]) for id_, name in names.items()}


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
    """A user's table of articles by entity: id, title."""
    return {row["id"]: row["title"] for _, row in read_rows(path, ("id", "title")) if row["title"]}


# -- page views ------------------------------------------------------------------------------------

FIRST_MONTH = "2015-07"
"""Before that, programs were counted too."""
NO_FIGURE = "no figure for these months"


class _MonthlyViews(msgspec.Struct, frozen=True):
    timestamp: str
    views: int


class _ViewsAnswer(msgspec.Struct, frozen=True):
    items: list[_MonthlyViews] | None = None
    status: int = 0
    title: str = ""
    detail: object = None


class _ArticleViews(msgspec.Struct, frozen=True):
    views: int | None


class Months(msgspec.Struct, frozen=True):
    """From the first day of a month to the last of another, both as 2024-01."""

    first: str
    last: str

    @property
    def edition(self) -> str:
        return f"Wikimedia page views {self.first} to {self.last}"


def months(first: str, last: str, today: date | None = None) -> Months:
    """Whole months that are over and that the service has figures of."""
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
    """Where the views of one article are; whatever the title, it is one part of the path."""
    part = quote(title.replace(" ", "_"), safe="")
    part = part.replace(".", "%2E") if not part.strip(".") else part  # or it would lead upwards
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
    start: Start | None = None,
    progress: Progress | None = None,
) -> list[Views]:
    """Write the page views of these entities to `out`, and give them back.

    `titles` are articles by id for entities whose name does not lead to theirs. What was asked for
    these months before comes from the cache, unless `refresh`.
    """
    check_folder(out)
    limits = limits or LIMITS
    answers = CachedAnswers(
        Cache(),
        f"pageviews-{when.first}-{when.last}",
        _ArticleViews,
        source=pageviews_url(),
        edition=when.edition,
        refresh=refresh,
    )
    fallback = "do without page views: games and tables other than the regression need none"
    async with Downloader(limits, fallback=fallback) as download:
        articles = await _find_articles(table, titles, download, refresh)

        async def ask(batch: list[str]) -> dict[str, _ArticleViews]:
            (title,) = batch
            url = article_url(title, when)
            return {title: _ArticleViews(_sum_views(await download.json(url), when, host(url)))}

        wanted = [article.title for _, article in articles.values() if article.title]
        await answers.complete(
            wanted, ask, concurrency=limits.concurrency, start=start, progress=progress
        )
    rows = []
    for id_, (name, article) in articles.items():
        views = answers.known[article.title].views if article.title else None
        note = article.note or (NO_FIGURE if views is None else "")
        rows.append(Views(id_, article.title or name, views, when.edition, note))
    write_views(rows, out)
    return rows


def _sum_views(raw: bytes, when: Months, service: str) -> int | None:
    """The sum over the months of an answer; None where the service has no figure.

    Raises `BadDownload` for anything but views of these months, each once.
    """
    answer = decode_answer(raw, _ViewsAnswer, service, "views")
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
