"""Files that others publish and geobias does not ship: fetched, checked, kept in the cache.

BBQ's nationality items: 3,080 by Parrish et al. (2022), CC BY 4.0. The file is known by its hash,
so that everyone who pulls it asks the same questions; one that changed at the source is refused.

The cross-verified database of notable people (Laouenan et al. 2022), from Sciences Po: 2.3 million
people in a CSV of some 260 MB, gzipped. The repository is asked first for version, size and
checksum; the file must fit them. A download that broke off is resumed.

Geo20Q+'s published entities, from an address that the user gives: the paper names a site and no
address of a file. An archive is unpacked in memory with a limit; no path in it is ever written to.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import msgspec

from geobias.errors import BadDownload, BadRequest
from geobias.sources.cache import Cache, CacheEntry
from geobias.sources.download import (
    LOOPBACK,
    Downloader,
    PartialFile,
    RequestLimits,
    decode_answer,
    host,
    service_address,
)


class PulledFile(NamedTuple):
    """A file in the cache, and whether it was fetched for this."""

    path: Path
    entry: CacheEntry
    fetched: bool


# -- BBQ -------------------------------------------------------------------------------------------

BBQ_BASE = "https://raw.githubusercontent.com/nyu-mll/BBQ/main/data"
BBQ_FILE = "Nationality.jsonl"
BBQ_SHA256 = "a583e74666aec0341ded8aa3983e7cad694eb24de72c254d28b2df3035720090"
BBQ_NAME = "bbq-nationality"


def bbq_url() -> str:
    """Where the file is: under $GEOBIAS_BBQ_URL, or where its authors publish it."""
    return f"{service_address('GEOBIAS_BBQ_URL', BBQ_BASE).rstrip('/')}/{BBQ_FILE}"


def cached_bbq() -> Path | None:
    """The file in the cache; None if it was not pulled, or is not as it was."""
    cache = Cache()
    entry = cache.find(BBQ_NAME, sha256=BBQ_SHA256)
    return cache.path(entry) if entry else None


async def pull_bbq(*, refresh: bool = False, limits: RequestLimits | None = None) -> PulledFile:
    """BBQ's items. The cache stays as it is unless the right file has come whole."""
    cache = Cache()
    if not refresh and (entry := cache.find(BBQ_NAME, sha256=BBQ_SHA256)):
        return PulledFile(cache.path(entry), entry, fetched=False)
    url = bbq_url()
    fallback = f"set GEOBIAS_BBQ to a copy of BBQ's {BBQ_FILE} that you have"
    async with Downloader(limits, fallback=fallback) as download:
        content = await download.file(url, sha256=BBQ_SHA256)
    entry = cache.keep(BBQ_NAME, content, source=url, suffix=".jsonl")
    return PulledFile(cache.path(entry), entry, fetched=True)


# -- notable people --------------------------------------------------------------------------------

PEOPLE_BASE = "https://data.sciencespo.fr"
PEOPLE_DOI = "doi:10.21410/7E4/RDAG3O"
PEOPLE_FILE = "cross-verified-database.csv.gz"
PEOPLE_NAME = "notable-people"
PEOPLE_MAX_BYTES = 1 << 30
PEOPLE_LIMITS = RequestLimits(concurrency=1, timeout_seconds=3600.0, attempts=6)
PEOPLE_FALLBACK = (
    f"download {PEOPLE_FILE} of {PEOPLE_DOI} in a browser and use `geobias entities import`"
)
PEOPLE_COLUMNS = frozenset({"name", "citizenship_1_b"})
"""Those that `geobias entities import` reads."""

_DIGESTS = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256"}


class _Checksum(msgspec.Struct, frozen=True):
    type: str
    value: str


class _DataFile(msgspec.Struct, frozen=True):
    id: int
    filesize: int
    filename: str = ""
    checksum: _Checksum = _Checksum("", "")


class _Listed(msgspec.Struct, frozen=True, rename="camel"):
    data_file: _DataFile


class _Version(msgspec.Struct, frozen=True, rename="camel"):
    files: list[_Listed] = []
    version_number: int = 0
    version_minor_number: int = 0
    release_time: str = ""


class _Dataset(msgspec.Struct, frozen=True, rename="camel"):
    latest_version: _Version


class _DatasetAnswer(msgspec.Struct, frozen=True):
    data: _Dataset | None = None
    message: object = None


def _read_dataset(raw: bytes, service: str) -> tuple[_DataFile, str]:
    """The file among those of the dataset, and its edition; `BadDownload` if it is not there."""
    answer = decode_answer(raw, _DatasetAnswer, service, "a dataset")
    if answer.data is None:
        reason = str(answer.message or "no dataset")[:200]
        raise BadDownload(f"{service} answers: {reason!r}; nothing was kept.")
    version = answer.data.latest_version
    files = [one.data_file for one in version.files if one.data_file.filename == PEOPLE_FILE]
    if len(files) != 1:
        raise BadDownload(
            f"{service} has no {PEOPLE_FILE} under {PEOPLE_DOI} any more: {PEOPLE_FALLBACK}."
        )
    (file,) = files
    known = file.checksum.type.upper() in _DIGESTS
    if not known or not re.fullmatch(r"[0-9a-fA-F]{32,64}", file.checksum.value):
        raise BadDownload(f"{service} gives no checksum of {PEOPLE_FILE}: {PEOPLE_FALLBACK}.")
    if not 0 < file.filesize <= PEOPLE_MAX_BYTES:
        size = f"{file.filesize:,} bytes"
        raise BadDownload(f"{service} says {PEOPLE_FILE} has {size}: that is not it.")
    number = f"{version.version_number}.{version.version_minor_number}"
    return file, f"Laouenan et al. 2022, version {number} of {version.release_time[:10]}"


async def pull_people(
    *,
    refresh: bool = False,
    limits: RequestLimits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PulledFile:
    """The database; `progress` is called with the bytes that are here and the bytes there are."""
    cache = Cache()
    if not refresh and (entry := cache.find(PEOPLE_NAME)):
        return PulledFile(cache.path(entry), entry, fetched=False)
    base = service_address("GEOBIAS_NOTABLE_URL", PEOPLE_BASE).rstrip("/")
    async with Downloader(limits or PEOPLE_LIMITS, fallback=PEOPLE_FALLBACK) as download:
        about = f"{base}/api/datasets/:persistentId/?persistentId={quote(PEOPLE_DOI, safe='')}"
        file, edition = _read_dataset(await download.json(about), host(base))
        path = cache.partial_path(f"{PEOPLE_NAME}-{file.checksum.value.lower()[:12]}")
        partial = PartialFile(path, file.filesize)
        await download.save(f"{base}/api/access/datafile/{file.id}", partial, progress)
    try:
        _check_people(path, file.checksum, host(base))
    except BadDownload:
        partial.drop()
        raise
    source = f"{base}/dataset.xhtml?persistentId={PEOPLE_DOI}"
    entry = cache.keep(PEOPLE_NAME, path, source=source, edition=edition, suffix=".csv.gz")
    return PulledFile(cache.path(entry), entry, fetched=True)


def _check_people(path: Path, checksum: _Checksum, service: str) -> None:
    """Raise `BadDownload` unless the file has the checksum and begins as that table does."""
    digest = _DIGESTS[checksum.type.upper()]
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, digest).hexdigest()
        file.seek(0)
        begins = file.read(1 << 16)
    if actual != checksum.value.lower():
        raise BadDownload(
            f"{service} sent another file than it describes ({digest} {actual[:12]}…, not "
            f"{checksum.value.lower()[:12]}…): nothing was kept."
        )
    try:
        header = zlib.decompressobj(wbits=31).decompress(begins, 1 << 16).split(b"\n", 1)[0]
    except zlib.error:
        raise BadDownload(f"{service} sent no gzip file: nothing was kept.") from None
    columns = {name.strip(' "') for name in header.decode("latin-1").strip("\r").split(",")}
    if not columns >= PEOPLE_COLUMNS:
        raise BadDownload(f"{service} sent another table than notable people: nothing was kept.")


# -- Geo20Q+'s entities ----------------------------------------------------------------------------

ENTITIES_NAME = "geo20q"
"""As `geobias data pull` calls it."""
ENTITIES_MAX_BYTES = 64 << 20
"""Of a table, unpacked. Geo20Q+'s entities are some thousand rows."""
ENTITIES_SITE = "https://sites.google.com/view/llmbias20q/home"
ENTITIES_LIMITS = RequestLimits(concurrency=1, max_bytes=ENTITIES_MAX_BYTES)


async def pull_entities(
    url: str,
    label: str,
    *,
    sha256: str | None = None,
    refresh: bool = False,
    limits: RequestLimits | None = None,
) -> PulledFile:
    """A table of entities; `label` tells several apart ("people", "things").

    With `sha256` another file is refused.
    """
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise BadRequest(f"{url!r} is no address of a file: it should begin with https://.")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,40}", label):
        raise BadRequest(f"{label!r} is no label: use small letters, digits and hyphens.")
    if sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise BadRequest("A SHA-256 has 64 digits 0-9 and a-f.")
    cache = Cache()
    name = f"{ENTITIES_NAME}-{label}"
    if not refresh and (entry := cache.find(name, source=url)):
        return PulledFile(cache.path(entry), entry, fetched=False)
    fallback = (
        f"download the file from {ENTITIES_SITE} in a browser and use `geobias entities import`"
    )
    async with Downloader(limits or ENTITIES_LIMITS, fallback=fallback) as download:
        content = await download.file(url, sha256=sha256)
    entry = cache.keep(name, table_in(content, url), source=url, suffix=".csv")
    return PulledFile(cache.path(entry), entry, fetched=True)


def table_in(content: bytes, where: str) -> bytes:
    """The CSV in this content: itself, gzipped, or the only one in a zip.

    Raises `BadDownload` for anything that is no text, that unpacks to too much, or that does not
    say which of its files is meant.
    """
    try:
        table = _unpacked(content, where)
    # A RuntimeError: zipfile lacks the method or the password.
    except (zlib.error, EOFError, zipfile.BadZipFile, RuntimeError) as error:
        kind = "gzip" if content[:2] == b"\x1f\x8b" else "zip"
        raise BadDownload(f"{where} is no whole {kind} file ({error}): nothing was kept.") from None
    if len(table) > ENTITIES_MAX_BYTES:
        most = ENTITIES_MAX_BYTES >> 20
        raise BadDownload(f"{where} unpacks to more than {most} MiB: nothing was kept.")
    try:
        text = table.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadDownload(f"{where} is no table in UTF-8: nothing was kept.") from None
    if text.lstrip()[:1] in ("<", "{", "[", "") or "," not in text.split("\n", 1)[0]:
        raise BadDownload(f"{where} is no CSV: nothing was kept.")
    return table


def _unpacked(content: bytes, where: str) -> bytes:
    """At most one byte more than is allowed, whatever an archive says about its size."""
    most = ENTITIES_MAX_BYTES + 1
    if content[:2] == b"\x1f\x8b":
        unpack = zlib.decompressobj(wbits=31)
        table = unpack.decompress(content, most)
        if not unpack.eof and len(table) < most:
            raise EOFError("it ends in the middle")
        return table
    if content[:4] != b"PK\x03\x04":
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        tables = [
            name
            for name in archive.namelist()
            if name.lower().endswith(".csv") and "__MACOSX" not in name
        ]
        if len(tables) != 1:
            raise BadDownload(
                f"{where} is a zip with {len(tables)} CSV files instead of one: nothing was "
                "kept; unpack it yourself and use `geobias entities import`."
            )
        with archive.open(tables[0]) as file:
            return file.read(most)
