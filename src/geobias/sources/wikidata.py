"""The entities' names in other languages: Wikidata's labels, with its aliases."""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from geobias.atlas.entities import LANGUAGE_CODE, NAME_COLUMNS, Entity, LocalName
from geobias.errors import BadDownload, BadRequest
from geobias.files import write_whole
from geobias.sources.answers import Answers, Progress, Start
from geobias.sources.cache import Cache
from geobias.sources.download import Downloader, Manners, host
from geobias.sources.wikipedia import MANNERS, Article, find_articles

BASE = "https://www.wikidata.org/w/api.php"
AT_A_TIME = 50
"""Items in a request, the most the service takes."""
OTHERWISE = "use the names of the standard set, which come with geobias"
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


class Pulled(msgspec.Struct, frozen=True):
    """What a pull of names found: names by entity and language, and why entities have none."""

    names: Mapping[str, Mapping[str, LocalName]]
    without: Mapping[str, str]
    out: Path


def wikidata_url() -> str:
    """The address of the service: Wikidata's, or $GEOBIAS_WIKIDATA_URL."""
    return os.environ.get("GEOBIAS_WIKIDATA_URL", "").strip() or BASE


async def pull_names(
    table: Mapping[str, Entity],
    languages: Sequence[str],
    out: Path,
    *,
    titles: Mapping[str, str] | None = None,
    refresh: bool = False,
    cache: Cache | None = None,
    manners: Manners | None = None,
    start: Start | None = None,
    progress: Progress | None = None,
) -> Pulled:
    """Write the names of these entities in these languages to `out`, in our columns."""
    for language in languages:
        if language == "en" or not LANGUAGE_CODE.fullmatch(language):
            raise BadRequest(f"{language!r} is no language's code such as hi, zh or pt-br.")
    if not out.parent.is_dir():
        raise BadRequest(f"{out} cannot be written: there is no folder {out.parent}.")
    cache = Cache() if cache is None else cache
    url = wikidata_url()
    codes = sorted({code for one in languages for code in VARIANTS.get(one, (one,))})
    answers = Answers(cache, f"wikidata-names-{'-'.join(codes)}", _Item, source=url)
    if not refresh:
        answers.load()
    asked = {id_: (titles or {}).get(id_, entity.name) for id_, entity in table.items()}
    async with Downloader(manners or MANNERS, otherwise=OTHERWISE) as download:
        articles = await find_articles(list(asked.values()), download, cache, refresh=refresh)

        async def ask(batch: list[str]) -> dict[str, _Item]:
            question = {"action": "wbgetentities", "format": "json", "ids": "|".join(batch)}
            question |= {"props": "labels|aliases", "languages": "|".join(codes)}
            return read_items(await download.json(f"{url}?{urlencode(question)}"), batch, host(url))

        items = [article.item for article in map(articles.__getitem__, asked.values())]
        wanted = [item for item in items if _ITEM.fullmatch(item)]
        await answers.complete(
            wanted, ask, at_a_time=AT_A_TIME, at_once=1, start=start, progress=progress
        )
    found: dict[str, dict[str, LocalName]] = {}
    without: dict[str, str] = {}
    for id_, said in asked.items():
        item = answers.known.get(articles[said].item)
        named = {one: name for one in languages if item and (name := local_name(item, one))}
        if named:
            found[id_] = named
        else:
            without[id_] = _why_not(articles[said])
    _write(found, out)
    return Pulled(found, without, out)


def _why_not(article: Article) -> str:
    return article.note or ("no name in these languages" if article.item else "not in Wikidata")


def read_items(raw: bytes, items: Sequence[str], service: str) -> dict[str, _Item]:
    """What the service says about each of these items. Raises `BadDownload` if it says nothing."""
    try:
        answer = msgspec.json.decode(raw, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadDownload(f"{service} sent something else than names: nothing kept.") from None
    if answer.entities is None:
        said = str((answer.error or {}).get("info", "no names"))[:200]
        raise BadDownload(f"{service} answers: {said!r}; nothing of it was kept.")
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


def _write(names: Mapping[str, Mapping[str, LocalName]], out: Path) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(NAME_COLUMNS)
    for id_, by_language in names.items():
        for language, local in by_language.items():
            writer.writerow([id_, language, local.name, "|".join(local.aliases)])
    write_whole(out, text.getvalue().encode(), BadRequest)
