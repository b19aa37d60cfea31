"""Series of the World Bank's Indicators API, version 2, as a table of figures.

A whole series is requested at once, so that no update of the data can fall between two parts of it.
An answer with further pages, or with another number of rows than it states, is refused.

/v2/country/all/indicator/CODE returns a list of a head and its rows. Rows are economies and
aggregates, and a year without a figure is a row with null:

    [{"page": 1, "pages": 1, "per_page": 32000, "total": 17490,
      "sourceid": "2", "lastupdated": "2026-01-28"},
     [{"indicator": {"id": "SP.POP.TOTL", "value": "Population, total"},
       "country": {"id": "KE", "value": "Kenya"}, "countryiso3code": "KEN",
       "date": "2024", "value": 56432944, "unit": "", "obs_status": "", "decimal": 0}, …]]

A series without figures has `"total": 0` and null for the rows. A refusal is

    [{"message": [{"id": "120", "key": "Invalid value", "value": "The provided …"}]}]

with id 120 for a code that never existed and 175 for one that was "deleted or archived".

https://datahelpdesk.worldbank.org/knowledgebase/topics/125589-developer-information
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

import msgspec

from geobias.atlas.economies import find_economy
from geobias.atlas.figures import Figures, Series, write_figures
from geobias.atlas.indicators import Indicator, indicator, indicators
from geobias.errors import BadDownload, BadRequest
from geobias.files import check_folder
from geobias.sources.download import get_json, service_address

NO_SUCH_INDICATOR = frozenset({"120", "175"})
AT_ONCE = 32_000
"""Rows requested at once; the longest series has eighteen thousand."""
FALLBACK = (
    "download the files from data.worldbank.org elsewhere and use `geobias data import worldbank`"
)
SUCCESSORS = {"EN.ATM.CO2E.PC": "EN.GHG.CO2.PC.CE.AR5"}
"""Discontinued series → the series that replaced them, with other figures."""
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Named(msgspec.Struct, frozen=True):
    """A code with its name, which may be missing or end in spaces."""

    id: str | None = ""
    value: str | None = ""


class FigureRow(msgspec.Struct, frozen=True):
    """One figure, or null for a missing one."""

    indicator: Named
    country: Named
    """The economy's two-letter code. Some sources put the three-letter code here and leave iso3
    empty.
    """
    date: str
    value: float | None = None
    countryiso3code: str | None = ""

    @property
    def place(self) -> str:
        """The code of three letters if the row has one, else the code of `country`."""
        return (self.countryiso3code or self.country.id or "").strip()


class Head(msgspec.Struct, frozen=True):
    """The head of an answer, before its rows."""

    pages: int = 0
    total: int = 0
    lastupdated: str | None = None
    message: list[dict[str, str]] | None = None


class NoSuchSeries(BadRequest):
    """The service does not have the indicator, dropped it, or has no figures of it."""


def read_series(body: bytes, code: str) -> Series:
    """Every figure of a series in all years, without aggregates.

    Raises `NoSuchSeries` if the series is not served, `BadDownload` for an answer of another shape.
    """
    try:
        parts = msgspec.json.decode(body, type=list[msgspec.Raw])
        # The head sometimes has numbers as text, so both are accepted.
        head = msgspec.json.decode(parts[0], type=Head, strict=False)
        if head.message:
            raise _refusal(head.message[0], code)
        rows = msgspec.json.decode(parts[1], type=list[FigureRow] | None) or []
    except (msgspec.DecodeError, IndexError, RecursionError, UnicodeDecodeError) as error:
        words = str(error) if isinstance(error, msgspec.ValidationError) else "other JSON"
        raise BadDownload(
            f"The World Bank's answer has an unexpected shape ({words}): nothing was "
            "kept; download the files by hand and use `geobias data import worldbank`."
        ) from None
    keys = {(row.place, row.date) for row in rows}
    if head.pages > 1 or not head.total == len(keys) == len(rows):
        raise BadDownload(
            f"The World Bank's answer has {len(rows):,} rows where there should be {head.total:,}, "
            "perhaps because its data are being updated: nothing was kept; run the same command "
            "again later."
        )
    figures: dict[str, dict[int, float]] = {}
    for row in rows:
        if (row.indicator.id or "").casefold() != code.casefold():
            raise BadDownload(f"The World Bank answered about {row.indicator.id}, not {code}.")
        if not re.fullmatch(r"[12][0-9]{3}", row.date):
            raise BadRequest(f"{code} has figures of {row.date!r}: only yearly series are read.")
        if row.value is not None and (place := find_economy(row.place)):
            figures.setdefault(place.iso3, {})[int(row.date)] = row.value
    if not figures:
        raise NoSuchSeries(f"The World Bank has no figures of {code} about a country.")
    # A few sources give no date; the day of the request tells their editions apart.
    edition = (head.lastupdated or "").strip() or f"asked {datetime.now(UTC).date()}"
    return Series(edition, max(map(max, figures.values())), figures)


def _refusal(message: Mapping[str, str], code: str) -> BadRequest | BadDownload:
    said = " ".join(f"{message.get('key')}: {message.get('value')}".split())[:200].rstrip(". ")
    words = "".join(c for c in said if c.isprintable())
    if message.get("id") not in NO_SUCH_INDICATOR:
        return BadDownload(f"The World Bank refuses {code} ({words}): try again later.")
    successor = SUCCESSORS.get(code)
    heir = f": {successor} took its place, which has other figures" if successor else ""
    return NoSuchSeries(f"The World Bank does not serve {code} ({words}){heir}.")


def wanted_indicators(names: Sequence[str], own: Mapping[str, Indicator]) -> list[Indicator]:
    """The indicators with these ids or codes, among the shipped ones and a user's own.

    Without `names`, all of the user's indicators, or else the shipped ones.
    """
    known = {**indicators(), **own}
    chosen = [indicator(name, known) for name in names] or list((own or known).values())
    for one in chosen:
        if not _CODE.fullmatch(one.code):
            raise BadRequest(f"{one.code!r} is not a World Bank code, such as SP.POP.TOTL.")
    return list({one.id: one for one in chosen}.values())


Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the number of series received, the number wanted, and the code of the next."""


class PulledFigures(NamedTuple):
    """The table, and a sentence for each indicator that the service no longer has."""

    figures: Figures
    missing: tuple[str, ...]


async def pull(
    wanted: Sequence[Indicator],
    out: Path,
    *,
    all_needed: bool = True,
    progress: Progress | None = None,
) -> PulledFigures:
    """Write the figures of these indicators to `out` in the shipped format: all years, economies
    only.

    A series that is not served is an error, or is left out unless `all_needed`. After any failure
    `out` is unchanged.
    """
    check_folder(out)
    url = service_address("GEOBIAS_WORLDBANK_URL", "https://api.worldbank.org/v2")
    series: dict[str, Series] = {}
    missing: list[str] = []
    for here, one in enumerate(wanted):
        path = f"country/all/indicator/{quote(one.code)}"
        source = f"{url}/{path}?format=json&per_page={AT_ONCE}"
        if progress:
            progress(here, len(wanted), one.code)
        try:
            answer = await get_json(source, fallback=FALLBACK)
            series[one.id] = read_series(answer, one.code)
        except NoSuchSeries as no:
            if all_needed:
                raise
            missing.append(str(no))
    if not series:
        raise NoSuchSeries(" ".join(missing))
    return PulledFigures(write_figures(series, out), tuple(missing))
