"""Which article of English Wikipedia an entity's name leads to.

Views and names belong to articles, and a name may be another way to an article (a redirect), lead
to a choice of articles, into the middle of one, or nowhere: none of the latter is the entity's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import msgspec

from geobias.errors import BadDownload
from geobias.sources.answers import CachedAnswers
from geobias.sources.cache import Cache
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
