"""The World Bank's Indicators API, version 2: whole series, and the list of economies.

A whole series is asked for at once, so that no update of the data can come between two parts of it.
An answer that has more pages, or other rows than it counts, is refused.

Figures, /v2/country/all/indicator/CODE: a list of the answer's head and its rows. Economies and
aggregates stand side by side, and a year without a figure is a row with null:

    [{"page": 1, "pages": 1, "per_page": 32000, "total": 17490,
      "sourceid": "2", "lastupdated": "2026-01-28"},
     [{"indicator": {"id": "SP.POP.TOTL", "value": "Population, total"},
       "country": {"id": "KE", "value": "Kenya"}, "countryiso3code": "KEN",
       "date": "2024", "value": 56432944, "unit": "", "obs_status": "", "decimal": 0}, …]]

The list of economies, /v2/country, has the same two parts without `lastupdated`; an aggregate is
in the region "NA". Nothing at all is `"total": 0` and null for the rows. A refusal is

    [{"message": [{"id": "120", "key": "Invalid value", "value": "The provided …"}]}]

with id 120 for a code that never was and 175 for one that was "deleted or archived".

https://datahelpdesk.worldbank.org/knowledgebase/topics/125589-developer-information
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from geobias.atlas.importing import Series
from geobias.errors import BadDownload, BadRequest
from geobias.sources.download import Downloader, service_address

Row = TypeVar("Row", "FigureRow", "EconomyRow")
AGGREGATES = "NA"
"""The region that is none; aggregates are put in it."""
NO_SUCH_INDICATOR = frozenset({"120", "175"})
AT_ONCE = 32_000
"""Rows that are asked for; the longest series has eighteen thousand."""
FALLBACK = (
    "download the files from data.worldbank.org elsewhere and use `geobias data import worldbank`"
)

_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Named(msgspec.Struct, frozen=True):
    """A code with its words. The words may be missing, or carry spaces at their end."""

    id: str | None = ""
    value: str | None = ""


class FigureRow(msgspec.Struct, frozen=True):
    """One figure, or that there is none (null)."""

    indicator: Named
    country: Named
    """With a two-letter code; some sources put a three-letter one here and leave iso3 empty."""
    date: str
    value: float | None = None
    countryiso3code: str | None = ""

    @property
    def place(self) -> str:
        """The best code there is: three letters where the row has them."""
        return (self.countryiso3code or self.country.id or "").strip()

    @property
    def key(self) -> str:
        return f"{self.place} of {self.date}"


class EconomyRow(msgspec.Struct, frozen=True):
    """An economy or aggregate as the World Bank lists it today."""

    id: str
    name: str
    region: Named
    iso2Code: str = ""

    @property
    def key(self) -> str:
        return self.id.strip()

    @property
    def aggregate(self) -> bool:
        return self.region.id == AGGREGATES


class _Message(msgspec.Struct, frozen=True):
    id: str = ""
    key: str = ""
    value: str = ""


class Head(msgspec.Struct, frozen=True):
    """What stands before the rows."""

    pages: int = 0
    total: int = 0
    lastupdated: str | None = None
    message: list[_Message] | None = None


class ServiceSaysNo(Exception):
    """The service answered with a message instead of rows."""

    def __init__(self, message: _Message) -> None:
        words = " ".join(f"{message.key}: {message.value}".split())[:200].rstrip(". ")
        super().__init__("".join(c for c in words if c.isprintable()))
        self.no_such_indicator = message.id in NO_SUCH_INDICATOR


class NoSuchSeries(BadRequest):
    """The service has no such indicator, or no longer, or no figures of it."""


def read_rows(body: bytes, row_type: type[Row]) -> tuple[Head, list[Row]]:
    """The head of an answer and its rows, each once.

    A message is a `ServiceSaysNo`; anything else of another shape a `BadDownload`.
    """
    try:
        parts = msgspec.json.decode(body, type=list[msgspec.Raw])
        # Numbers in the head come as text at times, so they are read either way.
        head = msgspec.json.decode(parts[0], type=Head, strict=False)
        if head.message:
            raise ServiceSaysNo(head.message[0])
        found = msgspec.json.decode(parts[1], type=list[row_type] | None)  # type: ignore[valid-type]
    except (msgspec.DecodeError, IndexError, RecursionError, UnicodeDecodeError) as error:
        words = str(error) if isinstance(error, msgspec.ValidationError) else "other JSON"
        raise BadDownload(
            f"The World Bank's answer has another shape than it used to ({words}): nothing was "
            "kept; download the files by hand and use `geobias data import worldbank`."
        ) from None
    rows: list[Row] = found or []
    if head.pages > 1 or len({row.key for row in rows}) != head.total or len(rows) != head.total:
        raise BadDownload(
            f"The World Bank's answer has {len(rows):,} rows where there should be {head.total:,}, "
            "perhaps because its data are being updated: nothing was kept; run the same command "
            "again later."
        )
    return head, rows


def service_url() -> str:
    """The address of the service: the World Bank's, or $GEOBIAS_WORLDBANK_URL."""
    url = service_address("GEOBIAS_WORLDBANK_URL", "https://api.worldbank.org/v2")
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine:
        raise BadRequest(f"GEOBIAS_WORLDBANK_URL should begin with https:// and a host: {url!r}.")
    return url.rstrip("/")


def checked_code(code: str) -> str:
    """The code if it can be one, so that nothing else gets into an address or a file name."""
    if not _CODE.fullmatch(code):
        raise BadRequest(f"{code!r} is no World Bank code: they look like SP.POP.TOTL.")
    return code


def series_source(url: str, code: str) -> str:
    """The address of a series."""
    path = quote(checked_code(code))
    return f"{url}/country/all/indicator/{path}?format=json&per_page={AT_ONCE}"


def economies_source(url: str) -> str:
    """The address of the list of economies."""
    return f"{url}/country?format=json&per_page={AT_ONCE}"


async def fetch_series(download: Downloader, source: str, code: str) -> Series:
    """Every figure of a series, economies and aggregates alike, of all years."""
    try:
        head, rows = read_rows(await download.json(source), FigureRow)
    except ServiceSaysNo as no:
        if no.no_such_indicator:
            raise NoSuchSeries(f"The World Bank does not serve {code} ({no}).") from None
        raise BadDownload(f"The World Bank refuses {code} ({no}): try again later.") from None
    figures = _figures(rows)
    for row in rows:
        if (row.indicator.id or "").casefold() != code.casefold():
            raise BadDownload(
                f"The World Bank answered about {row.indicator.id} instead of {code}."
            )
    years = {year for by_year in figures.values() for year in by_year}
    if not years:
        raise NoSuchSeries(f"The World Bank has no figures of {code}.")
    edition = (head.lastupdated or "").strip()
    return Series(
        code=rows[0].indicator.id or "",
        name=(rows[0].indicator.value or "").strip(),
        # Few sources give no date of their own; the day they were asked tells their editions apart.
        edition=edition or f"asked {datetime.now(UTC).date()}",
        years=tuple(range(min(years), max(years) + 1)),
        figures=figures,
    )


def _figures(rows: Iterable[FigureRow]) -> dict[str, dict[int, float]]:
    """By place and year; a null is no figure."""
    figures: dict[str, dict[int, float]] = {}
    for row in rows:
        if not re.fullmatch(r"[12][0-9]{3}", row.date):
            raise BadRequest(
                f"{row.indicator.id} has figures of {row.date!r}: only yearly series are read."
            )
        if row.value is not None:
            figures.setdefault(row.place, {})[int(row.date)] = row.value
    return figures


async def fetch_economies(download: Downloader, source: str) -> list[EconomyRow]:
    """The economies and aggregates of today."""
    try:
        _, rows = read_rows(await download.json(source), EconomyRow)
    except ServiceSaysNo as no:
        raise BadDownload(
            f"The World Bank refuses its list of countries ({no}): try again later."
        ) from None
    if all(row.aggregate for row in rows):
        raise BadDownload("The World Bank's list of countries is empty: try again later.")
    return rows


def economies_only(
    series: Series, listed: Iterable[EconomyRow], known: Mapping[str, object]
) -> tuple[Series, dict[str, str], int]:
    """The series with economies only; the unknown ones; how many aggregates were left out.

    An economy is a place the World Bank lists in a region and geobias knows too. What it lists in
    a region and geobias does not know, and what it does not list at all, is unknown: code and name.
    """
    by_code = {code: row for row in listed for code in (row.iso2Code.strip(), row.key) if code}
    figures: dict[str, Mapping[int, float]] = {}
    unknown: dict[str, str] = {}
    aggregates = 0
    for place, by_year in series.figures.items():
        row = by_code.get(place)
        if row is None:
            unknown[place] = ""
        elif row.aggregate:
            aggregates += 1
        elif row.key in known:
            figures[row.key] = {**figures.get(row.key, {}), **by_year}
        else:
            unknown[row.key] = row.name.strip()
    return msgspec.structs.replace(series, figures=figures), unknown, aggregates
