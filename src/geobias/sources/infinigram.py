"""Counts in corpora that infini-gram has an index of (Liu et al. 2024), from its public API.

It counts sequences of tokens: as written, with case and accents, also inside longer words where a
token happens to end there, and a name within a longer name too. Its counts are therefore not those
of `geobias count` on the same corpus, but a figure that costs some minutes instead of terabytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from geobias.atlas.entities import Entity
from geobias.errors import BadDownload, BadRequest
from geobias.sources.cache import Cache, CachedAnswers, Progress, Start
from geobias.sources.download import Downloader, RequestLimits, decode_answer, host, service_address

BASE = "https://api.infini-gram.io/"
LIMITS = RequestLimits(concurrency=2, interval_seconds=0.1, attempts=6)
FALLBACK = "count in files of your own: geobias count PATH"

_INDEX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)


class _Answer(msgspec.Struct, frozen=True):
    count: int | None = None
    approx: bool = False
    error: str | None = None


class _Count(msgspec.Struct, frozen=True):
    count: int
    approx: bool = False


class IndexCounts(msgspec.Struct, frozen=True):
    """`counts` are by entity and spelling; `approximate` queries were answered by an estimate."""

    counts: Mapping[str, Mapping[str, int]]
    queries: int
    approximate: int
    source: str
    fetched_at: str


def spellings(entity: Entity) -> list[str]:
    """The spellings to ask for, so that no mention is counted twice.

    Every mention of "Hamid Karzai" is one of "Karzai" too: of two spellings of which one holds the
    other as whole words, the shorter is asked for.
    """
    every = list(dict.fromkeys((entity.name, *entity.aliases)))

    def holds_another(spelling: str) -> bool:
        return any(other != spelling and f" {other} " in f" {spelling} " for other in every)

    return [spelling for spelling in every if not holds_another(spelling)]


async def pull_counts(
    table: Mapping[str, Entity],
    index: str,
    *,
    refresh: bool = False,
    limits: RequestLimits | None = None,
    start: Start | None = None,
    progress: Progress | None = None,
) -> IndexCounts:
    """How often these entities stand in the corpus of an index."""
    if not _INDEX.fullmatch(index):
        raise BadRequest(f"{index!r} is no index: infini-gram's page lists them (v4_…).")
    url = service_address("GEOBIAS_INFINIGRAM_URL", BASE)
    name = f"infinigram-{index}"
    answers = CachedAnswers(Cache(), name, _Count, source=url, refresh=refresh)
    spelled = {id_: spellings(entity) for id_, entity in table.items()}
    queries = list(dict.fromkeys(spelling for each in spelled.values() for spelling in each))
    limits = limits or LIMITS
    async with Downloader(limits, fallback=FALLBACK) as download:

        async def ask(batch: list[str]) -> dict[str, _Count]:
            (query,) = batch
            question = {"index": index, "query_type": "count", "query": query}
            return {query: read_count(await download.json(url, post=question), index, host(url))}

        await answers.complete(
            queries, ask, concurrency=limits.concurrency, start=start, progress=progress
        )
    known = answers.known
    return IndexCounts(
        counts={id_: {one: known[one].count for one in each} for id_, each in spelled.items()},
        queries=len(queries),
        approximate=sum(known[query].approx for query in queries),
        source=url,
        fetched_at=answers.entry.fetched_at if answers.entry else "",
    )


def read_count(raw: bytes, index: str, service: str) -> _Count:
    """The count in an answer. Raises `BadDownload` for anything else."""
    answer = decode_answer(raw, _Answer, service, "a count")
    if answer.count is None or answer.count < 0:
        reason = (answer.error or "no count")[:200]
        raise BadDownload(f"{service} answers about {index}: {reason!r}; nothing of it was kept.")
    return _Count(answer.count, answer.approx)
