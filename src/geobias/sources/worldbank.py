"""Asking the World Bank's Indicators API for a whole series, and for the list of economies.

An answer comes in pages. The service updates its data now and then, and an update between two
pages would mix two editions in one table; so all pages must agree on the edition and on how many
rows there are, and the rows must be there, each once. Otherwise all pages are asked for again,
once.

The JSON of the World Bank's Indicators API, version 2. Text in, rows out; no connection.

Figures, /v2/country/all/indicator/CODE: a list of what page this is and its rows. Economies and
aggregates stand side by side, and a year without a figure is a row with null:

    [{"page": 1, "pages": 18, "per_page": 1000, "total": 17490,
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
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import count
from typing import TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from geobias.atlas.importing import Series
from geobias.errors import BadDownload, BadRequest
from geobias.sources.download import Downloader, gather_or_cancel, service_address

T = TypeVar("T", bound=msgspec.Struct)

AGGREGATES = "NA"
"""The region that is none; aggregates are put in it."""
NOT_CLASSIFIED = "INX"
NO_SUCH_INDICATOR = frozenset({"120", "175"})


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


class EconomyRow(msgspec.Struct, frozen=True):
    id: str
    name: str
    region: Named
    iso2Code: str = ""
    incomeLevel: Named = Named()
    capitalCity: str | None = ""


class ServedEconomy(msgspec.Struct, frozen=True):
    """An economy or aggregate as the World Bank lists it today."""

    iso3: str
    iso2: str
    name: str
    region: str | None
    """None for an aggregate."""
    income: str | None
    """None where the World Bank has not classified it, and for aggregates."""
    capital: str | None

    @property
    def aggregate(self) -> bool:
        return self.region is None


class Refusal(msgspec.Struct, frozen=True):
    id: str = ""
    key: str = ""
    value: str = ""


class _Head(msgspec.Struct, frozen=True):
    page: int = 0
    pages: int = 0
    total: int = 0
    lastupdated: str | None = None
    message: list[Refusal] | None = None


class PageHeading(msgspec.Struct, frozen=True):
    """What a page says about the whole; equal on all pages of one answer."""

    pages: int
    total: int
    edition: str
    """`lastupdated`; empty where the service gives none."""


class ServiceSaysNo(Exception):
    """The service answered with a message instead of rows."""

    def __init__(self, message: Refusal) -> None:
        words = " ".join(f"{message.key}: {message.value}".split())[:200].rstrip(". ")
        super().__init__("".join(c for c in words if c.isprintable()))
        self.no_such_indicator = message.id in NO_SUCH_INDICATOR


def read_page(body: bytes, rows_of: type[T]) -> tuple[int, PageHeading, list[T]]:
    """The number of the page, what it says about the whole, and its rows.

    A message is a `ServiceSaysNo`; anything else of another shape a `BadDownload`.
    """
    try:
        parts = msgspec.json.decode(body, type=list[msgspec.Raw])
        # Numbers in the head come as text at times, so they are read either way.
        head = msgspec.json.decode(parts[0], type=_Head, strict=False)
        if head.message:
            raise ServiceSaysNo(head.message[0])
        rows = msgspec.json.decode(parts[1], type=list[rows_of] | None)  # type: ignore[valid-type]
    except (msgspec.DecodeError, IndexError, RecursionError, UnicodeDecodeError) as error:
        words = str(error) if isinstance(error, msgspec.ValidationError) else "other JSON"
        raise BadDownload(
            f"The World Bank's answer has another shape than it used to ({words}): nothing was "
            "kept; download the files by hand and use `geobias data import worldbank`."
        ) from None
    heading = PageHeading(head.pages, head.total, (head.lastupdated or "").strip())
    return head.page, heading, rows or []


def served_economy(row: EconomyRow) -> ServedEconomy:
    """The row with empty words as None."""
    aggregate = row.region.id == AGGREGATES
    classified = not aggregate and row.incomeLevel.id != NOT_CLASSIFIED
    return ServedEconomy(
        iso3=row.id.strip(),
        iso2=row.iso2Code.strip(),
        name=row.name.strip(),
        region=None if aggregate else (row.region.value or "").strip(),
        income=(row.incomeLevel.value or "").strip() or None if classified else None,
        capital=(row.capitalCity or "").strip() or None,
    )


Joined = TypeVar("Joined")
Progress = Callable[[int, int], None]
"""Called with the pages that are here and the pages there are."""

FIGURES_A_PAGE = 1000
ECONOMIES_A_PAGE = 400
MOST_PAGES = 500
"""Half a million rows; the longest series has eighteen thousand."""
FALLBACK = (
    "download the files from data.worldbank.org elsewhere and use `geobias data import worldbank`"
)

_YEAR = re.compile(r"[12]\d{3}", re.ASCII)
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class NoSuchSeries(BadRequest):
    """The service has no such indicator, or no longer, or no figures of it."""


class _PagesDisagree(Exception):
    """Two pages cannot be of the same answer; the text says why."""


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
    """The address of a series, without the page."""
    path = quote(checked_code(code))
    return f"{url}/country/all/indicator/{path}?format=json&per_page={FIGURES_A_PAGE}"


def economies_source(url: str) -> str:
    """The address of the list of economies, without the page."""
    return f"{url}/country?format=json&per_page={ECONOMIES_A_PAGE}"


async def fetch_series(
    download: Downloader, source: str, code: str, progress: Progress | None = None
) -> Series:
    """Every figure of a series, economies and aggregates alike, of all years."""
    try:
        heading, rows, figures = await _fetch_all(download, source, FigureRow, _figures, progress)
    except ServiceSaysNo as no:
        if no.no_such_indicator:
            raise NoSuchSeries(f"The World Bank does not serve {code} ({no}).") from None
        raise BadDownload(f"The World Bank refuses {code} ({no}): try again later.") from None
    if not rows:
        raise NoSuchSeries(f"The World Bank has no figures of {code}.")
    served = rows[0].indicator.id or ""
    if any((row.indicator.id or "").casefold() != code.casefold() for row in rows):
        raise BadDownload(f"The World Bank answered about {served} instead of {code}.")
    years = {year for by_year in figures.values() for year in by_year}
    if not years:
        raise NoSuchSeries(f"The World Bank has no figures of {code}.")
    return Series(
        code=served,
        name=(rows[0].indicator.value or "").strip(),
        # Few sources give no date of their own; the day they were asked tells their editions apart.
        edition=heading.edition or f"asked {datetime.now(UTC).date()}",
        years=tuple(range(min(years), max(years) + 1)),
        figures=figures,
    )


async def fetch_economies(download: Downloader, source: str) -> dict[str, ServedEconomy]:
    """The economies and aggregates of today by three-letter code."""
    try:
        _, _, listed = await _fetch_all(download, source, EconomyRow, _economies, None)
    except ServiceSaysNo as no:
        raise BadDownload(
            f"The World Bank refuses its list of economies ({no}): try again later."
        ) from None
    if all(one.aggregate for one in listed.values()):
        raise BadDownload("The World Bank's list of economies is empty: try again later.")
    return listed


async def _fetch_all(
    download: Downloader,
    source: str,
    rows_of: type[T],
    join: Callable[[list[T]], Joined],
    progress: Progress | None,
) -> tuple[PageHeading, list[T], Joined]:
    """All rows of an answer, and what `join` makes of them; it must find no row twice."""
    for last_attempt in (False, True):
        try:
            heading, rows = await _fetch_pages(download, source, rows_of, progress)
            return heading, rows, join(rows)
        except _PagesDisagree as why:
            if last_attempt:
                raise BadDownload(
                    f"The World Bank's pages do not fit together ({why}), perhaps because its data "
                    "are being updated: nothing was kept; run the same command again later."
                ) from None
    raise AssertionError


async def _fetch_pages(
    download: Downloader, source: str, rows_of: type[T], progress: Progress | None
) -> tuple[PageHeading, list[T]]:
    async def page(number: int) -> tuple[PageHeading, list[T]]:
        body = await download.json(f"{source}&page={number}")
        answered, heading, rows = read_page(body, rows_of)
        if heading.total and answered != number:
            raise _PagesDisagree(f"page {answered} came for page {number}")
        return heading, rows

    heading, rows = await page(1)
    if heading.pages > MOST_PAGES:
        raise BadDownload(f"The World Bank speaks of {heading.pages:,} pages: nothing was kept.")
    arrived = count(1)

    def report_page() -> None:
        if progress:
            progress(next(arrived), heading.pages)

    async def further(number: int) -> list[T]:
        other, more = await page(number)
        if other != heading:
            raise _PagesDisagree(f"page {number} is of another answer than page 1")
        report_page()
        return more

    report_page()
    for more in await gather_or_cancel(further(number) for number in range(2, heading.pages + 1)):
        rows += more
    if len(rows) != heading.total:
        raise _PagesDisagree(f"{len(rows):,} rows came where there should be {heading.total:,}")
    return heading, rows


def _figures(rows: list[FigureRow]) -> dict[str, dict[int, float]]:
    """By place and year; a null is no figure, but its row too may stand there only once."""
    seen: set[tuple[str, str]] = set()
    figures: dict[str, dict[int, float]] = {}
    for row in rows:
        if not _YEAR.fullmatch(row.date):
            raise BadRequest(
                f"{row.indicator.id} has figures of {row.date!r}: only yearly series are read."
            )
        if (row.place, row.date) in seen:
            raise _PagesDisagree(f"{row.place} of {row.date} came twice")
        seen.add((row.place, row.date))
        if row.value is not None:
            figures.setdefault(row.place, {})[int(row.date)] = row.value
    return figures


def _economies(rows: list[EconomyRow]) -> dict[str, ServedEconomy]:
    listed: dict[str, ServedEconomy] = {}
    for one in map(served_economy, rows):
        if one.iso3 in listed:
            raise _PagesDisagree(f"{one.iso3} came twice")
        listed[one.iso3] = one
    return listed


def economies_only(
    series: Series, listed: Mapping[str, ServedEconomy], known: Mapping[str, object]
) -> tuple[Series, dict[str, str], int]:
    """The series with economies only; the unknown ones; how many aggregates were left out.

    An economy is a place the World Bank lists in a region and geobias knows too. What it lists in
    a region and geobias does not know, and what it does not list at all, is unknown: code and name.
    """
    by_iso2 = {one.iso2: one.iso3 for one in listed.values() if one.iso2}
    figures: dict[str, Mapping[int, float]] = {}
    unknown: dict[str, str] = {}
    aggregates = 0
    for place, by_year in series.figures.items():
        iso3 = place if place in listed else by_iso2.get(place, place)
        one = listed.get(iso3)
        if one is not None and one.aggregate:
            aggregates += 1
        elif one is not None and iso3 in known:
            figures[iso3] = {**figures.get(iso3, {}), **by_year}
        else:
            unknown[iso3] = one.name if one is not None else ""
    return msgspec.structs.replace(series, figures=figures), unknown, aggregates
