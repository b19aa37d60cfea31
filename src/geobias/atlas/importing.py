"""Reading the World Bank's downloads.

An indicator's download (data.worldbank.org, "Download CSV", the file named API_…) begins with a
byte-order mark and four lines of preamble. Every line ends with an extra comma:

    "Data Source","World Development Indicators",

    "Last Updated Date","2023-10-26",

    "Country Name","Country Code","Indicator Name","Indicator Code","1960",…,"2022",
    "Aruba","ABW","Population, total","SP.POP.TOTL","54608",…,"106445",
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from geobias.atlas.table import TableError, finite_number, read_records

_KEYS = ["Country Name", "Country Code", "Indicator Name", "Indicator Code"]
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_YEAR = re.compile(r"[12]\d{3}", re.ASCII)


class Series(msgspec.Struct, frozen=True):
    """The download of one indicator.

    It has economies and aggregates ("World", "IDA total"), which can be distinguished only by a
    list of economies.
    """

    code: str
    edition: str
    """The file's "Last Updated Date"."""
    years: tuple[int, ...]
    figures: Mapping[str, Mapping[int, float]]
    """By code, the figures of the years that have one."""


def read_series(path: Path) -> Series:
    """Read an indicator's download. Raises `TableError` for anything else."""
    records = ((line, record) for line, record in read_records(path) if any(record))
    preamble = [next(records, (1, [""]))[1] for _ in range(2)]
    edition = preamble[1][1:2]
    if preamble[0][0] != "Data Source" or not edition or not _DATE.fullmatch(edition[0]):
        raise TableError(
            path, 1, 'should begin with "Data Source" and "Last Updated Date": is it a World Bank '
            "download?",
        )  # fmt: skip
    line, header = next(records, (1, []))
    names = [name for name in header[len(_KEYS) :] if name]  # every line ends with an extra comma
    years = tuple(int(name) for name in names if _YEAR.fullmatch(name))
    if (
        header[: len(_KEYS)] != _KEYS
        or not years
        or years != (*range(years[0], years[0] + len(names)),)
    ):
        raise TableError(path, line, f"the header should be {','.join(_KEYS)} and years in a row")
    code = ""
    figures: dict[str, dict[int, float]] = {}
    for line, record in records:
        if len(record) < len(_KEYS) + len(years):
            raise TableError(path, line, f"has {len(record)} values, too few for its years")
        _, iso3, _, row_code, *cells = record
        code = code or row_code
        if row_code != code:
            raise TableError(
                path, line, f"is about {row_code}, but the lines before are about {code}"
            )
        if iso3 in figures:
            raise TableError(path, line, f"{iso3} occurs twice in the file")
        known = [(year, cell) for year, cell in zip(years, cells, strict=False) if cell.strip()]
        figures[iso3] = {year: finite_number(path, line, cell) for year, cell in known}
    if not figures:
        raise TableError(path, None, "has a header but no rows")
    return Series(code=code, edition=edition[0], years=years, figures=figures)
