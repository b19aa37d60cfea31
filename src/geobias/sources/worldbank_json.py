"""The JSON of the World Bank's Indicators API, version 2. Text in, rows out; no connection.

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

from typing import TypeVar

import msgspec

from geobias.errors import BadDownload

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
