"""The entities' names in other languages: Wikidata's labels, with its aliases."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from geobias.atlas.entities import LANGUAGE_CODE, NAME_COLUMNS, Entity, LocalName
from geobias.atlas.table import write_rows
from geobias.errors import BadDownload, BadRequest
from geobias.sources.cache import Cache, CachedAnswers, Progress, Start
from geobias.sources.download import Downloader, RequestLimits, decode_answer, host, service_address
from geobias.sources.wikipedia import LIMITS, find_articles

BASE = "https://www.wikidata.org/w/api.php"
ITEMS_A_REQUEST = 50
"""The most the service takes."""
FALLBACK = "use the names of the standard set, which come with geobias"
VARIANTS = {"zh": ("zh-hans", "zh-cn", "zh")}
"""Codes of a language there, the best first: ours is Chinese in simplified characters."""
LONGEST_NAME = 200

_ITEM = re.compile(r"Q[1-9]\d{0,11}", re.ASCII)


class _Text(msgspec.Struct, frozen=True):
    value: str


class _Item(msgspec.Struct, frozen=True):
    labels: dict[str, _Text] = {}
    aliases: dict[str, list[_Text]] = {}


class _Answer(msgspec.Struct, frozen=True):
    entities: dict[str, _Item] | None = None
    error: dict[str, object] | None = None


class PulledNames(msgspec.Struct, frozen=True):
    """What a pull of names found: names by entity and language, and why entities have none."""

    names: Mapping[str, Mapping[str, LocalName]]
    without: Mapping[str, str]
    out: Path


async def pull_names(
    table: Mapping[str, Entity],
    languages: Sequence[str],
    out: Path,
    *,
    titles: Mapping[str, str] | None = None,
    refresh: bool = False,
    limits: RequestLimits | None = None,
    start: Start | None = None,
    progress: Progress | None = None,
) -> PulledNames:
    """Write the names of these entities in these languages to `out`, in our columns."""
    for language in languages:
        if language == "en" or not LANGUAGE_CODE.fullmatch(language):
            raise BadRequest(f"{language!r} is no language's code such as hi, zh or pt-br.")
    if not out.parent.is_dir():
        raise BadRequest(f"{out} cannot be written: there is no folder {out.parent}.")
    cache = Cache()
    url = service_address("GEOBIAS_WIKIDATA_URL", BASE)
    codes = sorted({code for one in languages for code in VARIANTS.get(one, (one,))})
    cache_name = f"wikidata-names-{'-'.join(codes)}"
    answers = CachedAnswers(cache, cache_name, _Item, source=url, refresh=refresh)
    names = {id_: (titles or {}).get(id_, entity.name) for id_, entity in table.items()}
    async with Downloader(limits or LIMITS, fallback=FALLBACK) as download:
        articles = await find_articles(list(names.values()), download, cache, refresh=refresh)

        async def ask(batch: list[str]) -> dict[str, _Item]:
            question = {"action": "wbgetentities", "format": "json", "ids": "|".join(batch)}
            question |= {"props": "labels|aliases", "languages": "|".join(codes)}
            return read_items(await download.json(f"{url}?{urlencode(question)}"), batch, host(url))

        items = [articles[english].item for english in names.values()]
        wanted = [item for item in items if _ITEM.fullmatch(item)]
        await answers.complete(
            wanted, ask, batch_size=ITEMS_A_REQUEST, start=start, progress=progress
        )
    named: dict[str, dict[str, LocalName]] = {}
    without: dict[str, str] = {}
    rows: list[Sequence[str]] = [NAME_COLUMNS]
    for id_, english in names.items():
        article = articles[english]
        item = answers.known.get(article.item)
        local = {one: name for one in languages if item and (name := local_name(item, one))}
        rows += [[id_, one, name.name, "|".join(name.aliases)] for one, name in local.items()]
        if local:
            named[id_] = local
        else:
            reason = "no name in these languages" if article.item else "not in Wikidata"
            without[id_] = article.note or reason
    write_rows(out, rows)
    return PulledNames(named, without, out)


def read_items(raw: bytes, items: Sequence[str], service: str) -> dict[str, _Item]:
    """What the service says about each of these items. Raises `BadDownload` if it says nothing."""
    answer = decode_answer(raw, _Answer, service, "names")
    if answer.entities is None:
        reason = str((answer.error or {}).get("info", "no names"))[:200]
        raise BadDownload(f"{service} answers: {reason!r}; nothing of it was kept.")
    if missing := [item for item in items if item not in answer.entities]:
        raise BadDownload(f"{service} says nothing about {missing[0]}: nothing was kept.")
    return {item: answer.entities[item] for item in items}


def local_name(item: _Item, language: str) -> LocalName | None:
    """The name of an item in one of our languages; None where it has none.

    A name with control characters or of absurd length is none; an alias with a "|", which parts
    aliases in our tables, neither.
    """
    codes = VARIANTS.get(language, (language,))
    labels = [item.labels[code].value for code in codes if code in item.labels]
    aliases = [text.value for code in codes for text in item.aliases.get(code, [])]
    good = [name for text in labels if (name := _tidy(text))]
    if not good:
        return None
    others = [name for text in aliases if (name := _tidy(text)) and "|" not in name]
    return LocalName(good[0], tuple(one for one in dict.fromkeys(others) if one != good[0]))


def _tidy(text: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", text).split())
    wrong = any(unicodedata.category(c) in ("Cc", "Cs", "Cn", "Co") for c in name)
    return "" if wrong or len(name) > LONGEST_NAME else name
