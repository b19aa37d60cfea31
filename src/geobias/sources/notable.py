"""The cross-verified database of notable people (Laouenan et al. 2022), from Sciences Po.

2.3 million people in a CSV of some 260 MB, gzipped. What the repository says about the file (its
version, size and checksum) is asked first; the file must then be that one. It is big, so a download
that broke off goes on where it was.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import msgspec

from geobias.errors import BadDownload
from geobias.sources.cache import Cache
from geobias.sources.download import (
    Downloader,
    PartialFile,
    RequestLimits,
    decode_answer,
    host,
    service_address,
)

BASE = "https://data.sciencespo.fr"
DOI = "doi:10.21410/7E4/RDAG3O"
FILE = "cross-verified-database.csv.gz"
CACHE_NAME = "notable-people"
MAX_BYTES = 1 << 30
LIMITS = RequestLimits(concurrency=1, timeout_seconds=3600.0, attempts=6)
FALLBACK = f"download {FILE} of {DOI} in a browser and use `geobias entities import`"
NEEDED = frozenset({"name", "citizenship_1_b"})
"""Columns that `geobias entities import` reads."""

_DIGESTS = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256"}


class _Checksum(msgspec.Struct, frozen=True):
    type: str
    value: str


class _DataFile(msgspec.Struct, frozen=True):
    id: int
    filesize: int
    filename: str = ""
    md5: str = ""
    checksum: _Checksum | None = None


class _Listed(msgspec.Struct, frozen=True, rename="camel"):
    data_file: _DataFile
    label: str = ""


class _Version(msgspec.Struct, frozen=True, rename="camel"):
    files: list[_Listed] = []
    version_number: int = 0
    version_minor_number: int = 0
    release_time: str = ""


class _Dataset(msgspec.Struct, frozen=True, rename="camel"):
    latest_version: _Version


class _Answer(msgspec.Struct, frozen=True):
    data: _Dataset | None = None
    message: object = None


class RemoteFile(msgspec.Struct, frozen=True):
    url: str
    size: int
    digest: str
    """As `hashlib` calls it."""
    checksum: str
    edition: str


def read_dataset(raw: bytes, base: str) -> RemoteFile:
    """The file among those of the dataset. Raises `BadDownload` if it is not there as expected."""
    service = host(base)
    answer = decode_answer(raw, _Answer, service, "a dataset")
    if answer.data is None:
        reason = str(answer.message or "no dataset")[:200]
        raise BadDownload(f"{service} answers: {reason!r}; nothing was kept.")
    version = answer.data.latest_version
    files = [one.data_file for one in version.files if FILE in (one.label, one.data_file.filename)]
    if len(files) != 1:
        raise BadDownload(f"{service} has no {FILE} under {DOI} any more: {FALLBACK}.")
    (file,) = files
    checksum = file.checksum or _Checksum("MD5", file.md5)
    digest = _DIGESTS.get(checksum.type.upper(), "")
    value = checksum.value.lower()
    if not digest or not re.fullmatch(r"[0-9a-f]{32,64}", value):
        raise BadDownload(f"{service} gives no checksum of {FILE}: {FALLBACK}.")
    if not 0 < file.filesize <= MAX_BYTES:
        raise BadDownload(f"{service} says {FILE} has {file.filesize:,} bytes: that is not it.")
    number = f"{version.version_number}.{version.version_minor_number}"
    return RemoteFile(
        url=f"{base}/api/access/datafile/{file.id}",
        size=file.filesize,
        digest=digest,
        checksum=value,
        edition=f"Laouenan et al. 2022, version {number} of {version.release_time[:10]}",
    )


async def pull_people(
    *,
    refresh: bool = False,
    limits: RequestLimits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Path, str, bool]:
    """The file in the cache, its edition, and whether it was fetched for that.

    `progress` is called with the bytes that are here and the bytes there are.
    """
    cache = Cache()
    base = service_address("GEOBIAS_NOTABLE_URL", BASE).rstrip("/")
    source = f"{base}/dataset.xhtml?persistentId={DOI}"
    known = cache.entries().get(CACHE_NAME)
    if not refresh and known is not None and cache.path(CACHE_NAME, sha256=known.sha256):
        return cache.folder / known.file, known.edition, False
    async with Downloader(limits or LIMITS, fallback=FALLBACK) as download:
        about = f"{base}/api/datasets/:persistentId/?persistentId={quote(DOI, safe='')}"
        remote = read_dataset(await download.json(about), base)
        path = cache.partial_path(f"{CACHE_NAME}-{remote.checksum[:12]}")
        partial = PartialFile(path, remote.size)
        await download.save(remote.url, partial, progress)
    try:
        check_file(path, remote)
    except BadDownload:
        partial.drop()
        raise
    entry = cache.keep_file(
        CACHE_NAME, path, source=source, edition=remote.edition, suffix=".csv.gz"
    )
    return cache.folder / entry.file, entry.edition, True


def check_file(path: Path, remote: RemoteFile) -> None:
    """Raise `BadDownload` unless the file has the checksum and begins as that table does."""
    service = host(remote.url)
    with path.open("rb") as file:
        found = hashlib.file_digest(file, remote.digest).hexdigest()
        file.seek(0)
        begins = file.read(1 << 16)
    if found != remote.checksum:
        raise BadDownload(
            f"{service} sent another file than it describes ({remote.digest} {found[:12]}…, not "
            f"{remote.checksum[:12]}…): nothing was kept."
        )
    try:
        header = zlib.decompressobj(wbits=31).decompress(begins, 1 << 16).split(b"\n", 1)[0]
    except zlib.error:
        raise BadDownload(f"{service} sent no gzip file: nothing was kept.") from None
    columns = {name.strip(' "') for name in header.decode("latin-1").strip("\r").split(",")}
    if not columns >= NEEDED:
        raise BadDownload(f"{service} sent another table than notable people: nothing was kept.")
