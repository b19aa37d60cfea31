"""From the World Bank's downloads to our table of figures.

An indicator's download (data.worldbank.org, "Download CSV", the file named API_…) begins with a
byte-order mark and four lines of preamble; every line ends with a comma too many:

    "Data Source","World Development Indicators",

    "Last Updated Date","2023-10-26",

    "Country Name","Country Code","Indicator Name","Indicator Code","1960",…,"2022",
    "Aruba","ABW","Population, total","SP.POP.TOTL","54608",…,"106445",

The shipped `figures.csv` is what this makes of the eleven files the paper used, byte for byte;
the same function makes the table of a later edition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.figures import FIGURE_COLUMNS, Figures, read_figures
from geobias.atlas.indicators import Indicator, indicators
from geobias.atlas.table import TableError, finite_number, read_records, write_rows
from geobias.errors import AtlasError

_KEYS = ["Country Name", "Country Code", "Indicator Name", "Indicator Code"]
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_YEAR = re.compile(r"[12]\d{3}", re.ASCII)


class Series(msgspec.Struct, frozen=True):
    """One indicator's download. Economies and aggregates ("World", "IDA total") stand side by
    side in it, and only a list of economies tells them apart."""

    code: str
    edition: str
    """The file's "Last Updated Date"."""
    years: tuple[int, ...]
    figures: Mapping[str, Mapping[int, float]]
    """By code, the figures of the years that have one."""


def read_series(path: Path) -> Series:
    """An indicator's download; anything else is a `TableError`."""
    records = ((line, record) for line, record in read_records(path) if any(record))
    preamble = [next(records, (1, [""]))[1] for _ in range(2)]
    edition = preamble[1][1:2]
    if preamble[0][0] != "Data Source" or not edition or not _DATE.fullmatch(edition[0]):
        raise TableError(
            path, 1, 'should begin with "Data Source" and "Last Updated Date": is it a World Bank '
            "download?",
        )  # fmt: skip
    line, header = next(records, (1, []))
    names = [name for name in header[len(_KEYS) :] if name]  # a comma too many
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
            raise TableError(path, line, f"is about {row_code}, the lines before about {code}")
        if iso3 in figures:
            raise TableError(path, line, f"{iso3} stands in the file twice")
        known = [(year, cell) for year, cell in zip(years, cells, strict=False) if cell.strip()]
        figures[iso3] = {year: finite_number(path, line, cell) for year, cell in known}
    if not figures:
        raise TableError(path, None, "has a header but no rows")
    return Series(code=code, edition=edition[0], years=years, figures=figures)


# 2012 to 2022 in the paper's edition: as far back as its citation check looks (section 6.1).
YEARS_KEPT = 11


def import_worldbank(
    files: Iterable[Path], out: Path, *, among: Mapping[str, Indicator] | None = None
) -> Figures:
    """Write the figures of these downloads to `out`, and return them as read back from there.

    One row per indicator and economy with at least one figure in the eleven years up to the last
    year any file has a figure of. Aggregates are left out by code. Numbers are the shortest that
    read back as the same double. `among` names the indicators (the shipped ones unless given);
    a file about another series, or two files about one, is a `TableError`, and `out` is untouched.
    """
    known = indicators() if among is None else among
    ids = {one.code: one.id for one in known.values()}
    series: dict[str, Series] = {}
    for path in files:
        one = read_series(path)
        if one.code not in ids:
            raise TableError(path, None, f"holds {one.code}, which is none of the indicators")
        if ids[one.code] in series:
            raise TableError(path, None, f"holds {one.code}, as a file before it does")
        series[ids[one.code]] = one
    if not series:
        raise AtlasError("No World Bank files were given: there is nothing to import.")
    ordered = {name: series[name] for name in known if name in series}
    return write_figures(ordered, out, years_kept=YEARS_KEPT)


def write_figures(
    series: Mapping[str, Series], out: Path, *, years_kept: int | None = None
) -> Figures:
    """Write a table of figures, by id of the indicator, and return it as read back from `out`.

    The table ends with the last year any economy has a figure of, and begins `years_kept` years
    before, or without that with the first year any economy has one of.
    """
    with_figures = [
        year
        for one in series.values()
        for iso3 in economies()
        for year in one.figures.get(iso3, {})
    ]
    if not with_figures:
        raise AtlasError("None of the World Bank's figures is one of a country.")
    last = max(with_figures)
    years = range(last - years_kept + 1 if years_kept else min(with_figures), last + 1)

    rows: list[list[object]] = [[*FIGURE_COLUMNS, *years]]
    for name, one in series.items():
        for iso3 in economies():
            by_year = one.figures.get(iso3, {})
            if any(year in by_year for year in years):
                cells = (_shortest(by_year.get(year)) for year in years)
                rows.append([name, iso3, one.edition, *cells])
    write_rows(out, rows)
    return read_figures(out)


def _shortest(figure: float | None) -> str:
    """The shortest decimal that reads back as the same double; whole numbers without ".0"."""
    return "" if figure is None else repr(figure).removesuffix(".0")
