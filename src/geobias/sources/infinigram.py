"""Counts in corpora that infini-gram has an index of (Liu et al. 2024), from its public API.

It counts sequences of tokens: as written, with case and accents, also inside longer words where a
token happens to end there, and a name within a longer name too. Its counts are therefore not those
of `geobias count` on the same corpus, but a figure that costs some minutes instead of terabytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

import msgspec

from geobias.atlas.entities import Entity
from geobias.errors import BadDownload, BadRequest
from geobias.sources.answers import Answers, Progress, Start
from geobias.sources.cache import Cache
from geobias.sources.download import Downloader, Manners, host

BASE = "https://api.infini-gram.io/"
MANNERS = Manners(at_once=2, apart_seconds=0.1, attempts=6)
OTHERWISE = "count in files of your own: geobias count PATH"

_INDEX = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)


class _Answer(msgspec.Struct, frozen=True):
    count: int | None = None
    approx: bool = False
    error: str | None = None


class _Kept(msgspec.Struct, frozen=True):
    count: int
    approx: bool = False


class Found(msgspec.Struct, frozen=True):
    """Counts by entity and spelling, and how they were got."""

    counts: Mapping[str, Mapping[str, int]]
    queries: int
    approximate: int
    """Queries that were answered with an estimate."""
    source: str
    fetched_at: str


def infinigram_url() -> str:
    """The address of the service: infini-gram's, or $GEOBIAS_INFINIGRAM_URL."""
    return os.environ.get("GEOBIAS_INFINIGRAM_URL", "").strip() or BASE


def spellings(entity: Entity) -> list[str]:
    """The spellings to ask for, so that no mention is counted twice.

    Every mention of "Hamid Karzai" is one of "Karzai" too: of two spellings of which one holds the
    other as whole words, the shorter is asked for.
    """
    every = list(dict.fromkeys((entity.name, *entity.aliases)))
    return [
        one
        for one in every
        if not any(other != one and f" {other} " in f" {one} " for other in every)
    ]


async def pull_counts(
    table: Mapping[str, Entity],
    index: str,
    *,
    refresh: bool = False,
    cache: Cache | None = None,
    manners: Manners | None = None,
    start: Start | None = None,
    progress: Progress | None = None,
) -> Found:
    """How often these entities stand in the corpus of an index."""
    if not _INDEX.fullmatch(index):
        raise BadRequest(f"{index!r} is no index: infini-gram's page lists them (v4_…).")
    url = infinigram_url()
    answers = Answers(Cache() if cache is None else cache, f"infinigram-{index}", _Kept, source=url)
    if not refresh:
        answers.load()
    wanted = {id_: spellings(entity) for id_, entity in table.items()}
    manners = manners or MANNERS
    async with Downloader(manners, otherwise=OTHERWISE) as download:

        async def ask(batch: list[str]) -> dict[str, _Kept]:
            (query,) = batch
            question = {"index": index, "query_type": "count", "query": query}
            return {query: read_count(await download.json(url, post=question), index, host(url))}

        every = [one for each in wanted.values() for one in each]
        await answers.complete(every, ask, at_once=manners.at_once, start=start, progress=progress)
    asked = {one for each in wanted.values() for one in each}
    return Found(
        counts={
            id_: {one: answers.known[one].count for one in each} for id_, each in wanted.items()
        },
        queries=len(asked),
        approximate=sum(answers.known[one].approx for one in asked),
        source=url,
        fetched_at=answers.entry.fetched_at if answers.entry else "",
    )


def read_count(raw: bytes, index: str, service: str) -> _Kept:
    """The count in an answer. Raises `BadDownload` for anything else."""
    try:
        answer = msgspec.json.decode(raw, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadDownload(f"{service} sent something else than a count: nothing kept.") from None
    if answer.count is None or answer.count < 0:
        said = (answer.error or "no count")[:200]
        raise BadDownload(f"{service} answers about {index}: {said!r}; nothing of it was kept.")
    return _Kept(answer.count, answer.approx)
