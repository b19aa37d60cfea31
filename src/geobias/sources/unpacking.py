"""A table out of what was downloaded, packed or not, with a limit on what it unpacks to.

Nothing is ever written where an archive says: a table comes out as bytes, and the cache names it.
"""

from __future__ import annotations

import io
import zipfile
import zlib

from geobias.errors import BadDownload

MAX_BYTES = 64 << 20
"""Of a table, unpacked. Geo20Q+'s entities are some thousand rows."""


def table_in(content: bytes, where: str) -> bytes:
    """The CSV in this content: itself, gzipped, or the only one in a zip.

    Raises `BadDownload` for anything that is no text, that unpacks to too much, or that does not
    say which of its files is meant.
    """
    if content[:2] == b"\x1f\x8b":
        table = _gunzipped(content, where)
    elif content[:4] == b"PK\x03\x04":
        table = _unzipped(content, where)
    else:
        table = content
    if len(table) > MAX_BYTES:
        most = MAX_BYTES >> 20
        raise BadDownload(f"{where} unpacks to more than {most} MiB: nothing was kept.")
    try:
        text = table.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadDownload(f"{where} is no table in UTF-8: nothing was kept.") from None
    if text.lstrip()[:1] in ("<", "{", "[", "") or "," not in text.split("\n", 1)[0]:
        raise BadDownload(f"{where} is no CSV: nothing was kept.")
    return table


def _gunzipped(content: bytes, where: str) -> bytes:
    unpack = zlib.decompressobj(wbits=31)
    try:
        table = unpack.decompress(content, MAX_BYTES + 1)
    except zlib.error as error:
        raise BadDownload(f"{where} is no whole gzip file ({error}): nothing was kept.") from None
    if not unpack.eof and len(table) <= MAX_BYTES:
        raise BadDownload(f"{where} is no whole gzip file: nothing was kept.")
    return table


def _unzipped(content: bytes, where: str) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            tables = [
                one
                for one in archive.infolist()
                if one.filename.lower().endswith(".csv") and "__MACOSX" not in one.filename
            ]
            if len(tables) != 1:
                raise BadDownload(
                    f"{where} is a zip with {len(tables)} CSV files instead of one: nothing was "
                    "kept; unpack it yourself and use `geobias entities import`."
                )
            with archive.open(tables[0]) as file:
                return file.read(MAX_BYTES + 1)  # what it says about its size may be a lie
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadDownload(f"{where} is no whole zip file ({error}): nothing was kept.") from None
