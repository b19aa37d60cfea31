"""Which article of English Wikipedia an entity's name leads to.

Views and names belong to articles, and a name may be another way to an article (a redirect), lead
to a choice of articles, into the middle of one, or nowhere: none of the latter is the entity's.

How often the entities' articles in English Wikipedia were read, from Wikimedia's API.

Views by people (not by programs), all devices, summed over whole months. An article without a
figure has None, never 0.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import quote, urlencode

import msgspec

from geobias.atlas.entities import Entity, Views, write_views
from geobias.atlas.table import read_rows
from geobias.errors import BadDownload, BadRequest
from geobias.sources.cache import Cache, CachedAnswers, Progress, Start
from geobias.sources.download import Downloader, RequestLimits, decode_answer, host, service_address

BASE = "https://en.wikipedia.org/w/api.php"
CACHE_NAME = "wikipedia-articles"
TITLES_A_REQUEST = 50
"""The most the service takes."""
LIMITS = RequestLimits(concurrency=1, interval_seconds=0.2)
"""One request after the other, as Wikimedia asks of those who are not known to it."""


class Article(msgspec.Struct, frozen=True):
    """Where a name leads. Without a title there is no article of its own; `note` says why."""

    title: str = ""
    item: str = ""
    """In Wikidata, e.g. "Q243"."""
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
    error: dict[str, object] | None = None


async def find_articles(
    names: Sequence[str], download: Downloader, cache: Cache, *, refresh: bool
) -> Mapping[str, Article]:
    url = service_address("GEOBIAS_WIKIPEDIA_URL", BASE)
    answers = CachedAnswers(cache, CACHE_NAME, Article, source=url, refresh=refresh)

    async def ask(batch: list[str]) -> dict[str, Article]:
        # A pipe parts titles and stands in none.
        possible = [name for name in batch if "|" not in name]
        found = {name: Article(note="no article") for name in batch if "|" in name}
        if possible:
            question = {"action": "query", "format": "json", "formatversion": "2"}
            question |= {"redirects": "1", "prop": "pageprops", "titles": "|".join(possible)}
            question |= {"ppprop": "disambiguation|wikibase_item"}
            raw = await download.json(f"{url}?{urlencode(question)}")
            found |= read_articles(raw, possible, host(url))
        return found

    await answers.complete(names, ask, batch_size=TITLES_A_REQUEST)
    return answers.known


def read_articles(raw: bytes, names: Sequence[str], service: str) -> dict[str, Article]:
    """What the service says about each of these names. Raises `BadDownload` if it says nothing."""
    answer = decode_answer(raw, _Answer, service, "articles")
    if answer.query is None:
        reason = str((answer.error or {}).get("info", "no articles"))[:200]
        raise BadDownload(f"{service} answers: {reason!r}; nothing of it was kept.")
    query = answer.query
    normalized = {step.source: step.to for step in query.normalized}
    redirects = {step.source: step for step in query.redirects}
    pages = {page.title: page for page in query.pages}
    return {name: _article(normalized.get(name, name), redirects, pages, service) for name in names}


def _article(
    title: str, redirects: Mapping[str, _Step], pages: Mapping[str, _Page], service: str
) -> Article:
    seen = set()
    while (step := redirects.get(title)) is not None and title not in seen:
        if step.tofragment:
            return Article(note=f"is part of the article {step.to}")
        seen.add(title)
        title = step.to
    page = pages.get(title)
    if page is None:
        raise BadDownload(f"{service} says nothing about {title!r}: nothing was kept.")
    if page.missing or page.invalid:
        return Article(note="no article")
    if "disambiguation" in page.pageprops:
        return Article(note="the name leads to several articles")
    return Article(title=page.title, item=page.pageprops.get("wikibase_item", ""))


VIEWS_BASE = "https://wikimedia.org/api/rest_v1"
FIRST_MONTH = "2015-07"
"""Before that, programs were counted too."""
FALLBACK = "do without page views: games and tables other than the regression need none"
NO_FIGURE = "no figure for these months"

_MONTH = re.compile(r"20\d\d-(0[1-9]|1[0-2])", re.ASCII)


class _Item(msgspec.Struct, frozen=True):
    timestamp: str
    views: int


class _Views(msgspec.Struct, frozen=True):
    items: list[_Item] | None = None
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
        if not _MONTH.fullmatch(month):
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
    return service_address("GEOBIAS_PAGEVIEWS_URL", VIEWS_BASE).rstrip("/")


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
    titles: Mapping[str, str] | None = None,
    refresh: bool = False,
    limits: RequestLimits | None = None,
    start: Start | None = None,
    progress: Progress | None = None,
) -> list[Views]:
    """Write the page views of these entities to `out`, and give them back.

    `titles` are articles by id for entities whose name does not lead to theirs. What was asked for
    these months before comes from the cache, unless `refresh`.
    """
    if not out.parent.is_dir():
        raise BadRequest(f"{out} cannot be written: there is no folder {out.parent}.")
    cache = Cache()
    limits = limits or LIMITS
    names = {id_: (titles or {}).get(id_, entity.name) for id_, entity in table.items()}
    name = f"pageviews-{when.first}-{when.last}"
    answers = CachedAnswers(
        cache, name, _ArticleViews, source=pageviews_url(), edition=when.edition, refresh=refresh
    )
    async with Downloader(limits, fallback=FALLBACK) as download:
        articles = await find_articles(list(names.values()), download, cache, refresh=refresh)

        async def ask(batch: list[str]) -> dict[str, _ArticleViews]:
            (title,) = batch
            url = article_url(title, when)
            views = read_views_of(await download.json(url), when, host(url))
            return {title: _ArticleViews(views)}

        wanted = [articles[name].title for name in names.values() if articles[name].title]
        await answers.complete(
            wanted, ask, concurrency=limits.concurrency, start=start, progress=progress
        )
    rows = []
    for id_, name in names.items():
        article = articles[name]
        views = answers.known[article.title].views if article.title else None
        note = article.note or (NO_FIGURE if views is None else "")
        rows.append(Views(id_, article.title or name, views, when.edition, note))
    write_views(rows, out)
    return rows


def read_views_of(raw: bytes, when: Months, service: str) -> int | None:
    """The sum over the months of an answer; None where the service has no figure.

    Raises `BadDownload` for anything but views of these months, each once.
    """
    answer = decode_answer(raw, _Views, service, "views")
    if answer.items is None:
        if answer.status == 404 or answer.title.rstrip(".").casefold() == "not found":
            return None
        reason = str(answer.detail or answer.title or "no views")[:200]
        raise BadDownload(f"{service} answers: {reason!r}; nothing of it was kept.")
    found = {f"{item.timestamp[:4]}-{item.timestamp[4:6]}": item.views for item in answer.items}
    if (
        len(found) != len(answer.items)
        or any(not when.first <= month <= when.last for month in found)
        or any(views < 0 for views in found.values())
    ):
        raise BadDownload(f"{service} sent views of other months: nothing was kept.")
    return sum(found.values()) if found else None


def read_titles(path: Path) -> dict[str, str]:
    """A user's table of articles by entity: id, title."""
    return {row["id"]: row["title"] for _, row in read_rows(path, ("id", "title")) if row["title"]}
